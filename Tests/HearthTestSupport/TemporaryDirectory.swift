import Foundation

/// A directory of its own for one test, removed when the test's closure ends.
///
/// With `inMemory` it lies where the system keeps files in memory, if it does so anywhere.
package func withTemporaryDirectory<R>(
  inMemory: Bool = false, _ body: (_ path: String) async throws -> R
) async throws -> R {
  let memory = "/dev/shm"
  let usesMemory = inMemory && FileManager.default.isWritableFile(atPath: memory)
  let path =
    (usesMemory ? memory + "/" : NSTemporaryDirectory()) + "hearth-test-" + UUID().uuidString
  try FileManager.default.createDirectory(
    atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try await body(path)
}
