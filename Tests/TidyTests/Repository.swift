import Foundation
import Testing

/// The tree that is checked.
enum Repository {
  /// The root; `HEARTH_TIDY_ROOT` names another tree.
  static let root: URL =
    ProcessInfo.processInfo.environment["HEARTH_TIDY_ROOT"].map { URL(fileURLWithPath: $0) }
    ?? URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The Swift files of `Sources`, in path order.
  static let sources = swiftFiles(below: "Sources")

  /// The Markdown files of the root and of `Docs`.
  static let documents: [SourceText] = {
    let top = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return (top.filter { $0.hasSuffix(".md") }.sorted() + files(below: "Docs", ending: ".md"))
      .compactMap(read)
  }()

  /// The names of the directories in `Sources`.
  static let sourceTargets: [String] = {
    let entries =
      (try? FileManager.default.contentsOfDirectory(atPath: url("Sources").path)) ?? []
    return entries.filter { isDirectory("Sources/" + $0) }.sorted()
  }()

  static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: url(path).path)
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url(path).path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  private static func swiftFiles(below directory: String) -> [SourceText] {
    files(below: directory, ending: ".swift").compactMap(read)
  }

  private static func files(below directory: String, ending suffix: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: url(directory).path)?.allObjects ?? []
    return names.compactMap { $0 as? String }.filter { $0.hasSuffix(suffix) }.sorted()
      .map { directory + "/" + $0 }
  }

  private static func read(_ path: String) -> SourceText? {
    (try? String(contentsOf: url(path), encoding: .utf8)).map { SourceText(path: path, text: $0) }
  }
}

/// A permitted breach: which file, and why.
///
/// Every list of them is to get shorter.
struct Exception {
  let file: String
  let reason: String

  init(_ file: String, because reason: String) {
    self.file = file
    self.reason = reason
  }
}

extension [Exception] {
  /// Whether a path ends in one of the files.
  func allow(_ path: String) -> Bool { contains { path.hasSuffix($0.file) } }
}

/// Fails with file, line and what to do.
func report(_ file: SourceText, line: Int, _ remedy: String) {
  Issue.record("\(file.path):\(line): \(remedy)")
}
