import Foundation
import HearthModel

/// A text that is read in pieces.
final class TextInput: Sendable {
  private static let pieceSize = 256 << 10

  private let handle: FileHandle

  /// Reads what the caller has opened, and closes.
  init(_ handle: FileHandle) { self.handle = handle }

  init(path: String) throws(HearthError) {
    do {
      handle = try FileHandle(forReadingFrom: URL(filePath: path))
    } catch {
      throw HearthError(
        .notFound, "IMPORT_UNREADABLE",
        "'\(path)' cannot be read: \(error.localizedDescription)", underlying: error)
    }
  }

  /// The next piece; nil at the end.
  func read() throws -> [UInt8]? {
    do {
      return try handle.read(upToCount: Self.pieceSize).map { Array($0) }
    } catch {
      throw HearthError(
        .unavailable, "IMPORT_READ_FAILED",
        "The import cannot be read on: \(error.localizedDescription)", underlying: error)
    }
  }
}

/// A text that is written in pieces; a file of its own gets its name at the end.
final class TextOutput: Sendable {
  private let handle: FileHandle
  private let path: String?

  /// Writes to what the caller has opened, and closes.
  init(_ handle: FileHandle) {
    self.handle = handle
    path = nil
  }

  private static func staging(_ path: String) -> String { path + ".exporting" }

  init(path: String) throws(HearthError) {
    let files = FileManager.default
    guard !files.fileExists(atPath: path) else { throw Self.exists(path) }
    let staging = Self.staging(path)
    // What an export that crashed has left.
    try? files.removeItem(atPath: staging)
    guard
      files.createFile(atPath: staging, contents: nil, attributes: [.posixPermissions: 0o600]),
      let handle = FileHandle(forWritingAtPath: staging)
    else {
      throw HearthError(
        .failedPrecondition, "EXPORT_NOT_WRITABLE",
        "'\(staging)' cannot be made: check that its directory exists and can be written.")
    }
    self.path = path
    self.handle = handle
  }

  private static func exists(_ path: String) -> HearthError {
    HearthError(
      .alreadyExists, "TARGET_EXISTS", "'\(path)' exists already: choose another file.")
  }

  func write(_ bytes: [UInt8]) throws {
    do {
      try handle.write(contentsOf: Data(bytes))
    } catch {
      throw Self.failed(error)
    }
  }

  /// Makes the file durable and gives it its name.
  func finish() throws(HearthError) {
    guard let path else { return }
    let files = FileManager.default
    do {
      try handle.synchronize()
      try handle.close()
      guard !files.fileExists(atPath: path) else { throw Self.exists(path) }
      try files.moveItem(atPath: Self.staging(path), toPath: path)
    } catch {
      throw (error as? HearthError) ?? Self.failed(error)
    }
    // The name, too; not every file system can be asked.
    let directory = URL(filePath: path).deletingLastPathComponent()
    try? FileHandle(forReadingFrom: directory).synchronize()
  }

  /// Leaves nothing behind.
  func discard() {
    guard let path else { return }
    try? handle.close()
    try? FileManager.default.removeItem(atPath: Self.staging(path))
  }

  private static func failed(_ error: any Error) -> HearthError {
    var codes = [(error as NSError).code]
    if let inner = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError {
      codes.append(inner.code)
    }
    let isFull =
      codes.contains(Int(ENOSPC)) || codes.contains(CocoaError.fileWriteOutOfSpace.rawValue)
    return isFull
      ? HearthError(
        .resourceExhausted, "DISK_FULL", "The disk of the export is full: free some space.",
        underlying: error)
      : HearthError(
        .unavailable, "EXPORT_WRITE_FAILED",
        "The export cannot be written on: \(error.localizedDescription)", underlying: error)
  }
}
