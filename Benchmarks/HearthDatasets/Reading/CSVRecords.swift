/// Reads comma-separated records (RFC 4180: quotes around a cell, doubled inside it, line breaks
/// within quotes), one at a time.
struct CSVRecords {
  private let bytes: [UInt8]
  private var position = 0
  /// The line that the next record begins on, from 1.
  private(set) var line = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The cells of the next record, nil at the end.
  mutating func next() -> [String]? {
    guard position < bytes.count else { return nil }
    var cells: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\"") where isQuoted:
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
          cell.append(byte)
          position += 1
        } else {
          isQuoted = false
        }
      case UInt8(ascii: "\"") where cell.isEmpty: isQuoted = true
      case UInt8(ascii: ",") where !isQuoted:
        cells.append(String(decoding: cell, as: UTF8.self))
        cell.removeAll(keepingCapacity: true)
      case UInt8(ascii: "\n"):
        line += 1
        if isQuoted {
          cell.append(byte)
        } else {
          if cell.last == UInt8(ascii: "\r") { cell.removeLast() }
          cells.append(String(decoding: cell, as: UTF8.self))
          return cells
        }
      default: cell.append(byte)
      }
    }
    cells.append(String(decoding: cell, as: UTF8.self))
    return cells
  }
}
