import Foundation
import HearthTestSupport

/// The commands, in a directory of their own that is kept in memory where there is room for that.
struct Checks {
  let options: Options

  init(_ options: Options) { self.options = options }

  /// Whether all is well.
  func run() throws -> Bool {
    let memory = "/dev/shm"
    let base =
      FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    let directory = "\(base)/hearth-faults-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: directory) }
    switch options.command {
    case .plants: return try Plants(options, directory).run()
    case .sample: return try sample(directory)
    default:
      let report = try Checks.report(options.command, options, directory)
      report.show(options)
      return report.total == 0
    }
  }

  static func report(
    _ command: Options.Command, _ options: Options, _ directory: String
  ) throws -> Report {
    let start = DispatchTime.now().uptimeNanoseconds
    let place = "\(directory)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: place) }
    var report =
      switch command {
      case .crashStates: try CrashStates(options, place).run()
      case .ioFaults: try FaultCheck(options, place, FaultPoint.fileGroups).run()
      case .recovery: try FaultCheck(options, place, FaultPoint.groups, recovers: true).run()
      default: try FaultCheck(options, place, ["malloc"]).run()
      }
    report.seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    return report
  }

  /// Some of everything, for every run of the tests.
  private func sample(_ directory: String) throws -> Bool {
    var isWell = true
    let sizes: [(Options.Command, Int)] = [
      (.crashStates, 900), (.ioFaults, 350), (.recovery, 150), (.memory, 150),
    ]
    for (command, size) in sizes {
      var options = options
      options.sample = size
      options.rounds = 24
      let report = try Checks.report(command, options, directory)
      report.show(options)
      if report.total > 0 { isWell = false }
    }
    let plants = try Plants(options, directory).run()
    return isWell && plants
  }
}
