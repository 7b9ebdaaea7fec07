import Foundation
import HearthEngine
import HearthModel
import HearthTestSupport

import Hearth

/// Hearth, through its engine's door.
struct HearthSide: Side {
  /// The times that servers may give during this run.
  let run: ClosedRange<Int64>
  private let directory: String
  private var engine: Engine?
  private var commits = Commits<CommitVersion>()
  private var databases = 0
  /// The token of the last error, and what it said.
  private(set) var reason = ""
  private(set) var message = ""
  /// How many indexes were made because a query asked for them.
  private(set) var indexes = 0

  init(directory: String, run: ClosedRange<Int64>) {
    self.directory = directory
    self.run = run
  }

  mutating func reset() async throws {
    try await close()
    databases += 1
    engine = try Engine.open(.test(path: "\(directory)/\(databases)"))
    commits = Commits()
  }

  mutating func close() async throws {
    guard let engine else { return }
    await engine.close()
    try FileManager.default.removeItem(atPath: "\(directory)/\(databases)")
    self.engine = nil
  }

  mutating func ask(_ request: Request) async throws -> Answer {
    if engine == nil { try await reset() }
    guard let engine else { return .failure("CLOSED") }
    do throws(HearthError) {
      switch request {
      case .commit(let writes): return try await commit(writes, engine)
      case .read(let paths):
        var documents: [DocumentAnswer?] = []
        for path in paths { documents.append(try answer(try engine.get(path).document)) }
        return .documents(documents)
      case .query(let query):
        let result = try await withIndexes(engine) { () throws(HearthError) in
          try engine.run(query)
        }
        var documents: [DocumentAnswer?] = []
        for document in result.documents { documents.append(try answer(document)) }
        return .documents(documents)
      case .aggregate(let query, let aggregations):
        let result = try await withIndexes(engine) { () throws(HearthError) in
          try engine.aggregate(query, aggregations)
        }
        return .aggregates(
          result.values.map { AggregateAnswer(alias: $0.alias, value: $0.value) })
      }
    } catch {
      reason = error.reason
      message = error.message
      return .failure(error.status.name)
    }
  }

  private mutating func commit(
    _ writes: [Write], _ engine: Engine
  ) async throws(HearthError) -> Answer {
    let result = try await engine.commit(
      writes.map { write in
        guard case .updateTime(let number)? = write.precondition else { return write }
        var write = write
        // A time that no commit has, if there is none with the number.
        let never = CommitVersion(microseconds: 1)
        write.precondition = .updateVersion(commits.time(Int(number.microseconds)) ?? never)
        return write
      })
    commits.add(result.version)
    return .commit(
      result.results.map { result in
        WriteAnswer(
          updated: result.updateVersion.map { commits.number($0) },
          transformResults: result.transformResults.map { $0.withoutServerTimes(run) })
      })
  }

  private func answer(_ document: StoredDocument?) throws(HearthError) -> DocumentAnswer? {
    guard let document else { return nil }
    return DocumentAnswer(
      path: document.path, created: commits.number(document.createVersion),
      updated: commits.number(document.updateVersion),
      fields: try document.fields().withoutServerTimes(run))
  }

  /// Asks, making the indexes that are asked for, exactly as they are suggested.
  private mutating func withIndexes<R>(
    _ engine: Engine, _ ask: () throws(HearthError) -> R
  ) async throws(HearthError) -> R {
    while true {
      do throws(HearthError) {
        return try ask()
      } catch {
        guard case .missingIndex(let missing)? = error.details else { throw error }
        indexes += 1
        let before = engine.indexConfiguration
        if missing.definition.isSingleField {
          // What the error says to put into the file.
          let file = "{ \"fieldOverrides\": [\(missing.json)] }"
          try await engine.applyIndexFile(Array(file.utf8))
        } else {
          try await engine.createIndex(missing.definition)
        }
        // One that changes nothing would be asked for again and again.
        if engine.indexConfiguration == before { throw error }
      }
    }
  }

  /// What the documents at these paths hold, to make them again.
  func fields(_ paths: [DocumentPath]) throws -> [Document] {
    try paths.compactMap { try engine?.get($0).document?.document() }
  }
}
