import Foundation
import Hearth

/// Holds a database against a ledger, knowing nothing of how the database works.
struct Judge {
  let database: Firestore
  /// Whether the database is at the ledger's moment; a copy of it may be some commits further.
  var isExact = true
  /// What must be there at least, where the durability allows losses.
  var floor: Ledger?
  private(set) var findings: [Finding] = []
  private var newest = Timestamp(seconds: 0, nanoseconds: 0)

  init(_ database: Firestore, isExact: Bool = true, floor: Ledger? = nil) {
    self.database = database
    self.isExact = isExact
    self.floor = floor
  }

  /// Opens, judges and closes; whatever fails is a finding.
  static func judge(
    _ path: String, _ ledger: Ledger, isExact: Bool = true, floor: Ledger? = nil
  ) async -> [Finding] {
    let name = URL(filePath: path).lastPathComponent
    do {
      let database = try await openDatabase(path)
      var judge = Judge(database, isExact: isExact, floor: floor)
      do {
        try await judge.check(ledger)
      } catch {
        judge.find(.torn, "reading failed: \(error)")
      }
      try await database.terminate()
      return judge.findings.map { Finding(kind: $0.kind, text: "\(name): \($0.text)") }
    } catch {
      return [Finding(kind: .torn, text: "\(name) does not open: \(error)")]
    }
  }

  /// What a program finds after it opened the database again is settled for it.
  static func settle(_ database: Firestore, _ notebook: Notebook) async throws {
    var judge = Judge(database)
    let ratings = try await judge.checkRestaurants()
    for (name, register) in notebook.ledger.registers where !register.possible.isEmpty {
      notebook.note(.acknowledged, name, try await judge.value(of: name, ratings))
    }
  }

  private mutating func find(_ kind: Finding.Kind, _ text: String) {
    findings.append(Finding(kind: kind, text: text))
  }

  mutating func check(_ ledger: Ledger) async throws {
    let ratings = try await checkRestaurants()
    for (name, register) in ledger.registers.sorted(by: { $0.key < $1.key }) {
      let value = try await value(of: name, ratings)
      if isExact ? register.allows(value) : value != nil || register.settled == nil { continue }
      if !isExact, !name.hasPrefix("rating/") { continue }
      let seen = value.map(String.init) ?? "nothing"
      let due = register.settled.map(String.init) ?? "nothing"
      let wasWritten = register.history.contains(value)
      let isWaived = floor.map { $0.registers[name]?.allows(value) ?? (value == nil) } ?? false
      find(
        isWaived ? .waived : wasWritten ? .lost : .torn,
        "\(name) is \(seen), acknowledged was \(due)")
    }
    for rating in ratings where isExact && ledger.registers["rating/\(rating)"] == nil {
      find(.torn, "the rating \(rating) was never written")
    }
    try await checkIndex(ledger)
    for finding in try await database.verify().findings { find(.torn, finding) }
    try await checkWriting()
  }

  private mutating func value(of register: String, _ ratings: Set<String>) async throws -> Int? {
    let parts = register.split(separator: "/").map(String.init)
    guard parts.count == 2 else { return nil }
    switch parts[0] {
    case "rating": return ratings.contains(parts[1]) ? 1 : nil
    case "counter": return try await number("counters/\(parts[1])")
    case "slot": return try await number("slots/\(parts[1])")
    default:
      let left = try await number("left/\(parts[1])")
      let right = try await number("right/\(parts[1])")
      if left != right { find(.torn, "the halves of pair \(parts[1]) are of different commits") }
      return left
    }
  }

  private mutating func number(_ path: String) async throws -> Int? {
    let document = try await database.document(path).getDocument()
    see(document)
    return document.exists ? document["n"] as? Int ?? -1 : nil
  }

  /// The ids of all ratings, after their restaurants were found to agree with them.
  private mutating func checkRestaurants() async throws -> Set<String> {
    var ids: Set<String> = []
    for restaurant in 0..<Client.restaurants {
      let document = try await database.document("restaurants/r\(restaurant)").getDocument()
      see(document)
      let ratings = try await document.reference.collection("ratings").getDocuments().documents
      var sum = 0
      for rating in ratings {
        see(rating)
        ids.insert(rating.documentID)
        let (client, n) = (rating["client"] as? Int ?? -1, rating["n"] as? Int ?? -1)
        let isRight =
          rating.documentID == "c\(client)-\(n)"
          && rating["stars"] as? Int == Client.stars(client, n)
          && (client * 7 + n) % Client.restaurants == restaurant
        if !isRight { find(.torn, "the rating \(rating.documentID) is not what was written") }
        sum += rating["stars"] as? Int ?? 0
      }
      let average = ratings.isEmpty ? nil : Double(sum) / Double(ratings.count)
      if document["ratingCount"] as? Int ?? 0 != ratings.count
        || document["ratingSum"] as? Int ?? 0 != sum || document["average"] as? Double != average
      {
        find(.torn, "restaurant \(restaurant) disagrees with its \(ratings.count) ratings")
      }
    }
    return ids
  }

  private mutating func checkIndex(_ ledger: Ledger) async throws {
    let index = try database.indexes.first { $0.definition == Client.index }
    if ledger.reached.contains("index"), index == nil { find(.lost, "the index is gone") }
    guard index?.state == .ready else { return }
    let ratings = database.collection("restaurants/r0/ratings")
    let found = try await ratings.whereField("client", isEqualTo: 0)
      .order(by: "n", descending: true).getDocuments().documents.map(\.documentID)
    let all = try await ratings.getDocuments().documents
      .filter { $0["client"] as? Int == 0 }
      .sorted { ($0["n"] as? Int ?? 0) > ($1["n"] as? Int ?? 0) }.map(\.documentID)
    if found != all { find(.torn, "the index finds \(found), the documents are \(all)") }
  }

  private mutating func see(_ document: DocumentSnapshot) {
    if let time = document.updateTime { newest = max(newest, time) }
  }

  /// It can be written to, and commits are later than all before.
  private mutating func checkWriting() async throws {
    let probe = database.document("probe/time")
    do {
      try await probe.setData(["seen": true])
    } catch {
      return find(.torn, "writing failed: \(error)")
    }
    guard let time = try await probe.getDocument().updateTime, time > newest else {
      return find(.torn, "a commit is not later than those before it")
    }
  }
}
