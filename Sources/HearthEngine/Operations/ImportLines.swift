import HearthEncoding
import HearthModel

/// The lines of a text that comes in pieces, with the checksum of those before.
struct ImportLines {
  /// A document has a mebibyte at most, which escapes and types make longer, but not so long.
  private static let longestLine = 64 << 20

  /// The next piece; nil or nothing at the end.
  private let read: () throws -> [UInt8]?
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  private var checksum = Checksum()
  /// The number of the last line, from 1.
  private(set) var number = 0
  /// Of all bytes before the last line.
  private(set) var checksumBefore: UInt64 = Checksum().finish()

  init(_ read: @escaping () throws -> [UInt8]?) { self.read = read }

  /// The next line without its end; nil after the last.
  mutating func next() throws -> [UInt8]? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        return take(upTo: end, behind: end + 1)
      }
      searched = buffer.count
      if isAtEnd {
        return position == buffer.count ? nil : take(upTo: buffer.count, behind: buffer.count)
      }
      guard buffer.count - position <= Self.longestLine else {
        throw HearthError.importLine(number + 1, "the line is longer than 64 MiB")
      }
      guard let piece = try read(), !piece.isEmpty else {
        isAtEnd = true
        continue
      }
      if position > 0 {
        buffer.removeSubrange(..<position)
        searched -= position
        position = 0
      }
      buffer += piece
    }
  }

  private mutating func take(upTo end: Int, behind next: Int) -> [UInt8] {
    checksumBefore = checksum.finish()
    buffer.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[position..<next])) }
    let line = Array(buffer[position..<end])
    position = next
    number += 1
    return line
  }
}

extension HearthError {
  /// What is wrong with one line of an import.
  static func importLine(
    _ number: Int, _ problem: String, _ reason: String = "IMPORT_LINE"
  ) -> HearthError {
    HearthError(
      .invalidArgument, reason, "Line \(number) of the import: \(problem).",
      details: .importLine(number))
  }
}
