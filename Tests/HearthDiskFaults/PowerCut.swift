import Foundation
import Hearth
import HearthTestSupport

/// Cuts the power under a writing process: its file system is shut down, so that nothing more
/// reaches the image (testing.md, R3).
struct PowerCut {
  private static let kinds = [
    Disk.Kind(name: "ext4 ordered", system: "ext4", options: ",data=ordered", megabytes: 96),
    Disk.Kind(name: "ext4 writeback", system: "ext4", options: ",data=writeback", megabytes: 96),
    Disk.Kind(name: "ext4 commit=1", system: "ext4", options: ",commit=1", megabytes: 96),
    // The least that mkfs.xfs makes.
    Disk.Kind(name: "xfs", system: "xfs", options: "", megabytes: 320),
  ]

  private let options: Options
  private var generator: SeededGenerator
  private var report: Report

  private init(_ options: Options) {
    self.options = options
    generator = SeededGenerator(seed: options.seed)
    report = Report("power-cut", options, noun: "cycles", kinds: [.lost, .torn])
    report.header = [
      "file system", "durability", "cycles", "acknowledged", "lost", "torn", "other",
    ]
  }

  /// Runs it.
  static func report(_ options: Options) async throws -> Report {
    var check = PowerCut(options)
    return try await check.run()
  }

  private mutating func run() async throws -> Report {
    let directory = try Workplace.directory(bytes: 700 << 20)
    for (number, kind) in PowerCut.kinds.enumerated() {
      do {
        let disk = try Disk(kind, in: "\(directory)/\(number)")
        if options.plant {
          try await cut(disk, .durable, cycles: options.cycles ?? 50, untilFound: true)
          if !report.findings.isEmpty { break }
        } else {
          try await cut(disk, .durable, cycles: options.cycles ?? 20, untilFound: false)
          try await cut(disk, .none, cycles: 15, untilFound: true)
        }
      } catch let reason as Disk.Unavailable {
        report.skipped.append("\(reason)")
      }
    }
    return report
  }

  /// A number of cycles on one file system.
  ///
  /// Without flushes something must get lost, or this test is blind.
  private mutating func cut(
    _ disk: Disk, _ durability: Durability, cycles: Int, untilFound: Bool
  ) async throws {
    var acknowledged = Acknowledged()
    var (total, done) = (0, 0)
    var found: [Finding] = []
    defer { try? disk.unmountIfMounted() }
    for cycle in 0..<cycles {
      // A new disk now and then, so that databases are made on it and none grows without bounds.
      if cycle % 25 == 0 {
        try disk.unmountIfMounted()
        try disk.format()
        try disk.mount()
        acknowledged = Acknowledged()
      }
      Progress.show(
        "power-cut: \(disk.kind.name), \(durability.rawValue), cycle \(cycle + 1) of \(cycles)")
      var mode = "write"
      if cycle % 25 > 3, generator.oneIn(6) { mode = "compact" }
      // A new database in its first moments, or one in the middle of its life.
      let isYoung = cycle % 25 == 0 || generator.oneIn(6)
      let path = isYoung ? "\(disk.path)/young-\(cycle)" : "\(disk.path)/db"
      let started = isYoung ? Acknowledged() : acknowledged
      let told = try await life(disk, path, [mode, path, durability.rawValue], started)
      total += told.count
      done += 1
      try disk.unmount()
      try disk.mount()
      let (findings, settled) = await examine(path, durability, told)
      for finding in findings {
        found.append(
          Finding(finding.kind, "\(disk.kind.name), cycle \(cycle), \(mode): \(finding.text)"))
      }
      if isYoung {
        try? FileManager.default.removeItem(atPath: path)
      } else if findings.isEmpty {
        acknowledged = settled
      } else {
        try? FileManager.default.removeItem(atPath: path)
        acknowledged = Acknowledged()
      }
      if untilFound, !found.isEmpty { break }
    }
    note(disk, durability, done, total, found)
  }

  private mutating func note(
    _ disk: Disk, _ durability: Durability, _ cycles: Int, _ acknowledged: Int, _ found: [Finding]
  ) {
    let counts = [.lost, .torn].map { kind in found.count { $0.kind == kind } }
    report.rows.append(
      [disk.kind.name, durability.rawValue]
        + ([cycles, acknowledged] + counts + [found.count - counts.reduce(0, +)]).map { "\($0)" })
    if durability == .none {
      if found.isEmpty {
        report.find(
          .failure, "\(disk.kind.name): nothing was lost without flushes, so nothing can be seen")
      }
      return
    }
    report.cycles += cycles
    for finding in found { report.find(finding.kind, finding.text) }
  }

  /// A child from its start until the power and then the process is gone; what it told.
  private mutating func life(
    _ disk: Disk, _ path: String, _ arguments: [String], _ started: Acknowledged
  ) async throws -> Acknowledged {
    let child = try Workplace.start(
      arguments + [started.argument, options.plant ? "planted" : ""], silent: true)
    // From the first word for a database that is there, else from any moment of its making.
    let isAimed = !path.contains("young") || generator.oneIn(2)
    let delay = UInt64.random(in: 0...200_000, using: &generator) * 1000
    let grace = UInt64.random(in: 0...5000, using: &generator) * 1000
    return try await blocking {
      defer { Workplace.ended(child) }
      var told = started
      var rest = Substring()
      func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
      /// Listens until then, or until the first word.
      func listen(until deadline: UInt64, firstWord: Bool = false) {
        while now() < deadline, let bytes = child.read(until: deadline), !bytes.isEmpty {
          take(bytes)
          if firstWord { return }
        }
      }
      func take(_ bytes: [UInt8]) {
        var lines = (rest + String(decoding: bytes, as: UTF8.self))
          .split(separator: "\n", omittingEmptySubsequences: false)
        rest = lines.popLast() ?? ""
        for line in lines { told.take(line) }
      }
      if isAimed { listen(until: now() + 20_000_000_000, firstWord: true) }
      listen(until: now() + delay)
      let shut = Result { try disk.shutDown() }
      // Somebody who acknowledges what can no longer be written has time to say so.
      listen(until: now() + grace)
      child.kill()
      take(child.readToEnd())
      _ = child.wait()
      try shut.get()
      return told
    }
  }

  /// Opens what is left, under another durability each time, and holds it against what was told.
  private mutating func examine(
    _ path: String, _ durability: Durability, _ told: Acknowledged
  ) async -> ([Finding], Acknowledged) {
    do {
      // What this writes counts for the next cycle.
      let database = try await open(path, durability == .none ? .none : .durable)
      do {
        var oracle = PowerCutOracle(database, told)
        let found = try await oracle.check()
        try await database.terminate()
        return (oracle.complaints, found)
      } catch {
        try? await database.terminate()
        throw error
      }
    } catch {
      return ([Finding(.lost, "\(error)")], Acknowledged())
    }
  }
}

extension Disk {
  /// Unmounts it if it is mounted.
  func unmountIfMounted() throws {
    if Workplace.isMounted(path) { try unmount() }
  }
}
