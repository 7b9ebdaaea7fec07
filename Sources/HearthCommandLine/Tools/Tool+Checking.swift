import Foundation
import Hearth
import HearthBenchmarkKit

extension Tool {
  static let verify = Tool(
    name: "verify", operands: ["DB"],
    text: """
      Checks every document's record and index entries, and that there are no other
      entries. Says what is wrong, and exits with 2 if anything is.
      """,
    options: [json]
  ) { run in
    let report = try await run.withDatabase { try await $0.verify(progress: run.showing("verify")) }
    let style = Console.standardOutput.style
    let sentence =
      report.findings.isEmpty
      ? style.good("No findings.")
      : style.bad("\(report.findings.count) findings.")
    run.print(
      sentence,
      [
        ("collections", NumberText.grouped(report.collections)),
        ("documents", NumberText.grouped(report.documents)),
        ("index entries", NumberText.grouped(report.indexEntries)),
      ],
      json: .object([
        ("collections", .integer(report.collections)), ("documents", .integer(report.documents)),
        ("indexEntries", .integer(report.indexEntries)),
        ("findings", .array(report.findings.map { .string($0) })),
      ]))
    if !run.isJSON {
      for finding in report.findings { Console.standardOutput.line("  \(finding)") }
    }
    return report.findings.isEmpty ? 0 : ToolRun.findings
  }

  static let stat = Tool(
    name: "stat", operands: ["DB"],
    text: """
      Prints the size of a database's file, how much of it is used and free, its
      tables, and who reads it.
      """,
    options: [json]
  ) { run in
    let found = try await run.withDatabase { try $0.storageStatistics() }
    let rows: [(String, String)] =
      [
        ("storage format", "\(found.formatVersion)"),
        ("newest version", ToolRun.text(found.version)),
        ("file", ToolRun.size(found.fileBytes)), ("used", ToolRun.size(found.usedBytes)),
        ("free", ToolRun.size(found.freeBytes)), ("map", ToolRun.size(found.mapBytes)),
        ("page", ToolRun.size(found.pageBytes)), ("reads under way", "\(found.activeReaders)"),
        ("oldest lags behind", "\(found.oldestReaderLag) commits"),
      ]
      + found.tables.map {
        (
          "table \($0.name)",
          "\(NumberText.grouped($0.entries)) records, \(ToolRun.size($0.bytes)), depth \($0.depth)"
        )
      }
    run.print(
      "", rows,
      json: .object([
        ("formatVersion", .integer(found.formatVersion)),
        ("version", .string(ToolRun.text(found.version))),
        ("fileBytes", .integer(found.fileBytes)), ("usedBytes", .integer(found.usedBytes)),
        ("freeBytes", .integer(found.freeBytes)), ("mapBytes", .integer(found.mapBytes)),
        ("pageBytes", .integer(found.pageBytes)),
        ("activeReaders", .integer(found.activeReaders)),
        ("oldestReaderLag", .integer(found.oldestReaderLag)),
        (
          "tables",
          .object(
            found.tables.map {
              (
                $0.name,
                .object([
                  ("entries", .integer($0.entries)), ("bytes", .integer($0.bytes)),
                  ("depth", .integer($0.depth)),
                ])
              )
            })
        ),
      ]))
    return 0
  }
}
