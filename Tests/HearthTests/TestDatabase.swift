import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// Runs a test with a database of its own that flushes nothing.
func withDatabase(
  mapSize: Int = 64 << 20, _ body: (Firestore) async throws -> Void
) async throws {
  try await withTemporaryDirectory { path in
    let settings = FirestoreSettings()
    settings.durability = .none
    settings.mapSizeBytes = mapSize
    let database = try await Firestore.open(at: URL(filePath: path), settings: settings)
    do {
      try await body(database)
      try await database.terminate()
    } catch {
      try await database.terminate()
      throw error
    }
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
