import Foundation
import Hearth
import HearthTestSupport
import Testing

/// The `hearth` command as people run it: what it prints, and how it ends.
@Suite(.serialized) struct ToolTests {
  private struct Outcome {
    var code: Int32
    var output: String
    var errors: String

    /// The JSON object on standard output.
    var json: [String: Any] {
      get throws {
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8))
        return object as? [String: Any] ?? [:]
      }
    }
  }

  private func hearth(_ arguments: [String], input: String = "") async throws -> Outcome {
    let executable = try #require(builtProduct("hearth"))
    return try await blocking {
      let files = try (0..<3).map { _ in
        let path = NSTemporaryDirectory() + "hearth-tool-" + UUID().uuidString
        try Data().write(to: URL(filePath: path))
        return path
      }
      defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
      try Data(input.utf8).write(to: URL(filePath: files[0]))
      let process = Process()
      process.executableURL = URL(filePath: executable)
      process.arguments = arguments
      process.standardInput = FileHandle(forReadingAtPath: files[0])
      process.standardOutput = FileHandle(forWritingAtPath: files[1])
      process.standardError = FileHandle(forWritingAtPath: files[2])
      try process.run()
      process.waitUntilExit()
      func text(_ number: Int) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: files[number])), as: UTF8.self)
      }
      return Outcome(
        code: process.terminationStatus, output: try text(1), errors: try text(2))
    }
  }

  private func makeDatabase(_ path: String) async throws {
    let database = try await Firestore.open(at: URL(filePath: path))
    for number in 0..<20 {
      try await database.document("cities/c\(number)").setData(["n": number, "x": 0.5])
    }
    try await database.close()
  }

  @Test func `verify, stat, backup and compact do what they say`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/db"
      try await makeDatabase(path)
      let verified = try await hearth(["verify", path])
      #expect(verified.code == 0 && verified.errors == "")
      #expect(verified.output.contains("No findings.") && !verified.output.contains("\u{1b}"))
      let json = try await hearth(["verify", "--json", path]).json
      #expect(json["documents"] as? Int == 20 && (json["findings"] as? [Any])?.isEmpty == true)
      let stat = try await hearth(["stat", path, "--json"]).json
      #expect((stat["fileBytes"] as? Int ?? 0) > 0)
      let tables = stat["tables"] as? [String: [String: Int]]
      #expect(tables?["documents"]?["entries"] == 20)
      #expect(try await hearth(["stat", path]).output.contains("table documents"))

      let copy = try await hearth(["backup", path, directory + "/copy", "--compacting"])
      #expect(copy.code == 0 && copy.output.contains("Copied and checked."))
      #expect(try await hearth(["verify", directory + "/copy"]).code == 0)
      let again = try await hearth(["backup", path, directory + "/copy"])
      #expect(again.code == 1 && again.errors.contains("TARGET_EXISTS"))
      let compacted = try await hearth(["compact", path, "--json"])
      #expect(compacted.code == 0)
      #expect(try compacted.json["documents"] as? Int == 20)
    }
  }

  @Test func `an export goes through a pipe into a new database`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/db"
      try await makeDatabase(path)
      let text = try await hearth(["export", path, "-"])
      #expect(text.code == 0 && text.errors == "")
      let imported = try await hearth(["import", directory + "/copy", "-"], input: text.output)
      #expect(imported.code == 0)
      #expect(try await hearth(["export", directory + "/copy", "-"]).output == text.output)

      let file = directory + "/export.ndjson"
      #expect(try await hearth(["export", path, file]).code == 0)
      #expect(try await hearth(["export", path, file]).errors.contains("TARGET_EXISTS"))
      let full = try await hearth(["import", directory + "/copy", file])
      #expect(full.code == 1 && full.errors.contains("IMPORT_NOT_EMPTY"))
      let merged = try await hearth(["import", directory + "/copy", file, "--merge", "--json"])
      #expect(merged.code == 0)
      #expect(try merged.json["documents"] as? Int == 20)

      let cut = String(text.output.dropLast(30))
      let refused = try await hearth(["import", directory + "/new", "-"], input: cut)
      #expect(refused.code == 1 && refused.errors.contains("Line 22 of the import"))
      #expect(!FileManager.default.fileExists(atPath: directory + "/new"))
    }
  }

  @Test func `plain objects are imported into a collection`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/db"
      let rows = "{\"code\":\"a\",\"n\":1}\n{\"code\":\"b\",\"n\":2.0}\n"
      let made = try await hearth(
        ["import", path, "-", "--collection", "c", "--id=code"], input: rows)
      #expect(made.code == 0 && made.output.contains("Imported."))
      let bad = try await hearth(
        ["import", path, "-", "--collection", "c", "--id=code", "--merge"],
        input: "{\"code\":\"c\"}\n{\"n\":1}\n")
      #expect(bad.code == 1 && bad.errors.contains("Line 2 of the import"))
      let database = try await Firestore.open(at: URL(filePath: path))
      let documents = try await database.collection("c").getDocuments().documents
      #expect(documents.map(\.documentID) == ["a", "b"])
      #expect(documents.map { $0.fields } == [["n": .integer(1)], ["n": .double(2)]])
      try await database.close()
    }
  }

  @Test func `a wrong command line says what is wrong`() async throws {
    try await withTemporaryDirectory { directory in
      for (arguments, says) in [
        (["verify"], "DB is missing"), (["export", "db"], "FILE|- is missing"),
        (["verify", "a", "b"], "unexpected argument 'b'"), (["stat", "a", "--jso"], "--json?"),
        (["verfy", "a"], "'verify'?"), (["import", "a", "-", "--id", "x"], "--collection"),
        (["export", "a", "-", "--json"], "--json"),
      ] {
        let outcome = try await hearth(arguments)
        #expect(outcome.code == 64 && outcome.errors.contains(says), "\(outcome.errors)")
      }
      for name in ["verify", "stat", "backup", "compact", "export", "import"] {
        let help = try await hearth(["help", name])
        #expect(help.code == 0 && help.output.contains("hearth \(name) DB"))
        #expect(try await hearth([name, "--help"]).output == help.output)
        // A tool makes no database by accident.
        if name == "import" { continue }
        let operands = ["backup", "export"].contains(name) ? [directory + "/x"] : []
        let missing = try await hearth([name, directory + "/none"] + operands)
        #expect(missing.code == 1 && missing.errors.contains("DATABASE_NOT_FOUND"))
        #expect(!FileManager.default.fileExists(atPath: directory + "/none"))
      }
    }
  }

  @Test func `BR-119, BR-134: a database that another process has open is refused`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/db"
      try await makeDatabase(path)
      let database = try await Firestore.open(at: URL(filePath: path))
      for name in ["verify", "stat", "compact"] {
        let outcome = try await hearth([name, path])
        #expect(outcome.code == 1 && outcome.errors.contains("DATABASE_IN_USE"))
        #expect(outcome.errors.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
      }
      try await database.close()
      #expect(try await hearth(["verify", path]).code == 0)
    }
  }
}
