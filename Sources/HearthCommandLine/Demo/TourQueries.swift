import Hearth

/// A query of the tour: what it shows, its code, and the code itself.
struct TourQuery: Sendable {
  var title: String
  /// What a user would write; `make` is the same thing compiled.
  var code: [String]
  /// Makes the query; some look something up first.
  var make: @Sendable (Firestore) async throws -> Query
  /// One result in a few words.
  var describe: @Sendable (QueryDocumentSnapshot) -> String
}

extension TourQuery {
  static let all: [TourQuery] = [
    nameScan, equality, rangeAndOrder, arrayContains, mapField, merge, composite, compositeRange,
    paging, subcollection,
  ]

  static let nameScan = TourQuery(
    title: "Documents by name: no index but the documents themselves",
    code: [
      "db.collection(\"zipcodes\").order(by: FieldPath.documentID())",
      "  .start(at: [\"90210\"]).limit(to: 5)",
    ],
    make: { db in
      db.collection("zipcodes").order(by: FieldPath.documentID())
        .start(at: ["90210"]).limit(to: 5)
    },
    describe: { "\($0.documentID) \(text($0["city"]))" })

  static let equality = TourQuery(
    title: "One equality: an automatic index",
    code: ["db.collection(\"zipcodes\").whereField(\"city\", isEqualTo: \"Springfield\")"],
    make: { db in db.collection("zipcodes").whereField("city", isEqualTo: "Springfield") },
    describe: { "\($0.documentID) \(text($0["state"]))" })

  static let rangeAndOrder = TourQuery(
    title: "A range, from its end: the same index backwards",
    code: [
      "db.collection(\"quakes\").whereField(\"mag\", isGreaterThan: 5)",
      "  .order(by: \"mag\", descending: true).limit(to: 5)",
    ],
    make: { db in
      db.collection("quakes").whereField("mag", isGreaterThan: 5)
        .order(by: "mag", descending: true).limit(to: 5)
    },
    describe: { "\(text($0["mag"])) \(text($0["place"]))" })

  static let arrayContains = TourQuery(
    title: "Array membership: one entry for each element",
    code: ["db.collection(\"cities\").whereField(\"alternateNames\", arrayContains: \"Wien\")"],
    make: { db in db.collection("cities").whereField("alternateNames", arrayContains: "Wien") },
    describe: { "\(text($0["name"])) \(text($0["country"]))" })

  static let mapField = TourQuery(
    title: "A field inside a map",
    code: [
      "db.collection(\"restaurants\")",
      "  .whereField(\"features.seats\", isLessThan: 13).limit(to: 5)",
    ],
    make: { db in
      db.collection("restaurants").whereField("features.seats", isLessThan: 13).limit(to: 5)
    },
    describe: { "\(text($0["name"])) (\(text($0["features.seats"])) seats)" })

  static let merge = TourQuery(
    title: "Three equalities: automatic indexes merged, zig-zag",
    code: [
      "db.collection(\"restaurants\").whereField(\"city\", isEqualTo: \"Oakland\")",
      "  .whereField(\"category\", isEqualTo: \"Ramen\").whereField(\"price\", isEqualTo: 2)",
    ],
    make: { db in
      db.collection("restaurants").whereField("city", isEqualTo: "Oakland")
        .whereField("category", isEqualTo: "Ramen").whereField("price", isEqualTo: 2)
    },
    describe: { text($0["name"]) })

  static let composite = TourQuery(
    title: "An equality and an order: a composite index",
    code: [
      "db.collection(\"cities\").whereField(\"country\", isEqualTo: \"JP\")",
      "  .order(by: \"population\", descending: true).limit(to: 5)",
    ],
    make: { db in
      db.collection("cities").whereField("country", isEqualTo: "JP")
        .order(by: "population", descending: true).limit(to: 5)
    },
    describe: { "\(text($0["name"])) \(text($0["population"]))" })

  static let compositeRange = TourQuery(
    title: "An equality and a range: a composite index",
    code: [
      "db.collection(\"zipcodes\").whereField(\"state\", isEqualTo: \"CA\")",
      "  .whereField(\"city\", isGreaterThanOrEqualTo: \"San\")",
      "  .whereField(\"city\", isLessThan: \"San D\")",
    ],
    make: { db in
      db.collection("zipcodes").whereField("state", isEqualTo: "CA")
        .whereField("city", isGreaterThanOrEqualTo: "San").whereField("city", isLessThan: "San D")
    },
    describe: { "\($0.documentID) \(text($0["city"]))" })

  static let paging = TourQuery(
    title: "The second page: a cursor, nothing skipped by reading it",
    code: [
      "let page = db.collection(\"cities\")",
      "  .order(by: \"population\", descending: true).limit(to: 10)",
      "page.start(afterDocument: try await page.getDocuments().documents.last!)",
    ],
    make: { db in
      let page = db.collection("cities").order(by: "population", descending: true).limit(to: 10)
      guard let last = try await page.getDocuments().documents.last else { return page }
      return page.start(afterDocument: last)
    },
    describe: { "\(text($0["name"])) \(text($0["population"]))" })

  static let subcollection = TourQuery(
    title: "A subcollection: the newest ratings of one restaurant",
    code: [
      "restaurant.collection(\"ratings\")",
      "  .order(by: \"date\", descending: true).limit(to: 3)",
    ],
    make: { db in
      let rated = db.collection("restaurants")
        .whereField("ratingCount", isGreaterThan: 3).limit(to: 1)
      let restaurant =
        try await rated.getDocuments().documents.first?.reference
        ?? db.document("restaurants/none")
      return restaurant.collection("ratings").order(by: "date", descending: true).limit(to: 3)
    },
    describe: { "\(text($0["rating"]))★ \(text($0["text"]))" })

  private static func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "-" }
}
