#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A state that is only reachable while a mutex is held.
///
/// Built on pthreads instead of `Synchronization.Mutex`, whose futex on Linux is invisible to the
/// thread sanitizer and so makes it report races that do not exist. (Not for `Void`: a state
/// without bytes shares its address with the next field, which looks like a race, too.)
// Sendable: `state` is only touched between `acquire()` and `release()`.
@safe package final class Lock<State: ~Copyable>: @unchecked Sendable {
  // The mutex already excludes overlapping access; the run-time check would double the cost.
  @exclusivity(unchecked) @usableFromInline var state: State
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Takes the state; from now on it is reachable through `withLock` only.
  package init(_ state: consuming State) {
    unsafe self.state = state
    unsafe mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let code = unsafe pthread_mutex_init(mutex, nil)
    precondition(code == 0, "pthread_mutex_init failed with \(code)")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  @usableFromInline func acquire() {
    let code = unsafe pthread_mutex_lock(mutex)
    precondition(code == 0, "pthread_mutex_lock failed with \(code)")
  }

  @usableFromInline func release() {
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Runs `body` while no other thread is inside.
  ///
  /// Not reentrant.
  @inlinable package func withLock<R: ~Copyable, E: Error>(
    _ body: (inout State) throws(E) -> R
  ) throws(E) -> R {
    acquire()
    defer { release() }
    return try unsafe body(&state)
  }
}

/// A lock with a condition: a thread inside can wait until another one changed the state.
// Sendable: `state` is only touched while `mutex` is held.
@safe final class Monitor<State>: @unchecked Sendable {
  @exclusivity(unchecked) private var state: State
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init(_ state: State) {
    unsafe self.state = state
    unsafe mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    unsafe condition.initialize(to: pthread_cond_t())
    let mutexCode = unsafe pthread_mutex_init(mutex, nil)
    let conditionCode = unsafe pthread_cond_init(condition, nil)
    precondition(mutexCode == 0 && conditionCode == 0, "pthread objects could not be made")
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try unsafe body(&state)
  }

  /// Only inside `withLock`: lets others in, and returns, holding the lock again, after a broadcast
  /// or for no reason at all.
  ///
  /// The caller looks at the state again.
  func wait() {
    unsafe pthread_cond_wait(condition, mutex)
  }

  /// Wakes every thread inside `wait()`.
  func broadcast() {
    unsafe pthread_cond_broadcast(condition)
  }
}

/// The lock around writing.
///
/// It refuses a thread that already holds it instead of hanging it.
// Sendable: a mutex is made to be shared.
@safe final class WriterLock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    unsafe pthread_mutexattr_init(&attributes)
    #if canImport(Glibc)
      let kind = Int32(PTHREAD_MUTEX_ERRORCHECK)
    #else
      let kind = PTHREAD_MUTEX_ERRORCHECK
    #endif
    unsafe pthread_mutexattr_settype(&attributes, kind)
    let code = unsafe pthread_mutex_init(mutex, &attributes)
    precondition(code == 0, "pthread_mutex_init failed with \(code)")
    unsafe pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// False when the calling thread holds the lock already.
  func acquire() -> Bool {
    unsafe pthread_mutex_lock(mutex) == 0
  }

  func release() {
    unsafe pthread_mutex_unlock(mutex)
  }
}

/// A number that tells running threads apart; never 0.
func currentThread() -> UInt {
  #if canImport(Glibc)
    UInt(pthread_self())
  #else
    unsafe UInt(bitPattern: pthread_self())
  #endif
}
