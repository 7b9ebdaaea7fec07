import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@Suite struct QueryViewTests {
  /// All documents as numbers, so that the brute force shares nothing with the view.
  private struct Model {
    var values: [Int: Int] = [:]
    var documents: [Int: Document] = [:]

    /// The numbers of the matching documents in the order of execution.
    func matching(_ query: StructuredQuery) -> [Int] {
      let isAscending = query.orderBy[0].direction == .ascending
      let first = isAscending != (query.limitIsToLast && query.limit != nil)
      let found = values.filter { _, n in
        if query.filter != nil && n <= 2 { return false }
        guard let start = query.start else { return true }
        if n == 5 { return start.inclusive }
        return isAscending ? n > 5 : n < 5
      }
      return found.map { (n: $0.value, number: $0.key) }
        .sorted {
          first ? ($0.n, $0.number) < ($1.n, $1.number) : ($0.n, $0.number) > ($1.n, $1.number)
        }
        .map(\.number)
    }

    /// The result as users see it.
    func result(_ query: StructuredQuery) -> [Int] {
      let all = matching(query).dropFirst(query.offset)
      let found = Array(all.prefix(query.limit ?? all.count))
      return query.limitIsToLast && query.limit != nil ? found.reversed() : found
    }

    mutating func change(_ number: Int, _ n: Int?, at version: CommitVersion) -> ChangedDocument {
      let before = documents[number]
      let path = doc("d\(100 + number)")
      values[number] = n
      documents[number] = n.map { n in
        Document(
          path: path, createVersion: before?.createVersion ?? version, updateVersion: version,
          fields: ["n": .integer(Int64(n))])
      }
      return ChangedDocument(path: path, before: before, after: documents[number])
    }

    /// What a fresh run of the query gives a view.
    func fresh(_ query: NormalizedQuery) -> [ViewEntry] {
      let all = matching(query.query).compactMap { documents[$0] }
      return all.prefix(QueryView.capacity(of: query) ?? all.count).map { document in
        let key = SortKey(values: [document.fields["n"] ?? .null], path: document.path)
        return ViewEntry(key: key, document: StoredDocument(document))
      }
    }
  }

  private func numbers(_ view: QueryView) -> [Int] {
    view.snapshot.entries.map { (Int($0.document.path.id.dropFirst()) ?? 0) - 100 }
  }

  private static func random(_ generator: inout SeededGenerator) -> StructuredQuery {
    let direction: Direction = generator.oneIn(2) ? .ascending : .descending
    var result = query(order: [by("n", direction)])
    if generator.oneIn(3) { result.filter = filter("n", .greaterThan, .integer(2)) }
    if generator.oneIn(4) { result.start = Bound(values: [5], inclusive: generator.oneIn(2)) }
    if generator.oneIn(10) { return result }
    result.limit = Int.random(in: 1...6, using: &generator)
    result.limitIsToLast = generator.oneIn(3)
    if generator.oneIn(4) { result.offset = Int.random(in: 1...3, using: &generator) }
    return result
  }

  @Test func `a view equals a fresh run after any changes, and asks to read only when it must`()
    throws
  {
    var generator = SeededGenerator(seed: testSeed("queryView"))
    var refills = 0
    for _ in 0..<(300 * soakFactor) {
      let query = try NormalizedQuery(QueryViewTests.random(&generator))
      var model = Model()
      for number in 0..<Int.random(in: 0...60, using: &generator) {
        _ = model.change(number, Int.random(in: 0..<12, using: &generator), at: version(1))
      }
      refills += try run(query, &model, &generator)
    }
    #expect(refills > 30, "the test never emptied a window")
  }

  private func run(
    _ query: NormalizedQuery, _ model: inout Model, _ generator: inout SeededGenerator
  ) throws -> Int {
    var view = QueryView(query, members: model.fresh(query), version: version(1))
    #expect(numbers(view) == model.result(query.query))
    // Runs in which documents mostly go empty a window; others fill it.
    let goneOneIn = Int.random(in: 1...4, using: &generator)
    let takesMembers = generator.oneIn(2)
    var refills = 0
    var departures = 0
    let commits = generator.oneIn(20) ? 200 : 20
    for commit in 2..<(2 + commits) {
      var changes: [ChangedDocument] = []
      var touched: Set<Int> = []
      for _ in 0..<Int.random(in: 1...5, using: &generator) {
        let members = takesMembers ? numbers(view) : []
        let number =
          members.randomElement(using: &generator) ?? Int.random(in: 0..<60, using: &generator)
        guard touched.insert(number).inserted else { continue }
        let n = generator.oneIn(goneOneIn) ? nil : Int.random(in: 0..<12, using: &generator)
        changes.append(model.change(number, n, at: version(commit)))
      }
      departures += changes.count(where: { $0.before != nil })
      let before = view.snapshot.entries.map(\.document.updateVersion)
      let raised = view.apply(changes, version: version(commit))
      #expect(view.version == version(commit))
      if view.needsRefill {
        refills += 1
        // The spare of sixteen must have been used up first.
        #expect(departures > 16)
        #expect(query.limit != nil)
        view.load(model.fresh(query), version: version(commit))
        departures = 0
      } else if !raised {
        #expect(view.snapshot.entries.map(\.document.updateVersion) == before)
      }
      #expect(!view.needsRefill)
      let expected = model.result(query.query)
      let found = numbers(view)
      #expect(found == expected, "\(query.query)")
      if found != expected { return refills }
    }
    return refills
  }

  @Test func `a view that knows the whole result never reads again`() throws {
    for limit in [nil, 3] {
      let query = try NormalizedQuery(query(order: [by("n")], limit: limit))
      var model = Model()
      var changes: [ChangedDocument] = []
      for number in 0..<10 { changes.append(model.change(number, number, at: version(1))) }
      var view = QueryView(query, members: model.fresh(query), version: version(1))
      for number in 0..<10 {
        _ = view.apply(
          [model.change(number, nil, at: version(2 + number))],
          version: version(2 + number))
        #expect(!view.needsRefill)
        #expect(numbers(view) == model.result(query.query))
      }
    }
  }

  @Test func `a document beyond a full window raises nothing`() throws {
    let query = try NormalizedQuery(query(order: [by("n")], limit: 2))
    var model = Model()
    for number in 0..<10 { _ = model.change(number, number, at: version(1)) }
    var view = QueryView(query, members: model.fresh(query), version: version(1))
    let moved = model.change(9, 8, at: version(2))
    #expect(view.apply([moved], version: version(2)) == false)
    let gone = model.change(5, nil, at: version(3))
    #expect(view.apply([gone], version: version(3)) == false)
    let member = model.change(1, nil, at: version(4))
    #expect(view.apply([member], version: version(4)) == true)
    #expect(numbers(view) == [0, 2])
  }
}
