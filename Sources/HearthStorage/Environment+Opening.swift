import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What an opening found and holds; an `Environment` is made of it.
// Safe: the handle is only passed on, to the environment that will close it.
@safe struct OpenedFile {
  var handle: OpaquePointer
  var superblock: Superblock
  var processLock: ProcessLock
  var file: OpenEnvironments.FileIdentity
  var warnings: [String]
  /// Whether the header is still to be flushed, as there was no room.
  var isHeaderDue = false
}

extension Environment {
  /// Opens the database in the directory `path`, or makes it (LM-19).
  ///
  /// Only the last component of the path is made. An empty directory counts as no database yet.
  package static func open(
    at path: String, options: EnvironmentOptions
  ) throws(StorageError) -> Environment {
    let version = options.libraryVersion()
    try version.check()
    try version.check(pageSize: min(Int(getpagesize()), 32768))
    try options.check()
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StorageError(.invalidArgument, "A database needs a path.")
    }
    let path = Files.resolved(path)
    return try OpenEnvironments.exclusively { () throws(StorageError) -> Environment in
      var opened = try openOrCreate(path, options)
      if options.durability == .durable, !version.isDurable {
        opened.warnings.append(
          "LMDB 0.9.\(version.patch) does not empty the drive's cache on this system: "
            + "commits survive the end of the process, but not a power loss.")
      }
      OpenEnvironments.insert(opened.file)
      return Environment(opened: opened, path: path, options: options)
    }
  }

  private static func openOrCreate(
    _ path: String, _ options: EnvironmentOptions
  ) throws(StorageError) -> OpenedFile {
    let state = try DirectoryState.of(path)
    if case .database(let file) = state {
      try OpenEnvironments.check(file, path: path)
      try checkPermissions(path)
      let warning = try FileSystemCheck.check(path)
      let lock = try ProcessLock.take(in: path)
      return try openExisting(path, options, lock, warning)
    }
    guard options.createIfMissing else {
      throw StorageError(
        .notFound, "There is no database at \(path): check the path, or allow creating it.")
    }
    let inPlace = state == .empty
    if inPlace { try checkPermissions(path) }
    let warning = try FileSystemCheck.check(inPlace ? path : Files.parent(of: path))
    let creation = StagedCreation(path: path, inPlace: inPlace, options: options)
    let lock = try creation.run()
    return try openExisting(path, options, lock, warning)
  }

  /// Opens a complete database whose process lock is held; releases it on failure.
  private static func openExisting(
    _ path: String, _ options: EnvironmentOptions, _ lock: ProcessLock, _ warning: String?
  ) throws(StorageError) -> OpenedFile {
    do throws(StorageError) {
      let data = path + "/data.mdb"
      guard let file = try Files.information(data)?.identity else {
        throw StorageError(.notFound, "\(data) disappeared while it was opened.")
      }
      let pageSize = try FileHeaderCheck.check(data)
      let isHeaderDue = try !flushHeader(data, pageSize, options)
      // A creation may have crashed after its last step but one.
      try? Files.removeDirectory(path + "/" + StagedCreation.innerName)
      try? Files.removeDirectory(path + "/" + compactingName)
      try LockFile.allocate(in: path, maxReaders: options.maxReaders)
      let handle = try unsafe RawEnvironment.open(path, options)
      do throws(StorageError) {
        var dead: Int32 = 0
        unsafe mdb_reader_check(handle, &dead)
        let superblock = try unsafe RawEnvironment.openTables(handle, path, options)
        return unsafe OpenedFile(
          handle: handle, superblock: superblock, processLock: lock, file: file,
          warnings: warning.map { [$0] } ?? [], isHeaderDue: isHeaderDue)
      } catch {
        unsafe mdb_env_close(handle)
        throw error
      }
    } catch {
      lock.release()
      throw error
    }
  }

  /// False if there is no room, on a file system that writes nothing in place: then what is there
  /// can be read, and the flush comes before the next write.
  private static func flushHeader(
    _ data: String, _ pageSize: Int, _ options: EnvironmentOptions
  ) throws(StorageError) -> Bool {
    if options.durability == .none { return true }
    do throws(StorageError) {
      try HeaderFlush.run(data, pageSize: pageSize)
      return true
    } catch {
      guard error.kind == .diskFull else { throw error }
      return false
    }
  }

  /// Opens a complete database whose process lock the caller holds, and hands over.
  ///
  /// The lock is released on failure.
  static func open(
    _ path: String, _ options: EnvironmentOptions, holding lock: ProcessLock
  ) throws(StorageError) -> Environment {
    try OpenEnvironments.exclusively { () throws(StorageError) -> Environment in
      let opened = try openExisting(path, options, lock, nil)
      OpenEnvironments.insert(opened.file)
      return Environment(opened: opened, path: path, options: options)
    }
  }

  private static func checkPermissions(_ path: String) throws(StorageError) {
    guard let directory = try Files.information(path) else { return }
    guard directory.owner == geteuid() else {
      throw StorageError(
        .permissions, "\(path) belongs to another user: chown it, or run as its owner.")
    }
    guard directory.mode & 0o022 == 0 else {
      throw StorageError(.permissions, "\(path) can be written by others: chmod 700 \(path)")
    }
  }
}

/// What is at the path that was asked for.
enum DirectoryState: Equatable {
  case missing
  /// A directory with nothing in it but what an interrupted creation leaves.
  case empty
  case database(OpenEnvironments.FileIdentity)

  static func of(_ path: String) throws(StorageError) -> DirectoryState {
    guard let information = try Files.information(path) else {
      guard try Files.information(Files.parent(of: path))?.kind == .directory else {
        throw StorageError(
          .notFound, "The directory \(Files.parent(of: path)) does not exist: make it first.")
      }
      return .missing
    }
    guard information.kind == .directory else {
      throw StorageError(.notADatabase, "\(path) is not a directory: name the database's own.")
    }
    if let data = try Files.information(path + "/data.mdb") {
      guard data.kind == .file else {
        throw StorageError(.notADatabase, "\(path)/data.mdb is not a file.")
      }
      return .database(data.identity)
    }
    let leftovers = [ProcessLock.fileName, StagedCreation.innerName]
    for name in try Files.names(in: path) where !leftovers.contains(name) {
      throw StorageError(
        .notADatabase, "\(path) holds other things (\(name)) and no database: choose another path.")
    }
    return .empty
  }
}
