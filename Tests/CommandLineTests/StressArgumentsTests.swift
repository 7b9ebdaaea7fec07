import Hearth
import HearthCommandLine
import Testing

/// What the command line takes, and how it refuses.
@Suite struct StressArgumentsTests {
  private static let usage: Int32 = 64

  @Test(arguments: [
    [], ["rating"], ["--tasks", "3"],
    ["ratings", "--tasks"], ["ratings", "--tasks", "0"], ["ratings", "--tasks", "many"],
    ["ratings", "--restaurants", "-1"], ["ratings", "--keys", "warm"],
    ["ratings", "--mode", "pessimistic"], ["ratings", "--durability", "forever"],
    ["ratings", "--seconds", "5", "--count", "5"], ["ratings", "--seconds", "0"],
    ["ratings", "--block-delay", "5"], ["ratings", "--block-delay", "ms"],
    ["ratings", "--block-delay", "-1ms"], ["ratings", "--block-delay", "61s"],
    ["ratings", "--delay-every", "5"], ["ratings", "--seed", "x"], ["ratings", "--taks", "5"],
    ["ratings", "--tasks", "5", "--tasks", "6"], ["ratings", "--json=yes"],
    ["ratings", "hot"], ["ratings", "--bars", "--tasks", "5"],
    ["ratings", "--bars", "--yardstick"],
  ])
  func `a command line that makes no sense ends with 64`(_ words: [String]) async {
    #expect(await HearthCommand.run(["stress"] + words) == Self.usage)
  }

  @Test func `the message of a refusal says what would be right`() throws {
    func message(_ words: String...) -> String {
      do throws(UsageError) {
        _ = try StressOptions(words: words)
        return "accepted"
      } catch {
        return error.text
      }
    }
    #expect(message("--taks", "5").contains("did you mean --tasks?"))
    #expect(message("--keys", "warm") == "--keys is one of uniform, zipf, hot, not 'warm'")
    #expect(
      message("--block-delay", "5")
        == "--block-delay takes a time of at most 60s, like 300ms, 50us or 1.5s, not '5'")
    #expect(message("--seconds", "1", "--count", "1") == "give either --seconds or --count")
    #expect(message("--bars", "--keys", "hot").contains("takes no --keys"))
  }

  @Test func `options become what they say`() throws {
    let options = try StressOptions(words: [
      "--restaurants", "7", "--tasks=9", "--count", "100", "--keys", "hot", "--mode", "turns",
      "--max-attempts", "2", "--block-delay", "1.5ms", "--delay-every", "10", "--durability",
      "relaxed", "--seed", "42", "--yardstick", "--json",
    ])
    #expect(options.restaurants == 7)
    #expect(options.tasks == 9)
    #expect(options.length == .ratings(100))
    #expect(options.keys == .hot)
    #expect(options.mode == .turns)
    #expect(options.maxAttempts == 2)
    #expect(options.delayNanoseconds == 1_500_000)
    #expect(options.delayEvery == 10)
    #expect(options.durability == .relaxed)
    #expect(options.seed == 42)
    #expect(options.hasYardstick && options.isJSON && !options.isBars)
    #expect(try StressOptions(words: []).length == .seconds(5))
  }

  @Test func `help is help`() async {
    #expect(await HearthCommand.run(["stress", "--help"]) == 0)
    #expect(await HearthCommand.run(["stress", "ratings", "--help"]) == 0)
    #expect(await HearthCommand.run(["help", "stress"]) == 0)
  }
}
