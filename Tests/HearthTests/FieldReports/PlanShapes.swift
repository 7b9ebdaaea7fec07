import Hearth

/// The query shapes whose plans are pinned.
struct PlanShape {
  let text: String
  let query: Query

  init(_ text: String, _ query: Query) {
    self.text = text
    self.query = query
  }

  /// The composites that are declared for them.
  static let indexes = """
    {
      "indexes": [
        {"collectionGroup": "r", "queryScope": "COLLECTION", "fields": [
          {"fieldPath": "city", "order": "ASCENDING"},
          {"fieldPath": "stars", "order": "ASCENDING"}]},
        {"collectionGroup": "r", "queryScope": "COLLECTION", "fields": [
          {"fieldPath": "kind", "order": "ASCENDING"},
          {"fieldPath": "stars", "order": "ASCENDING"}]},
        {"collectionGroup": "r", "queryScope": "COLLECTION", "fields": [
          {"fieldPath": "city", "order": "ASCENDING"},
          {"fieldPath": "stars", "order": "DESCENDING"}]},
        {"collectionGroup": "r", "queryScope": "COLLECTION", "fields": [
          {"fieldPath": "tags", "arrayConfig": "CONTAINS"},
          {"fieldPath": "stars", "order": "DESCENDING"}]},
        {"collectionGroup": "r", "queryScope": "COLLECTION", "fields": [
          {"fieldPath": "price", "order": "ASCENDING"},
          {"fieldPath": "stars", "order": "ASCENDING"}]}
      ],
      "fieldOverrides": [{"collectionGroup": "r", "fieldPath": "note", "indexes": []}]
    }
    """

  static func all(_ r: CollectionReference) -> [PlanShape] {
    names(r) + singles(r) + merges(r) + composites(r) + disjunctions(r) + cursors(r) + missing(r)
  }

  private static func names(_ r: CollectionReference) -> [PlanShape] {
    let id = FieldPath.documentID()
    return [
      PlanShape("all", r),
      PlanShape("all, limit", r.limit(to: 10)),
      PlanShape("name > \"m\"", r.whereField(id, isGreaterThan: "m")),
      PlanShape("name == \"m\"", r.whereField(id, isEqualTo: "m")),
      PlanShape("name in", r.whereField(id, in: ["a", "b", "c"])),
      PlanShape("name !=", r.whereField(id, isNotEqualTo: "m")),
      PlanShape("name not-in", r.whereField(id, notIn: ["a", "m"])),
      PlanShape("order by name desc", r.order(by: id, descending: true)),
      PlanShape(
        "city == and name > \"m\"",
        r.whereField("city", isEqualTo: "SF").whereField(id, isGreaterThan: "m")),
      PlanShape(
        "stars > and name > \"m\"",
        r.whereField("stars", isGreaterThan: 3).whereField(id, isGreaterThan: "m")),
    ]
  }

  private static func singles(_ r: CollectionReference) -> [PlanShape] {
    [
      PlanShape("city ==", r.whereField("city", isEqualTo: "SF")),
      PlanShape("city == null", r.whereField("city", isEqualTo: NSNull())),
      PlanShape("stars == NaN", r.whereField("stars", isEqualTo: Double.nan)),
      PlanShape(
        "city == order by name desc",
        r.whereField("city", isEqualTo: "SF").order(by: FieldPath.documentID(), descending: true)),
      PlanShape("stars >", r.whereField("stars", isGreaterThan: 3)),
      PlanShape(
        "stars between",
        r.whereField("stars", isGreaterThanOrEqualTo: 2).whereField("stars", isLessThan: 4)),
      PlanShape(
        "stars > order by stars desc",
        r.whereField("stars", isGreaterThan: 3).order(by: "stars", descending: true)),
      PlanShape("order by stars", r.order(by: "stars")),
      PlanShape("order by stars limit to last", r.order(by: "stars").limit(toLast: 3)),
      PlanShape("stars !=", r.whereField("stars", isNotEqualTo: 3)),
      PlanShape("stars != null", r.whereField("stars", isNotEqualTo: NSNull())),
      PlanShape("stars != NaN", r.whereField("stars", isNotEqualTo: Double.nan)),
      PlanShape("city not-in", r.whereField("city", notIn: ["a", "b"])),
      PlanShape("tags contains", r.whereField("tags", arrayContains: "bar")),
      PlanShape("a map", r.whereField("m", isEqualTo: ["a": 1])),
      PlanShape(
        "in a map", r.whereField("m.a", isGreaterThan: Timestamp(seconds: 1, nanoseconds: 0))),
      PlanShape(
        "a reference", r.whereField("ref", isEqualTo: r.firestore.document("a/b"))),
      PlanShape(
        "a point", r.whereField("at", isLessThan: GeoPoint(latitude: 1, longitude: 2))),
      PlanShape(
        "a range of two types",
        r.whereField("stars", isGreaterThan: 3).whereField("stars", isLessThan: "x")),
    ]
  }

  private static func merges(_ r: CollectionReference) -> [PlanShape] {
    let city = r.whereField("city", isEqualTo: "SF")
    return [
      PlanShape("city == and kind ==", city.whereField("kind", isEqualTo: "bbq")),
      PlanShape(
        "three equalities",
        city.whereField("kind", isEqualTo: "bbq").whereField("open", isEqualTo: true)),
      PlanShape("tags contains and city ==", city.whereField("tags", arrayContains: "bar")),
      PlanShape(
        "city == and kind == order by stars",
        city.whereField("kind", isEqualTo: "bbq").order(by: "stars")),
      PlanShape(
        "city == and kind == and stars >",
        city.whereField("kind", isEqualTo: "bbq").whereField("stars", isGreaterThan: 3)),
      PlanShape("city == twice", city.whereField("city", isEqualTo: "LA")),
    ]
  }

  private static func composites(_ r: CollectionReference) -> [PlanShape] {
    let city = r.whereField("city", isEqualTo: "SF")
    return [
      PlanShape("city == order by stars", city.order(by: "stars")),
      PlanShape(
        "city == order by stars desc limit",
        city.order(by: "stars", descending: true).limit(to: 5)),
      PlanShape("city == order by stars limit to last", city.order(by: "stars").limit(toLast: 5)),
      PlanShape("city == and stars >=", city.whereField("stars", isGreaterThanOrEqualTo: 4)),
      PlanShape("city == and stars !=", city.whereField("stars", isNotEqualTo: 4)),
      PlanShape(
        "tags contains order by stars desc",
        r.whereField("tags", arrayContains: "bar").order(by: "stars", descending: true)),
      PlanShape(
        "price > and stars >",
        r.whereField("price", isGreaterThan: 1).whereField("stars", isGreaterThan: 3)),
      PlanShape(
        "stars > order by price", r.whereField("stars", isGreaterThan: 3).order(by: "price")),
    ]
  }

  private static func disjunctions(_ r: CollectionReference) -> [PlanShape] {
    [
      PlanShape("city in", r.whereField("city", in: ["SF", "LA"])),
      PlanShape("city in with a null", r.whereField("city", in: ["SF", NSNull()] as [Any])),
      PlanShape(
        "city in order by city desc",
        r.whereField("city", in: ["SF", "LA"]).order(by: "city", descending: true)),
      PlanShape(
        "city in order by stars", r.whereField("city", in: ["SF", "LA"]).order(by: "stars")),
      PlanShape("tags contains-any", r.whereField("tags", arrayContainsAny: ["x", "y"])),
      PlanShape(
        "or of two fields",
        r.whereFilter(
          .orFilter([.whereField("city", isEqualTo: "SF"), .whereField("open", isEqualTo: true)]))),
      PlanShape(
        "in and contains-any",
        r.whereField("city", in: ["SF", "LA"]).whereField("tags", arrayContainsAny: ["x", "y"])),
    ]
  }

  private static func cursors(_ r: CollectionReference) -> [PlanShape] {
    [
      PlanShape("order by stars from 3", r.order(by: "stars").start(at: [3])),
      PlanShape(
        "order by stars after 3 before 5",
        r.order(by: "stars").start(after: [3]).end(before: [5])),
      PlanShape(
        "city == order by stars desc to 2",
        r.whereField("city", isEqualTo: "SF").order(by: "stars", descending: true).end(at: [2])),
      PlanShape(
        "order by stars and name from 3, m",
        r.order(by: "stars").order(by: FieldPath.documentID()).start(at: [3, "m"])),
    ]
  }

  private static func missing(_ r: CollectionReference) -> [PlanShape] {
    let city = r.whereField("city", isEqualTo: "SF")
    return [
      PlanShape("open == order by stars", r.whereField("open", isEqualTo: true).order(by: "stars")),
      PlanShape(
        "city == and open == order by stars",
        city.whereField("open", isEqualTo: true).order(by: "stars")),
      PlanShape(
        "stars desc, then name asc",
        r.order(by: "stars", descending: true).order(by: FieldPath.documentID())),
      PlanShape(
        "or of a range",
        r.whereFilter(
          .orFilter([.whereField("kind", isEqualTo: "bbq"), .whereField("price", isGreaterThan: 3)])
        )
      ),
      PlanShape("an exempted field", r.whereField("note", isEqualTo: "x")),
      PlanShape(
        "ranges in the other direction",
        r.whereField("price", isGreaterThan: 1).whereField("stars", isGreaterThan: 3)
          .order(by: "price", descending: true)),
      PlanShape(
        "a field with odd names",
        r.whereField(FieldPath(["a b", "`c`"]), isEqualTo: 1).order(by: "stars")),
    ]
  }
}
