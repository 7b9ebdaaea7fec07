import Foundation
import HearthStorage
import Testing

/// A directory that goes away with the object.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    // Without symbolic links, as environments name their paths.
    path =
      URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
      + "/hearth-storage-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Where tests put their database.
  var database: String { path + "/db" }

  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: path + "/" + name)
  }
}

extension EnvironmentOptions {
  /// Three tables, a fixed clock and countable "random" bytes; no syncing, for speed.
  static func testing(
    mapSize: Int = 1 << 30, _ change: (inout EnvironmentOptions) -> Void = { _ in }
  ) -> EnvironmentOptions {
    var options = EnvironmentOptions(
      tableNames: ["a", "b", "c"],
      randomBytes: { count in (0..<count).map { UInt8(truncatingIfNeeded: $0) } },
      nowMicroseconds: { 1_700_000_000_000_000 })
    options.durability = .none
    options.mapSize = mapSize
    change(&options)
    return options
  }
}

let tableA = Table(number: 0)
let tableB = Table(number: 1)
let tableC = Table(number: 2)

/// Runs `body` with an open environment and closes it afterwards.
func withEnvironment(
  _ options: EnvironmentOptions = .testing(),
  _ body: (Environment, TemporaryDirectory) throws -> Void
) throws {
  let directory = try TemporaryDirectory()
  let environment = try Environment.open(at: directory.database, options: options)
  defer { environment.close() }
  try body(environment, directory)
}

/// The bytes of a short text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Expects that `body` throws a storage error of this kind, and returns it.
@discardableResult
func expectError(
  _ kind: StorageError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) -> StorageError? {
  let error = #expect(throws: StorageError.self, sourceLocation: sourceLocation) { try body() }
  #expect(error?.kind == kind, sourceLocation: sourceLocation)
  return error
}

/// Small, seedable and the same everywhere.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
