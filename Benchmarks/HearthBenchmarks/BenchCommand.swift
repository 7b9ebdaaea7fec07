import Foundation
import Hearth
import HearthBenchmarkKit

/// `hearth-bench`: runs scenarios through the public API, each beside the same work in raw LMDB.
@main
struct BenchCommand {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    // main() lives on the main thread, and each hop from there to any actor costs 17 µs: measured
    // from here, everything would look slow.
    let code = await Task.detached { await run(words) }.value
    exit(code)
  }

  private static func run(_ words: [String]) async -> Int32 {
    let options: BenchOptions
    do throws(BenchUsageError) {
      options = try BenchOptions(words)
    } catch {
      say(error.text)
      return 64
    }
    if options.wantsHelp {
      print(BenchOptions.help)
      return 0
    }
    do {
      try await runScenarios(options)
      return 0
    } catch {
      say("hearth-bench: \(error)")
      return 1
    }
  }

  private static func runScenarios(_ options: BenchOptions) async throws {
    let chosen = Scenario.all.filter { options.filter.map($0.name.contains) ?? true }
    guard !chosen.isEmpty else {
      let names = Scenario.all.map(\.name).joined(separator: "\n  ")
      throw BenchError(text: "no scenario matches; there are\n  \(names)")
    }
    var report = BenchmarkReport(settings: options.settings)
    say(report.machine.description)
    say(options.settings.map { "\($0.name) \($0.value)" }.joined(separator: ", "))
    let bench = try await Bench.open(options)
    do {
      for scenario in chosen {
        say("… \(scenario.name)")
        report.add(try await scenario.run(on: bench))
      }
    } catch {
      await bench.close()
      throw error
    }
    await bench.close()
    say("")
    if options.isJSON {
      print(report.json.text)
    } else {
      for line in report.table.lines { print(line) }
      print("")
      for line in report.counterLines { print(line) }
      print("ratio: how many times as long as the same work in raw LMDB, in this same run")
    }
  }

  /// Progress and errors; standard output is for results.
  private static func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}

/// A failure of the benchmark itself.
struct BenchError: Error, CustomStringConvertible {
  var text: String
  var description: String { text }
}
