import Testing

/// A word that sources may not contain.
private struct ForbiddenWord {
  let name: String
  let pattern: String
  let remedy: String
  /// Targets it is forbidden in; empty means all.
  var targets: [String] = []
  var exceptions: [Exception] = []
  /// Whether comments are searched, too.
  var inComments = false
}

private let words = [
  ForbiddenWord(
    name: "try!", pattern: #"\btry!"#, remedy: "throw the error; a trap takes the process down."),
  ForbiddenWord(
    name: "as!", pattern: #"\bas!"#, remedy: "use `as?` and say what happens otherwise."),
  ForbiddenWord(
    name: "fatalError", pattern: #"\bfatalError\("#,
    remedy: "throw a HearthError; a library must not end its user's process."),
  ForbiddenWord(
    name: "print", pattern: #"(?<![\w.])(?<!func )print\("#,
    remedy: "a library does not write to standard output; return the text.",
    targets: libraries),
  ForbiddenWord(
    name: "unfinished", pattern: #"\b(FIXME|TODO)\b"#,
    remedy: "do it, or describe it in Docs; the tree has no reminders.", inComments: true),
  ForbiddenWord(
    name: "Date()", pattern: #"\bDate\(\)"#,
    remedy: "take the time from the engine's Runtime, so that simulations control it.",
    exceptions: [
      Exception("SystemRuntime.swift", because: "the clock of a real run"),
      Exception("Values/Timestamp+Foundation.swift", because: "Firestore has Timestamp() as now"),
    ]),
  ForbiddenWord(
    name: "system random",
    pattern: #"\bSystemRandomNumberGenerator\b|\.(random|shuffle|shuffled|randomElement)"#
      + #"\((?![^()\n]*(\([^()\n]*\)[^()\n]*)*using:)"#,
    remedy: "take random numbers from the engine's Runtime, so that runs can be repeated.",
    exceptions: [Exception("SystemRuntime.swift", because: "the random bytes of a real run")]),
  ForbiddenWord(
    name: "[String: Value]", pattern: #"\[\s*String\s*:\s*Value\s*\]"#,
    remedy: "use Fields: String keys merge names that differ in bytes."),
  ForbiddenWord(
    name: "unstructured concurrency",
    pattern: #"\bTask\s*[({]|\bTask\.detached\b|\bDispatchQueue\b|\bThread\b"#,
    remedy: "start tasks through the Runtime's spawn, so that simulations schedule them.",
    targets: ["HearthEngine"],
    exceptions: [
      Exception("SystemRuntime.swift", because: "the tasks and threads of a real run")
    ]),
]

/// All targets but the command line, which exists to print.
private let libraries = [
  "HearthStorage", "HearthModel", "HearthEncoding", "HearthPlanner", "HearthEngine", "Hearth",
]

@Suite struct WordsTests {
  @Test("Forbidden words", arguments: words.indices)
  private func forbidden(_ index: Int) {
    let word = words[index]
    for file in Repository.sources where !word.exceptions.allow(file.path) {
      if !word.targets.isEmpty, !word.targets.contains(file.target) { continue }
      let part = word.inComments ? file.text : file.code
      for line in file.lineNumbers(of: word.pattern, in: part) {
        report(file, line: line, "\(word.name): \(word.remedy)")
      }
    }
  }
}
