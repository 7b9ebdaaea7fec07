/// What the engine takes from the world: time, chance, threads and tasks.
///
/// Nothing in the engine asks the system for these directly, so a seeded scheduler can run the
/// whole engine and replay any interleaving.
package struct Runtime: Sendable {
  /// The wall clock in microseconds since 1970; commit times come from it.
  package var nowMicroseconds: @Sendable () -> Int64
  /// A clock that never jumps, for leases and latencies.
  package var monotonicNanoseconds: @Sendable () -> UInt64
  /// Suspends for a time; throws if the task is cancelled.
  package var sleep: @Sendable (_ nanoseconds: UInt64) async throws -> Void
  /// Unpredictable bytes, for document ids and the database's keys.
  package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
  /// The executor all writing runs on; nil for a dedicated thread, made at opening.
  package var writerExecutor: (any SerialExecutor)?
  /// The only place where the engine starts tasks.
  package var spawn:
    @Sendable (_ name: String, _ body: @escaping @Sendable () async -> Void) -> Void
  /// Runs code that may block, on a pool that is not the one of Swift's tasks.
  package var runBlocking: @Sendable (_ body: @escaping @Sendable () -> Void) -> Void

  package init(
    nowMicroseconds: @escaping @Sendable () -> Int64,
    monotonicNanoseconds: @escaping @Sendable () -> UInt64,
    sleep: @escaping @Sendable (UInt64) async throws -> Void,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    writerExecutor: (any SerialExecutor)? = nil,
    spawn: @escaping @Sendable (String, @escaping @Sendable () async -> Void) -> Void,
    runBlocking: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.nowMicroseconds = nowMicroseconds
    self.monotonicNanoseconds = monotonicNanoseconds
    self.sleep = sleep
    self.randomBytes = randomBytes
    self.writerExecutor = writerExecutor
    self.spawn = spawn
    self.runBlocking = runBlocking
  }

  /// A document id: 20 characters drawn uniformly from 62 (documents-and-queries, 1.3).
  package func autoID() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    var id: [UInt8] = []
    while id.count < 20 {
      // 248 = 4 * 62: larger bytes would make some characters likelier than others.
      for byte in randomBytes(32) where byte < 248 && id.count < 20 {
        id.append(alphabet[Int(byte) % alphabet.count])
      }
    }
    return String(decoding: id, as: UTF8.self)
  }
}
