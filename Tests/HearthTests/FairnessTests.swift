import Hearth
import Testing

@Suite struct FairnessTests {
  /// Reads suspend nowhere: eight tasks that read in a loop kept every thread from a writer.
  @Test(.timeLimit(.minutes(30)))
  func `tasks that only read let a writer through`() async throws {
    try await withDatabase { database in
      let reference = database.document("a/b")
      try await reference.setData(["n": 0])
      let done = Collected<Bool>()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            while done.all.isEmpty { _ = try await reference.getDocument() }
          }
        }
        group.addTask {
          defer { done.append(true) }
          for number in 1...20 { try await reference.setData(["n": number]) }
        }
        try await group.waitForAll()
      }
      #expect(try await reference.getDocument().data()?["n"] as? Int == 20)
    }
  }
}
