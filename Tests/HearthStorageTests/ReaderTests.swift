import Foundation
import HearthStorage
import Testing

/// Threads with small stacks that are waited for at the end.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let done = DispatchSemaphore(value: 0)
  for number in 0..<count {
    let thread = Thread {
      body(number)
      done.signal()
    }
    thread.stackSize = 256 << 10
    thread.start()
  }
  for _ in 0..<count { done.wait() }
}

@Suite struct ReaderTests {
  @Test func `1100 reads at once get through 1024 slots`() throws {
    try withEnvironment { environment, _ in
      try environment.write { try $0.put(bytes("k"), bytes("v"), in: tableA) }
      let inside = DispatchSemaphore(value: 0)
      let leave = DispatchSemaphore(value: 0)
      let failures = Lock(0)
      DispatchQueue.global().async {
        // As many as there are slots for us are inside at once before anyone leaves.
        for _ in 0..<1008 { inside.wait() }
        for _ in 0..<1100 { leave.signal() }
      }
      inThreads(1100) { _ in
        do {
          try environment.read { transaction in
            inside.signal()
            leave.wait()
            if try transaction.bytes(bytes("k"), in: tableA) != bytes("v") {
              failures.withLock { $0 += 1 }
            }
          }
        } catch {
          failures.withLock { $0 += 1 }
        }
      }
      #expect(failures.withLock { $0 } == 0)
      #expect(environment.fileStatistics.readers <= 1008)
    }
  }

  @Test func `a read that throws gives its slot back`() throws {
    try withEnvironment(.testing { $0.maxReaders = 4 }) { environment, _ in
      for _ in 0..<100 {
        #expect(throws: CancellationError.self) {
          try environment.read { _ in throw CancellationError() }
        }
      }
      try environment.read { _ in }
      #expect(environment.fileStatistics.readers == 1)
    }
  }

  @Test func `a read inside a read does not hang when the slots are taken`() throws {
    try withEnvironment(.testing { $0.maxReaders = 2 }) { environment, _ in
      try environment.read { _ in
        expectError(.internalError) { try environment.read { _ in } }
        expectError(.internalError) { try environment.write { _ in } }
        expectError(.internalError) { try environment.growMap() }
      }
      try environment.growMap()
    }
  }

  @Test func `a read keeps its state while others commit`() throws {
    try withEnvironment { environment, _ in
      try environment.write { try $0.put(bytes("k"), bytes("1"), in: tableA) }
      try environment.read { transaction in
        inThreads(1) { _ in
          for number in 0..<50 as Range<UInt8> {
            try? environment.write { try $0.put(bytes("k"), [number], in: tableA) }
          }
        }
        try #expect(transaction.bytes(bytes("k"), in: tableA) == bytes("1"))
      }
      try environment.read { try #expect($0.bytes(bytes("k"), in: tableA) == [49]) }
    }
  }

  @Test func `closing waits for readers`() throws {
    try withEnvironment { environment, _ in
      try environment.write { try $0.put(bytes("k"), bytes("v"), in: tableA) }
      let order = Lock<[String]>([])
      let inside = DispatchSemaphore(value: 0)
      let closing = DispatchSemaphore(value: 0)
      let done = DispatchSemaphore(value: 0)
      Thread {
        try? environment.read { transaction in
          inside.signal()
          closing.wait()
          // From here on the other thread is closing, or about to; the bytes must stay readable.
          while !environment.isClosed { sched_yield() }
          for _ in 0..<1000 { _ = try transaction.bytes(bytes("k"), in: tableA) }
          order.withLock { $0.append("read") }
        }
        done.signal()
      }.start()
      inside.wait()
      closing.signal()
      environment.close()
      order.withLock { $0.append("closed") }
      done.wait()
      #expect(order.withLock { $0 } == ["read", "closed"])
    }
  }

  @Test func `statistics count entries and pages`() throws {
    try withEnvironment { environment, _ in
      try environment.write { transaction in
        for number in 0..<1000 {
          try transaction.append(bytes(String(1000 + number)), bytes("value"), in: tableA)
        }
        try transaction.put(bytes("large"), [UInt8](repeating: 0, count: 9000), in: tableB)
      }
      let a = try environment.statistics(of: tableA)
      #expect(a.entries == 1000 && a.depth == 2 && a.branchPages == 1 && a.leafPages > 4)
      let b = try environment.statistics(of: tableB)
      #expect(b.entries == 1 && b.overflowPages == 3)
      #expect(environment.fileStatistics.mapSize == 1 << 30)
      #expect(environment.fileStatistics.usedBytes > 9000)
      try #expect(environment.checkReaders() == 0)
      try environment.sync()
    }
  }
}
