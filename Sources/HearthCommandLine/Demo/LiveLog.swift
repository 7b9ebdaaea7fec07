import Hearth
import HearthBenchmarkKit
import Synchronization

/// Follows a live query: counts its snapshots, checks that the change lists add up, and prints
/// some of them.
final class LiveLog: Sendable {
  struct Result: Sendable {
    var snapshots = 0
    var changes = 0
    /// Snapshots whose documents were not the ones before plus the changes.
    var wrongChangeLists = 0
    /// Snapshots that were not newer than the one before.
    var wrongOrder = 0
  }

  private struct State {
    var result = Result()
    var top: [Restaurant] = []
    var isEnded = false
  }

  /// More than this cannot be followed by eye.
  private static let secondsBetweenTexts = 0.2
  private static let linesPerText = 3

  private let console: Console
  private let stopwatch = Stopwatch()
  private let state = Mutex(State())

  init(console: Console) { self.console = console }

  var result: Result { state.withLock { $0.result } }
  /// The documents of the newest snapshot.
  var top: [Restaurant] { state.withLock { $0.top } }
  /// Whether no more snapshots come.
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Consumes snapshots until cancelled.
  func follow(_ query: Query) async throws {
    defer { state.withLock { $0.isEnded = true } }
    var replayed: [QueryDocumentSnapshot] = []
    var printed: [Restaurant] = []
    var lastTime: Timestamp?
    var nextText = 0.0
    var isFirst = true
    for try await snapshot in query.snapshots {
      let top = try snapshot.decoded(as: Restaurant.self)
      let changes = snapshot.documentChanges
      let isRight = Self.apply(changes, to: &replayed) && replayed == snapshot.documents
      // Go on from the truth, so that one wrong list is counted once.
      if !isRight { replayed = snapshot.documents }
      let isNewer = lastTime.map { $0 < snapshot.readTime } ?? true
      lastTime = snapshot.readTime
      let number = state.withLock { state in
        state.top = top
        state.result.snapshots += 1
        state.result.changes += changes.count
        if !isRight { state.result.wrongChangeLists += 1 }
        if !isNewer { state.result.wrongOrder += 1 }
        return state.result.snapshots
      }
      let now = stopwatch.seconds
      if isFirst {
        printed = top
        isFirst = false
      } else if now >= nextText {
        // What is printed is the difference from what was printed before.
        print(number: number, at: now, from: printed, to: top)
        printed = top
        nextText = now + Self.secondsBetweenTexts
      }
    }
  }

  /// Applies a change list in order; false if its positions do not fit.
  private static func apply(
    _ changes: [DocumentChange], to documents: inout [QueryDocumentSnapshot]
  ) -> Bool {
    for change in changes {
      if let old = change.oldPosition {
        guard documents.indices.contains(old),
          documents[old].reference == change.document.reference
        else { return false }
        documents.remove(at: old)
      }
      if let new = change.newPosition {
        guard new <= documents.count else { return false }
        documents.insert(change.document, at: new)
      }
    }
    return true
  }

  private func print(
    number: Int, at seconds: Double, from old: [Restaurant], to new: [Restaurant]
  ) {
    let texts = ChangeText.describe(from: old, to: new, style: console.style)
    let style = console.style
    let time = NumberText.fixed(seconds, places: 1)
    console.line(style.dim("  \(time) s, snapshot \(NumberText.grouped(number))"))
    var lines = Wrapping.lines(
      texts.joined(separator: "  "), width: max(40, min(console.width, 100) - 8))
    if lines.count > Self.linesPerText {
      lines.removeSubrange(Self.linesPerText...)
      lines[Self.linesPerText - 1] += style.dim(" …")
    }
    for line in lines { console.line("    \(line)") }
  }
}
