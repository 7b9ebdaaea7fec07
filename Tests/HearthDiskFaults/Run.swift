import Foundation

/// Runs one check or the sample of all, and judges.
struct Run {
  let options: Options

  init(_ options: Options) { self.options = options }

  /// Whether nothing was found, or with a planted fault, whether it was.
  func all() async -> Bool {
    if options.harness != "sample" { return await one(options) }
    var isGood = true
    for (harness, cycles) in Run.sample {
      for plant in [false, true] {
        var single = options
        single.harness = harness
        single.plant = plant
        single.cycles = plant ? nil : cycles
        isGood = await one(single) && isGood
      }
    }
    return isGood
  }

  /// How much of each is in the sample.
  ///
  /// Bit rot is not: once in some thousand damages it finds a header whose refusal has another name
  /// than it should. `DamageTests` is its sample.
  private static let sample = [
    ("power-cut", 2), ("full-disk", 1), ("map-growth", 7),
  ]

  private func one(_ options: Options) async -> Bool {
    let started = DispatchTime.now().uptimeNanoseconds
    let plant = options.plant ? " --plant" : ""
    say("\(options.harness)\(plant): seed \(options.seed)")
    var report: Report
    do {
      report = try await Run.report(options)
    } catch {
      Progress.end()
      say("\(options.harness): \(error)")
      return false
    }
    report.print(json: options.json)
    let seconds = (DispatchTime.now().uptimeNanoseconds - started) / 1_000_000_000
    if !report.findings.isEmpty, !options.plant {
      say("again: hearth-disk-faults \(options.harness) --seed \(options.seed)")
    }
    // Nothing ran: that is said above, and no finding.
    if report.cycles == 0, !report.skipped.isEmpty { return true }
    if options.plant {
      let isFound = !report.findings.isEmpty
      say("the planted fault was \(isFound ? "found" : "NOT FOUND") (\(seconds) s)")
      say(report.summary)
      return isFound
    }
    say("\(options.harness): \(seconds) s")
    say(report.summary)
    return report.findings.isEmpty
  }

  private static func report(_ options: Options) async throws -> Report {
    switch options.harness {
    case "power-cut": try await PowerCut.report(options)
    case "full-disk": try await FullDisk.report(options)
    case "bit-rot": try await BitRot.report(options)
    default: try await MapGrowth.report(options)
    }
  }
}

/// What a process does that a parent started; nil if this is none.
func runChild(_ arguments: [String]) async -> Int32? {
  guard arguments.first == "child", arguments.count >= 3 else { return nil }
  let rest = Array(arguments.dropFirst(2))
  do {
    switch arguments[1] {
    case "write": try await writeUntilKilled(rest)
    case "compact": try await compactUntilKilled(rest)
    case "full-disk": try await FullDiskChild(rest).run()
    case "bit-rot": try await readDamages(rest)
    case "map-growth": try await MapGrowthChild(rest).run()
    default: return 2
    }
    return 0
  } catch {
    say("finding failure the child ended with \(error)")
    return 3
  }
}
