import Foundation

/// One run from beginning to end.
struct Parity {
  private let options: Options
  private let directory: String
  private var report = Report()

  init(_ options: Options, _ directory: String) {
    self.options = options
    self.directory = directory
  }

  /// How many differences of one run are printed.
  private static let mostShown = 20

  /// The number of unexplained differences.
  func run() async throws -> Int {
    let signals = tidyUpWhenInterrupted()
    defer { signals.forEach { $0.cancel() } }
    let emulator = try Emulator(log: directory + "/emulator.log")
    defer { emulator.stop() }
    var copy = self
    return try await copy.compare(emulator)
  }

  /// Leaves no files when told to end; the emulator's keeper notices by itself.
  private func tidyUpWhenInterrupted() -> [any DispatchSourceSignal] {
    let directory = directory
    return [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        try? FileManager.default.removeItem(atPath: directory)
        exit(128 + number)
      }
      source.resume()
      return source
    }
  }

  private mutating func compare(_ emulator: Emulator) async throws -> Int {
    let begin = DispatchTime.now().uptimeNanoseconds
    let now = Int64(Date.now.timeIntervalSince1970)
    let run = (now - 86400)...(now + 86400)
    var comparison = Comparison(
      hearth: HearthSide(directory: directory, run: run),
      emulator: EmulatorSide(port: emulator.port, run: run))
    var worlds = 0
    var findings = 0
    func seconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9 }
    while worlds < options.worlds, comparison.total < options.count, seconds() < options.seconds,
      findings < Parity.mostShown
    {
      var program = Program(seed: options.seed &+ UInt64(worlds))
      worlds += 1
      let found = try await program.run(&comparison) {
        report.progress($0, worlds: worlds, findings: findings)
      }
      findings += found.count
      for finding in found {
        report.endProgress()
        var shrinking = Shrinking()
        let small = try await shrinking.shrink(finding, &comparison)
        report.show(small ?? finding, isShrunk: small != nil, comparison.emulator)
      }
    }
    try await comparison.hearth.close()
    report.endProgress()
    report.summary(comparison, worlds: worlds, seed: options.seed, seconds: seconds())
    if options.json {
      report.json(comparison, worlds: worlds, seed: options.seed, findings: findings)
    }
    say("\(comparison.total) compared, \(findings) unexplained")
    return findings
  }
}
