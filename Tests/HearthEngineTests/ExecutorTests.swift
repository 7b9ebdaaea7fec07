import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// What queries find and what they touch on the way (documents-and-queries, 5.6, 5.7 and 7).
@Suite struct ExecutorTests {
  /// Ten documents d0 to d9 with `n` from 0 to 9, and `others` of another city.
  private func withTen(others: Int = 0, _ body: (Engine) async throws -> Void) async throws {
    try await withEngine { engine in
      _ = try await engine.commit(
        (0..<10).map { try .set("r/d\($0)", ["n": .integer(Int64($0)), "city": "SF"]) })
      if others > 0 {
        _ = try await engine.commit(
          (0..<others).map {
            try .set("r/o\($0)", ["m": .integer(Int64($0)), "city": "LA"])
          })
      }
      try await body(engine)
    }
  }

  private func expect(
    _ query: StructuredQuery, in engine: Engine, finds ids: [String], entries: Int,
    documents: Int, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let result = try engine.run(query)
    let statistics = result.explanation.statistics
    #expect(result.documents.map(\.path.id) == ids, sourceLocation: location)
    #expect(statistics?.indexEntriesScanned == entries, sourceLocation: location)
    #expect(statistics?.documentsScanned == documents, sourceLocation: location)
    #expect(statistics?.resultsReturned == ids.count, sourceLocation: location)
  }

  @Test(arguments: [10, 1000])
  func `counts follow the result, not the size of the collection`(_ others: Int) async throws {
    try await withTen(others: others) { engine in
      let city = filter("city", .equal, "SF")
      try expect(
        query(city, limit: 3), in: engine, finds: ["d0", "d1", "d2"], entries: 4, documents: 3)
      try expect(
        query(city, limit: 10), in: engine, finds: (0..<10).map { "d\($0)" }, entries: 10,
        documents: 10)
      try expect(
        query(order: [by("n", .descending)], limit: 2), in: engine, finds: ["d9", "d8"],
        entries: 3, documents: 2)
      try expect(
        query(filter("n", .greaterThan, 7)), in: engine, finds: ["d8", "d9"], entries: 2,
        documents: 2)
      try expect(
        query(filter("n", .in, .array([3, 1]))), in: engine, finds: ["d1", "d3"], entries: 2,
        documents: 2)
      try expect(
        query(filter("n", .equal, 77)), in: engine, finds: [], entries: 0, documents: 0)
    }
  }

  @Test func `an offset is read and skipped`() async throws {
    try await withTen { engine in
      var page = query(order: [by("n")], limit: 3)
      page.offset = 4
      try expect(page, in: engine, finds: ["d4", "d5", "d6"], entries: 8, documents: 7)
    }
  }

  @Test func `a limit of zero reads nothing`() async throws {
    try await withTen { engine in
      let result = try engine.run(query(limit: 0))
      #expect(result.documents.isEmpty)
      #expect(result.explanation.statistics?.documentsScanned == 0)
      #expect(result.explanation.statistics?.indexEntriesScanned == 0)
    }
  }

  @Test func `a merge counts every seek that lands: [1,4] and [1,3,5] cost five`() async throws {
    try await withEngine { engine in
      for id in ["1", "4"] { try await engine.set(id, ["a": 1, "b": id == "1" ? 1 : 0]) }
      for id in ["3", "5"] { try await engine.set(id, ["a": 0, "b": 1]) }
      let both = query(filter("a", .equal, 1), filter("b", .equal, 1))
      try expect(both, in: engine, finds: ["1"], entries: 5, documents: 1)
      var one = both
      one.limit = 1
      try expect(one, in: engine, finds: ["1"], entries: 2, documents: 1)
    }
  }

  @Test func `entries that a residual inequality rejects are counted`() async throws {
    try await withTen { engine in
      for number in 0..<10 {
        try await engine.set(
          "d\(number)", ["n": .integer(Int64(number)), "m": .integer(Int64(number % 3))])
      }
      try await engine.createIndex(index(("n", .ascending), ("m", .ascending)))
      let residual = query(
        filter("n", .greaterThanOrEqual, 2), filter("m", .greaterThan, 0), order: [by("n")])
      try expect(
        residual, in: engine, finds: ["d2", "d4", "d5", "d7", "d8"], entries: 8, documents: 5)
    }
  }

  @Test func `a name scan counts the documents it passes`() async throws {
    try await withTen { engine in
      try expect(query(limit: 3), in: engine, finds: ["d0", "d1", "d2"], entries: 4, documents: 3)
      let name = FieldFilter(.documentName, .greaterThan, .reference(doc("d7")))
      try expect(
        query(.field(name)), in: engine, finds: ["d8", "d9"], entries: 2, documents: 2)
      let lookup = FieldFilter(
        .documentName, .in, .array([.reference(doc("d3")), .reference(doc("zz"))]))
      #expect(try engine.ids(query(.field(lookup))) == ["d3"])
    }
  }

  @Test func `cursors by value and by name cut where they should`() async throws {
    try await withTen { engine in
      try await engine.set("e5", ["n": 5])
      func cut(_ start: Bound?, _ end: Bound?, _ direction: Direction = .ascending) -> [String] {
        let order = [by("n", direction), OrderBy(.documentName, direction)]
        return
          (try? engine.ids(
            query(order: order) {
              $0.start = start
              $0.end = end
            })) ?? ["error"]
      }
      let five = Bound(values: [5], inclusive: true)
      let beside = Bound(values: [5], inclusive: false)
      #expect(cut(five, nil) == ["d5", "e5", "d6", "d7", "d8", "d9"])
      #expect(cut(beside, nil) == ["d6", "d7", "d8", "d9"])
      #expect(cut(nil, five).suffix(2) == ["d5", "e5"])
      #expect(cut(nil, beside).suffix(1) == ["d4"])
      #expect(cut(five, nil, .descending) == ["e5", "d5", "d4", "d3", "d2", "d1", "d0"])
      #expect(cut(nil, beside, .descending) == ["d9", "d8", "d7", "d6"])
      let atName = Bound(values: [5, .reference(doc("d5"))], inclusive: false)
      #expect(cut(atName, nil).prefix(2) == ["e5", "d6"])
      #expect(cut(atName, nil, .descending).prefix(2) == ["d4", "d3"])
      // A type beyond numbers and one before them.
      #expect(cut(Bound(values: [""], inclusive: true), nil) == [])
      #expect(cut(Bound(values: [.null], inclusive: true), nil).count == 11)
    }
  }

  @Test func `a cursor may name a document of another collection`() async throws {
    try await withTen { engine in
      for (path, count) in [
        ("a/zzz", 10), ("s/a", 0), ("r/d3/sub/x", 6), ("r/d35", 6), ("r/d3", 7),
      ] {
        let name = try DocumentPath(path)
        let found = try engine.ids(
          query(order: [OrderBy(.documentName)]) {
            $0.start = Bound(values: [.reference(name)], inclusive: true)
          })
        #expect(found.count == count, "\(path)")
      }
    }
  }

  @Test func `limit to last gives the end of the order, in order`() async throws {
    try await withTen { engine in
      var last = query(order: [by("n")], limit: 3)
      last.limitIsToLast = true
      try expect(last, in: engine, finds: ["d7", "d8", "d9"], entries: 4, documents: 3)
      last.end = Bound(values: [5], inclusive: false)
      #expect(try engine.ids(last) == ["d2", "d3", "d4"])
    }
  }

  @Test func `an offset of any size only skips`() async throws {
    try await withEngine { engine in
      for id in ["a", "b"] { try await engine.set(id, ["n": 1]) }
      let far = query(order: [by("n")], limit: 1) { $0.offset = .max }
      #expect(try engine.ids(far) == [])
      let capped = try engine.aggregate(far, [Aggregation(.count(upTo: .max))])
      #expect(capped.values[0].value == 0)
      let endless = query(limit: .max) { $0.offset = 1 }
      #expect(try engine.ids(endless) == ["b"])
      let shown = try await Ear(engine, .query(far)).ids()
      #expect(shown == [])
    }
  }

  @Test func `a composite and its twin are read in both directions`() async throws {
    try await withTen { engine in
      let mixed = index(("city", .ascending), ("n", .descending))
      try await engine.createIndex(mixed)
      let city = filter("city", .equal, "SF")
      #expect(
        try engine.ids(query(city, order: [by("n", .descending)], limit: 2)) == ["d9", "d8"])
      #expect(engine.refusal(query(city, order: [by("n")])) == "INDEX_MISSING")
      try await engine.createIndex(mixed.twin)
      let entries = try engine.checkConsistency().indexEntries
      #expect(
        try engine.ids(query(city, order: [by("n", .descending)], limit: 2)) == ["d9", "d8"])
      try await engine.createIndex(index(("city", .ascending), ("n", .ascending)))
      #expect(try engine.ids(query(city, order: [by("n")], limit: 2)) == ["d0", "d1"])
      #expect(try engine.checkConsistency().indexEntries == entries + 10)
      #expect(try engine.findings() == [])
    }
  }

  @Test func `array-contains has one entry per distinct element`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["t": .array([1, 2, 1, .double(1)])])
      try await engine.set("b", ["t": .array([2, .null])])
      try await engine.set("c", ["t": 2])
      try expect(
        query(filter("t", .arrayContains, 1)), in: engine, finds: ["a"], entries: 1, documents: 1)
      try expect(
        query(filter("t", .arrayContains, 2)), in: engine, finds: ["a", "b"], entries: 2,
        documents: 2)
      #expect(
        try engine.ids(query(filter("t", .arrayContainsAny, .array([1, 2])))) == ["a", "b"])
      #expect(try engine.findings() == [])
    }
  }

  @Test func `negations keep the order of values and then of names`() async throws {
    try await withTen { engine in
      try await engine.set("z", ["n": .null])
      #expect(
        try engine.ids(query(filter("n", .notEqual, 3), limit: 4)) == ["d0", "d1", "d2", "d4"])
      #expect(
        try engine.ids(query(filter("n", .notIn, .array([0, 1, 2, 3, 4, 5, 6, 7]))))
          == ["d8", "d9"])
    }
  }

  @Test func `long strings and long ids keep their order in both directions`() async throws {
    try await withEngine { engine in
      // They agree in the 494 bytes that a stored key keeps, so they share a group.
      let stem = String(repeating: "k", count: 1490)
      let ids = (0..<8).map { stem + "\($0)" + String(repeating: "x", count: $0 % 3) }
      for (number, id) in ids.reversed().enumerated() {
        try await engine.set(id, ["s": .string(id), "n": .integer(Int64(number % 2))])
      }
      try await engine.set("b", ["s": .string(stem + "3"), "n": 0])
      let inOrder = ids.sorted()
      #expect(try engine.ids(query()) == ["b"] + inOrder)
      let strings = try engine.ids(query(order: [by("s")]))
      #expect(strings.filter { $0 != "b" } == inOrder)
      #expect(strings.firstIndex(of: "b") == 3)
      #expect(try engine.ids(query(order: [by("s", .descending)])) == strings.reversed())
      for number in [0, 1] as [Int64] {
        let half = query(filter("n", .equal, .integer(number)), limit: 3)
        let whole = query(filter("n", .equal, .integer(number)))
        #expect(try engine.ids(half) == Array(engine.ids(whole).prefix(3)))
      }
      for id in ids { #expect(try engine.get(doc(id)).document != nil) }
      // Beyond 1500 bytes strings are one in the eyes of a query and fall back on the name.
      let long = String(repeating: "v", count: 1500)
      for id in ["q", "p", "o"] { try await engine.set(id, ["s": .string(long + id)]) }
      #expect(try engine.ids(query(filter("s", .equal, .string(long + "zz")))) == ["o", "p", "q"])
      for id in ids { _ = try await engine.commit([.delete("r/\(id)")]) }
      #expect(try engine.ids(query()) == ["b", "o", "p", "q"])
      #expect(try engine.findings() == [])
    }
  }
}
