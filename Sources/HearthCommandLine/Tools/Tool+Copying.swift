import Foundation
import Hearth
import HearthBenchmarkKit

extension Tool {
  static let backup = Tool(
    name: "backup", operands: ["DB", "DIR"],
    text: """
      Copies a database into a new directory DIR, checks the copy, and only then
      gives it its name. A program that has the database open makes its backups
      itself: db.backUp(to:).
      """,
    options: [
      Option(name: "compacting", value: nil, help: "Leave out pages that hold nothing."), json,
    ]
  ) { run in
    let report = try await run.withDatabase {
      try await $0.backUp(
        to: ToolRun.file(run.other), compacting: run.arguments.has("compacting"),
        progress: run.showing("check"))
    }
    run.print(
      Console.standardOutput.style.good("Copied and checked."),
      [
        ("version", ToolRun.text(report.version)),
        ("documents", NumberText.grouped(report.documents)),
        ("index entries", NumberText.grouped(report.indexEntries)),
        ("size", ToolRun.size(report.bytes)),
      ],
      json: .object([
        ("version", .string(ToolRun.text(report.version))),
        ("documents", .integer(report.documents)), ("indexEntries", .integer(report.indexEntries)),
        ("bytes", .integer(report.bytes)),
      ]))
    return 0
  }

  static let compact = Tool(
    name: "compact", operands: ["DB"],
    text: """
      Gives the free pages of a database back to the system. A compact copy is made
      beside the file, checked, and takes the file's place in one step; there must be
      room for it.
      """,
    options: [json]
  ) { run in
    let report = try await Firestore.compact(at: run.database, progress: run.showing("check"))
    run.print(
      Console.standardOutput.style.good("Compacted."),
      [
        ("documents", NumberText.grouped(report.documents)),
        ("before", ToolRun.size(report.bytesBefore)), ("after", ToolRun.size(report.bytesAfter)),
      ],
      json: .object([
        ("documents", .integer(report.documents)), ("bytesBefore", .integer(report.bytesBefore)),
        ("bytesAfter", .integer(report.bytesAfter)),
      ]))
    return 0
  }
}
