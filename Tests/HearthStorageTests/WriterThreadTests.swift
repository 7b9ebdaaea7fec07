import Foundation
import HearthStorage
import Testing

private actor Writer {
  let thread: WriterThread
  private var log: [Int] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(_ thread: WriterThread) { self.thread = thread }

  func add(_ number: Int) { log.append(number) }

  func numbers() -> [Int] { log }

  /// Enough to tell threads apart while they live.
  func identity() -> UInt { UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue) }

  func name() -> String? {
    (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))?
      .trimmingCharacters(in: .newlines)
  }

  func assertIsolation() -> Bool? {
    thread.checkIsolated()
    return thread.isIsolatingCurrentContext()
  }

  func write(_ environment: Environment, _ number: UInt8) throws {
    try environment.write { try $0.put([number], [number], in: tableA) }
  }

  /// A frame this large would run over a stack of 512 KiB.
  func useStack(depth: Int = 0) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
      buffer[depth] = 1
      return depth == 60 ? depth : useStack(depth: depth + 1) + Int(buffer[depth]) - 1
    }
  }
}

@Suite struct WriterThreadTests {
  @Test func `all jobs run on one thread with a name and a large stack`() async throws {
    let writer = Writer(try WriterThread())
    let first = await writer.identity()
    for _ in 0..<20 {
      await Task.yield()
      let identity = await writer.identity()
      #expect(identity == first)
    }
    let name = await writer.name()
    #expect(name == "hearth.writer")
    let depth = await writer.useStack()
    #expect(depth == 60)
  }

  @Test func `jobs run in the order they came`() async throws {
    let writer = Writer(try WriterThread())
    for number in 0..<1000 { await writer.add(number) }
    let numbers = await writer.numbers()
    #expect(numbers == Array(0..<1000))
  }

  @Test func `the executor knows whether it is the current one`() async throws {
    let thread = try WriterThread()
    let writer = Writer(thread)
    #expect(thread.isIsolatingCurrentContext() == false)
    let inside = await writer.assertIsolation()
    #expect(inside == true)
  }

  @Test func `jobs after stop still run`() async throws {
    let thread = try WriterThread()
    let writer = Writer(thread)
    await writer.add(1)
    thread.stop()
    for number in 2...50 { await writer.add(number) }
    thread.stop()
    let numbers = await writer.numbers()
    #expect(numbers == Array(1...50))
  }

  @Test func `eight tasks write through one thread while four read`() async throws {
    let directory = try TemporaryDirectory()
    let environment = try Environment.open(at: directory.database, options: .testing())
    let writer = Writer(try WriterThread())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 as Range<UInt8> {
        group.addTask {
          for number in 0..<25 as Range<UInt8> {
            try await writer.write(environment, task * 25 + number)
          }
        }
      }
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            try environment.read { transaction in
              _ = try transaction.bytes([7], in: tableA)
            }
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
    try #expect(environment.statistics(of: tableA).entries == 200)
    environment.close()
  }
}

@Suite struct LockTests {
  struct Token: ~Copyable {
    var count = 0
  }

  @Test func `a lock excludes, and holds what cannot be copied`() {
    let lock = Lock(Token())
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 { lock.withLock { $0.count += 1 } }
    }
    #expect(lock.withLock { $0.count } == 80_000)
  }

  @Test func `a lock is free again after a throw`() {
    let lock = Lock(1)
    #expect(throws: CancellationError.self) {
      try lock.withLock { _ in throw CancellationError() }
    }
    #expect(lock.withLock { $0 } == 1)
  }
}
