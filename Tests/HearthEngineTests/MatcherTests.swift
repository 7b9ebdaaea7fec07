import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@Suite struct MatcherTests {
  private static let values: [Value] = [
    0, 1, .double(1), 2, "a", "b", .null, .double(.nan), .boolean(true), .array([1, "a"]),
    .array(["a", "b", "a"]), .array([]), .map(["k": 1]),
    .string(String(repeating: "l", count: 1500) + "x"),
    .string(String(repeating: "l", count: 1500) + "y"),
  ]

  private static func fields(_ generator: inout SeededGenerator) -> Fields {
    var fields = Fields()
    for name in ["a", "b", "c"] where !generator.oneIn(4) {
      fields[name] = values.randomElement(using: &generator)
    }
    return fields
  }

  private static func random(_ generator: inout SeededGenerator) -> StructuredQuery {
    func value() -> Value { values.randomElement(using: &generator) ?? .null }
    func name() -> String { ["a", "b", "c"].randomElement(using: &generator) ?? "a" }
    var filters: [QueryFilter] = []
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      switch Int.random(in: 0..<9, using: &generator) {
      case 0...3: filters.append(filter(name(), .equal, value()))
      case 4: filters.append(filter(name(), .arrayContains, value()))
      case 5: filters.append(filter(name(), .in, .array([value(), value()])))
      case 6: filters.append(filter(name(), .greaterThan, value()))
      case 7: filters.append(filter(name(), .isNull, .null))
      default:
        filters.append(
          .or([filter(name(), .equal, value()), filter(name(), .lessThanOrEqual, value())]))
      }
    }
    var query = query()
    if !filters.isEmpty { query.filter = .and(filters) }
    if generator.oneIn(4) { query.orderBy = [by(name())] }
    return query
  }

  @Test func `every view that a change affects is a candidate`() throws {
    var generator = SeededGenerator(seed: testSeed("matcher"))
    var affected = 0
    for _ in 0..<(60 * soakFactor) {
      var matcher = Matcher()
      var views: [ViewID: NormalizedQuery] = [:]
      for number in 0..<80 {
        guard let query = try? NormalizedQuery(MatcherTests.random(&generator)) else { continue }
        views[ViewID(number: number)] = query
        matcher.insert(ViewID(number: number), query)
      }
      for _ in 0..<40 {
        let (before, after) = (
          generator.oneIn(4) ? nil : MatcherTests.fields(&generator),
          generator.oneIn(4) ? nil : MatcherTests.fields(&generator)
        )
        let candidates = Set(matcher.candidates(change(before, after)))
        for (id, query) in views {
          let meaning = QueryMatcher(query)
          let isAffected = [before, after].contains { fields in
            fields.map { meaning.matches(doc("x"), $0) } ?? false
          }
          if isAffected {
            affected += 1
            #expect(candidates.contains(id), "\(query.query)")
          }
        }
      }
    }
    #expect(affected > 1000)
  }

  @Test func `views of other values are not asked`() throws {
    var matcher = Matcher()
    for number in 0..<1000 {
      let query = try NormalizedQuery(query(filter("a", .equal, .integer(Int64(number)))))
      matcher.insert(ViewID(number: number), query)
    }
    let found = matcher.candidates(change(["a": 7], ["a": 8]))
    #expect(found == [ViewID(number: 7), ViewID(number: 8)])
    #expect(matcher.candidates(change(["b": 7], nil)) == [])
  }

  @Test func `views of other elements, documents and collections are not asked`() throws {
    var matcher = Matcher()
    for number in 0..<100 {
      let element = Value.integer(Int64(number))
      matcher.insert(
        ViewID(number: number), try NormalizedQuery(query(filter("a", .arrayContains, element))))
      matcher.insert(ViewID(number: 1000 + number), document: doc("d\(number)"))
      let other = CollectionPath(unchecked: ["c\(number)"])
      matcher.insert(
        ViewID(number: 2000 + number), try NormalizedQuery(StructuredQuery(other)))
    }
    let found = matcher.candidates(change(["a": .array([3, 4])], ["a": .array([4, 5])]))
    #expect(found.map(\.number) == [3, 4, 5])
    let changed = ChangedDocument(path: doc("d9"), before: nil, after: nil)
    #expect(matcher.candidates(changed).map(\.number) == [1009])
  }

  @Test func `removal leaves nothing behind`() throws {
    var generator = SeededGenerator(seed: testSeed("matcherRemoval"))
    for _ in 0..<(50 * soakFactor) {
      var matcher = Matcher()
      var views: [(ViewID, NormalizedQuery)] = []
      for number in 0..<30 {
        guard let query = try? NormalizedQuery(MatcherTests.random(&generator)) else { continue }
        views.append((ViewID(number: number), query))
        matcher.insert(ViewID(number: number), query)
      }
      matcher.insert(ViewID(number: 99), document: doc("x"))
      for (id, query) in views.shuffled(using: &generator) {
        matcher.remove(id, query)
        let fields = MatcherTests.fields(&generator)
        #expect(!matcher.candidates(change(fields, nil)).contains(id))
      }
      #expect(!matcher.isEmpty)
      matcher.remove(document: doc("x"))
      #expect(matcher.isEmpty)
    }
  }

  @Test func `removing one of two equal registrations keeps the other`() throws {
    var matcher = Matcher()
    let query = try NormalizedQuery(query(filter("a", .equal, 1)))
    matcher.insert(ViewID(number: 1), query)
    matcher.insert(ViewID(number: 2), query)
    matcher.remove(ViewID(number: 1), query)
    #expect(matcher.candidates(change(nil, ["a": 1])) == [ViewID(number: 2)])
  }

  private func change(_ before: Fields?, _ after: Fields?) -> ChangedDocument {
    func document(_ fields: Fields?) -> Document? {
      fields.map {
        Document(path: doc("x"), createVersion: .zero, updateVersion: .zero, fields: $0)
      }
    }
    return ChangedDocument(path: doc("x"), before: document(before), after: document(after))
  }
}
