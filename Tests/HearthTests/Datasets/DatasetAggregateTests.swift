import Hearth
import Testing

/// Aggregations of a query, under the name that they have in `Tests/Datasets/expected.py`.
struct NamedAggregation: Sendable, CustomTestStringConvertible {
  let name: String
  let fields: [AggregateField]
  let make: @Sendable (Firestore) -> Query

  init(
    _ name: String, _ fields: [AggregateField], _ make: @escaping @Sendable (Firestore) -> Query
  ) {
    self.name = name
    self.fields = fields
    self.make = make
  }

  var testDescription: String { name }

  static let all = [
    NamedAggregation("all cities", [.count(), .sum("population"), .average("population")]) {
      $0.collection("cities")
    },
    NamedAggregation("people in German cities", [.sum("population")]) {
      $0.collection("cities").whereField("country", isEqualTo: "DE")
    },
    NamedAggregation("people in the ten largest cities", [.count(), .sum("population")]) {
      $0.collection("cities").order(by: "population", descending: true).limit(to: 10)
    },
    NamedAggregation("cities of Asia/Kolkata", [.count()]) {
      $0.collection("cities").whereField("timezone", isEqualTo: "Asia/Kolkata")
    },
    NamedAggregation("texts have no sum", [.count(), .sum("name"), .average("name")]) {
      $0.collection("cities").whereField("country", isEqualTo: "IS")
    },
    NamedAggregation("magnitudes, whole and broken", [.sum("mag"), .average("mag")]) {
      $0.collection("quakes")
    },
    NamedAggregation("whole numbers stay whole", [.sum("sig"), .average("tsunami")]) {
      $0.collection("quakes")
    },
    NamedAggregation(
      "nulls count but do not add", [.count(), .sum("felt"), .average("felt")]
    ) { $0.collection("quakes") },
    NamedAggregation(
      "only quakes with all fields", [.count(), .average("depthKm"), .sum("nst")]
    ) { $0.collection("quakes").whereField("mag", isGreaterThanOrEqualTo: 4) },
    NamedAggregation("an average of nothing", [.count(), .sum("mag"), .average("mag")]) {
      $0.collection("quakes").whereField("net", isEqualTo: "nobody")
    },
    NamedAggregation("a field of nobody", [.count(), .sum("nope")]) {
      $0.collection("quakes")
    },
    NamedAggregation("reports of two networks", [.count(), .sum("felt")]) {
      $0.collection("quakes").whereField("net", in: ["us", "ci"])
    },
    NamedAggregation("ZIP codes of Texas", [.count()]) {
      $0.collection("zipcodes").whereField("state", isEqualTo: "TX")
    },
  ]
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
    let result = try await named.make(database).aggregate(named.fields)
      .getAggregation(source: .server)
    #expect(named.fields.count == expected.count)
    for (field, number) in zip(named.fields, expected) {
      let value = try result.value(field)
      #expect(number.agrees(with: value), "\(field)")
    }
    let statistics = try #require(result.explanation.executionStats)
    #expect(statistics.debugStats.documentsScanned == 0)
    #expect(statistics.resultsReturned == 1)
  }
}
