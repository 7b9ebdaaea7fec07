import Foundation

// Checks against real disks: lost power, no room, damaged bytes, a growing map; see
// Docs/Testing.md.

// Parents start this program again as the process that is allowed to die.
if let status = await runChild(Array(CommandLine.arguments.dropFirst())) { exit(status) }

let options: Options
do {
  options = try Options(Array(CommandLine.arguments.dropFirst()))
} catch {
  say((error as? Options.Wrong)?.text ?? "\(error)")
  exit(2)
}

let signals = Workplace.cleanUpOnSignals()
let isGood = await Run(options).all()
Workplace.cleanUp()
signals.forEach { $0.cancel() }
exit(isGood ? 0 : 1)
