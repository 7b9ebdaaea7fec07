import Foundation
import Synchronization

#if canImport(Glibc)
  package import Glibc
#else
  package import Darwin
#endif

/// A process that a test started, with pipes to its standard input and from its standard output.
///
/// `posix_spawn` and not Foundation's `Process`: the kill tests start thousands, and must know that
/// nobody else waits for them or holds an end of their pipes.
package struct ChildProcess: Sendable {
  package enum Ending: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)
  }

  package struct SpawnError: Error {
    package var code: Int32
  }

  package let identifier: pid_t
  private let input: Int32
  private let output: Int32

  /// One start at a time: a process must not inherit the pipes of another that is just being made.
  private static let starting = Mutex(())

  /// Starts `executable` (a path); a silent one writes no backtrace if it crashes.
  ///
  /// `variables` are added to its environment.
  package init(
    _ executable: String, _ arguments: [String], silent: Bool = false,
    variables: [String: String] = [:]
  ) throws {
    self = try ChildProcess.starting.withLock { _ in
      try ChildProcess(starting: executable, arguments, silent, variables)
    }
  }

  private init(
    starting executable: String, _ arguments: [String], _ silent: Bool,
    _ added: [String: String]
  ) throws {
    let toChild = try ChildProcess.pipe()
    let fromChild = try ChildProcess.pipe()
    defer {
      close(toChild.read)
      close(fromChild.write)
    }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild.read, 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild.write, 1)
    var argv: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) }
    var variables = ProcessInfo.processInfo.environment
      .merging(added) { _, new in new }.map { "\($0.key)=\($0.value)" }
    // Where the end of the child is expected, its last words take seconds and help nobody.
    if silent { variables.insert("SWIFT_BACKTRACE=enable=no", at: 0) }
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) }
    defer { for text in argv + environment { free(text) } }
    argv.append(nil)
    environment.append(nil)
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, executable, &actions, nil, argv, environment)
    guard code == 0 else {
      close(toChild.write)
      close(fromChild.read)
      throw SpawnError(code: code)
    }
    self.identifier = identifier
    input = toChild.write
    output = fromChild.read
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
      let code = Darwin.pipe(&ends)
    #else
      let code = Glibc.pipe(&ends)
    #endif
    guard code == 0 else { throw SpawnError(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Writes to its standard input, which must have room for it in its pipe.
  package func write(_ text: String) {
    let bytes = Array(text.utf8)
    // A child that is dead already must not take the tests with it.
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Darwin)
      _ = Darwin.write(input, bytes, bytes.count)
    #else
      _ = Glibc.write(input, bytes, bytes.count)
    #endif
  }

  /// Ends its standard input.
  package func endInput() { close(input) }

  /// What it wrote, waiting until `deadline` (uptime in nanoseconds) for it; empty if there is
  /// nothing by then, nil at the end of its output.
  package func read(until deadline: UInt64) -> [UInt8]? {
    while true {
      let now = DispatchTime.now().uptimeNanoseconds
      let left = deadline > now ? deadline - now : 0
      // The clock of `poll` ticks in milliseconds; the rest of the last one is slept away.
      var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let count = poll(&descriptor, 1, Int32(min(left / 1_000_000, 1000)))
      if count > 0 { break }
      if left == 0 { return [] }
      if left < 1_000_000 { usleep(UInt32(left / 1000) + 1) }
    }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let length = bytes.withUnsafeMutableBytes { buffer -> Int in
      #if canImport(Darwin)
        Darwin.read(output, buffer.baseAddress, buffer.count)
      #else
        Glibc.read(output, buffer.baseAddress, buffer.count)
      #endif
    }
    return length > 0 ? Array(bytes[..<length]) : nil
  }

  /// Everything that it still writes, until it ends.
  package func readToEnd() -> [UInt8] {
    var bytes: [UInt8] = []
    while let more = read(until: DispatchTime.now().uptimeNanoseconds + 1_000_000_000) {
      bytes += more
    }
    return bytes
  }

  /// `SIGKILL`: it gets no chance to tidy up.
  package func kill() {
    #if canImport(Darwin)
      _ = Darwin.kill(identifier, SIGKILL)
    #else
      _ = Glibc.kill(identifier, SIGKILL)
    #endif
  }

  /// Waits for its end and lets go of it.
  ///
  /// `endsInput` is false for a process whose input was ended before.
  package func wait(endsInput: Bool = true) -> Ending {
    if endsInput { endInput() }
    close(output)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)
  }
}

/// Where a program of this package was built to: next to the tests.
package func builtProduct(_ name: String) -> String? {
  var directories = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
  directories.append(Bundle.main.bundleURL)
  if let running = Bundle.main.executableURL {
    directories.append(running.deletingLastPathComponent())
  }
  directories.append(URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent())
  return directories.map { $0.appending(path: name).path(percentEncoded: false) }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// Runs something that blocks away from the threads of Swift's tasks.
package func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
  }
}
