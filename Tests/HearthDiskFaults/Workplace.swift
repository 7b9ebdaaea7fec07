import Foundation
import HearthTestSupport
import Synchronization

/// Directories, mounts and processes of this run, all gone when it ends, however it ends.
enum Workplace {
  private struct State {
    var directories: [String] = []
    var mounts: [String] = []
    var children: [Int32: ChildProcess] = [:]
    var isEnding = false
  }

  private static let state = Mutex(State())
  private static let prefix = "hearth-disk-faults-"

  /// A directory of this process, in memory if there is enough of it.
  static func directory(bytes: Int) throws -> String {
    let memory = "/dev/shm"
    let parent = free(memory) > bytes ? memory : NSTemporaryDirectory()
    removeLeftovers(in: parent)
    let number = state.withLock { $0.directories.count }
    let path = URL(filePath: parent).appending(path: "\(prefix)\(getpid())-\(number)").path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    state.withLock { $0.directories.append(path) }
    return path
  }

  private static func free(_ path: String) -> Int {
    var information = statvfs()
    guard statvfs(path, &information) == 0 else { return 0 }
    return Int(information.f_bavail) * Int(information.f_frsize)
  }

  /// What runs left that were killed themselves.
  private static func removeLeftovers(in parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let process = name.dropFirst(prefix.count).split(separator: "-").first.flatMap { Int32($0) }
      guard let process, process != getpid(), kill(process, 0) != 0, errno == ESRCH else {
        continue
      }
      let path = parent + "/" + name
      for inner in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
        _ = try? Tool.run("umount", ["-l", "\(path)/\(inner)"])
      }
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// Notes what is about to be mounted; throws if all is being cleaned up.
  static func willMount(_ path: String) throws {
    let isEnding = state.withLock { state in
      if !state.isEnding { state.mounts.append(path) }
      return state.isEnding
    }
    if isEnding { throw CancellationError() }
  }

  static func isMounted(_ path: String) -> Bool { state.withLock { $0.mounts.contains(path) } }

  static func unmounted(_ path: String) {
    state.withLock { state in state.mounts.removeAll { $0 == path } }
  }

  /// Starts this program as a child.
  static func start(_ arguments: [String], silent: Bool = false) throws -> ChildProcess {
    // Not between a signal and the end: nobody would end the child.
    if state.withLock({ $0.isEnding }) { throw CancellationError() }
    let child = try ChildProcess(Tool.ownPath, ["child"] + arguments, silent: silent)
    state.withLock { $0.children[child.identifier] = child }
    return child
  }

  static func ended(_ child: ChildProcess) {
    state.withLock { $0.children[child.identifier] = nil }
  }

  static func cleanUp() {
    let left = state.withLock { state in
      state.isEnding = true
      return (state.children, state.mounts, state.directories)
    }
    for child in left.0.values { child.kill() }
    // A mount that was just being made is there by then; no new one begins.
    if !left.1.isEmpty { usleep(200_000) }
    for mount in left.1.reversed() { _ = try? Tool.run("umount", ["-l", mount]) }
    for directory in left.2 { try? FileManager.default.removeItem(atPath: directory) }
  }

  /// Cleans up before a signal ends this process, as long as what this returns is kept.
  static func cleanUpOnSignals() -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        cleanUp()
        exit(128 + number)
      }
      source.resume()
      return source
    }
  }
}

/// Programs of the system.
enum Tool {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static var ownPath: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

  /// Runs a program and gives what it wrote.
  @discardableResult
  static func run(_ name: String, _ arguments: [String]) throws -> String {
    guard let path = path(of: name) else { throw Failure(description: "\(name) is missing") }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let text = output.trimmingCharacters(in: .whitespacesAndNewlines)
      let line = text.split(separator: "\n").first ?? "no reason given"
      throw Failure(description: "\(name) failed (\(line))")
    }
    return output
  }

  /// Where a program is, also where only root looks for it; nil if nowhere.
  static func path(of name: String) -> String? {
    let search = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return (search.map(String.init) + ["/usr/sbin", "/sbin", "/usr/bin", "/bin"])
      .map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
