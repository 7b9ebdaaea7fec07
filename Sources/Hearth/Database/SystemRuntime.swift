import Foundation
package import HearthEngine

extension Runtime {
  /// Time, chance, threads and tasks of the real world.
  ///
  /// The one place of Hearth that asks the system for them and that starts tasks.
  package static let system: Runtime = {
    // Blocks of transactions may block their thread; the pool of Swift's tasks must not notice.
    let blocking = DispatchQueue(label: "hearth.blocking", attributes: .concurrent)
    return Runtime(
      nowMicroseconds: { Int64((Date().timeIntervalSince1970 * 1e6).rounded(.down)) },
      monotonicNanoseconds: { DispatchTime.now().uptimeNanoseconds },
      sleep: { try await Task.sleep(nanoseconds: $0) },
      randomBytes: { count in
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
          withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
      },
      spawn: { name, body in _ = Task.detached(name: name) { await body() } },
      runBlocking: { body in blocking.async { body() } })
  }()
}

/// Runs `body` on the main queue, after everything already queued there.
///
/// On Linux "main" is a queue and not one fixed thread, so nothing here looks at threads.
func onMain(_ body: @escaping @MainActor () -> Void) {
  DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
}
