import Hearth
import Testing

/// A query of the data sets, under the name that it has in `Tests/Datasets/expected.py`.
struct NamedQuery: Sendable, CustomTestStringConvertible {
  let name: String
  /// Makes the query; asynchronous, since a cursor may be a document.
  let make: @Sendable (Firestore) async throws -> Query

  init(_ name: String, _ make: @escaping @Sendable (Firestore) async throws -> Query) {
    self.name = name
    self.make = make
  }

  var testDescription: String { name }

  /// All that are compared with what the script computed.
  static let all =
    cityFilters + cityOrders + cityCursors + cityCombinations + quakeNumbers
    + quakeNulls + quakeOthers + quakeOffsets + zipCodeQueries
}

extension Firestore {
  fileprivate var cities: CollectionReference { collection("cities") }
}

extension NamedQuery {
  static let cityFilters = [
    NamedQuery("french cities") { $0.cities.whereField("country", isEqualTo: "FR") },
    NamedQuery("cities above ten million") {
      $0.cities.whereField("population", isGreaterThan: 10_000_000)
    },
    NamedQuery("cities of exactly 200000") {
      $0.cities.whereField("population", isEqualTo: 200_000)
    },
    NamedQuery("cities of exactly 200000.0, asked with a double") {
      $0.cities.whereField("population", isEqualTo: 200_000.0)
    },
    NamedQuery("Nordic cities") {
      $0.cities.whereField("country", in: ["DK", "FI", "IS", "NO", "SE", "FO"])
    },
    NamedQuery("cities outside the ten largest countries") {
      $0.cities.whereField(
        "country", notIn: ["CN", "IN", "BR", "US", "JP", "RU", "ID", "PH", "MX", "VN"])
    },
    NamedQuery("cities not on Shanghai's time") {
      $0.cities.whereField("timezone", isNotEqualTo: "Asia/Shanghai")
    },
    NamedQuery("cities with any of five names") {
      $0.cities.whereField(
        "alternateNames", arrayContainsAny: ["Roma", "München", "東京", "São Paulo", "القاهرة"])
    },
    NamedQuery("cities called Victoria") {
      $0.cities.whereField("alternateNames", arrayContains: "Victoria")
    },
    NamedQuery("a city with a Gothic name, beyond the first plane") {
      $0.cities.whereField("alternateNames", arrayContains: "𐌹𐌰𐌹𐍂𐌿𐍃𐌰𐌿𐌻𐍅𐌼𐌰")
    },
    NamedQuery("a city in Korean") {
      $0.cities.whereField("alternateNames", arrayContains: "발렌시아")
    },
    NamedQuery("cities without other names") {
      $0.cities.whereField("alternateNames", isEqualTo: [String]())
    },
    NamedQuery("names that begin with São") {
      $0.cities.whereField("name", isGreaterThanOrEqualTo: "São")
        .whereField("name", isLessThan: "São\u{ffff}")
    },
    NamedQuery("cities from 60 degrees north") {
      $0.cities.whereField(
        "location", isGreaterThanOrEqualTo: GeoPoint(latitude: 60, longitude: -180))
    },
    NamedQuery("ids from 52 to 53") {
      $0.cities.whereField(FieldPath.documentID(), isGreaterThanOrEqualTo: "52")
        .whereField(FieldPath.documentID(), isLessThan: "53")
    },
    NamedQuery("four ids, one of them of nobody") {
      $0.cities.whereField(
        FieldPath.documentID(), in: ["32767", "5128581", "nobody", "32900"])
    },
  ]

  static let cityOrders = [
    NamedQuery("cities between one and two million, largest first") {
      $0.cities.whereField("population", isGreaterThanOrEqualTo: 1_000_000)
        .whereField("population", isLessThan: 2_000_000).order(by: "population", descending: true)
    },
    NamedQuery("the twenty largest cities") {
      $0.cities.order(by: "population", descending: true).limit(to: 20)
    },
    NamedQuery("the thirty smallest cities, many of them equal") {
      $0.cities.order(by: "population").limit(to: 30)
    },
    NamedQuery("the smallest cities, backwards among equals") {
      $0.cities.whereField("population", isLessThanOrEqualTo: 100_000)
        .order(by: "population", descending: true)
    },
    NamedQuery("the largest cities of Brazil") {
      $0.cities.whereField("country", isEqualTo: "BR")
        .order(by: "population", descending: true).limit(to: 30)
    },
    NamedQuery("cities of India by name") {
      $0.cities.whereField("country", isEqualTo: "IN").order(by: "name")
    },
    NamedQuery("all cities by name") { $0.cities.order(by: "name") },
    NamedQuery("the last names in UTF-8") {
      $0.cities.order(by: "name", descending: true).limit(to: 40)
    },
    NamedQuery("names after Z") {
      $0.cities.whereField("name", isGreaterThanOrEqualTo: "Z{").order(by: "name")
    },
    NamedQuery("the southernmost cities") { $0.cities.order(by: "location").limit(to: 25) },
    NamedQuery("the northernmost cities") {
      $0.cities.order(by: "location", descending: true).limit(to: 25)
    },
    NamedQuery("cities by all their names") { $0.cities.order(by: "alternateNames") },
  ]

  static let cityCursors = [
    NamedQuery("the second page of the largest cities of China") { db in
      let last = try await db.document("cities/1795565").getDocument()
      return db.cities.whereField("country", isEqualTo: "CN")
        .order(by: "population", descending: true).start(afterDocument: last).limit(to: 25)
    },
    NamedQuery("ten names after San Juan") {
      $0.cities.order(by: "name").start(after: ["San Juan"]).limit(to: 10)
    },
    NamedQuery("names from San Juan on, with both cursors") {
      $0.cities.order(by: "name").start(at: ["San Juan"]).end(at: ["San Luis"])
    },
    NamedQuery("names before Aba") { $0.cities.order(by: "name").end(before: ["Aba"]) },
    NamedQuery("the last twelve of the order by population") {
      $0.cities.order(by: "population").limit(toLast: 12)
    },
    NamedQuery("the last five before ten million") {
      $0.cities.order(by: "population").end(before: [10_000_000]).limit(toLast: 5)
    },
  ]

  static let cityCombinations = [
    NamedQuery("two equalities") {
      $0.cities.whereField("country", isEqualTo: "US")
        .whereField("timezone", isEqualTo: "America/Chicago")
    },
    NamedQuery("three equalities") {
      $0.cities.whereField("country", isEqualTo: "US").whereField("admin1", isEqualTo: "TX")
        .whereField("timezone", isEqualTo: "America/Denver")
    },
    NamedQuery("an array element and an equality") {
      $0.cities.whereField("alternateNames", arrayContains: "Victoria")
        .whereField("country", isEqualTo: "MX")
    },
    NamedQuery("Iceland, or very large") {
      $0.cities.whereFilter(
        .orFilter([
          .whereField("country", isEqualTo: "IS"),
          .whereField("population", isGreaterThan: 15_000_000),
        ]))
    },
    NamedQuery("ranges on two fields") {
      $0.cities.whereField("population", isGreaterThanOrEqualTo: 5_000_000)
        .whereField("name", isGreaterThanOrEqualTo: "M")
    },
    NamedQuery("ranges on two fields, one ordered") {
      $0.cities.whereField("population", isGreaterThan: 3_000_000)
        .whereField("name", isLessThan: "D").order(by: "population", descending: true)
    },
    NamedQuery("the largest cities of three countries") {
      $0.cities.whereField("country", in: ["NL", "BE", "CH"])
        .order(by: "population", descending: true).limit(to: 25)
    },
    NamedQuery("a not-in beside an equality") {
      $0.cities.whereField("country", isEqualTo: "US")
        .whereField(
          "timezone", notIn: ["America/New_York", "America/Chicago", "America/Los_Angeles"])
    },
  ]
}
