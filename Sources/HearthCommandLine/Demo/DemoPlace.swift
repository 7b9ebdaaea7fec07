import Foundation

/// Where the database of the demo, or of a stress run, lives.
struct DemoPlace: Sendable {
  /// The database's directory.
  let database: URL
  /// What to remove in the end; nil if the database is kept.
  let temporaryDirectory: String?

  /// Uses a new directory at `path`, or a temporary one with `name` in its name.
  init(keeping path: String?, named name: String = "demo") throws(UsageError) {
    if let path {
      guard !FileManager.default.fileExists(atPath: path) else {
        throw UsageError(
          text: "'\(path)' exists already; name a directory that does not, or remove it first")
      }
      database = URL(filePath: path)
      temporaryDirectory = nil
      return
    }
    var template = Array(
      FileManager.default.temporaryDirectory.appending(path: "hearth-\(name)-XXXXXX")
        .path(percentEncoded: false).utf8CString)
    guard mkdtemp(&template) != nil else {
      throw UsageError(
        text: "cannot make a temporary directory (\(String(cString: strerror(errno)))); "
          + "name a place with --keep PATH or set TMPDIR")
    }
    let directory = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    temporaryDirectory = directory
    database = URL(filePath: directory).appending(path: "eats.hearth")
  }

  /// Removes a temporary database.
  func removeIfTemporary() {
    guard let temporaryDirectory else { return }
    try? FileManager.default.removeItem(atPath: temporaryDirectory)
    Interruption.setTemporaryDirectory(nil)
  }

  /// What it takes on disk, in bytes.
  var bytesOnDisk: Int {
    let path = database.path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.reduce(0) { sum, name in
      var status = stat()
      guard stat("\(path)/\(name)", &status) == 0 else { return sum }
      // Blocks, not length: the file may have holes.
      return sum + Int(status.st_blocks) * 512
    }
  }
}
