import CLMDB

/// Keeps read transactions for reuse: renewing one takes no lock of LMDB and allocates nothing.
///
/// It is also the gate that readers pass: it bounds them by the slots of the lock file, and holds
/// them back while the map moves or the environment closes.
// Sendable: `environment` is a pointer whose target LMDB guards; the rest is a monitor and
// constants.
@safe final class ReadTransactionPool: @unchecked Sendable {
  // Safe: the pool is the only one to use the handle, and ends it before the environment closes.
  @safe private struct Slot {
    var transaction: OpaquePointer?
    /// The thread inside, 0 for none.
    ///
    /// Tells a nested read from one that only has to wait.
    var owner: UInt = 0
  }

  private struct State {
    var slots: [Slot] = []
    var idle: [Int] = []
    var active = 0
    var waiting = 0
    var gateIsShut = false
    var isClosed = false
    var failure: StorageError?

    func isReading(_ thread: UInt) -> Bool {
      active > 0 && slots.contains { $0.owner == thread }
    }
  }

  /// In release builds only the nested read that would hang is looked for.
  #if DEBUG
    private let refusesNesting = true
  #else
    private let refusesNesting = false
  #endif

  private let environment: OpaquePointer
  private let path: String
  private let limit: Int
  let faults: StorageFaults?
  private let monitor = Monitor(State())

  init(environment: OpaquePointer, path: String, maxReaders: Int, faults: StorageFaults?) {
    unsafe self.environment = environment
    self.path = path
    // Some slots stay for outside tools and for LMDB's own backup.
    limit = max(1, maxReaders > 32 ? maxReaders - 16 : maxReaders / 2)
    self.faults = faults
  }

  var isClosed: Bool { monitor.withLock { $0.isClosed } }

  /// How many reads are under way.
  var activeCount: Int { monitor.withLock { $0.active } }

  /// Whether the calling thread is inside a read.
  var isReading: Bool {
    let thread = currentThread()
    return monitor.withLock { $0.isReading(thread) }
  }

  /// A transaction that sees the last commit.
  ///
  /// Waits while all slots are taken or the gate is shut.
  func acquire() throws(StorageError) -> ReadTransaction {
    let (slot, pooled) = try unsafe enter()
    var transaction = unsafe pooled
    var code = faults?.code(for: .beginRead) ?? 0
    if code == 0 { code = unsafe begin(&transaction) }
    if code == MDB_READERS_FULL {
      // Tools that died may have left slots behind.
      var dead: Int32 = 0
      unsafe mdb_reader_check(environment, &dead)
      code = unsafe begin(&transaction)
    }
    guard code == 0, let handle = unsafe transaction else {
      unsafe transaction.map { unsafe mdb_txn_abort($0) }
      unsafe leave(slot: slot, keeping: nil)
      throw .lmdb(code, "A read could not begin")
    }
    return unsafe ReadTransaction(handle: handle, pool: self, slot: slot)
  }

  private func begin(_ transaction: inout OpaquePointer?) -> Int32 {
    if let transaction = unsafe transaction { return unsafe mdb_txn_renew(transaction) }
    return unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
  }

  func release(_ handle: OpaquePointer, slot: Int) {
    unsafe mdb_txn_reset(handle)
    unsafe leave(slot: slot, keeping: handle)
  }

  /// Counts the caller as a reader, for calls of LMDB that read without our transaction.
  func reading<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
    let (slot, pooled) = try unsafe enter()
    defer { unsafe leave(slot: slot, keeping: pooled) }
    return try body()
  }

  private func enter() throws(StorageError) -> (slot: Int, transaction: OpaquePointer?) {
    let thread = currentThread()
    return try unsafe monitor.withLock {
      (state) throws(StorageError) -> (slot: Int, transaction: OpaquePointer?) in
      while true {
        if state.isClosed { throw .closed(path) }
        if let failure = state.failure { throw failure }
        let mustWait = state.gateIsShut || state.active >= limit
        if mustWait || refusesNesting, state.isReading(thread) {
          throw StorageError(
            .internalError, "A read inside a read can wait for itself: use the outer one.")
        }
        if !mustWait { break }
        state.waiting += 1
        monitor.wait()
        state.waiting -= 1
      }
      state.active += 1
      let slot: Int
      if let idle = state.idle.popLast() {
        slot = idle
      } else {
        slot = state.slots.count
        state.slots.append(Slot())
      }
      state.slots[slot].owner = thread
      return unsafe (slot, state.slots[slot].transaction)
    }
  }

  private func leave(slot: Int, keeping transaction: OpaquePointer?) {
    monitor.withLock { state in
      unsafe state.slots[slot] = Slot(transaction: transaction)
      state.idle.append(slot)
      state.active -= 1
      if state.waiting > 0 { monitor.broadcast() }
    }
  }

  /// Runs `body` while no reader is active and none can come.
  ///
  /// A failure of `body` fails later reads, because it says that the map is gone.
  func withoutReaders(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    try shutGate()
    do throws(StorageError) {
      try body()
      openGate(failure: nil)
    } catch {
      openGate(failure: error)
      throw error
    }
  }

  private func shutGate() throws(StorageError) {
    let thread = currentThread()
    try monitor.withLock { (state) throws(StorageError) in
      if state.isClosed { throw .closed(path) }
      if state.isReading(thread) {
        throw StorageError(.internalError, "Not inside a read: it would wait for itself.")
      }
      state.gateIsShut = true
      drain(&state)
    }
  }

  private func openGate(failure: StorageError?) {
    monitor.withLock { state in
      state.gateIsShut = false
      if let failure { state.failure = failure }
      monitor.broadcast()
    }
  }

  private func drain(_ state: inout State) {
    while state.active > 0 {
      state.waiting += 1
      monitor.wait()
      state.waiting -= 1
    }
  }

  /// Refuses new readers, waits for the active ones and ends the pooled transactions.
  ///
  /// False if it was closed before, or if the caller is a reader and would wait for itself.
  func close() -> Bool {
    let thread = currentThread()
    return monitor.withLock { state in
      if state.isClosed { return false }
      if state.isReading(thread) { return false }
      state.isClosed = true
      monitor.broadcast()
      drain(&state)
      for slot in state.slots {
        unsafe slot.transaction.map { unsafe mdb_txn_abort($0) }
      }
      state.slots = []
      state.idle = []
      return true
    }
  }
}
