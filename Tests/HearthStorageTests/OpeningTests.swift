import Foundation
import HearthStorage
import Testing

@Suite struct OpeningTests {
  private func open(
    _ path: String, _ options: EnvironmentOptions = .testing()
  ) throws -> Environment {
    try Environment.open(at: path, options: options)
  }

  private func create(_ path: String) throws {
    let environment = try open(path)
    try environment.write { try $0.put(bytes("k"), bytes("v"), in: tableB) }
    environment.close()
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  @Test func `a new database knows its id, its hash key and its birthday`() throws {
    try withEnvironment { environment, _ in
      let superblock = environment.superblock
      #expect(superblock.formatVersion == Superblock.currentFormat)
      #expect(superblock.databaseID == Array(0..<16) && superblock.hashKey == Array(0..<16))
      #expect(superblock.creationMicroseconds == 1_700_000_000_000_000)
      #expect(superblock.pageSize == getpagesize())
      #expect(environment.table("b") == tableB)
    }
  }

  @Test func `what was written is there after closing and opening`() throws {
    let directory = try TemporaryDirectory()
    try create(directory.database)
    let environment = try open(
      directory.database + "//",
      .testing {
        $0.createIfMissing = false; $0.durability = .durable
      })
    defer { environment.close() }
    #expect(environment.path == directory.database)
    try environment.read { try #expect($0.bytes(bytes("k"), in: tableB) == bytes("v")) }
    #expect(!directory.exists("db.creating"))
  }

  @Test func `nothing is created unless allowed`() throws {
    let directory = try TemporaryDirectory()
    let options = EnvironmentOptions.testing { $0.createIfMissing = false }
    expectError(.notFound) { _ = try open(directory.database, options) }
    #expect(!directory.exists("db") && !directory.exists("db.creating"))
    try FileManager.default.createDirectory(
      atPath: directory.database, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    expectError(.notFound) { _ = try open(directory.database, options) }
    try #expect(FileManager.default.contentsOfDirectory(atPath: directory.database) == [])
  }

  @Test func `the parent directory is not created`() throws {
    let directory = try TemporaryDirectory()
    expectError(.notFound) { _ = try open(directory.path + "/missing/db") }
    #expect(!directory.exists("missing"))
  }

  @Test func `an empty directory becomes a database`() throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.database, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    try create(directory.database)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.database)
    #expect(Set(names) == ["data.mdb", "lock.mdb", "hearth.lock"])
    #expect(!directory.exists("db.creating"))
    let environment = try open(directory.database)
    environment.close()
  }

  @Test func `a file and a directory of other things are no databases`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/file"
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    expectError(.notADatabase) { _ = try open(file) }
    // The temporary directory itself holds the file.
    expectError(.notADatabase) { _ = try open(directory.path) }
    expectError(.notFound) { _ = try open(file + "/db") }
    #expect(!directory.exists("data.mdb") && !directory.exists("hearth.lock"))
  }

  @Test func `one database opens once per process, whatever it is called`() throws {
    try withEnvironment { environment, directory in
      let link = directory.path + "/link"
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: directory.database)
      let twin = directory.path + "/twin"
      try FileManager.default.createDirectory(
        atPath: twin, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try FileManager.default.linkItem(
        atPath: directory.database + "/data.mdb", toPath: twin + "/data.mdb")
      for path in [directory.database, link, twin, directory.database + "/../db"] {
        expectError(.alreadyOpen) { _ = try open(path) }
      }
      // The first one did not suffer.
      try environment.write { try $0.put(bytes("k"), [], in: tableA) }
      environment.close()
      let again = try open(link)
      #expect(again.path == directory.database)
      again.close()
    }
  }

  @Test func `two threads that open at once get one environment`() throws {
    let directory = try TemporaryDirectory()
    let outcomes = Lock<[StorageError.Kind?]>([])
    let opened = Lock<[Environment]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      do {
        let environment = try Environment.open(at: directory.database, options: .testing())
        opened.withLock { $0.append(environment) }
      } catch {
        outcomes.withLock { $0.append((error as? StorageError)?.kind) }
      }
    }
    opened.withLock { environments in
      #expect(environments.count == 1)
      environments.forEach { $0.close() }
    }
    #expect(outcomes.withLock { $0 } == Array(repeating: .alreadyOpen, count: 7))
  }

  @Test func `another process is told that the database is in use`() throws {
    let directory = try TemporaryDirectory()
    try create(directory.database)
    // `flock` belongs to the open file: a second descriptor stands for a second process.
    let path = directory.database + "/hearth.lock"
    let descriptor = Foundation.open(path, O_RDWR)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let error = expectError(.databaseInUse) { _ = try open(directory.database) }
    #expect(error?.message.contains("process \(getpid())") == true)
    #expect(Foundation.close(descriptor) == 0)
    let environment = try open(directory.database)
    environment.close()
  }

  @Test func `a creation that another process is at is left alone`() throws {
    let directory = try TemporaryDirectory()
    let staging = directory.database + ".creating"
    try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: false)
    let descriptor = Foundation.open(staging + "/hearth.lock", O_RDWR | O_CREAT, 0o600)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    expectError(.databaseInUse) { _ = try open(directory.database) }
    #expect(Foundation.close(descriptor) == 0)
  }

  @Test func `leftovers of a crashed creation are removed`() throws {
    let directory = try TemporaryDirectory()
    for staging in [directory.database + ".creating", directory.path + "/empty/hearth.creating"] {
      try FileManager.default.createDirectory(
        atPath: staging, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try Data("torn".utf8).write(to: URL(fileURLWithPath: staging + "/data.mdb"))
    }
    chmod(directory.path + "/empty", 0o700)
    try create(directory.database)
    try create(directory.path + "/empty")
    #expect(!directory.exists("db.creating") && !directory.exists("empty/hearth.creating"))
  }

  @Test(arguments: [0, 0o022] as [mode_t])
  func `directory and files are for their owner only`(mask: mode_t) throws {
    let before = umask(mask)
    defer { umask(before) }
    try withEnvironment { environment, directory in
      try #expect(mode(directory.database) == 0o700)
      try environment.copy(to: directory.path + "/copy")
      try #expect(mode(directory.path + "/copy") == 0o700)
      try #expect(mode(directory.path + "/copy/data.mdb") == 0o600)
      for name in ["data.mdb", "lock.mdb", "hearth.lock"] {
        try #expect(mode(directory.database + "/" + name) == 0o600, "\(name)")
      }
    }
  }

  @Test func `a directory that others can write is refused`() throws {
    let directory = try TemporaryDirectory()
    try create(directory.database)
    for mode in [0o720, 0o702] as [mode_t] {
      chmod(directory.database, mode)
      let error = expectError(.permissions) { _ = try open(directory.database) }
      #expect(error?.message.contains("chmod 700") == true)
    }
  }

  @Test func `the data file is not left to child processes`() throws {
    try withEnvironment { _, directory in
      let data = directory.database + "/data.mdb"
      for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/" + name)
        guard target?.hasPrefix(directory.database) == true, let number = Int32(name) else {
          continue
        }
        #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0, "\(target ?? data)")
      }
    }
  }

  @Test func `a closed environment says so, and closing again does nothing`() throws {
    try withEnvironment { environment, _ in
      try environment.write { try $0.put(bytes("k"), [], in: tableA) }
      #expect(!environment.isClosed)
      environment.close()
      environment.close()
      #expect(environment.isClosed)
      expectError(.closed) { try environment.read { _ in } }
      expectError(.closed) { try environment.write { _ in } }
      expectError(.closed) { try environment.sync() }
      expectError(.closed) { try environment.growMap() }
      expectError(.closed) { _ = try environment.statistics(of: tableA) }
      expectError(.closed) { _ = try environment.checkReaders() }
      #expect(environment.fileStatistics.mapSize == 0)
    }
  }

  @Test func `closing inside a transaction of the same thread does nothing`() throws {
    try withEnvironment { environment, _ in
      try environment.read { _ in environment.close() }
      try environment.write { _ in environment.close() }
      #expect(!environment.isClosed)
    }
  }

  @Test func `tables keep to their limits`() throws {
    let directory = try TemporaryDirectory()
    for names in [[], ["a", "a"], [""], ["hearth"], (0..<17).map { "t\($0)" }] {
      expectError(.invalidArgument) {
        _ = try open(directory.database, .testing { $0.tableNames = names })
      }
    }
    let sixteen = (0..<16).map { "t\($0)" }
    let environment = try open(directory.database, .testing { $0.tableNames = sixteen })
    try environment.write { try $0.put(bytes("k"), [], in: environment.table("t15")) }
    environment.close()
    // A table that is missing is never made on the quiet.
    expectError(.formatVersion) {
      _ = try open(directory.database, .testing { $0.tableNames = ["t0", "other"] })
    }
  }

  @Test(arguments: [(0, 9, 23), (0, 10, 30), (1, 0, 1), (0, 8, 40)])
  func `a library that was not tested is refused`(major: Int, minor: Int, patch: Int) throws {
    let directory = try TemporaryDirectory()
    let fake = LibraryVersion(major: major, minor: minor, patch: patch)
    expectError(.libraryVersion) {
      _ = try open(directory.database, .testing { $0.libraryVersion = { fake } })
    }
    #expect(!directory.exists("db"))
  }

  @Test func `network file systems are known by their numbers`() {
    #expect(FileSystemCheck.verdict(magic: 0x6969) == .network("NFS"))
    #expect(FileSystemCheck.verdict(magic: 0xFF53_4D42) == .network("SMB"))
    #expect(FileSystemCheck.verdict(magic: 0x0102_1997) == .network("9P"))
    #expect(FileSystemCheck.verdict(magic: 0x6573_5546) == .userSpace)
    // ext4, xfs, btrfs, tmpfs, overlay.
    for magic in [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630] as [UInt32] {
      #expect(FileSystemCheck.verdict(magic: magic) == .local)
    }
  }

  @Test func `large pages need a library that splits them rightly`() throws {
    let old = LibraryVersion(major: 0, minor: 9, patch: 29)
    try old.check(pageSize: 4096)
    expectError(.libraryVersion) { try old.check(pageSize: 16384) }
    try LibraryVersion(major: 0, minor: 9, patch: 30).check(pageSize: 16384)
    try LibraryVersion.linked.check()
  }

  /// A child process holds copies of all descriptors until it executes; a database that was closed
  /// meanwhile could not be opened again.
  @Test func `a copy of the lock's descriptor does not keep the lock`() throws {
    let directory = try TemporaryDirectory()
    let lock = directory.database + "/hearth.lock"
    let environment = try open(directory.database)
    let file = (0..<1024).first { descriptor in
      let link = "/proc/self/fd/\(descriptor)"
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
      return target?.hasSuffix(lock.suffix(40)) ?? false
    }
    guard let file else {
      print("copy of the lock's descriptor: skipped, since nothing tells what a descriptor is")
      environment.close()
      return
    }
    let copy = dup(Int32(file))
    defer { close(copy) }
    environment.close()
    try open(directory.database).close()
  }
}
