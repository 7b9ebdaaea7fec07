import Hearth

extension Firestore {
  fileprivate var zipCodes: CollectionReference { collection("zipcodes") }
}

extension NamedQuery {
  static let zipCodeQueries = [
    NamedQuery("ZIP codes with leading zeros") {
      $0.zipCodes.whereField(FieldPath.documentID(), isGreaterThanOrEqualTo: "00501")
        .whereField(FieldPath.documentID(), isLessThanOrEqualTo: "02999")
    },
    NamedQuery("Texan ZIP codes from Dallas to Houston, backwards") {
      $0.zipCodes.whereField("state", isEqualTo: "TX").order(by: "city", descending: true)
        .start(at: ["Houston"]).end(at: ["Dallas"])
    },
    NamedQuery("Texan ZIP codes by county and city") {
      $0.zipCodes.whereField("state", isEqualTo: "TX").order(by: "county")
        .order(by: "city", descending: true)
    },
    NamedQuery("Alaskan ZIP codes by county, cities falling, from two values") {
      $0.zipCodes.whereField("state", isEqualTo: "AK").order(by: "county")
        .order(by: "city", descending: true).start(after: ["Nome", "Shishmaref"]).limit(to: 30)
    },
    NamedQuery("counties from W in New York") {
      $0.zipCodes.whereField("county", isGreaterThanOrEqualTo: "W")
        .whereField("state", isEqualTo: "NY")
    },
    NamedQuery("ZIP codes outside New York and Texas") {
      $0.zipCodes.whereField("state", notIn: ["NY", "TX"])
    },
    NamedQuery("the ZIP codes of two small states by city") {
      $0.zipCodes.whereField("state", in: ["RI", "HI"]).order(by: "city")
    },
    NamedQuery("one county of one state") {
      $0.zipCodes.whereField("state", isEqualTo: "TX").whereField("county", isEqualTo: "Dallas")
    },
    NamedQuery("Springfield in some states") {
      $0.zipCodes.whereField("city", isEqualTo: "Springfield")
        .whereField("state", in: ["VT", "MA", "IL", "MO"])
    },
  ]
}
