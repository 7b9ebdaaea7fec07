import Foundation
import HearthTestSupport

/// Every call of some classes fails, in every way; the run must give documented errors, and the
/// database must be true after it.
struct FaultCheck {
  private let options: Options
  private let directory: String
  private let groups: [String]
  private let recovers: Bool
  private var report: Report

  private struct Line {
    var calls = 0
    var runs = 0
    var missed = 0
    var unharmed = 0
    var errors = 0
    var findings = 0
  }

  struct Failed: Error, CustomStringConvertible {
    var description: String
  }

  init(_ options: Options, _ directory: String, _ groups: [String], recovers: Bool = false) {
    self.options = options
    self.directory = directory
    self.groups = groups
    self.recovers = recovers
    let name = recovers ? "recovery" : groups == ["malloc"] ? "memory" : "io-faults"
    report = Report(name, seed: options.seed)
  }

  consuming func run() throws -> Report {
    let template = recovers ? try makeTemplate() : nil
    let counts = try countCalls(template)
    var points = FaultPoint.all(groups, counts)
    if let only = options.only { points = points.filter { $0.name == only } }
    if let sample = options.sample { points = chosen(points, sample) }
    var lines: [String: Line] = [:]
    for group in groups { lines[group] = Line(calls: counts[group, default: 0]) }
    var errors: [String: Int] = [:]
    var progress = Progress(report.check, points.count)
    let jobs = points.map { point in Job.fault(job(point, template)) }
    try Workers.run(jobs) { job, replies in
      guard case .fault(let job) = job, let point = job.point else { return [] }
      take(replies, point, &lines[point.group, default: Line()], &errors)
      progress.show(report.checked)
      return []
    }
    progress.end()
    fillTable(lines)
    report.notes = ["errors that were met, by what was being done:"]
    report.notes += errors.sorted { $0.key < $1.key }.map { "\($0.value)  \($0.key)" }
    return report
  }

  private func job(_ point: FaultPoint?, _ template: String?) -> FaultJob {
    FaultJob(
      point: point, root: "\(directory)/\(UUID().uuidString)", template: template,
      rounds: recovers ? 2 : options.rounds, plant: point == nil ? nil : options.plant)
  }

  /// Some of each class and way, so that the rare ones are among them.
  private func chosen(_ points: [FaultPoint], _ count: Int) -> [FaultPoint] {
    var generator = SeededGenerator(seed: options.seed)
    var kinds = Dictionary(grouping: points.shuffled(using: &generator)) {
      "\($0.group) \($0.mode) \($0.code)"
    }
    var chosen: [FaultPoint] = []
    while chosen.count < count, !kinds.isEmpty {
      for kind in kinds.keys.sorted() where chosen.count < count {
        if let point = kinds[kind]?.popLast() { chosen.append(point) }
        if kinds[kind]?.isEmpty == true { kinds[kind] = nil }
      }
    }
    return chosen
  }

  private func makeTemplate() throws -> String {
    let root = directory + "/template"
    try Workers.run([.leave(LeaveJob(root: root, rounds: options.rounds))]) { _, _ in [] }
    guard FileManager.default.fileExists(atPath: root + ".ledger") else {
      throw Failed(description: "the database to be recovered could not be made")
    }
    return root
  }

  private func countCalls(_ template: String?) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    var trouble: [Reply] = []
    try Workers.run([.fault(job(nil, template))]) { _, replies in
      for case .counts(let found) in replies { counts = found }
      trouble = replies.filter {
        if case .counts = $0 { return false }
        return true
      }
      return []
    }
    guard !counts.isEmpty, trouble.count == 1 else {
      throw Failed(description: "the run fails without faults: \(trouble)")
    }
    return counts
  }

  private mutating func take(
    _ replies: [Reply], _ point: FaultPoint, _ line: inout Line, _ errors: inout [String: Int]
  ) {
    report.checked += 1
    line.runs += 1
    var wasHit = false
    var hasErrors = false
    for reply in replies {
      switch reply {
      case .counts(let counts): wasHit = counts["hits", default: 0] > 0
      case .error(let text):
        hasErrors = true
        errors[text, default: 0] += 1
      case .finding(let finding):
        line.findings += 1
        report.find(Finding(kind: finding.kind, text: "\(point.name): \(finding.text)"))
      case .end(let signal, let code) where signal != 0 || code != 0:
        line.findings += 1
        report.find(
          Finding(kind: .crashed, text: "\(point.name): signal \(signal), code \(code)"))
      default: break
      }
    }
    if !wasHit {
      line.missed += 1
    } else if hasErrors {
      line.errors += 1
    } else {
      line.unharmed += 1
    }
  }

  private mutating func fillTable(_ lines: [String: Line]) {
    report.head = ["calls of", "in a run", "faults", "not met", "no harm", "errors", "findings"]
    for group in groups {
      guard let line = lines[group], line.calls > 0 else { continue }
      report.rows.append(
        [group]
          + [line.calls, line.runs, line.missed, line.unharmed, line.errors, line.findings]
          .map(String.init))
    }
  }
}
