import Foundation
import HearthTestSupport

/// Every state in which a crash can leave the disk must open to all that was acknowledged.
struct CrashStates {
  private let options: Options
  private let directory: String
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
  }

  init(_ options: Options, _ directory: String) {
    self.options = options
    self.directory = directory
    report = Report("crash-states", seed: options.seed)
    generator = SeededGenerator(seed: options.seed)
  }

  consuming func run() throws -> Report {
    report.head = ["run", "traces", "states", "checked", "lost", "torn", "crashed"]
    let scenarios = options.plant == nil ? Scenario.allCases : [.ratings]
    let traces = options.plant == nil ? max(options.traces, scenarios.count) : 1
    var jobs: [RecordJob] = []
    for number in 0..<traces {
      jobs.append(recordJob(scenarios[number % scenarios.count], "durable"))
    }
    for (scenario, recordings) in try record(jobs) {
      try check(scenario, recordings, traces)
    }
    if options.plant == nil { try compareModes() }
    return report
  }

  private mutating func recordJob(_ scenario: Scenario, _ durability: String) -> RecordJob {
    let name = "\(scenario.rawValue)-\(UUID().uuidString)"
    return RecordJob(
      scenario: scenario, seed: generator.next(), rounds: options.rounds, durability: durability,
      root: "\(directory)/\(name)", trace: "\(directory)/\(name).trace", plant: options.plant)
  }

  /// The runs, with where a crash would make a difference in each.
  private mutating func record(_ jobs: [RecordJob]) throws -> [(Scenario, [Recording])] {
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
    let order = Scenario.allCases
    return order.map { scenario in (scenario, recordings.filter { $0.job.scenario == scenario }) }
      .filter { !$0.1.isEmpty }
  }

  private mutating func check(
    _ scenario: Scenario, _ recordings: [Recording], _ traces: Int
  ) throws {
    let share = options.sample.map { max(1, $0 * recordings.count / traces) }
    var line = try check(scenario.rawValue, recordings, sample: share)
    line.traces = recordings.count
    show(scenario.rawValue, line)
  }

  private mutating func show(_ name: String, _ line: Line) {
    report.rows.append(
      [name, "\(line.traces)", "\(line.states)", "\(line.checked)"]
        + [Finding.Kind.lost, .torn, .crashed].map { "\(line.counts[$0, default: 0])" })
    report.checked += line.checked
  }

  /// Judges images; `counts` false keeps the findings out of the report, where losses are allowed.
  private mutating func check(
    _ name: String, _ recordings: [Recording], sample: Int?, counts: Bool = true
  ) throws -> Line {
    let perPosition = CrashStates.subsets + 2
    var line = Line(states: recordings.reduce(0) { $0 + $1.positions.count } * perPosition)
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
              subsets: CrashStates.subsets, seed: recording.job.seed)))
      }
    }
    var progress = Progress(name, jobs.count * CrashStates.imagesPerJob)
    var findings: [Finding] = []
    try Workers.run(jobs) { job, replies in
      let (found, images, more) = CrashStates.read(job, replies)
      findings += found
      line.checked += images
      progress.show(line.checked)
      return more
    }
    progress.end()
    for finding in findings {
      line.counts[finding.kind, default: 0] += 1
      if counts { report.find(Finding(kind: finding.kind, text: "\(name): \(finding.text)")) }
    }
    for recording in recordings { try? FileManager.default.removeItem(atPath: recording.job.trace) }
    return line
  }

  /// Where the process died at an image, the others after it are still to be looked at.
  private static func read(_ job: Job, _ replies: [Reply]) -> ([Finding], Int, [Job]) {
    var findings: [Finding] = []
    var images = 0
    var last = 0
    for reply in replies {
      switch reply {
      case .begun(let number): last = number
      case .finding(let finding): findings.append(finding)
      case .image: images += 1
      case .end(let signal, let code) where signal != 0 || code != 0:
        guard case .images(var rest) = job else { break }
        findings.append(
          Finding(
            kind: .crashed,
            text: "signal \(signal), code \(code) at image \(last) of \(rest.positions)"))
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

  /// The other modes: `relaxed` may lose, but never tear; `none` must lose, or nothing was tested.
  private mutating func compareModes() throws {
    for durability in ["relaxed", "none"] {
      let recordings = try record([recordJob(.ratings, durability)]).flatMap(\.1)
      let size = options.sample.map { min(300, max(50, $0 / 5)) }
      var line = try check(
        "ratings, " + durability, recordings, sample: size ?? 4000, counts: false)
      line.traces = recordings.count
      show("ratings, " + durability, line)
      let torn = line.counts[.torn, default: 0] + line.counts[.crashed, default: 0]
      if durability == "relaxed", torn > 0 {
        report.find(Finding(kind: .torn, text: "\(torn) states of `relaxed` are inconsistent"))
      }
      if durability == "none", line.counts[.lost, default: 0] == 0 {
        report.find(
          Finding(kind: .undocumented, text: "`none` lost nothing, so this check sees nothing"))
      }
    }
  }
}
