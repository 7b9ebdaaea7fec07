import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

@Suite struct SchedulerTests {
  @Test func `sleepers wake in the order of time without any passing`() throws {
    let order = Lock<[UInt64]>([])
    let run = try simulate(seed: testSeed("sleepers")) { runtime in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for seconds in [30, 10, 20] as [UInt64] {
          group.addTask {
            try await runtime.sleep(seconds * 1_000_000_000)
            order.withLock { $0.append(seconds) }
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(order.withLock { $0 } == [10, 20, 30])
    #expect(run.nanoseconds >= 30_000_000_000)
  }

  @Test func `a cancelled sleeper wakes at once`() throws {
    let run = try simulate(seed: testSeed("cancelled sleeper")) { runtime in
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await #expect(throws: CancellationError.self) {
            try await runtime.sleep(1_000_000_000_000)
          }
        }
        group.cancelAll()
      }
    }
    #expect(run.nanoseconds < 1_000_000_000)
  }

  @Test func `a wait that nobody ends is a deadlock`() throws {
    // Ends the wait after the test, since a lost continuation would be reported as a leak.
    let lost = Lock<CheckedContinuation<Void, Never>?>(nil)
    let scheduler = SimulatedScheduler(seed: testSeed("deadlock"))
    scheduler.spawn("waiter") {
      await withCheckedContinuation { continuation in lost.withLock { $0 = continuation } }
    }
    try scheduler.run()
    #expect(scheduler.liveTasks == ["waiter"])
    lost.withLock { $0 }?.resume()
    try scheduler.run()
    #expect(scheduler.liveTasks == [])
  }

  @Test func `work without end is a livelock`() throws {
    var options = SimulationOptions()
    options.mostSteps = 1000
    let isOver = Lock(false)
    let scheduler = SimulatedScheduler(seed: testSeed("livelock"), options: options)
    scheduler.spawn("circle") {
      while !isOver.withLock({ $0 }) { await Task.yield() }
    }
    #expect(throws: SimulationFailure.self) { try scheduler.run() }
  }
}
