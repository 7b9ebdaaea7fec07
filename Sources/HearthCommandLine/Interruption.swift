import Dispatch
import Foundation
import Synchronization

/// Leaves nothing behind when the process is told to end early.
enum Interruption {
  private struct State {
    /// Removed on the way out.
    var directory: String?
    /// Signal sources stop when they are released.
    var sources: [any DispatchSourceSignal] = []
  }

  private static let state = Mutex(State())

  /// From now on Ctrl-C and its like remove the temporary directory before the process ends.
  static func install() {
    // Writing to a closed pipe is noticed where it is written.
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      state.withLock { state in
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { end(code: 128 + number, saying: "interrupted") }
        source.resume()
        state.sources.append(source)
      }
    }
  }

  /// Names the directory to remove when interrupted; nil for none.
  static func setTemporaryDirectory(_ path: String?) { state.withLock { $0.directory = path } }

  /// Removes the temporary directory and ends the process at once.
  static func end(code: Int32, saying text: String?) -> Never {
    if let directory = state.withLock({ $0.directory }) {
      try? FileManager.default.removeItem(atPath: directory)
    }
    if let text {
      FileHandle.standardError.write(Data("\nhearth: \(text)\n".utf8))
    }
    // Not exit(): it would run destructors under the threads that are still at work.
    _exit(code)
  }
}
