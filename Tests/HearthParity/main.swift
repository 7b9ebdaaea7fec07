import Foundation
import HearthTestSupport

// Compares Hearth with the official Firestore emulator; see Docs/Testing.md.

let options: Options
do {
  options = try Options(Array(CommandLine.arguments.dropFirst()))
} catch {
  say((error as? Options.Wrong)?.text ?? "\(error)")
  exit(2)
}

do {
  let unexplained = try await withTemporaryDirectory(inMemory: true) { directory in
    try await Parity(options, directory).run()
  }
  exit(unexplained > 0 ? 1 : 0)
} catch let missing as Emulator.Missing {
  say("parity: skipped, since \(missing.reason).")
  exit(0)
} catch {
  say("parity: \(error)")
  exit(1)
}
