import Hearth
import HearthTestSupport
import Testing

/// Reports about kinds, times and byte strings (section B).
@Suite struct ValueReports {
  private struct Numbers: Codable {
    var whole: Int
    var broken: Double
  }

  @Test func `BR-039: integers stay integers and doubles doubles`() async throws {
    try await withDatabase { database in
      let document = database.document("c/d")
      try await document.setData(from: Numbers(whole: 5, broken: 5))
      var fields = try await document.getDocument().fields
      #expect(fields == ["broken": .double(5), "whole": .integer(5)])
      try await document.updateData([
        "whole": FieldValue.increment(Int64(1)), "broken": FieldValue.increment(Int64(1)),
      ])
      fields = try await document.getDocument().fields
      #expect(fields == ["broken": .double(6), "whole": .integer(6)])
      try await document.updateData(["whole": FieldValue.increment(0.5)])
      fields = try await document.getDocument().fields
      #expect(fields["whole"] == .double(6.5))
      // Through an array, a map, a batch, a transaction and a query.
      let map: [String: Any] = ["w": 5, "b": 5.0]
      try await document.setData(["l": [5, 5.0] as [Any], "m": map])
      try await database.batch().updateData(["m.v": 5.0], forDocument: document).commit()
      _ = try await database.runTransaction { $0.updateData(["m.u": 5], forDocument: document) }
      let found = try await database.collection("c").whereField("m.w", isEqualTo: 5.0)
        .getDocuments().documents.first?.fields
      #expect(
        found == [
          "l": .array([.integer(5), .double(5)]),
          "m": .map(["b": .double(5), "u": .integer(5), "v": .double(5), "w": .integer(5)]),
        ])
      // Rewriting 5 as 5.0 is a change; writing the same again is none.
      try await document.setData(["n": 5])
      let first = try await document.getDocument().updateTime
      try await document.setData(["n": 5])
      let same = try await document.getDocument().updateTime
      try await document.setData(["n": 5.0])
      let changed = try await document.getDocument().updateTime
      #expect(first == same && first != changed)
    }
  }

  private static let times: [Timestamp] = [
    Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_789),
    Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_000),
    Timestamp(seconds: 1_700_000_000, nanoseconds: 999_999_999),
    Timestamp(seconds: -1, nanoseconds: 999_999_999),
    Timestamp(seconds: 0, nanoseconds: 1),
    Timestamp(seconds: -62_135_596_800, nanoseconds: 0),
    Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999),
  ]

  @Test(arguments: times)
  func `BR-040: a time is cut to microseconds when written, and when asked for`(_ time: Timestamp)
    async throws
  {
    try await withDatabase { database in
      let things = database.collection("c")
      try await things.document("x").setData(["t": time, "l": [time], "m": ["t": time]])
      try await things.document("y").setData(["t": Timestamp(seconds: 7, nanoseconds: 0)])
      let stored = Timestamp(
        seconds: time.seconds, nanoseconds: time.nanoseconds / 1000 * 1000)
      let fields = try await things.document("x").getDocument().fields
      #expect(fields["t"] == .timestamp(stored))
      #expect(fields["l"] == .array([.timestamp(stored)]))
      for operand in [time, stored] {
        let queries = [
          things.whereField("t", isEqualTo: operand), things.whereField("t", in: [operand]),
          things.whereField("l", arrayContains: operand),
          things.whereField("l", arrayContainsAny: [operand]),
          things.whereField("l", isEqualTo: [operand]),
          things.whereField("m.t", isEqualTo: operand),
          things.whereField("m", isEqualTo: ["t": operand]),
          things.whereField("t", isGreaterThanOrEqualTo: operand)
            .whereField("t", isLessThanOrEqualTo: operand),
          things.order(by: "t").start(at: [operand]).end(at: [operand]),
          things.whereFilter(Filter.whereField("t", isEqualTo: operand)),
        ]
        for (number, query) in queries.enumerated() {
          let found = try await query.ids
          #expect(found == ["x"], "query \(number)")
        }
        let others = [
          things.whereField("t", isNotEqualTo: operand), things.whereField("t", notIn: [operand]),
        ]
        for query in others {
          let found = try await query.ids
          #expect(found == ["y"])
        }
        let beyond = try await things.order(by: "t").start(after: [operand]).ids
        #expect(!beyond.contains("x"))
        let before = try await things.order(by: "t").end(before: [operand]).ids
        #expect(!before.contains("x"))
      }
      try await things.document("x").updateData(["l": FieldValue.arrayUnion([time])])
      let union = try await things.document("x").getDocument().fields["l"]
      #expect(union == .array([.timestamp(stored)]))
    }
  }

  @Test func `BR-041: times, dates and documents are cursors that repeat and skip nothing`()
    async throws
  {
    try await withDatabase { database in
      let things = database.collection("c")
      // Neighbours, where a date's resolution matters most.
      for (place, second) in [1_700_000_000, 3_000_000_000, 0, -1_000_000_000].enumerated() {
        for step in 0..<3 {
          let time = Timestamp(
            seconds: Int64(second), nanoseconds: Int32(123_456 + 167_001 * place + step) * 1000)
          try await things.document("\(place)-\(step)").setData(["t": time])
        }
      }
      let whole = things.order(by: "t")
      let expected = try await whole.ids
      #expect(expected.count == 12)
      let cursors: [(QueryDocumentSnapshot) -> Query?] = [
        { whole.start(afterDocument: $0) },
        { ($0.get("t") as? Timestamp).map { whole.start(after: [$0]) } },
        { ($0.get("t") as? Timestamp).map { whole.start(after: [$0.dateValue()]) } },
      ]
      for (kind, next) in cursors.enumerated() {
        var seen: [String] = []
        var page = whole
        while seen.count < 20, let row = try await page.limit(to: 1).getDocuments().documents.first
        {
          seen.append(row.documentID)
          page = try #require(next(row))
        }
        #expect(seen == expected, "cursor \(kind)")
      }
    }
  }

  @Test func `BR-041: a date that came from a time goes in as that time`() async throws {
    var generator = SeededGenerator(seed: testSeed("dates"))
    try await withDatabase { database in
      let document = database.document("c/d")
      var sent: [Timestamp] = []
      for _ in 0..<2000 {
        sent.append(
          Timestamp(
            seconds: Int64.random(in: -2_000_000_000...4_000_000_000, using: &generator),
            nanoseconds: Int32.random(in: 0..<1_000_000, using: &generator) * 1000))
      }
      try await document.setData(["dates": sent.map { $0.dateValue() }])
      let stored = try await document.getDocument().fields["dates"]
      #expect(stored == .array(sent.map { .timestamp($0) }))
    }
  }

  @Test func `BR-042: fractions and times before 1970 keep their nanoseconds positive`()
    async throws
  {
    let table: [(Double, Int64, Int32)] = [
      (-0.5, -1, 500_000_000), (-1, -1, 0), (-1.25, -2, 750_000_000), (0, 0, 0),
      (1.0000005, 1, 500), (0.25, 0, 250_000_000), (-0.0, 0, 0),
    ]
    try await withDatabase { database in
      let document = database.document("c/d")
      for (interval, seconds, nanoseconds) in table {
        let date = Date(timeIntervalSince1970: interval)
        let time = Timestamp(date: date)
        #expect(time.seconds == seconds, "\(interval)")
        // A date near 1970 keeps some hundred nanoseconds.
        #expect(abs(time.nanoseconds - nanoseconds) < 200, "\(interval)")
        try await document.setData(["t": date])
        let stored = try await document.getDocument().fields["t"]
        #expect(
          stored
            == .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1000 * 1000)),
          "\(interval)")
      }
      for seconds in [-62_135_596_801, 253_402_300_800, Int64.min, Int64.max] {
        let time = Timestamp(seconds: seconds, nanoseconds: 0)
        let why = await reason { try await document.setData(["t": time]) }
        #expect(why == "TIMESTAMP_RANGE", "\(seconds)")
      }
      for nanoseconds in [-1, 1_000_000_000, Int32.max] {
        let time = Timestamp(seconds: 0, nanoseconds: nanoseconds)
        let why = await reason { try await document.setData(["t": time]) }
        #expect(why == "TIMESTAMP_RANGE", "\(nanoseconds)")
      }
      for interval in [-62_135_596_800, 253_402_300_799] as [Double] {
        let date = Date(timeIntervalSince1970: interval)
        let why = await reason { try await document.setData(["t": date]) }
        #expect(why == nil, "\(date)")
      }
      for interval in [-1e12, 1e12, 1e300, Double.infinity, Double.nan] {
        let date = Date(timeIntervalSince1970: interval)
        let why = await reason { try await document.setData(["t": date]) }
        #expect(why == "TIMESTAMP_RANGE", "\(interval)")
      }
    }
  }

  @Test func `BR-043: equality through the index equals a scan, whole seconds or not`()
    async throws
  {
    try await withDatabase { database in
      let things = database.collection("c")
      let count = 300
      func time(_ number: Int) -> Timestamp {
        // Every other one a whole second, each value three times.
        let value = number / 3
        return Timestamp(
          seconds: Int64(value) - 50, nanoseconds: value % 2 == 0 ? 0 : Int32(value) * 1_000_000)
      }
      try await fill(things, 0..<count) { ["t": time($0)] }
      let all = try await things.getDocuments().documents
      for number in stride(from: 0, to: count, by: 3) {
        let found = try await things.whereField("t", isEqualTo: time(number)).ids
        let scanned = all.filter { $0.fields["t"] == .timestamp(time(number)) }.map(\.documentID)
        #expect(found == scanned && found.count == 3)
      }
    }
  }

  @Test func `BR-044: bytes may be empty, and sort before all others`() async throws {
    try await withDatabase { database in
      let things = database.collection("c")
      let values = [Data(), Data([0]), Data([0, 0]), Data([1]), Data([255])]
      for (number, value) in values.enumerated().reversed() {
        try await things.document("\(number)").setData([
          "b": value, "l": [value], "m": ["k": value],
        ])
      }
      let stored = try await things.document("0").getDocument()
      #expect(stored.get("b") as? Data == Data())
      let ordered = try await things.order(by: "b").ids
      #expect(ordered == ["0", "1", "2", "3", "4"])
      let falling = try await things.order(by: "b", descending: true).ids
      #expect(falling == ordered.reversed())
      let equal = try await things.whereField("b", isEqualTo: Data()).ids
      #expect(equal == ["0"])
      let greater = try await things.whereField("b", isGreaterThan: Data()).ids
      #expect(greater == ["1", "2", "3", "4"])
      let contained = try await things.whereField("l", arrayContains: Data()).ids
      #expect(contained == ["0"])
      let after = try await things.order(by: "b").start(after: [Data()]).ids
      #expect(after == ["1", "2", "3", "4"])
      let from = try await things.order(by: "m.k").start(at: [Data()]).ids
      #expect(from == ordered)
      // Empty text and empty containers are values, too.
      try await things.document("s").setData(["b": "", "l": [""], "m": [String: Any]()])
      let text = try await things.whereField("b", isEqualTo: "").ids
      #expect(text == ["s"])
      let map = try await things.whereField("m", isEqualTo: [String: Any]()).ids
      #expect(map == ["s"])
    }
  }
}
