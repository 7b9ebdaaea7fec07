import Hearth

// The first example of the README, inside a function of the test. Below, only indentation and line
// breaks differ from the README: `ReadmeExampleTests` holds both against each other.

// README-TYPES
struct Restaurant: Codable {
  @DocumentID var id: String?
  var name: String, city: String
  var ratingCount = 0, average = 0.0
}
// README-END

/// Runs the example and hands over what it prints.
func runReadmeExample(print: @escaping @Sendable ([Double]) -> Void) async throws {
  // README-BODY
  let db = try await Firestore.open(at: URL(filePath: "eats.hearth"))
  let restaurants = db.collection("restaurants")
  try await restaurants.document("nori").setData(from: Restaurant(name: "Nori", city: "Oslo"))

  for stars in [5.0, 4.0] {  // each rating adds a document and updates count and average
    try await db.runTransaction { transaction in
      let ref = restaurants.document("nori")
      var nori = try transaction.getDocument(ref, as: Restaurant.self)
      nori.average =
        (nori.average * Double(nori.ratingCount) + stars) / Double(nori.ratingCount + 1)
      nori.ratingCount += 1
      try transaction.setData(from: nori, forDocument: ref)
      transaction.setData(["stars": stars], forDocument: ref.collection("ratings").document())
    }
  }
  let best = restaurants.whereField("city", isEqualTo: "Oslo").limit(to: 10)
  for try await snapshot in best.snapshots {  // a live query: now, and after every commit
    print(try snapshot.documents.map { try $0.data(as: Restaurant.self).average })  // [4.5]
    break
  }
  try await db.close()
  // README-END
}
