import Foundation

/// A directory of its own for one test, removed when the test's closure ends.
package func withTemporaryDirectory<R>(
  _ body: (_ path: String) async throws -> R
) async throws -> R {
  let path = NSTemporaryDirectory() + "hearth-test-" + UUID().uuidString
  try FileManager.default.createDirectory(
    atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try await body(path)
}
