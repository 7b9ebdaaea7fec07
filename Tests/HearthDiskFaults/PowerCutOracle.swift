import Hearth

/// Compares a database that survived with what was acknowledged.
struct PowerCutOracle {
  let database: Firestore
  private(set) var complaints: [Finding] = []
  private var newest = Timestamp(seconds: 0, nanoseconds: 0)
  private var acknowledged: Acknowledged

  init(_ database: Firestore, _ acknowledged: Acknowledged) {
    self.database = database
    self.acknowledged = acknowledged
  }

  /// What was found of each sequence, from which the next child goes on.
  mutating func check() async throws -> Acknowledged {
    var found = Acknowledged()
    for client in 0..<WriteSequence.clients {
      for kind in WriteSequence.Kind.allCases where kind != .rating {
        let sequence = WriteSequence(kind, client)
        found[sequence] = judge(sequence, try await number(sequence))
      }
    }
    for (client, count) in try await ratings().enumerated() {
      let sequence = WriteSequence(.rating, client)
      found[sequence] = judge(sequence, count)
    }
    try await checkTime()
    for finding in try await database.verify().findings {
      complaints.append(Finding(.torn, "verify: \(finding)"))
    }
    return found
  }

  /// Acknowledged, or one further: the write that was under way.
  private mutating func judge(_ sequence: WriteSequence, _ number: Int) -> Int {
    let least = acknowledged[sequence]
    if number < least {
      complaints.append(
        Finding(.lost, "\(sequence.kind) of client \(sequence.client): \(number), not \(least)"))
    } else if number > least + 1 {
      complaints.append(
        Finding(.wrong, "\(sequence.kind) of client \(sequence.client): \(number) after \(least)"))
    }
    return number
  }

  private mutating func expect(_ isTrue: Bool, _ text: String) {
    if !isTrue { complaints.append(Finding(.torn, text)) }
  }

  private mutating func get(_ path: String) async throws -> DocumentSnapshot {
    let document = try await database.document(path).getDocument()
    see(document)
    return document
  }

  /// How far a sequence has come by the documents.
  private mutating func number(_ sequence: WriteSequence) async throws -> Int {
    let client = sequence.client
    switch sequence.kind {
    case .counter: return try await get("clients/\(client)")["n"] as? Int ?? 0
    case .pair:
      let left = try await get("left/\(client)")["n"] as? Int ?? 0
      let right = try await get("right/\(client)")["n"] as? Int ?? 0
      expect(left == right, "a batch of client \(client): \(left) and \(right)")
      return left
    case .toggle:
      let document = try await get("toggles/\(client)")
      if document.exists { return document["n"] as? Int ?? -1 }
      // Deleted by the last acknowledged write, by the one under way, or never written.
      let least = acknowledged[sequence]
      return least % 2 == 0 ? least : least + 1
    case .text:
      let document = try await get("texts/\(client)")
      guard document.exists else { return 0 }
      let n = document["n"] as? Int ?? -1
      expect(
        n >= 0 && document["text"] as? String == Contents.text(client, n),
        "the text \(n) of client \(client) is another one")
      return n
    case .rating: return 0
    }
  }

  /// How many ratings each client has.
  private mutating func ratings() async throws -> [Int] {
    var numbers = Array(repeating: [Int](), count: WriteSequence.clients)
    var times: [Timestamp] = []
    for restaurant in 0..<Contents.restaurants {
      let document = try await get("restaurants/r\(restaurant)")
      let ratings = try await document.reference.collection("ratings").getDocuments().documents
      var sum = 0
      for rating in ratings {
        see(rating)
        let client = rating["client"] as? Int ?? -1
        let number = rating["n"] as? Int ?? -1
        guard numbers.indices.contains(client) else {
          expect(false, "a rating of client \(client)")
          continue
        }
        expect(
          rating.documentID == "c\(client)-\(number)"
            && rating["stars"] as? Int == Contents.stars(client, number)
            && Contents.restaurant(client, number) == restaurant,
          "the rating \(rating.documentID) is another one")
        sum += Contents.stars(client, number)
        numbers[client].append(number)
        if let time = rating.createTime { times.append(time) }
      }
      expect((document["ratingCount"] as? Int ?? 0) == ratings.count, "r\(restaurant): count")
      expect((document["ratingSum"] as? Int ?? 0) == sum, "r\(restaurant): sum")
      expect(
        ratings.isEmpty
          || document["average"] as? Double == Double(sum) / Double(ratings.count),
        "r\(restaurant): average")
    }
    // Each rating is a commit of its own, and no two commits have the same time.
    expect(Set(times).count == times.count, "two commits have one time")
    for client in numbers.indices {
      let sorted = numbers[client].sorted()
      expect(sorted == Array(1..<sorted.count + 1), "the ratings of client \(client) have gaps")
    }
    return numbers.map(\.count)
  }

  private mutating func see(_ document: DocumentSnapshot) {
    guard let time = document.updateTime else { return }
    newest = max(newest, time)
    // The database's newest version is kept in the same commit as the documents.
    expect(document.readTime.map { $0 >= time } == true, "a document of the future")
  }

  /// Writes are taken, and are later than all before the cut.
  private mutating func checkTime() async throws {
    let probe = database.document("probe/time")
    let turn = try await probe.getDocument()["turn"] as? Int ?? 0
    try await probe.setData(["turn": turn + 1])
    let time = try await probe.getDocument().updateTime
    expect(time.map { $0 > newest } == true, "a commit after the cut is not later")
  }
}
