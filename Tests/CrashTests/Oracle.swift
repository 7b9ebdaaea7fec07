import Hearth
import Testing

/// Compares a database that survived a kill with what its child had reported.
struct Oracle {
  let database: Firestore
  /// Said with every complaint.
  let context: Comment
  private(set) var newest = Timestamp(seconds: 0, nanoseconds: 0)

  init(_ database: Firestore, _ context: Comment) {
    self.database = database
    self.context = context
  }

  mutating func check(_ ledger: inout Ledger) async throws {
    for client in ledger.clients.indices {
      try await checkSequences(client, &ledger.clients[client])
    }
    try await checkRatings(&ledger)
    try await checkTime()
    try await checkWhole()
  }

  // MARK: Each client's own documents

  private mutating func number(_ path: String) async throws -> Int {
    let document = try await database.document(path).getDocument()
    see(document)
    return document["n"] as? Int ?? 0
  }

  private mutating func checkSequences(
    _ client: Int, _ ledger: inout ClientLedger
  ) async throws {
    let counter = try await number("clients/\(client)")
    #expect(ledger.counter.range.contains(counter), context)
    ledger.counter.settle(counter)

    let left = try await number("left/\(client)")
    let right = try await number("right/\(client)")
    #expect(left == right, context)
    #expect(ledger.pair.range.contains(left), context)
    ledger.pair.settle(left)

    // Submitted first, so it may be one ahead and never behind.
    let loose = try await number("loose/\(client)")
    let follower = try await number("followers/\(client)")
    #expect(ledger.loose.range.contains(loose), context)
    #expect(loose == follower || loose == follower + 1, context)
    ledger.loose.settle(loose)

    var slots: [Int?] = []
    for slot in 0..<4 {
      let document = try await database.document("toggles/\(client)-\(slot)").getDocument()
      see(document)
      slots.append(document.exists ? document["n"] as? Int ?? -1 : nil)
    }
    let reached = ledger.toggle.range.first { Oracle.slots(after: $0) == slots }
    #expect(reached != nil, context)
    if let reached { ledger.toggle.settle(reached) }
  }

  /// The four documents that a client creates and deletes, after so many steps.
  static func slots(after steps: Int) -> [Int?] {
    (0..<4).map { slot in
      guard let last = (0...steps).last(where: { $0 > 0 && $0 % 4 == slot }) else { return nil }
      return last / 4 % 2 == 0 ? last : nil
    }
  }

  // MARK: Ratings

  private mutating func checkRatings(_ ledger: inout Ledger) async throws {
    var numbers = Array(repeating: [Int](), count: ledger.clients.count)
    var times: [Timestamp] = []
    for restaurant in 0..<3 {
      let document = try await database.document("restaurants/r\(restaurant)").getDocument()
      see(document)
      let ratings = try await document.reference.collection("ratings").getDocuments().documents
      var sum = 0
      for rating in ratings {
        see(rating)
        let client = try #require(rating["client"] as? Int, context)
        let number = try #require(rating["n"] as? Int, context)
        let stars = 1 + (client + number * 3) % 5
        #expect(rating.documentID == "c\(client)-\(number)", context)
        #expect(rating["stars"] as? Int == stars, context)
        #expect((client * 7 + number) % 3 == restaurant, context)
        sum += stars
        numbers[client].append(number)
        if let time = rating.createTime { times.append(time) }
      }
      #expect((document["ratingCount"] as? Int ?? 0) == ratings.count, context)
      #expect((document["ratingSum"] as? Int ?? 0) == sum, context)
      if !ratings.isEmpty {
        #expect(document["average"] as? Double == Double(sum) / Double(ratings.count), context)
      }
    }
    // Each rating is a commit of its own, and no two commits have the same time.
    #expect(Set(times).count == times.count, context)
    for client in ledger.clients.indices {
      let sorted = numbers[client].sorted()
      #expect(sorted == Array(1..<sorted.count + 1), context)
      #expect(ledger.clients[client].rating.range.contains(sorted.count), context)
      ledger.clients[client].rating.settle(sorted.count)
    }
  }

  // MARK: The whole

  private mutating func see(_ document: DocumentSnapshot) {
    guard let time = document.updateTime else { return }
    newest = max(newest, time)
    // The database's newest version is kept in the same commit as the documents.
    #expect(document.readTime.map { $0 >= time } == true, context)
  }

  /// Commits after the crash are later than all before it.
  private func checkTime() async throws {
    let probe = database.document("probe/time")
    var last = newest
    for turn in 0..<2 {
      try await probe.setData(["turn": turn])
      let time = try #require(try await probe.getDocument().updateTime, context)
      #expect(time > last, context)
      last = time
    }
  }

  /// Interrupted index builds come to their end by themselves, and nothing is left half done.
  private func checkWhole() async throws {
    let states = try database.indexes.map(\.state)
    #expect(states.allSatisfy { $0 == .ready || $0 == .creating }, context)
    #expect(try await database.verify().findings == [], context)
    var isReady = false
    for _ in 0..<2000 where !isReady {
      isReady = try database.indexes.allSatisfy { $0.state == .ready }
      if !isReady { try await Task.sleep(for: .milliseconds(5)) }
    }
    #expect(isReady, context)
    if states.contains(.creating) {
      #expect(try await database.verify().findings == [], context)
    }
  }
}
