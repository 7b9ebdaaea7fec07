import Hearth
import HearthTestSupport
import Testing

@Suite struct LeavingTests {
  /// Firestore's SDK keeps un-awaited writes on disk, so programs end without a thought for them;
  /// here nine of ten were lost.
  @Test func `a program that ends by itself leaves no submitted write behind`() async throws {
    let executable = try #require(builtProduct("HearthCrashChild"))
    try await withTemporaryDirectory { directory in
      let path = directory + "/db"
      let child = try ChildProcess(executable, ["leave", path])
      let ending = try await blocking { child.wait(endsInput: true) }
      #expect(ending == .exit(0))
      try await withDatabase(at: path) { database in
        let found = try await database.collection("left").getDocuments()
        #expect(found.count == 200)
      }
    }
  }
}
