import Foundation
import Hearth
import HearthBenchmarkKit

extension Tool {
  static let export = Tool(
    name: "export", operands: ["DB", "FILE|-"],
    text: """
      Writes all documents, indexes and field overrides as lines of JSON into a new
      file, or to standard output (-). 'hearth import' makes a database of it.
      """,
    options: [
      Option(name: "json", value: nil, help: "Print the result as JSON (not with -).")
    ]
  ) { run in
    let isStandard = run.other == "-"
    if isStandard, run.isJSON {
      throw UsageError(text: "--json would mix with the export on standard output")
    }
    let report = try await run.withDatabase {
      isStandard
        ? try await $0.export(to: FileHandle.standardOutput, progress: run.showing("export"))
        : try await $0.export(to: ToolRun.file(run.other), progress: run.showing("export"))
    }
    run.endProgress()
    if isStandard { return 0 }
    run.print(
      Console.standardOutput.style.good("Exported."),
      rows(report.version, report.documents, report.indexes, report.overrides),
      json: json(report.version, report.documents, report.indexes, report.overrides))
    return 0
  }

  static let importing = Tool(
    name: "import", operands: ["DB", "FILE|-"],
    text: """
      Makes a database DB of an export, or of plain JSON objects, one a line, from a
      file or from standard input (-). Where there is no DB yet, it appears when all is
      in it, or not at all. A DB that is there must be empty, unless --merge is given;
      documents are then committed some hundred at a time.
      """,
    options: [
      Option(name: "merge", value: nil, help: "Replace documents of the same paths, keep others."),
      Option(
        name: "collection", value: "PATH", help: "The lines are objects for this collection."),
      Option(
        name: "id", value: "FIELD", help: "The field that is the document's id (else new ids)."
      ),
      json,
    ]
  ) { run in
    let collection = run.arguments.text("collection")
    if collection == nil, run.arguments.text("id") != nil {
      throw UsageError(text: "--id goes with --collection; an export has its own ids")
    }
    let format =
      collection.map { ImportFormat.objects(collection: $0, id: run.arguments.text("id")) }
      ?? .export
    let report = try await importing(run, format)
    run.print(
      Console.standardOutput.style.good("Imported."),
      rows(report.version, report.documents, report.indexes, report.overrides),
      json: json(report.version, report.documents, report.indexes, report.overrides))
    return 0
  }

  private static func importing(
    _ run: ToolRun, _ format: ImportFormat
  ) async throws -> ImportReport {
    let isStandard = run.other == "-"
    let file = ToolRun.file(run.other)
    let merges = run.arguments.has("merge")
    let progress = run.showing("import")
    // An empty directory is no database yet.
    let isThere = FileManager.default.fileExists(
      atPath: run.database.appending(path: "data.mdb").path(percentEncoded: false))
    guard isThere else {
      return isStandard
        ? try await Firestore.importDatabase(
          at: run.database, from: FileHandle.standardInput, format: format, progress: progress)
        : try await Firestore.importDatabase(
          at: run.database, from: file, format: format, progress: progress)
    }
    return try await run.withDatabase {
      isStandard
        ? try await $0.import(
          from: FileHandle.standardInput, format: format, merge: merges, progress: progress)
        : try await $0.import(from: file, format: format, merge: merges, progress: progress)
    }
  }

  private static func rows(
    _ version: Timestamp, _ documents: Int, _ indexes: Int, _ overrides: Int
  ) -> [(String, String)] {
    [
      ("version", ToolRun.text(version)), ("documents", NumberText.grouped(documents)),
      ("indexes", "\(indexes)"), ("field overrides", "\(overrides)"),
    ]
  }

  private static func json(
    _ version: Timestamp, _ documents: Int, _ indexes: Int, _ overrides: Int
  ) -> JSONText {
    .object([
      ("version", .string(ToolRun.text(version))), ("documents", .integer(documents)),
      ("indexes", .integer(indexes)), ("overrides", .integer(overrides)),
    ])
  }
}
