import Foundation

/// Mistakes made on purpose: a check that does not find them cannot be believed.
struct Plants {
  private let options: Options
  private let directory: String

  private static let planted: [(Options.Command, Plant, sample: Int)] = [
    (.crashStates, .ackBeforeCommit, 200),
    (.crashStates, .skipSync, 200),
    (.crashStates, .skipFsync, 2000),
    (.crashStates, .skipIndex, 100),
    (.ioFaults, .ackBeforeCommit, 80),
    (.ioFaults, .skipWrite, 10),
    (.ioFaults, .skipIndex, 10),
    (.ioFaults, .trap, 40),
    (.recovery, .ackBeforeCommit, 100),
    (.memory, .ackBeforeCommit, 30),
    (.memory, .trap, 20),
  ]

  init(_ options: Options, _ directory: String) {
    self.options = options
    self.directory = directory
  }

  /// Whether each was found.
  func run() throws -> Bool {
    var missed = 0
    for (command, plant, sample) in Plants.planted {
      var options = options
      (options.plant, options.sample, options.rounds) = (plant, sample, 24)
      let report = try Checks.report(command, options, directory)
      if report.total == 0 { missed += 1 }
      say(
        "planted \(plant.rawValue) in \(command.rawValue): "
          + (report.total > 0 ? "found, \(report.total) in \(report.checked)" : "MISSED"))
    }
    say("plants: \(Plants.planted.count) planted, \(missed) missed")
    return missed == 0
  }
}
