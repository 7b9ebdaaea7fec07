import HearthEncoding
import HearthModel
import HearthTestSupport
import Testing

@Suite struct InterchangeTests {
  private func parse(_ text: String) throws(TextFault) -> JSONNode {
    try JSONParser.parse(Array(text.utf8))
  }

  private func plain(_ text: String) throws -> Fields { try PlainJSON.fields(parse(text)) }

  @Test func `random documents come back from their lines as they were`() throws {
    var random = RandomValues(seed: testSeed("export lines"))
    for _ in 0..<(3000 * soakFactor) {
      let version = CommitVersion(
        microseconds: Int64.random(in: 0...4_000_000_000_000_000, using: &random.generator))
      let document = Document(
        path: random.documentPath(), createVersion: version,
        updateVersion: CommitVersion(microseconds: version.microseconds + 1),
        fields: random.fields(names: (0..<4).map { _ in random.name() }, depth: 4))
      var bytes = ExportLine.document(document).bytes
      #expect(bytes.popLast() == UInt8(ascii: "\n"))
      #expect(!bytes.contains(UInt8(ascii: "\n")))
      guard case .document(let read) = try ExportLine(bytes) else {
        Issue.record("no document")
        return
      }
      #expect(read == document)
    }
  }

  @Test func `names that are canonically equivalent stay apart`() throws {
    let fields: Fields = ["\u{e9}": .integer(1), "e\u{301}": .double(1), "\u{1f435}\n\"": .null]
    var writer = JSONWriter()
    TypedValueJSON.append(fields, to: &writer)
    #expect(try TypedValueJSON.fields(JSONParser.parse(writer.bytes)) == fields)
    #expect(fields.count == 3)
  }

  @Test func `times are written and read over the whole range`() {
    let known: [(String, Timestamp)] = [
      ("0001-01-01T00:00:00Z", Timestamp(seconds: -62_135_596_800, nanoseconds: 0)),
      ("1969-12-31T23:59:59.999999Z", Timestamp(seconds: -1, nanoseconds: 999_999_000)),
      ("2000-02-29T12:34:56Z", Timestamp(seconds: 951_827_696, nanoseconds: 0)),
      ("9999-12-31T23:59:59.000001Z", Timestamp(seconds: 253_402_300_799, nanoseconds: 1000)),
    ]
    for (text, time) in known {
      #expect(TimestampText.text(time) == text)
      #expect(TimestampText.parse(text) == time)
    }
    for day in stride(from: Int64(-719_162), through: 2_932_896, by: 97) {
      let time = Timestamp(seconds: day * 86_400 + 3599, nanoseconds: 120_000_000)
      #expect(TimestampText.parse(TimestampText.text(time)) == time)
    }
    #expect(TimestampText.parse("2026-01-31T00:00:00.123456789Z")?.nanoseconds == 123_456_789)
    for text in [
      "", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z",
      "2026-01-01 00:00:00Z", "2026-01-01T00:00:00", "0000-01-01T00:00:00Z",
      "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00+01:00",
    ] {
      #expect(TimestampText.parse(text) == nil, "\(text)")
    }
  }

  @Test func `bytes are written and read in every length`() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 89 + count) }
      var text: [UInt8] = []
      Base64.append(bytes, to: &text)
      #expect(Base64.decode(String(decoding: text, as: UTF8.self)) == bytes)
    }
    for text in ["A", "AA", "AAA", "A===", "AA=A", "AB==", "AAB=", "A-==", "=AAA", "AA==AAAA"] {
      #expect(Base64.decode(text) == nil, "\(text)")
    }
  }

  @Test func `plain numbers take their type from their spelling`() throws {
    let fields = try plain(
      #"{"a":1,"b":1.0,"c":1e2,"d":-0,"e":-0.0,"f":9223372036854775807,"g":[1,{"x":null}],"h":"é"}"#
    )
    let expected: Fields = [
      "a": .integer(1), "b": .double(1), "c": .double(100), "d": .double(-0.0),
      "e": .double(-0.0), "f": .integer(.max),
      "g": .array([.integer(1), .map(["x": .null])]), "h": .string("é"),
    ]
    #expect(fields == expected)
    #expect(throws: TextFault.self) { try plain(#"{"a":9223372036854775808}"#) }
    #expect(throws: TextFault.self) { try plain(#"{"a":1e999}"#) }
    #expect(throws: TextFault.self) { try plain("[1]") }
  }

  @Test func `what is not JSON is refused`() {
    for text in [
      "", " ", "{", "{]", "[1,]", "{\"a\":1,}", "{'a':1}", "{\"a\" 1}", "01", "1.", ".5", "+1",
      "-", "1e", "nul", "tru e", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
      "\"\u{1}\"", "1 2", "{\"a\":1,\"a\":2}", "NaN", String(repeating: "[", count: 200),
    ] {
      #expect(throws: TextFault.self, "\(text)") { try parse(text) }
    }
    // Bytes that are no UTF-8.
    #expect(throws: TextFault.self) { try JSONParser.parse([0x22, 0xc3, 0x22]) }
    #expect(throws: Never.self) {
      try parse("{\"\\ud83d\\ude00\":[true,false,null,{\"\":-1.5e-7}]}")
    }
  }

  @Test func `typed values that do not fit their type are refused`() {
    for value in [
      #"{}"#, #"1"#, #"{"integerValue":"1","doubleValue":1}"#, #"{"integerValue":1.5}"#,
      #"{"integerValue":"9223372036854775808"}"#, #"{"doubleValue":"nan"}"#,
      #"{"doubleValue":1e999}"#, #"{"booleanValue":"true"}"#, #"{"nullValue":0}"#,
      #"{"timestampValue":"yesterday"}"#, #"{"bytesValue":"?"}"#, #"{"referenceValue":"a"}"#,
      #"{"geoPointValue":{"latitude":1}}"#, #"{"arrayValue":[]}"#, #"{"mapValue":{"a":1}}"#,
      #"{"vectorValue":["x"]}"#, #"{"stringValue":1}"#, #"{"blobValue":""}"#,
    ] {
      #expect(throws: TextFault.self, "\(value)") {
        try TypedValueJSON.fields(parse(#"{"a":\#(value)}"#))
      }
    }
  }
}
