/// Judges whether a history of ratings is strictly serializable, in time linear but for sorting.
///
/// The order is that of the versions. Replayed in it, each transaction must have read exactly what
/// the ones before it left, version included; and one that was acknowledged before another was
/// submitted must stand before it.
package struct RatingHistoryChecker {
  private typealias Operation = RatingHistory.Operation

  /// An acknowledged operation with its place in the order.
  private struct Placed {
    var operation: Operation
    var version: Int64
  }

  private let history: RatingHistory
  private var findings = RatingFindings()

  private init(_ history: RatingHistory) { self.history = history }

  /// What contradicts strict serializability; nothing if the history has it.
  package static func check(_ history: RatingHistory) -> RatingFindings {
    var checker = RatingHistoryChecker(history)
    let placed = checker.place()
    checker.replay(placed)
    checker.checkRealTime(placed)
    return checker.findings
  }

  /// Gives each acknowledged operation the version of its rating document, in their order.
  private mutating func place() -> [Placed] {
    var versions: [UInt64: Int64] = [:]
    versions.reserveCapacity(history.stored.count)
    for stored in history.stored {
      guard let rating = stored.rating else { continue }
      versions[rating] = stored.version
    }
    var placed: [Placed] = []
    placed.reserveCapacity(history.operations.count)
    for operation in history.operations {
      let version = versions.removeValue(forKey: operation.rating)
      switch (operation.isAcknowledged, version) {
      case (true, let version?): placed.append(Placed(operation: operation, version: version))
      case (true, nil):
        findings.add(.lost, "\(Self.name(operation)) was acknowledged and is not stored")
      case (false, _?):
        findings.add(.ghost, "\(Self.name(operation)) failed and is stored nevertheless")
      case (false, nil): break
      }
    }
    let unknown = versions.count + history.stored.count { $0.rating == nil }
    if unknown > 0 { findings.add(.ghost, "\(unknown) stored ratings were made by nobody") }
    placed.sort { $0.version < $1.version }
    return placed
  }

  private mutating func replay(_ placed: [Placed]) {
    var states = history.initial
    var last: Int64?
    for one in placed {
      let operation = one.operation
      if one.version == last {
        findings.add(.sameVersion, "version \(one.version) belongs to two ratings")
      }
      last = one.version
      let expected = states[operation.restaurant]
      if let read = operation.read, read != expected {
        findings.add(
          .wrongRead,
          "\(Self.name(operation)), version \(one.version), read \(Self.text(read)); the ones "
            + "before it left \(Self.text(expected))")
      }
      // From what it read on, so that one anomaly is one finding and not a trail of them.
      states[operation.restaurant] = (operation.read ?? expected)
        .adding(stars: operation.stars, version: one.version)
    }
    for (position, state) in states.enumerated() where position < history.final.count {
      if history.final[position] != state {
        findings.add(
          .wrongEnd,
          "restaurant \(position) ends as \(Self.text(history.final[position])); the ratings "
            + "lead to \(Self.text(state))")
      }
    }
  }

  /// A sweep: of all that had returned when an operation began, the newest must be older than it.
  private mutating func checkRealTime(_ placed: [Placed]) {
    let byStart = placed.sorted { $0.operation.invoked < $1.operation.invoked }
    let byEnd = placed.sorted { $0.operation.returned < $1.operation.returned }
    var newest: Placed?
    var ended = 0
    for one in byStart {
      while ended < byEnd.count, byEnd[ended].operation.returned < one.operation.invoked {
        if byEnd[ended].version > newest?.version ?? .min { newest = byEnd[ended] }
        ended += 1
      }
      if let newest, newest.version > one.version {
        findings.add(
          .realTime,
          "\(Self.name(one.operation)) has version \(one.version), although \(newest.version) "
            + "(\(Self.name(newest.operation))) was acknowledged before it was submitted")
      }
    }
  }

  private static func name(_ operation: Operation) -> String {
    "rating \(RatingID.text(operation.rating)) of restaurant \(operation.restaurant)"
  }

  private static func text(_ state: RatingHistory.State) -> String {
    "\(state.count) ratings, average \(state.average), version \(state.version)"
  }
}

/// What must be true of the stored documents whatever the order (count, average).
package enum RatingInvariants {
  /// Compares every restaurant with its rating documents and the acknowledged transactions.
  package static func check(_ history: RatingHistory) -> RatingFindings {
    var findings = RatingFindings()
    var acknowledged = history.initial.map(\.count)
    for operation in history.operations where operation.isAcknowledged {
      acknowledged[operation.restaurant] += 1
    }
    var documents = history.initial.map(\.count)
    var sums = history.initial.map { $0.average * Double($0.count) }
    for stored in history.stored {
      documents[stored.restaurant] += 1
      sums[stored.restaurant] += Double(stored.stars)
    }
    for (position, state) in history.final.enumerated() {
      let (count, acknowledged) = (documents[position], acknowledged[position])
      if state.count != count || count != acknowledged {
        findings.add(
          .wrongCount,
          "restaurant \(position): ratingCount \(state.count), \(count) rating documents, "
            + "\(acknowledged) acknowledged")
      }
      // The average is folded step by step, so its error grows with the number of steps.
      let derived = state.average * Double(state.count)
      let tolerance = 1e-12 * max(1, sums[position]) * max(1, Double(count).squareRoot())
      if (derived - sums[position]).magnitude > tolerance {
        findings.add(
          .wrongAverage,
          "restaurant \(position): average \(state.average) times \(state.count) is \(derived); "
            + "the stored ratings sum to \(sums[position])")
      }
    }
    return findings
  }
}
