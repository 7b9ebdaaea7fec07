import HearthModel

/// Fields in a record: the document's own and those of every map inside it.
///
/// A count with the width of offsets in its low two bits, then for each field the offset of its
/// end, then the fields by name: name and value. The offsets lead to one field without a look at
/// the others.
struct MapForm {
  /// How deep values may lie: far above what may be written (20), far below the stack's end.
  static let deepest = 64

  let count: Int
  /// Bytes per offset: 1, 2 or 4.
  let width: Int
  let table: Int
  let content: Range<Int>

  // MARK: Writing

  static func write(_ fields: Fields, to writer: inout ByteWriter) {
    let header = writer.bytes.count
    writer.varint(UInt64(fields.count) << 2)
    if fields.isEmpty { return }
    // The width is not known before the content is there: reserve the widest, narrow it after.
    let table = writer.bytes.count
    writer.bytes.append(contentsOf: repeatElement(0, count: 4 * fields.count))
    let content = writer.bytes.count
    var slot = table
    for field in fields {
      writer.text(field.name)
      ValueCodec.write(field.value, to: &writer)
      let end = writer.bytes.count - content
      for i in 0..<4 {
        writer.bytes[slot + i] = UInt8(truncatingIfNeeded: end >> (8 * i))
      }
      slot += 4
    }
    let length = writer.bytes.count - content
    if length > 0xffff {
      writer.bytes[header] |= 2
      return
    }
    let width = length > 0xff ? 2 : 1
    writer.bytes[header] |= UInt8(width - 1)
    for i in 0..<fields.count {
      for j in 0..<width { writer.bytes[table + width * i + j] = writer.bytes[table + 4 * i + j] }
    }
    writer.bytes.removeSubrange((table + width * fields.count)..<content)
  }

  // MARK: Reading

  /// Reads the frame: count, offset table and extent.
  ///
  /// The reader stays behind the header.
  init(_ reader: inout ByteReader) throws(HearthError) {
    let header = try reader.varint()
    guard header & 3 != 3, header >> 2 <= UInt64(reader.remaining) else {
      throw Corruption.malformed("a map has an impossible header")
    }
    count = Int(header >> 2)
    width = 1 << Int(header & 3)
    table = reader.position
    guard count * width <= reader.remaining else {
      throw Corruption.malformed("a map's offsets are cut off")
    }
    let start = table + count * width
    guard count > 0 else {
      guard width == 1 else { throw Corruption.malformed("a map has an impossible header") }
      content = start..<start
      return
    }
    let length = MapForm.offset(reader.bytes, at: start - width, width)
    guard length <= reader.limit - start else {
      throw Corruption.malformed("a map's fields are cut off")
    }
    content = start..<(start + length)
  }

  /// An offset of the table, which `init` has found to lie inside the record.
  private static func offset(_ bytes: [UInt8], at: Int, _ width: Int) -> Int {
    switch width {
    case 1: return Int(bytes[at])
    case 2: return Int(bytes[at]) | Int(bytes[at + 1]) << 8
    default:
      return Int(bytes[at]) | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]) << 16
        | Int(bytes[at + 3]) << 24
    }
  }

  /// Where a field lies.
  private func field(_ i: Int, _ bytes: [UInt8]) throws(HearthError) -> Range<Int> {
    let at = table + i * width
    let start = i == 0 ? 0 : MapForm.offset(bytes, at: at - width, width)
    let end = MapForm.offset(bytes, at: at, width)
    guard start < end, end <= content.count else {
      throw Corruption.malformed("a map's offsets do not ascend")
    }
    return (content.lowerBound + start)..<(content.lowerBound + end)
  }

  /// Looks for a field by name and, if it is there, confines the reader to its value.
  func find(_ name: String, _ reader: inout ByteReader) throws(HearthError) -> Bool {
    var low = 0
    var high = count
    var candidate = reader
    while low < high {
      let middle = (low + high) / 2
      candidate = reader
      try candidate.confine(to: try field(middle, reader.bytes))
      let order = MapForm.compare(reader.bytes, try candidate.textRange(), name)
      if order == 0 {
        reader = candidate
        return true
      }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return false
  }

  /// Order of a stored name and a name, by bytes.
  private static func compare(_ bytes: [UInt8], _ range: Range<Int>, _ name: String) -> Int {
    var name = name
    return name.withUTF8 { name in
      bytes.withUnsafeBufferPointer { bytes in
        UTF8Order.compare(UnsafeBufferPointer(rebasing: bytes[range]), name)
      }
    }
  }

  /// Reads all fields and moves the reader behind them.
  static func read(_ reader: inout ByteReader, depth: Int) throws(HearthError) -> Fields {
    guard depth < deepest else { throw Corruption.malformed("values nest too deep") }
    let form = try MapForm(&reader)
    let limit = reader.limit
    var elements: [Fields.Element] = []
    elements.reserveCapacity(form.count)
    reader.position = form.content.lowerBound
    var previous = 0..<0
    for i in 0..<form.count {
      try reader.confine(to: try form.field(i, reader.bytes))
      let mark = reader.position
      let name = try reader.text()
      let range = (reader.position - name.utf8.count)..<reader.position
      // Names out of order would make lookups miss what is there.
      guard mark == form.content.lowerBound || ascends(reader.bytes, previous, range) else {
        throw Corruption.malformed("a map's names do not ascend")
      }
      previous = range
      elements.append(
        Fields.Element(name: name, value: try ValueCodec.read(&reader, depth: depth + 1)))
      guard reader.isAtEnd else { throw Corruption.malformed("a field is too long") }
      reader.widen(to: limit)
    }
    return Fields(sorted: elements)
  }

  private static func ascends(_ bytes: [UInt8], _ a: Range<Int>, _ b: Range<Int>) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      UTF8Order.compare(
        UnsafeBufferPointer(rebasing: bytes[a]), UnsafeBufferPointer(rebasing: bytes[b])) < 0
    }
  }
}
