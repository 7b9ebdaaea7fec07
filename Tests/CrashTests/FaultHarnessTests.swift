import Foundation
import HearthTestSupport
import Testing

/// Single findings of `hearth-faults`, which `make test` runs as a sample besides.
@Suite(.serialized) struct FaultHarnessTests {
  /// LMDB takes the last write of a failed commit back, or cannot; neither need reach the disk,
  /// where the next commits then overwrote pages of the commit that was given up.
  @Test(arguments: ["failed flush", "failed meta", "lasting meta"])
  func `a power loss after a failed flush finds all that was answered and seen`(
    run: String
  ) async throws {
    let seed = testSeed("fault harness")
    let executable = try #require(builtProduct("hearth-faults"))
    let arguments = ["crash-states", "--run", run, "--rounds", "10", "--traces", "1"]
    let (output, ending) = try await blocking {
      let child = try ChildProcess(executable, arguments + ["--seed", "\(seed)"])
      let output = String(decoding: child.readToEnd(), as: UTF8.self)
      return (output, child.wait())
    }
    // Where nothing can be preloaded, it says so.
    if output.contains("skipped") { print(output) }
    #expect(ending == .exit(0), "\(output)")
  }
}
