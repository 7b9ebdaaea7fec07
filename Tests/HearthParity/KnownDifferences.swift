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
}

enum KnownDifferences {
  static let all: [KnownDifference] = writes

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
