import Foundation
import Hearth
import HearthTestSupport
import Synchronization
import Testing

@Suite struct IndexBuildTests {
  /// After an interrupted build was resumed, programs drop the index or declare it again; the
  /// build that goes on in the background must not finish what is not its own.
  @Test func `a build of a dropped index does not end that of its successor`() async throws {
    let index = IndexDefinition(
      collectionID: "filler",
      fields: [
        IndexField(FieldPath(["kind"]), .ascending), IndexField(FieldPath(["value"]), .ascending),
      ])
    try await withTemporaryDirectory { directory in
      try await withDatabase(at: directory + "/db") { database in
        try await fill(database)
        let steps = Steps()
        let first = Task(executorPreference: OwnThread()) {
          defer { steps.reach(.firstEnded) }
          try await database.createIndex(index) { done, _ in
            if steps.reach(.firstBegan, if: done > 0) { steps.wait(for: .secondBegan) }
          }
        }
        try await blocking { steps.wait(for: .firstBegan) }
        try await database.dropIndex(index)
        let early = Collected()
        let second = Task(executorPreference: OwnThread()) {
          try await database.createIndex(index) { done, total in
            guard done > 0, done < total, steps.reach(.secondBegan) else { return }
            steps.wait(for: .firstEnded)
            early.state = try? database.indexes.first?.state
          }
        }
        let error = await #expect(throws: HearthError.self) { try await first.value }
        #expect(error?.reason == "INDEX_DROPPED")
        try await second.value
        #expect(early.state == .creating)
        #expect(try database.indexes.map(\.state) == [.ready])
        #expect(try await database.verify().findings == [])
      }
    }
  }

  @Test func `a check during a build finds nothing wrong`() async throws {
    let index = IndexDefinition(
      collectionID: "filler",
      fields: [
        IndexField(FieldPath(["kind"]), .ascending), IndexField(FieldPath(["value"]), .descending),
      ])
    try await withTemporaryDirectory { directory in
      try await withDatabase(at: directory + "/db") { database in
        try await fill(database)
        let steps = Steps()
        let build = Task(executorPreference: OwnThread()) {
          try await database.createIndex(index) { done, _ in
            if steps.reach(.firstBegan, if: done > 0) { steps.wait(for: .firstEnded) }
          }
        }
        try await blocking { steps.wait(for: .firstBegan) }
        let during = try await database.verify()
        #expect(try database.indexes.map(\.state) == [.creating])
        steps.reach(.firstEnded)
        try await build.value
        let after = try await database.verify()
        #expect(during.findings == [] && after.findings == [])
        #expect(during.indexEntries < after.indexEntries)
      }
    }
  }

  private func fill(_ database: Firestore) async throws {
    for start in stride(from: 0, to: 1200, by: 400) {
      let batch = database.batch()
      for number in start..<start + 400 {
        batch.setData(
          ["kind": number % 7, "value": number],
          forDocument: database.document("filler/f\(number)"))
      }
      try await batch.commit()
    }
  }
}

/// Steps of two tasks that wait for each other.
private final class Steps: Sendable {
  enum Step { case firstBegan, secondBegan, firstEnded }

  private let reached = Mutex<Set<Step>>([])

  /// True the first time.
  @discardableResult
  func reach(_ step: Step, if condition: Bool = true) -> Bool {
    condition && reached.withLock { $0.insert(step).inserted }
  }

  /// Waits ten seconds at most; the test then fails by what it finds.
  func wait(for step: Step) {
    for _ in 0..<2000 where !reached.withLock({ $0.contains(step) }) { usleep(5000) }
  }
}

/// What a closure saw.
private final class Collected: Sendable {
  private let seen = Mutex<IndexState?>(nil)

  var state: IndexState? {
    get { seen.withLock { $0 } }
    set { seen.withLock { $0 = newValue } }
  }
}

/// A thread for a task that blocks, as the threads of Swift's tasks must not be blocked.
private final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "own thread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
