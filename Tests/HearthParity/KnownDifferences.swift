import HearthModel

/// A place where the emulator is not production, so that Hearth rightly answers otherwise.
///
/// Each entry is as narrow as it can be; whatever the entries do not explain is an error of
/// Hearth's, or a new entry.
struct KnownDifference: Sendable {
  /// A short name, under which meetings are counted.
  let name: String
  /// Why Hearth is right.
  let reason: String
  /// Takes this difference, and only this one, out of two answers.
  let settle: @Sendable (inout Difference, inout HearthSide) async throws -> Void

  init(
    _ name: String, because reason: String,
    settle: @escaping @Sendable (inout Difference, inout HearthSide) async throws -> Void
  ) {
    self.name = name
    self.reason = reason
    self.settle = settle
  }

  /// The emulator calls invalid, in these words, what Hearth takes, or refuses for its `hearth`
  /// reason.
  static func refusal(
    _ name: String, because reason: String, saying words: String, hearth: String? = nil
  ) -> KnownDifference {
    KnownDifference(name, because: reason) { difference, _ in
      guard difference.emulator == .failure("INVALID_ARGUMENT"),
        difference.emulatorMessage.contains(words),
        hearth.map({ difference.hearthReason == $0 }) ?? true
      else { return }
      difference.emulator = difference.hearth
    }
  }

  /// The emulator takes what Hearth refuses for its `hearth` reason, or fails only when it looks at
  /// the documents.
  static func acceptance(
    _ name: String, because reason: String, hearth token: String
  ) -> KnownDifference {
    KnownDifference(name, because: reason) { difference, _ in
      guard difference.hearthReason == token, difference.emulator.acceptsRequest else { return }
      difference.emulator = difference.hearth
    }
  }
}

extension Answer {
  /// Whether this request was found valid as such: what failed, if anything, was found in the
  /// documents.
  var acceptsRequest: Bool {
    guard case .failure(let status) = self else { return true }
    return ["NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"].contains(status)
  }
}

enum KnownDifferences {
  static let all: [KnownDifference] = writes + queries

  /// The names of the entries that together explain a difference, empty if they do not.
  static func explain(
    _ difference: Difference, _ hearth: inout HearthSide
  ) async throws -> [String] {
    var rest = difference
    var names: [String] = []
    for known in all where rest.hearth != rest.emulator {
      let before = rest
      try await known.settle(&rest, &hearth)
      if rest.hearth != before.hearth || rest.emulator != before.emulator {
        names.append(known.name)
      }
    }
    return rest.hearth == rest.emulator ? names : []
  }
}
