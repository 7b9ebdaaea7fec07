import Testing

/// What a target may import.
///
/// A target missing here may not exist.
private struct Floor {
  let target: String
  /// Modules that any of its files may import.
  let imports: [String]
  /// Modules that only some files may import, and why.
  var exceptions: [(module: String, files: [Exception])] = []
}

/// SwiftPM does not keep these floors: a target can import whatever its dependencies depend on.
private let floors: [Floor] = [
  // Floor 0. Storage knows bytes, not documents; the model has no I/O, no clock, no actor.
  Floor(target: "CLMDB", imports: []),
  Floor(target: "HearthStorage", imports: ["CLMDB", "Glibc", "Darwin"]),
  Floor(
    target: "HearthModel", imports: [],
    exceptions: [
      (
        "Foundation",
        [
          Exception("Errors/HearthError.swift", because: "users catch errors as NSError"),
          Exception("Indexes/IndexDefinitionFile.swift", because: "it reads JSON"),
        ]
      )
    ]),
  // Floor 1. Encoding makes bytes and does not write them; a plan is testable without either.
  Floor(target: "HearthEncoding", imports: ["HearthModel"]),
  Floor(target: "HearthPlanner", imports: ["HearthModel"]),
  // Floor 2.
  Floor(
    target: "HearthEngine",
    imports: ["HearthModel", "HearthEncoding", "HearthPlanner", "HearthStorage"],
    exceptions: [
      ("Glibc", systemFiles), ("Darwin", systemFiles), ("Foundation", systemFiles),
      ("Dispatch", systemFiles),
    ]),
  // Floor 3. If the facade needed bytes or plans, the engine would lack a method.
  Floor(
    target: "Hearth",
    imports: ["HearthModel", "HearthEngine", "Foundation", "Dispatch", "Observation"]),
  // Floor 5. Tools use Hearth as its users do.
  Floor(
    target: "HearthCommandLine",
    imports: [
      "Hearth", "HearthDatasets", "HearthBenchmarkKit", "HearthYardstick", "Foundation",
      "Dispatch", "Synchronization", "Glibc", "Darwin",
    ]),
]

private let systemFiles = [
  Exception("SystemRuntime.swift", because: "clock, sleep and random bytes of a real run")
]

@Suite struct FloorsTests {
  @Test("Targets import only from floors below them")
  func imports() {
    for file in Repository.sources {
      guard let floor = floors.first(where: { $0.target == file.target }) else { continue }
      for (number, module) in imports(of: file) where !floor.imports.contains(module) {
        let exceptions = floor.exceptions.filter { $0.module == module }.flatMap(\.files)
        if exceptions.allow(file.path) { continue }
        report(
          file, line: number,
          "\(file.target) may not import \(module): move the code to a floor that may, or ask the "
            + "room that owns it for a method (Tests/TidyTests/FloorsTests.swift has the table).")
      }
    }
  }

  @Test("Every target has its floor")
  func everyTarget() {
    for target in Repository.sourceTargets where !floors.contains(where: { $0.target == target }) {
      Issue.record("Sources/\(target):1: add the target to the table in FloorsTests.swift.")
    }
  }

  private func imports(of file: SourceText) -> [(Int, module: String)] {
    let words = [
      "import", "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
      "public", "package", "internal", "fileprivate", "private",
    ]
    return file.codeLines.enumerated().compactMap { index, line in
      let parts = line.split(whereSeparator: { $0 == " " || $0 == "." })
      guard let start = parts.firstIndex(of: "import"),
        parts[..<start].allSatisfy({ $0.hasPrefix("@") || words.contains(String($0)) }),
        let module = parts[start...].first(where: { !words.contains(String($0)) })
      else { return nil }
      return (index + 1, String(module))
    }
  }
}
