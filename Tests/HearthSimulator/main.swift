import Foundation
import HearthTestSupport
import SimulatedWorlds

// Runs simulated worlds; see Docs/Testing.md.

let arguments: Arguments
do {
  arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
} catch {
  say((error as? Arguments.Wrong)?.text ?? "\(error)")
  exit(2)
}

if let seed = arguments.seed {
  let kind = arguments.kind ?? SimulatedWorld.kind(of: seed)
  let report = kind.report(seed: seed)
  report.summary.forEach { say($0) }
  say(
    "world \(seed) (\(kind)): \(report.simulated.steps) steps, \(report.runs.count) transactions, "
      + "\(report.findings.count) findings")
  report.findings.forEach { say("  \($0)") }
  exit(report.findings.isEmpty ? 0 : 1)
}

exit(Fleet(arguments).run() ? 0 : 1)
