import Foundation
import HearthTestSupport

// Fails, records and replays what the storage asks of the system; see Docs/Testing.md.

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments == ["zygote"] { Zygote.serve() }

do {
  let options = try Options(arguments)
  if let obstacle = Shim.obstacle {
    say("hearth-faults: skipped, since \(obstacle).")
    exit(0)
  }
  exit(try Checks(options).run() ? 0 : 1)
} catch {
  say((error as? Options.Wrong)?.text ?? "hearth-faults: \(error)")
  exit(2)
}
