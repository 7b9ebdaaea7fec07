import Hearth
package import HearthEngine
package import HearthModel

/// An engine on a database of its own, in the mode without flushes, closed and removed when the
/// closure ends.
package func withEngine<R>(
  _ configure: (inout EngineOptions) -> Void = { _ in },
  _ body: (Engine) async throws -> R
) async throws -> R {
  try await withTemporaryDirectory { directory in
    var options = EngineOptions.test(path: directory + "/db")
    configure(&options)
    let engine = try Engine.open(options)
    do {
      let result = try await body(engine)
      await engine.close()
      return result
    } catch {
      await engine.close()
      throw error
    }
  }
}

extension EngineOptions {
  /// Options for a database that a test throws away.
  package static func test(path: String) -> EngineOptions {
    var options = EngineOptions(path: path, runtime: .system)
    options.durability = .none
    // Tests run side by side: hundreds of databases must share one address space.
    options.mapSize = 1 << 33
    // And a busy machine lets nobody run for a minute now and then.
    options.limits.totalNanoseconds = 3_600_000_000_000
    options.limits.idleNanoseconds = 3_600_000_000_000
    options.limits.snapshotNanoseconds = 3_600_000_000_000
    return options
  }
}

extension EngineOptions {
  /// Leases that do not end because the machine is busy, for tests of what holds within them.
  package mutating func holdLeases() {
    limits.turnLeaseNanoseconds = 60_000_000_000
    limits.gateLeaseNanoseconds = 60_000_000_000
  }
}

extension Write {
  /// Replaces a document's fields.
  package static func set(_ path: String, _ fields: Fields) throws -> Write {
    Write(
      document: try DocumentPath(path),
      operation: .update(fields: fields, mask: nil, transforms: []))
  }

  /// Sets some fields of a document that must exist.
  package static func update(_ path: String, _ fields: Fields) throws -> Write {
    Write(
      document: try DocumentPath(path),
      operation: .update(fields: fields, mask: fields.map { FieldPath([$0.name]) }, transforms: []),
      precondition: .exists(true))
  }

  /// Deletes a document.
  package static func delete(_ path: String) throws -> Write {
    Write(document: try DocumentPath(path), operation: .delete)
  }
}
