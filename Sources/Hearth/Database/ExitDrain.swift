import Foundation
import HearthEngine

/// Lets writes that nobody awaited reach the disk when the process ends by itself.
///
/// The Firestore SDK keeps such writes in its own queue on disk, so code ends without a thought for
/// them. Here they would be lost with the process.
enum ExitDrain {
  private static let isRegistered = Locked(false)
  /// An exit must not hang on a disk that does not answer.
  private static let patience: TimeInterval = 10

  /// Arranges for the drain, once.
  static func register() {
    let isFirst = isRegistered.with { registered -> Bool in
      defer { registered = true }
      return !registered
    }
    if isFirst { atexit { ExitDrain.drain() } }
  }

  private static func drain() {
    let drained = DispatchSemaphore(value: 0)
    let deadline = DispatchTime.now() + patience
    var waiting = 0
    for database in Registry.shared.openDatabases where database.hasPendingWrites {
      guard let engine = try? database.engine() else { continue }
      waiting += 1
      Runtime.system.spawn("hearth exit") {
        await engine.waitForSubmittedWrites()
        // Failures are logged in line with the listeners' events.
        await engine.waitForListeners()
        drained.signal()
      }
    }
    for _ in 0..<waiting { _ = drained.wait(timeout: deadline) }
  }
}
