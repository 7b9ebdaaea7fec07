import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A process that takes jobs from its standard input and runs each in a copy of itself.
///
/// It has one thread and no tasks, so a copy is as good as a new process and comes in no time; what
/// happens to the copy, this one tells.
enum Zygote {
  /// A job that takes longer has hung.
  static let secondsPerJob: UInt32 = 120

  static func serve() -> Never {
    while let line = readLine() {
      guard let job = try? JSONDecoder().decode(Job.self, from: Data(line.utf8)) else { exit(2) }
      // Read here, so that all copies share it.
      if case .images(let images) = job { TraceCache.load(images.trace) }
      let child = copy()
      if child < 0 { exit(4) }
      if child == 0 { run(job) }
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7f
      send(.end(signal: signal, code: signal == 0 ? status >> 8 & 0xff : 0))
    }
    exit(0)
  }

  private static func copy() -> pid_t {
    #if canImport(Glibc)
      fork()
    #else
      // Swift does not offer it there, and nothing can be preloaded either.
      -1
    #endif
  }

  private static func run(_ job: Job) -> Never {
    alarm(secondsPerJob)
    // Where an image ends its process, that is a finding; LMDB's last words help nobody.
    if case .images = job { dup2(open("/dev/null", O_WRONLY), 2) }
    Task.detached {
      do {
        switch job {
        case .record(let job): try await RecordedRun(job).run()
        case .images(let job): try await ImageRun(job).run()
        case .fault(let job):
          var run = try FaultRun(job)
          try await run.run()
        case .leave(let job): try await leaveDatabase(job)
        }
        _exit(0)
      } catch {
        FileHandle.standardError.write(Data("hearth-faults: \(error)\n".utf8))
        _exit(3)
      }
    }
    dispatchMain()
  }

  /// Tells the harness something, at once.
  static func send(_ reply: Reply) {
    guard var line = try? JSONEncoder().encode(reply) else { _exit(9) }
    line.append(10)
    line.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = write(1, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        if count <= 0 { _exit(9) }
        done += count
      }
    }
  }
}
