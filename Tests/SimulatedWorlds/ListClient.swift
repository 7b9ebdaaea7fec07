import HearthEngine
import HearthModel
import HearthTestSupport

/// One client of a world of lists.
struct ListClient {
  private let world: ListWorld
  private let recorder: Recorder
  private var generator: SeededGenerator

  init(world: ListWorld, recorder: Recorder, seed: UInt64) {
    self.world = world
    self.recorder = recorder
    generator = SeededGenerator(seed: seed)
  }

  private struct Deliberate: Error {}

  private mutating func random(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  /// Does one thing, at times given up half way.
  mutating func operate() async {
    let action = action()
    let isCancelled = world.options.isStormy && generator.oneIn(5)
    let patience = random(0...30)
    let (world, recorder) = (world, recorder)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await action()
        } catch {
          if error is Deliberate || error is CancellationError { return }
          let reason = (error as? HearthError)?.reason ?? ""
          world.count(reason)
          if !world.options.expectedReasons.contains(reason) {
            recorder.find("unexpected error: \(error)")
          }
        }
      }
      guard isCancelled else { return }
      for _ in 0..<patience { await Task.yield() }
      group.cancelAll()
    }
  }

  private typealias Action = @Sendable () async throws -> Void

  private mutating func action() -> Action {
    switch random(0...15) {
    case 0...4: appending()
    case 5, 6: joining()
    case 7: appendingWhatWasAsked()
    case 8, 9: auditing()
    case 10...12: blind()
    default: reading()
    }
  }

  // MARK: Transactions

  private mutating func request(_ lists: [Int]) -> TransactionRequest {
    var request = TransactionRequest()
    let paths = lists.map { ListDocuments.list($0) }
    switch world.options.mode {
    case .automatic, .gate: break
    case .optimistic: request.concurrency = .optimistic
    case .turns: request.concurrency = .turns(paths)
    case .mixed:
      switch random(0...2) {
      case 0: request.concurrency = .optimistic
      case 1: request.concurrency = .turns(Array(paths.prefix(random(1...4))))
      default: break
      }
    }
    return request
  }

  /// What a block does between its calls: nothing, let others run, or take time.
  private mutating func pause() -> Action {
    let yields = random(0...3)
    var milliseconds = 0
    if world.options.takesTime {
      if world.options.isStormy, generator.oneIn(4) {
        milliseconds = random(1...400)
      } else if generator.oneIn(8) {
        milliseconds = random(1...20)
      }
    }
    let (runtime, wait) = (world.runtime, UInt64(milliseconds))
    return {
      for _ in 0..<yields { await Task.yield() }
      if wait > 0 { try await runtime.sleep(wait * 1_000_000) }
    }
  }

  /// Where the gate is wanted: makes the first two runs lose, by a write to what was read.
  private func lose(_ run: RecordedRun, _ list: Int) async throws {
    guard world.options.mode == .gate, run.attempt <= 2 else { return }
    _ = try run.get(ListDocuments.list(list))
    try await recorder.commit("meddle", [ListDocuments.append(list, world.fresh())])
  }

  private mutating func lists(_ count: ClosedRange<Int>) -> [Int] {
    var chosen: [Int] = []
    for _ in 0..<random(count) {
      let list = world.list(&generator)
      if !chosen.contains(list) { chosen.append(list) }
    }
    return chosen
  }

  /// Reads some lists and appends to some of them.
  private mutating func appending() -> Action {
    let lists = lists(1...4)
    let appended = Array(lists.shuffled(using: &generator).prefix(random(1...lists.count)))
    let request = request(lists)
    let pauses = [pause(), pause()]
    let isFailing = world.options.isStormy && generator.oneIn(8)
    let this = self
    return {
      try await this.recorder.transaction("append", request) { run in
        try await this.lose(run, lists[0])
        var seen: [Int: [Int]] = [:]
        for list in lists {
          seen[list] = ListDocuments.numbers(try run.get(ListDocuments.list(list)))
          if list == lists[0] { try await pauses[0]() }
        }
        try await pauses[1]()
        for list in appended {
          try run.write(
            ListDocuments.write(list, seen[list] ?? [], appending: this.world.fresh()))
        }
        if isFailing { throw Deliberate() }
      }
    }
  }

  /// Appends to one of the lists that a query gave.
  private mutating func appendingWhatWasAsked() -> Action {
    let part = random(0...ListDocuments.parts - 1)
    let request = request([part])
    let pause = pause()
    let this = self
    return {
      try await this.recorder.transaction("ask", request) { run in
        let lists = try run.run(ListDocuments.lists(part: part))
        try await pause()
        // The part's hot list, also where it is not there yet.
        let path = ListDocuments.list(part)
        let seen = ListDocuments.numbers(lists.first { $0.path == path })
        try run.write(ListDocuments.write(part, seen, appending: this.world.fresh()))
      }
    }
  }

  /// Counts a group and adds a member, and may do the same to a list.
  private mutating func joining() -> Action {
    let group = random(0...ListWorld.groups - 1)
    let counts = generator.oneIn(2)
    let list = generator.oneIn(3) ? world.list(&generator) : nil
    let request = request(list.map { [$0] } ?? [])
    let pause = pause()
    let this = self
    return {
      try await this.recorder.transaction("join", request) { run in
        let members = ListDocuments.members(of: group)
        let position = counts ? try run.count(members) : try run.run(members).count
        var seen: [Int]?
        if let list { seen = ListDocuments.numbers(try run.get(ListDocuments.list(list))) }
        try await pause()
        // A member or an element of the list: the other one is only read.
        if let list, let seen, position % 2 == 0 {
          return try run.write(ListDocuments.write(list, seen, appending: this.world.fresh()))
        }
        try run.write(ListDocuments.join(group, at: position, this.world.fresh()))
      }
    }
  }

  /// Reads of all kinds that must be of one moment.
  private mutating func auditing() -> Action {
    let lists = lists(1...3)
    var request = request(lists)
    request.readOnly = generator.oneIn(2)
    let part = random(0...ListDocuments.parts - 1)
    let group = random(0...ListWorld.groups - 1)
    let order = [0, 1, 2, 3].shuffled(using: &generator).prefix(random(1...4))
    let pause = pause()
    let this = self
    let settings = request
    return {
      try await this.recorder.transaction("audit", settings) { run in
        for kind in order {
          switch kind {
          case 0: for list in lists { _ = try run.get(ListDocuments.list(list)) }
          case 1: _ = try run.run(ListDocuments.lists(part: part))
          case 2: _ = try run.count(ListDocuments.members(of: group))
          default: _ = try run.run(ListDocuments.members(of: group))
          }
          try await pause()
        }
      }
    }
  }

  // MARK: Plain operations

  private mutating func blind() -> Action {
    let lists = lists(1...3)
    let padding = world.options.isGrowing ? random(0...30_000) : 0
    let this = self
    return {
      try await this.recorder.commit(
        "blind", lists.map { ListDocuments.append($0, this.world.fresh(), padding: padding) })
    }
  }

  private mutating func reading() -> Action {
    let list = world.list(&generator)
    let part = random(0...ListDocuments.parts - 1)
    let group = random(0...ListWorld.groups - 1)
    let kind = random(0...3)
    let recorder = recorder
    return {
      switch kind {
      case 0: try recorder.get(ListDocuments.list(list))
      case 1: try recorder.run(ListDocuments.lists(part: part))
      case 2: try recorder.run(ListDocuments.members(of: group))
      default: try recorder.count(ListDocuments.members(of: group))
      }
    }
  }
}
