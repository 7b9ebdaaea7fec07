import Foundation
import HearthTestSupport

/// Fills a disk, deletes, compacts and goes on (testing.md, R7).
struct FullDisk {
  private static let kinds = [
    Disk.Kind(name: "tmpfs", system: "tmpfs", options: "", megabytes: 24),
    Disk.Kind(name: "ext4", system: "ext4", options: "", megabytes: 32),
  ]

  private let options: Options
  private var report: Report

  /// What is counted, as the children name it.
  private static let columns = [
    "filled", "refused", "deleted", "refused-deletes", "stuck", "compactions", "reads",
  ]

  private init(_ options: Options) {
    self.options = options
    report = Report("full-disk", options, noun: "cycles", kinds: [.lost, .torn])
    report.header = ["file system", "cycles"] + FullDisk.columns
  }

  /// Runs it.
  static func report(_ options: Options) async throws -> Report {
    var check = FullDisk(options)
    return try await check.run()
  }

  private mutating func run() async throws -> Report {
    let directory = try Workplace.directory(bytes: 100 << 20)
    for kind in FullDisk.kinds {
      if options.plant, !report.findings.isEmpty { break }
      do {
        let disk = try Disk(kind, in: "\(directory)/\(kind.name)")
        try disk.format()
        try disk.mount()
        defer { try? disk.unmount() }
        let cycles = options.plant ? 1 : options.cycles ?? 5
        let result = try await Supervision.run(
          [
            "full-disk", disk.path, "\(options.seed)", "\(cycles)",
            options.plant ? "planted" : "",
          ]
        ) { result in
          Progress.show("full-disk: \(kind.name), cycle \(result.cycles + 1) of \(cycles)")
        }
        report.cycles += result.cycles
        report.rows.append(
          [kind.name, "\(result.cycles)"]
            + FullDisk.columns.map { "\(result.counts[$0, default: 0])" })
        for finding in result.findings {
          report.find(finding.kind, "\(kind.name), cycle \(result.cycles): \(finding.text)")
        }
      } catch let reason as Disk.Unavailable {
        report.skipped.append("\(reason)")
      }
    }
    return report
  }
}
