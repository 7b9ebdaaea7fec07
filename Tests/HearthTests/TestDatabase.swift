import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// Runs a test with a database of its own that flushes nothing.
func withDatabase<R>(_ body: (Firestore) async throws -> R) async throws -> R {
  try await withTemporaryDirectory { path in
    let settings = FirestoreSettings()
    settings.durability = .none
    settings.mapSizeBytes = 64 << 20
    let database = try await Firestore.open(at: URL(filePath: path), settings: settings)
    do {
      let result = try await body(database)
      try await database.terminate()
      return result
    } catch {
      try await database.terminate()
      throw error
    }
  }
}

/// A database that is never opened, for what only makes objects.
let unopened = Firestore.unopened()

extension Firestore {
  static func unopened() -> Firestore {
    // Not configured: calls on it fail, references and queries can be made.
    Firestore.firestore()
  }
}

/// Values collected from closures.
final class Collected<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  func append(_ element: Element) { elements.withLock { $0.append(element) } }

  var all: [Element] { elements.withLock { $0 } }

  /// Waits until there are `count`, at most ten seconds.
  func wait(for count: Int) async throws -> [Element] {
    for _ in 0..<2000 {
      let now = all
      if now.count >= count { return now }
      try await Task.sleep(for: .milliseconds(5))
    }
    return all
  }
}

/// The stable token of the error that `body` throws; nil if it throws none of Hearth's.
func reason(_ body: () async throws -> Void) async -> String? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? HearthError)?.reason ?? "\(error)"
  }
}
