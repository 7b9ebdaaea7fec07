import Foundation
import Hearth
import HearthTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a user sees who opens the wrong thing: a typed error that says what to do.
@Suite struct OpeningErrorTests {
  private func failure(_ path: String) async throws -> HearthError {
    try await #require(throws: HearthError.self) {
      let database = try await Firestore.open(at: URL(filePath: path))
      try await database.terminate()
    }
  }

  @Test func `a file is no database`() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/notes.txt"
      try Data("notes".utf8).write(to: URL(filePath: file))
      let error = try await failure(file)
      #expect(error.status == .failedPrecondition && error.reason == "NOT_A_DATABASE")
      #expect(error.message.contains("not a directory"))
      #expect(try Data(contentsOf: URL(filePath: file)) == Data("notes".utf8))
      // Nor can one lie under a file.
      #expect(try await failure(file + "/db").reason == "DATABASE_NOT_FOUND")
    }
  }

  @Test func `a missing parent is not made`() async throws {
    try await withTemporaryDirectory { directory in
      let error = try await failure(directory + "/missing/db")
      #expect(error.status == .notFound && error.reason == "DATABASE_NOT_FOUND")
      #expect(error.message.contains("make it first"))
      #expect(!FileManager.default.fileExists(atPath: directory + "/missing"))
    }
  }

  @Test func `a directory of other things is left alone`() async throws {
    try await withTemporaryDirectory { directory in
      try Data("x".utf8).write(to: URL(filePath: directory + "/letter.txt"))
      let error = try await failure(directory)
      #expect(error.status == .failedPrecondition && error.reason == "NOT_A_DATABASE")
      #expect(error.message.contains("letter.txt"))
      #expect(error.message.contains("choose another path"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["letter.txt"])
    }
  }

  @Test func `a data file of something else is named as such`() async throws {
    try await withTemporaryDirectory { directory in
      for content in [Data(), Data("SQLite format 3".utf8), Data(count: 65536)] {
        try content.write(to: URL(filePath: directory + "/data.mdb"))
        let error = try await failure(directory)
        #expect(error.status == .dataLoss && error.reason == "BAD_HEADER")
        #expect(error.message.contains("backup"))
      }
    }
  }

  /// Another process that has a database open.
  private func holder(of path: String, _ executable: String) async throws -> ChildProcess {
    let child = try ChildProcess(executable, ["hold", path])
    // Its second record says that the database is open.
    _ = try await blocking {
      var count = 0
      while count < 32, let bytes = child.read(until: .max) { count += bytes.count }
    }
    return child
  }

  @Test func `another process that has the database is named`() async throws {
    let executable = try #require(builtProduct("HearthCrashChild"))
    try await withTemporaryDirectory { directory in
      let path = directory + "/db"
      let child = try await holder(of: path, executable)
      let error = try await failure(path)
      #expect(error.status == .failedPrecondition && error.reason == "DATABASE_IN_USE")
      #expect(error.message.contains("\(child.identifier)"))
      #expect(error.message.contains("close it there"))
      child.endInput()
      #expect(try await blocking { child.wait(endsInput: false) } == .exit(0))
      try await withDatabase(at: path) { database in
        let findings = try await database.verify().findings
        #expect(findings == [])
      }
    }
  }

  /// LMDB says that it is no file of its own, which sounded as if the data were damaged.
  @Test func `a lock file that others use wrongly is not taken for damaged data`() async throws {
    let executable = try #require(builtProduct("HearthCrashChild"))
    try await withTemporaryDirectory { directory in
      let path = directory + "/db"
      let child = try await holder(of: path, executable)
      // Somebody removes what keeps processes apart, and spoils what LMDB knows its file by.
      try FileManager.default.removeItem(atPath: path + "/hearth.lock")
      let lock = try #require(FileHandle(forUpdatingAtPath: path + "/lock.mdb"))
      try lock.write(contentsOf: Data(count: 4))
      try lock.close()
      let error = try await failure(path)
      #expect(error.status == .unavailable && error.reason == "STORAGE_FAILED")
      #expect(error.message.contains("lock.mdb") && !error.message.contains("backup"))
      child.endInput()
      #expect(try await blocking { child.wait(endsInput: false) } == .exit(0))
      try await withDatabase(at: path) { database in
        let findings = try await database.verify().findings
        #expect(findings == [])
      }
    }
  }

  @Test func `two spellings of a path give one database`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/db"
      let first = try await Firestore.open(at: URL(filePath: path))
      let link = directory + "/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      for spelling in [path, path + "/", link, directory + "/../" + path.dropFirst(5), path] {
        guard FileManager.default.fileExists(atPath: spelling) else { continue }
        #expect(try await Firestore.open(at: URL(filePath: spelling)) === first)
      }
      try await first.terminate()
      let second = try await Firestore.open(at: URL(filePath: link))
      #expect(second !== first)
      try await second.document("a/b").setData(["n": 1])
      try await second.terminate()
    }
  }

  @Test func `many tasks that open at once get one database`() async throws {
    try await withTemporaryDirectory { directory in
      let url = URL(filePath: directory + "/db")
      let opened = try await withThrowingTaskGroup(of: Firestore.self) { group in
        for _ in 0..<16 { group.addTask { try await Firestore.open(at: url) } }
        return try await group.reduce(into: Set<Firestore>()) { $0.insert($1) }
      }
      #expect(opened.count == 1)
      for database in opened { try await database.terminate() }
    }
  }

  @Test func `a directory that others can write is refused with the remedy`() async throws {
    try await withTemporaryDirectory { directory in
      chmod(directory, 0o777)
      let error = try await failure(directory)
      #expect(error.status == .failedPrecondition && error.reason == "PERMISSIONS")
      #expect(error.message.contains("chmod 700"))
    }
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func `a directory that cannot be written is refused`() async throws {
    try await withTemporaryDirectory { directory in
      try await withDatabase(at: directory + "/db") { try await $0.document("a/b").setData([:]) }
      for path in [directory + "/db", directory + "/new"] {
        chmod(directory, 0o500)
        chmod(directory + "/db", 0o500)
        defer {
          chmod(directory, 0o700)
          chmod(directory + "/db", 0o700)
        }
        // The lock file of an existing database may still be written, so that one may open.
        guard path.hasSuffix("new") else { continue }
        let error = try await failure(path)
        #expect(error.status == .failedPrecondition && error.reason == "PERMISSIONS")
        #expect(error.message.contains("owner and mode"))
      }
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/sys/kernel"), "needs Linux"))
  func `a place where nobody can make files is refused`() async throws {
    let error = try await failure("/sys/kernel/hearth")
    #expect(error.status == .failedPrecondition && error.reason == "PERMISSIONS")
    #expect(error.message.contains("owner and mode"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func `a directory of another user is refused`() async throws {
    try await withTemporaryDirectory { directory in
      chown(directory, 65534, 65534)
      let error = try await failure(directory)
      #expect(error.status == .failedPrecondition && error.reason == "PERMISSIONS")
      #expect(error.message.contains("chown"))
    }
  }
}
