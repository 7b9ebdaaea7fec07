import Hearth
import HearthTestSupport
import Testing

@Suite @MainActor struct LiveQueryTests {
  struct City: Codable, Sendable, Equatable { var name: String }

  /// Waits until `condition` holds, at most ten seconds.
  private func wait(until condition: () -> Bool) async throws {
    for _ in 0..<2000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test func `a live query follows its documents and names undecodable ones`() async throws {
    try await withDatabase { db in
      let cities = db.collection("cities")
      try await cities.document("a").setData(["name": "Amy"])
      let live = LiveQuery(cities, as: City.self)
      #expect(live.isLoading)
      live.start()
      try await wait { live.documents.count == 1 }
      #expect(live.documents == [City(name: "Amy")])
      #expect(!live.isLoading)

      try await cities.document("a").setData(["name": "Bel"])
      try await cities.document("b").setData(["nam": 1])
      try await wait { live.snapshot?.count == 2 }
      #expect(live.documents == [City(name: "Bel")])
      #expect(live.failures.map(\.0.documentID) == ["b"])

      live.stop()
      try await cities.document("c").setData(["name": "Cyn"])
      try await db.waitForListeners()
      #expect(live.snapshot?.count == 2)
    }
  }
}
