import Hearth
import HearthTestSupport
import Testing

private let sizes = [200, 2_000, 20_000]

/// A name whose place in the order is the number's.
private func name(_ number: Int) -> String {
  let digits = String(number)
  return "n" + String(repeating: "0", count: 6 - digits.count) + digits
}

extension Trait where Self == SharedDatabaseTrait {
  /// Gives a suite collections of one shape and of growing sizes.
  fileprivate static var growingCollections: SharedDatabaseTrait {
    SharedDatabaseTrait { database in
      for size in sizes {
        try await fill(database.collection("c\(size)"), 0..<size, id: name) {
          ["name": name($0), "n": $0, "half": $0 % 2 == 0]
        }
      }
    }
  }
}

/// Reports about cost that grows with the collection (section D): here it follows the result.
///
/// Counts are compared, not times, so that a busy machine changes nothing.
@Suite(.growingCollections) struct CountReports {
  private func collection(_ size: Int) throws -> CollectionReference {
    try SharedDatabase.database.collection("c\(size)")
  }

  private func expect(
    _ query: Query, results: Int, entries: Int, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let statistics = try await query.executed
    #expect(statistics.resultsReturned == results, sourceLocation: location)
    #expect(statistics.debugStats.indexEntriesScanned == entries, sourceLocation: location)
    #expect(statistics.debugStats.documentsScanned == results, sourceLocation: location)
  }

  @Test(arguments: sizes)
  func `BR-073: a range reads its own entries, wherever it lies, and a limit one more`(_ size: Int)
    async throws
  {
    let things = try collection(size)
    for start in [0, size / 2, size - 100] {
      let range = things.whereField("name", isGreaterThanOrEqualTo: name(start))
        .whereField("name", isLessThan: name(start + 100))
      try await expect(range, results: 100, entries: 100)
      try await expect(range.limit(to: 30), results: 30, entries: 31)
      try await expect(range.limit(to: 100), results: 100, entries: 100)
      try await expect(
        range.order(by: "name", descending: true).limit(to: 30), results: 30, entries: 31)
      let cursors = things.order(by: "name").start(at: [name(start)])
        .end(before: [name(start + 100)])
      try await expect(cursors, results: 100, entries: 100)
      try await expect(cursors.limit(toLast: 30), results: 30, entries: 31)
      let document = try await things.document(name(start)).getDocument()
      try await expect(
        things.start(atDocument: document).limit(to: 50), results: 50, entries: 51)
    }
    // None matches: nothing is read, also at the ends.
    for missing in ["a", name(size / 2) + "x", "z"] {
      let nothing = things.whereField("name", isEqualTo: missing)
      try await expect(nothing, results: 0, entries: 0)
    }
  }

  @Test(arguments: sizes)
  func `BR-074: the first query costs what the second does, after an import and after opening`(
    _ size: Int
  ) async throws {
    let things = try collection(size)
    let query = things.whereField("n", isGreaterThan: size - 50)
    let first = try await query.executed
    let second = try await query.executed
    #expect(first.debugStats == second.debugStats)
    #expect(first.debugStats.indexEntriesScanned == 49)
    if size > 2_000 { return }
    try await withReopening(
      { database in
        try await fill(database.collection("c"), 0..<size) { ["n": $0] }
        try await expect(
          database.collection("c").whereField("n", isLessThan: 10), results: 10, entries: 10)
      },
      { database in
        try await expect(
          database.collection("c").whereField("n", isLessThan: 10), results: 10, entries: 10)
      })
  }

  @Test(arguments: sizes)
  func `BR-075: thirty keys are thirty seeks`(_ size: Int) async throws {
    let things = try collection(size)
    let keys = (0..<30).map { $0 * size / 30 }
    try await expect(things.whereField("n", in: keys), results: 30, entries: 30)
    try await expect(
      things.whereField(FieldPath.documentID(), in: keys.map { name($0) }), results: 30,
      entries: 30)
    try await expect(
      things.whereField("n", in: keys.map { $0 + size }), results: 0, entries: 0)
    let ids = keys.map { things.document(name($0)) } + [things.document("nobody")]
    let found = try await things.firestore.runTransaction { try $0.getDocuments(ids.reversed()) }
    #expect(found.map(\.documentID) == ids.reversed().map(\.documentID))
    #expect(found.map(\.exists) == ids.reversed().map { $0.documentID != "nobody" })
    let either = keys.map { Filter.whereField("name", isEqualTo: name($0)) }
    try await expect(things.whereFilter(.orFilter(either)), results: 30, entries: 30)
  }

  @Test(arguments: sizes)
  func `BR-076: ranges of numbers seek, as equality does`(_ size: Int) async throws {
    let things = try collection(size)
    for start in [0, size / 3, size - 50] {
      let range = things.whereField("n", isGreaterThanOrEqualTo: start)
        .whereField("n", isLessThan: start + 50)
      try await expect(range, results: 50, entries: 50)
      // The same numbers, asked for with doubles.
      let doubles = things.whereField("n", isGreaterThan: Double(start) - 0.5)
        .whereField("n", isLessThan: Double(start) + 49.5)
      try await expect(doubles, results: 50, entries: 50)
    }
    try await expect(things.whereField("n", isLessThan: 0), results: 0, entries: 0)
    // What is excluded is not read.
    let others = Array(3..<10)
    try await expect(
      things.whereField("n", notIn: others).whereField("n", isLessThan: 20), results: 13,
      entries: 13)
    try await expect(
      things.whereField("n", isNotEqualTo: 0).limit(to: 5), results: 5, entries: 6)
  }

  @Test(arguments: sizes)
  func `BR-078: one match in a growing collection is one entry`(_ size: Int) async throws {
    let things = try collection(size)
    for number in [0, size / 2, size - 1] {
      try await expect(
        things.whereField("name", isEqualTo: name(number)), results: 1, entries: 1)
      try await expect(things.whereField("n", isEqualTo: number), results: 1, entries: 1)
    }
    try await expect(
      things.order(by: "n", descending: true).limit(to: 1), results: 1, entries: 2)
    // Beside a field that half of the documents share, the merge follows the rarer one.
    let both = things.whereField("half", isEqualTo: true).whereField("n", isEqualTo: size / 2)
    let statistics = try await both.executed
    #expect(statistics.resultsReturned == 1)
    #expect(statistics.debugStats.indexEntriesScanned <= 4)
  }

  @Test(arguments: sizes)
  func `BR-079: a look-up by id touches one document`(_ size: Int) async throws {
    let things = try collection(size)
    for number in stride(from: 0, to: size, by: size / 20) {
      let id = name(number)
      let byName = things.whereField(FieldPath.documentID(), isEqualTo: id)
      let statistics = try await byName.executed
      #expect(statistics.debugStats.documentsScanned == 1)
      #expect(statistics.debugStats.indexEntriesScanned <= 1)
      // The bytes of one record, however many there are.
      #expect(statistics.debugStats.bytesRead < 200)
      let document = try await things.document(id).getDocument()
      #expect(document.get("n") as? Int == number)
    }
  }
}
