import Foundation

/// The files that come with this target.
enum DataFiles {
  /// The bytes of one file.
  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Data/\(name)")))
  }
}
