import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@testable import Hearth

/// Aggregations of a query, under the name that they have in `Tests/Datasets/expected.py`.
struct NamedAggregation: Sendable, CustomTestStringConvertible {
  let name: String
  let kinds: [Aggregation.Kind]
  let make: @Sendable (Firestore) -> Query

  init(
    _ name: String, _ kinds: [Aggregation.Kind], _ make: @escaping @Sendable (Firestore) -> Query
  ) {
    self.name = name
    self.kinds = kinds
    self.make = make
  }

  var testDescription: String { name }

  static let all = [
    NamedAggregation("all cities", [.count(upTo: nil), sum("population"), mean("population")]) {
      $0.collection("cities")
    },
    NamedAggregation("people in German cities", [sum("population")]) {
      $0.collection("cities").whereField("country", isEqualTo: "DE")
    },
    NamedAggregation("people in the ten largest cities", [.count(upTo: nil), sum("population")]) {
      $0.collection("cities").order(by: "population", descending: true).limit(to: 10)
    },
    NamedAggregation("cities of Asia/Kolkata", [.count(upTo: nil)]) {
      $0.collection("cities").whereField("timezone", isEqualTo: "Asia/Kolkata")
    },
    NamedAggregation("texts have no sum", [.count(upTo: nil), sum("name"), mean("name")]) {
      $0.collection("cities").whereField("country", isEqualTo: "IS")
    },
    NamedAggregation("magnitudes, whole and broken", [sum("mag"), mean("mag")]) {
      $0.collection("quakes")
    },
    NamedAggregation("whole numbers stay whole", [sum("sig"), mean("tsunami")]) {
      $0.collection("quakes")
    },
    NamedAggregation(
      "nulls count but do not add", [.count(upTo: nil), sum("felt"), mean("felt")]
    ) { $0.collection("quakes") },
    NamedAggregation(
      "only quakes with all fields", [.count(upTo: nil), mean("depthKm"), sum("nst")]
    ) { $0.collection("quakes").whereField("mag", isGreaterThanOrEqualTo: 4) },
    NamedAggregation("an average of nothing", [.count(upTo: nil), sum("mag"), mean("mag")]) {
      $0.collection("quakes").whereField("net", isEqualTo: "nobody")
    },
    NamedAggregation("a field of nobody", [.count(upTo: nil), sum("nope")]) {
      $0.collection("quakes")
    },
    NamedAggregation("reports of two networks", [.count(upTo: nil), sum("felt")]) {
      $0.collection("quakes").whereField("net", in: ["us", "ci"])
    },
    NamedAggregation("ZIP codes of Texas", [.count(upTo: nil)]) {
      $0.collection("zipcodes").whereField("state", isEqualTo: "TX")
    },
  ]

  private static func sum(_ field: String) -> Aggregation.Kind { .sum(FieldPath([field])) }
  private static func mean(_ field: String) -> Aggregation.Kind { .average(FieldPath([field])) }
}

extension DatasetTests {
  @Test func `the script and these tests know the same aggregations`() throws {
    let expected = try DatasetExpectations.read()
    #expect(expected.aggregates.keys.sorted() == NamedAggregation.all.map(\.name).sorted())
  }

  @Test(arguments: NamedAggregation.all)
  func `aggregations are as computed elsewhere, from entries alone`(_ named: NamedAggregation)
    async throws
  {
    let expected = try #require(try DatasetExpectations.read().aggregates[named.name])
    let database = try SharedDatabase.database
    let result = try database.engine().aggregate(
      named.make(database).structured.get(), named.kinds.map { Aggregation($0) })
    #expect(result.values.count == expected.count)
    for ((alias, value), number) in zip(result.values, expected) {
      #expect(number.agrees(with: value), "\(alias)")
    }
    let statistics = try #require(result.explanation.statistics)
    #expect(statistics.documentsScanned == 0)
    #expect(statistics.resultsReturned == 1)
  }
}
