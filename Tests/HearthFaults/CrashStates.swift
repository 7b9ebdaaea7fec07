import Foundation
import Hearth
import HearthTestSupport

/// Every state in which a crash can leave the disk must open to all that was acknowledged.
struct CrashStates {
  private let options: Options
  private let directory: String
  /// Where traces lie: on a disk, as they are large.
  private let traces: String
  private var report: Report
  private var generator: SeededGenerator

  private static let subsets = 3
  private static let imagesPerJob = 100

  private struct Recording {
    var job: RecordJob
    var positions: [Int]
  }

  /// What became of the images of one kind of run.
  private struct Line {
    var traces = 0
    var states = 0
    var checked = 0
    var counts: [Finding.Kind: Int] = [:]

    mutating func add(_ other: Line) {
      traces += other.traces
      states += other.states
      checked += other.checked
      counts.merge(other.counts) { $0 + $1 }
    }
  }

  init(_ options: Options, _ directory: String) {
    self.options = options
    self.directory = directory
    traces = NSTemporaryDirectory() + "hearth-traces-\(UUID().uuidString)"
    report = Report("crash-states", seed: options.seed)
    generator = SeededGenerator(seed: options.seed)
  }

  consuming func run() throws -> Report {
    try FileManager.default.createDirectory(atPath: traces, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: traces) }
    report.head = ["run", "traces", "states", "checked", "waived", "lost", "torn", "crashed"]
    if let trace = options.trace {
      show("one trace", try check("one trace", [kept(trace)], sample: options.sample))
      return report
    }
    let scenarios = self.scenarios
    let count = options.plant == nil ? max(options.traces, scenarios.count) : 1
    let share = options.sample.map { max(1, $0 / count) }
    var lines: [Scenario: Line] = [:]
    var made = 0
    while made < count {
      // Few at a time: a trace has all bytes that were written.
      let batch = (made..<min(made + scenarios.count, count)).map { number in
        recordJob(scenarios[number % scenarios.count], "durable")
      }
      made += batch.count
      for recording in try record(batch) {
        let scenario = recording.job.scenario
        let line = try check(scenario.rawValue, [recording], sample: share)
        lines[scenario, default: Line()].add(line)
      }
    }
    for scenario in scenarios { if let line = lines[scenario] { show(scenario.rawValue, line) } }
    if options.plant == nil { try compareModes() }
    return report
  }

  private var scenarios: [Scenario] {
    if let run = options.run { return [run] }
    return switch options.plant {
    case nil: Scenario.allCases
    case .skipFsync: [.failedMeta]
    default: [.ratings]
    }
  }

  /// A trace that an earlier run kept.
  private func kept(_ path: String) throws -> Recording {
    let copy = "\(directory)/kept.trace"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    var positions = Trace(try readFile(copy)).positions
    if let position = options.position { positions = positions.filter { $0 == position } }
    let seed = UInt64(path.split(separator: "-").last?.prefix { $0.isNumber } ?? "") ?? 0
    return Recording(
      job: RecordJob(
        scenario: .ratings, seed: seed, rounds: 0, durability: "durable", root: "", trace: copy),
      positions: positions)
  }

  private mutating func recordJob(_ scenario: Scenario, _ durability: String) -> RecordJob {
    let name = "\(scenario.rawValue)-\(UUID().uuidString)"
    return RecordJob(
      scenario: scenario, seed: generator.next(), rounds: options.rounds, durability: durability,
      root: "\(directory)/\(name)", trace: "\(traces)/\(name).trace", plant: options.plant)
  }

  /// The runs, with where a crash would make a difference in each.
  private mutating func record(_ jobs: [RecordJob]) throws -> [Recording] {
    var recordings: [Recording] = []
    var findings: [Finding] = []
    for job in jobs {
      try FileManager.default.createDirectory(
        atPath: job.root, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    try Workers.run(jobs.map { .record($0) }) { job, replies in
      guard case .record(let job) = job else { return [] }
      for case .positions(let positions) in replies {
        recordings.append(Recording(job: job, positions: positions))
        return []
      }
      findings.append(Finding(kind: .crashed, text: "recording \(job.scenario.rawValue) failed"))
      return []
    }
    findings.forEach { report.find($0) }
    for job in jobs { try? FileManager.default.removeItem(atPath: job.root) }
    return recordings
  }

  private mutating func show(_ name: String, _ line: Line) {
    report.rows.append(
      [name, "\(line.traces)", "\(line.states)", "\(line.checked)"]
        + [Finding.Kind.waived, .lost, .torn, .crashed].map { "\(line.counts[$0, default: 0])" })
    report.checked += line.checked
  }

  /// Judges images; what they lose and tear in `none` is counted, and no finding.
  private mutating func check(
    _ name: String, _ recordings: [Recording], sample: Int?, durability: Durability = .durable
  ) throws -> Line {
    let perPosition = CrashStates.subsets + 2
    var line = Line(
      traces: recordings.count,
      states: recordings.reduce(0) { $0 + $1.positions.count } * perPosition)
    var jobs: [Job] = []
    for recording in recordings {
      var positions = recording.positions
      if let sample {
        let wanted = max(1, sample / recordings.count / perPosition)
        positions.shuffle(using: &generator)
        positions = positions.prefix(wanted).sorted()
      }
      let size = CrashStates.imagesPerJob / perPosition
      for start in stride(from: 0, to: positions.count, by: size) {
        jobs.append(
          .images(
            ImagesJob(
              trace: recording.job.trace, place: directory,
              positions: Array(positions[start..<min(start + size, positions.count)]),
              subsets: CrashStates.subsets, seed: recording.job.seed,
              isRelaxed: durability == .relaxed)))
      }
    }
    var progress = Progress(name, jobs.count * CrashStates.imagesPerJob)
    var findings: [Finding] = []
    try Workers.run(jobs) { job, replies in
      let (found, images, more) = CrashStates.read(job, replies)
      // The table counts states, however much each has lost.
      for image in found {
        findings += image
        for kind in Set(image.map(\.kind)) { line.counts[kind, default: 0] += 1 }
      }
      line.checked += images
      progress.show(line.checked)
      return more
    }
    progress.end()
    let counts = durability != .none
    for finding in findings {
      if counts, finding.kind != .waived {
        report.find(Finding(kind: finding.kind, text: "\(name): \(finding.text)"))
      }
    }
    for recording in recordings {
      if counts, findings.contains(where: { $0.kind != .waived }), options.plant == nil {
        keep(recording)
      }
      try? FileManager.default.removeItem(atPath: recording.job.trace)
    }
    return line
  }

  /// A run with several tasks is not the same again, but its trace is.
  private mutating func keep(_ recording: Recording) {
    let path = "\(NSTemporaryDirectory())hearth-faults-\(recording.job.seed).trace"
    try? FileManager.default.copyItem(atPath: recording.job.trace, toPath: path)
    report.notes.append("\(recording.job.scenario.rawValue) again: crash-states --trace \(path)")
  }

  /// Where the process died at an image, the others after it are still to be looked at.
  private static func read(_ job: Job, _ replies: [Reply]) -> ([[Finding]], Int, [Job]) {
    var findings: [[Finding]] = []
    var images = 0
    var last = 0
    if case .images(let all) = job { last = all.skip }
    for reply in replies {
      switch reply {
      case .begun(let number):
        last = number
        findings.append([])
      case .finding(let finding) where !findings.isEmpty:
        findings[findings.count - 1].append(finding)
      case .image: images += 1
      case .end(let signal, let code) where signal != 0 || code != 0:
        guard case .images(var rest) = job else { break }
        findings.append([
          Finding(
            kind: .crashed,
            text: "signal \(signal), code \(code) at image \(last) of \(rest.positions)")
        ])
        rest.skip = last + 1
        return (
          findings, images + 1,
          last + 1 < rest.positions.count * (rest.subsets + 2)
            ? [.images(rest)] : []
        )
      default: break
      }
    }
    return (findings, images, [])
  }

  /// The other modes: `relaxed` may lose what no flush has followed, and never tears; `none` must
  /// lose, or nothing was tested.
  private mutating func compareModes() throws {
    let size = options.sample.map { min(300, max(50, $0 / 8)) } ?? 4000
    for scenario in [Scenario.ratings, .failedFlush, .failedMeta] {
      if let run = options.run, run != scenario { continue }
      _ = try compare(scenario, .relaxed, size)
    }
    if options.run != nil { return }
    if try compare(.ratings, .none, size).counts[.lost, default: 0] == 0 {
      report.find(
        Finding(kind: .undocumented, text: "`none` lost nothing, so this check sees nothing"))
    }
  }

  private mutating func compare(
    _ scenario: Scenario, _ durability: Durability, _ size: Int
  ) throws -> Line {
    let name = "\(scenario.rawValue), \(durability.rawValue)"
    let recordings = try record([recordJob(scenario, durability.rawValue)])
    let line = try check(name, recordings, sample: size, durability: durability)
    show(name, line)
    return line
  }
}
