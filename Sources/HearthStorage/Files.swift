#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The few calls of the operating system that opening and copying need.
enum Files {
  enum Kind {
    case directory
    case file
    case other
  }

  struct Information {
    var kind: Kind
    var identity: OpenEnvironments.FileIdentity
    var mode: UInt32
    var owner: UInt32
    var size: Int
  }

  /// Nil if there is nothing at the path.
  ///
  /// Follows symbolic links.
  static func information(_ path: String) throws(StorageError) -> Information? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw .system(errno, "\(path) could not be examined")
    }
    let format = status.st_mode & S_IFMT
    return Information(
      kind: format == S_IFDIR ? .directory : format == S_IFREG ? .file : .other,
      identity: .init(
        device: UInt64(truncatingIfNeeded: status.st_dev),
        inode: UInt64(truncatingIfNeeded: status.st_ino)),
      mode: UInt32(status.st_mode & 0o7777), owner: status.st_uid, size: Int(status.st_size))
  }

  /// How many names the open file has; 0 once it was removed.
  static func linkCount(_ descriptor: Int32) -> Int {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return 0 }
    return Int(status.st_nlink)
  }

  /// Makes a directory for us alone; false if there is something already.
  static func makeDirectory(_ path: String) throws(StorageError) -> Bool {
    guard unsafe mkdir(path, 0o700) == 0 else {
      if errno == EEXIST { return false }
      throw .system(errno, "The directory \(path) could not be made")
    }
    // The umask may have taken away too much.
    guard unsafe chmod(path, 0o700) == 0 else {
      throw .system(errno, "The mode of \(path) could not be set")
    }
    return true
  }

  /// The size of the open file, 0 if it cannot be told.
  static func size(_ descriptor: Int32) -> Int {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  static func names(in directory: String) throws(StorageError) -> [String] {
    guard let stream = unsafe opendir(directory) else {
      throw .system(errno, "\(directory) could not be listed")
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe UnsafeRawPointer(pointer).withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes a directory and the files in it; directories in it are an error.
  static func removeDirectory(_ path: String) throws(StorageError) {
    try removeFiles(in: path, except: "")
    guard unsafe rmdir(path) == 0 || errno == ENOENT else {
      throw .system(errno, "\(path) could not be removed")
    }
  }

  static func removeFiles(in directory: String, except kept: String) throws(StorageError) {
    for name in try names(in: directory) where name != kept {
      guard unsafe unlink(directory + "/" + name) == 0 || errno == ENOENT else {
        throw .system(errno, "\(directory)/\(name) could not be removed")
      }
    }
  }

  static func sync(_ path: String, isDirectory: Bool) throws(StorageError) {
    let descriptor = unsafe open(path, (isDirectory ? O_RDONLY : O_RDWR) | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(errno, "\(path) could not be opened") }
    defer { close(descriptor) }
    try sync(descriptor, path)
  }

  static func sync(_ descriptor: Int32, _ path: String) throws(StorageError) {
    #if canImport(Darwin)
      // On Apple systems only this empties the cache of the drive; not all file systems know it.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw .system(errno, "\(path) could not be synced") }
  }

  /// Makes a new file for us alone and opens it for writing.
  static func create(_ path: String) throws(StorageError) -> Int32 {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let descriptor = unsafe open(path, flags, 0o600)
    guard descriptor >= 0 else { throw .system(errno, "\(path) could not be made") }
    return descriptor
  }

  /// `close`, where that name means something else.
  static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  /// The directory that holds `path`.
  static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path without slashes at its end, and without symbolic links if it exists.
  static func resolved(_ path: String) -> String {
    var path = path
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }
}
