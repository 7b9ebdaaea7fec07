import HearthModel

/// One value in a record: a tag and what it needs.
///
/// Every type and every bit is kept, except that all NaNs become one.
enum ValueCodec {
  enum Tag {
    static let null: UInt8 = 0
    static let `false`: UInt8 = 1
    static let `true`: UInt8 = 2
    static let integer: UInt8 = 3
    static let double: UInt8 = 4
    static let timestamp: UInt8 = 5
    static let string: UInt8 = 6
    static let bytes: UInt8 = 7
    static let reference: UInt8 = 8
    static let geoPoint: UInt8 = 9
    static let array: UInt8 = 10
    static let vector: UInt8 = 11
    static let map: UInt8 = 12
  }

  static func write(_ value: Value, to writer: inout ByteWriter) {
    switch value {
    case .null: writer.byte(Tag.null)
    case .boolean(let flag): writer.byte(flag ? Tag.true : Tag.false)
    case .integer(let number):
      writer.byte(Tag.integer)
      writer.signed(number)
    case .double(let number):
      writer.byte(Tag.double)
      write(number, to: &writer)
    case .timestamp(let time):
      writer.byte(Tag.timestamp)
      writer.signed(time.seconds)
      writer.signed(Int64(time.nanoseconds))
    case .string(let string):
      writer.byte(Tag.string)
      writer.text(string)
    case .bytes(let bytes):
      writer.byte(Tag.bytes)
      writer.blob(bytes)
    case .reference(let path):
      writer.byte(Tag.reference)
      writer.text(path.description)
    case .geoPoint(let point):
      writer.byte(Tag.geoPoint)
      write(point.latitude, to: &writer)
      write(point.longitude, to: &writer)
    case .array(let elements):
      writer.byte(Tag.array)
      writer.count(elements.count)
      for element in elements { write(element, to: &writer) }
    case .vector(let vector):
      writer.byte(Tag.vector)
      writer.count(vector.array.count)
      for component in vector.array { write(component, to: &writer) }
    case .map(let fields):
      writer.byte(Tag.map)
      MapForm.write(fields, to: &writer)
    }
  }

  private static func write(_ number: Double, to writer: inout ByteWriter) {
    writer.fixed64(number.isNaN ? Double.nan.bitPattern : number.bitPattern)
  }

  static func read(_ reader: inout ByteReader, depth: Int) throws(HearthError) -> Value {
    guard depth < MapForm.deepest else { throw Corruption.malformed("values nest too deep") }
    switch try reader.byte() {
    case Tag.null: return .null
    case Tag.false: return .boolean(false)
    case Tag.true: return .boolean(true)
    case Tag.integer: return .integer(try reader.signed())
    case Tag.double: return .double(Double(bitPattern: try reader.fixed64()))
    case Tag.timestamp:
      let seconds = try reader.signed()
      guard let nanoseconds = Int32(exactly: try reader.signed()) else {
        throw Corruption.malformed("a timestamp is out of range")
      }
      return .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    case Tag.string: return .string(try reader.text())
    case Tag.bytes: return .bytes(try reader.blob())
    case Tag.reference: return .reference(try path(try reader.text()))
    case Tag.geoPoint:
      let latitude = Double(bitPattern: try reader.fixed64())
      let longitude = Double(bitPattern: try reader.fixed64())
      return .geoPoint(GeoPoint(latitude: latitude, longitude: longitude))
    case Tag.array:
      let count = try reader.count()
      var elements: [Value] = []
      // A damaged count may be as large as the record; what is really there makes the room.
      elements.reserveCapacity(min(count, 64))
      for _ in 0..<count { elements.append(try read(&reader, depth: depth + 1)) }
      return .array(elements)
    case Tag.vector:
      let count = try reader.count(of: 8)
      var components: [Double] = []
      components.reserveCapacity(count)
      for _ in 0..<count { components.append(Double(bitPattern: try reader.fixed64())) }
      return .vector(VectorValue(components))
    case Tag.map: return .map(try MapForm.read(&reader, depth: depth))
    default: throw Corruption.malformed("a value has an unknown type")
    }
  }

  /// The path of a reference.
  ///
  /// Its ids were checked when it was written; here only its shape is.
  private static func path(_ text: String) throws(HearthError) -> DocumentPath {
    var segments: [String] = []
    for part in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard !part.isEmpty else { throw Corruption.malformed("a reference has an empty id") }
      segments.append(String(Substring(part)))
    }
    guard let id = segments.popLast(), segments.count % 2 == 1 else {
      throw Corruption.malformed("a reference names no document")
    }
    return DocumentPath(collection: CollectionPath(unchecked: segments), id: id)
  }
}
