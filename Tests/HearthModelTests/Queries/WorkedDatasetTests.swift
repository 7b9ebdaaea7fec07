import HearthModel
import Testing

/// The dataset of documents-and-queries 5.4, with every row of its table.
@Suite struct WorkedDatasetTests {
  static let documents: [(DocumentPath, Fields)] = {
    let rows: [(String, Fields)] = [
      (
        "A",
        [
          "name": s("Ada"), "city": s("SF"), "stars": d(4.5), "price": i(2),
          "tags": list(s("bbq"), s("bar")),
        ]
      ),
      (
        "B",
        ["name": s("Bo"), "city": s("SF"), "stars": i(5), "price": i(1), "tags": list(s("sushi"))]
      ),
      (
        "C",
        ["name": s("Cy"), "city": s("LA"), "stars": i(3), "price": i(3), "tags": list(s("bar"))]
      ),
      ("D", ["name": s("Di"), "city": s("LA"), "stars": .null, "price": i(2)]),
      ("E", ["name": s("Ed"), "city": .null, "stars": s("n/a"), "price": i(2), "tags": list()]),
      ("F", ["name": s("Fa"), "stars": nan, "price": i(1), "tags": list(s("bar"), .null)]),
      ("G", ["name": s("Gu"), "city": s("NY"), "price": d(2), "tags": s("bar")]),
    ]
    return rows.map { (CollectionPath(unchecked: ["r"]).document($0.0), $0.1) }
  }()

  private func at(_ values: Value..., inclusive: Bool) -> Bound {
    Bound(values: values, inclusive: inclusive)
  }

  @Test func `filters select as the table says`() throws {
    let rows: [(QueryFilter, String)] = [
      (filter("price", .equal, i(2)), "A D E G"),
      (filter("price", .in, list(d(2), i(3))), "A C D E G"),
      (filter("city", .notEqual, s("SF")), "C D G"),
      (filter("stars", .lessThan, i(10)), "C A B"),
      (filter("stars", .greaterThan, s("a")), "E"),
      (filter("stars", .equal, .null), "D"),
      (filter("stars", .equal, nan), "F"),
      (filter("stars", .notEqual, nan), "C A B E"),
      (filter("stars", .notEqual, .null), "F C A B E"),
      (filter("city", .in, list(s("SF"), .null)), "A B"),
      (filter("city", .notIn, list(s("SF"), s("LA"))), "G"),
      (filter("tags", .arrayContains, s("bar")), "A C F"),
      (filter("tags", .arrayContainsAny, list(s("sushi"), s("bbq"))), "A B"),
      (filter("tags", .equal, list()), "E"),
      (.or([filter("city", .equal, s("LA")), filter("price", .equal, i(1))]), "B C D F"),
      (.or([filter("stars", .greaterThan, i(4)), filter("price", .equal, i(1))]), "F A B"),
      (
        .and([filter("price", .greaterThanOrEqual, i(2)), filter("stars", .greaterThan, i(3))]),
        "A"
      ),
    ]
    for (filter, expected) in rows {
      let ids = try run(query(filter), over: Self.documents)
      #expect(ids.joined(separator: " ") == expected, "\(query(filter).text)")
    }
  }

  @Test func `orders, cursors and limits select as the table says`() throws {
    let laOrTwo = QueryFilter.or([filter("city", .equal, s("LA")), filter("price", .equal, i(2))])
    let rows: [(StructuredQuery, String)] = [
      (query(order: [by("stars")]), "D F C A B E"),
      (query(order: [by("stars", .descending)]), "E B A C F D"),
      (query(order: [by("price", .descending)]), "C G E D A F B"),
      (query(order: [by("price", .descending), by("__name__")]), "C A D E G B F"),
      (query(laOrTwo, order: [by("stars")]), "D C A E"),
      (query(filter("stars", .greaterThan, i(3)), order: [by("price", .descending)]), "A B"),
      (query(order: [by("price")]) { $0.start = at(i(2), inclusive: true) }, "A D E G C"),
      (query(order: [by("price")]) { $0.start = at(i(2), inclusive: false) }, "C"),
      (query(order: [by("price")]) { $0.end = at(i(2), inclusive: true) }, "B F A D E G"),
      (query(order: [by("price")]) { $0.end = at(i(2), inclusive: false) }, "B F"),
      (query(order: [by("stars")]) { $0.start = at(i(4), inclusive: true) }, "A B E"),
      (
        query(order: [by("price")]) {
          $0.limit = 2
          $0.limitIsToLast = true
        }, "G C"
      ),
      (
        query(order: [by("price")]) {
          $0.offset = 2
          $0.limit = 2
        }, "A D"
      ),
      // 5.6: no brackets for cursors; the first string and every later type.
      (query(order: [by("stars")]) { $0.start = at(s(""), inclusive: true) }, "E"),
      (query { $0.limit = 0 }, ""),
    ]
    for (query, expected) in rows {
      let ids = try run(query, over: Self.documents)
      #expect(ids.joined(separator: " ") == expected, "\(query.text)")
    }
  }

  @Test func `a snapshot cursor is an exact position`() throws {
    var q = query(order: [by("price")])
    let d = try #require(Self.documents.first { $0.0.id == "D" })
    let cursor = try q.cursor(at: d.0, fields: d.1)
    #expect(cursor.orderBy == [by("price"), by("__name__")])
    q.orderBy = cursor.orderBy
    q.start = Bound(values: cursor.values, inclusive: false)
    #expect(try run(q, over: Self.documents) == ["E", "G", "C"])
    let g = try #require(Self.documents.first { $0.0.id == "G" })
    expectFailure("CURSOR_FIELD_MISSING") {
      try query(order: [by("stars")]).cursor(at: g.0, fields: g.1)
    }
  }

  @Test func `pages with snapshot cursors make the whole result, both ways`() throws {
    for order in [[by("price")], [by("stars", .descending)], [by("price"), by("city")]] {
      for size in 1...3 {
        let base = query(order: order)
        let whole = try run(base, over: Self.documents)
        for forward in [true, false] {
          var pages: [String] = []
          var next = base
          next.limit = size
          next.limitIsToLast = !forward
          while true {
            let page = try run(next, over: Self.documents)
            if page.isEmpty { break }
            pages = forward ? pages + page : page + pages
            let edge = forward ? page.last : page.first
            let last = try #require(Self.documents.first { $0.0.id == edge })
            let cursor = try base.cursor(at: last.0, fields: last.1)
            next.orderBy = cursor.orderBy
            let bound = Bound(values: cursor.values, inclusive: false)
            if forward { next.start = bound } else { next.end = bound }
          }
          #expect(pages == whole)
        }
      }
    }
  }
}
