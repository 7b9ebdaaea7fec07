import HearthEncoding
import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// Exports and imports: what goes out comes back, and what is not whole is refused.
@Suite struct TransferTests {
  private func export(_ engine: Engine) throws -> [UInt8] {
    var text: [UInt8] = []
    _ = try engine.export(Operation()) { text += $0 }
    return text
  }

  /// The text in pieces of odd sizes.
  private func pieces(_ text: [UInt8], of size: Int = 1 << 16) -> () throws -> [UInt8]? {
    var position = 0
    return {
      guard position < text.count else { return nil }
      let end = min(position + size, text.count)
      defer { position = end }
      return Array(text[position..<end])
    }
  }

  private func importing(
    _ text: [UInt8], _ form: ImportForm = .export, pieceSize: Int = 1 << 16,
    _ body: (Engine) async throws -> Void = { _ in }
  ) async throws {
    try await withTemporaryDirectory { directory in
      var options = EngineOptions.test(path: directory + "/copy")
      do {
        _ = try Engine.importNew(
          options, form, Operation(), read: pieces(text, of: pieceSize))
      } catch {
        // A refused import leaves nothing at all.
        options.createIfMissing = false
        let reason = #expect(throws: HearthError.self) { try Engine.open(options) }?.reason
        #expect(reason == "DATABASE_NOT_FOUND")
        throw error
      }
      let engine = try Engine.open(options)
      do {
        try await body(engine)
        let report = try engine.checkConsistency()
        #expect(report.findings == [])
        await engine.close()
      } catch {
        await engine.close()
        throw error
      }
    }
  }

  /// A database with everything that can be exported.
  private func fill(_ engine: Engine, _ random: inout RandomValues, documents: Int) async throws {
    try await engine.createIndex(
      IndexDefinition(
        collectionID: "a",
        fields: [
          IndexField(FieldPath(["a.b"]), .ascending), IndexField(FieldPath(["`"]), .descending),
        ]))
    try await engine.createIndex(
      IndexDefinition(
        collectionID: "c", scope: .collectionGroup,
        fields: [IndexField(FieldPath(["é"]), .contains), IndexField(FieldPath(["a"]), .ascending)])
    )
    try await engine.setOverride(
      collectionID: "b", path: FieldPath(["e\u{301}"]), indexes: [])
    try await engine.setOverride(
      collectionID: "c", path: nil,
      indexes: [SingleFieldIndex(mode: .ascending, scope: .collectionGroup)])
    for _ in 0..<documents {
      let fields = random.fields(names: (0..<5).map { _ in random.name() }, depth: 3)
      let write = Write(
        document: random.documentPath(),
        operation: random.generator.oneIn(9)
          ? .delete : .update(fields: fields, mask: nil, transforms: []))
      _ = try await engine.commit([write])
    }
  }

  @Test func `an export that was imported exports the same bytes`() async throws {
    let seed = testSeed("transfer")
    for round in 0..<UInt64(4 * soakFactor) {
      var random = RandomValues(seed: seed &+ round)
      try await withEngine { engine in
        try await fill(engine, &random, documents: 150)
        let text = try export(engine)
        let head = try engine.headVersion()
        let size = Int.random(in: 1...3000, using: &random.generator)
        try await importing(text, pieceSize: size) { copy in
          #expect(try export(copy) == text)
          #expect(try copy.headVersion() == head)
          #expect(copy.indexConfiguration == engine.indexConfiguration)
          #expect(
            try copy.storageSnapshot().tables.map(\.entries).dropFirst()
              == engine.storageSnapshot().tables.map(\.entries).dropFirst())
          // Life goes on from there.
          let next = try await copy.commit([.set("a/new", ["x": .integer(1)])])
          #expect(next.version > head)
        }
      }
    }
  }

  @Test func `an empty database is exported and imported`() async throws {
    try await withEngine { engine in
      let text = try export(engine)
      try await importing(text) { copy in
        let again = try export(copy)
        #expect(again == text)
      }
    }
  }

  @Test func `long names and documents at the limit come through`() async throws {
    try await withEngine { engine in
      let deep = String(repeating: "x", count: 1000)
      let path = "long/\(deep)/c/\(deep)/d/\(deep)"
      let names = (0..<200).map { ("\(String(repeating: "n", count: 900))\($0)", Value.null) }
      _ = try await engine.commit([
        .set(path, ["s": .string(String(repeating: "\u{1}", count: 700_000))]),
        .set("long/b", Fields(names)),
        .set("long/c", ["v": .vector(VectorValue((0..<2048).map { Double($0) / 3 }))]),
      ])
      let text = try export(engine)
      try await importing(text, pieceSize: 100_000) { copy in
        let again = try export(copy)
        #expect(again == text)
      }
    }
  }

  @Test func `an export under commits equals one version`() async throws {
    try await withEngine { engine in
      let documents = 40
      func writes(_ n: Int) throws -> [Write] {
        try (0..<documents).map { try .set("c\($0 % 3)/\($0)", ["n": .integer(Int64(n))]) }
      }
      var numbers = [try await engine.commit(writes(0)).version: 0]
      let isDone = Lock(false)
      async let written: [CommitVersion: Int] = {
        var numbers: [CommitVersion: Int] = [:]
        var n = 0
        while !isDone.withLock({ $0 }) {
          n += 1
          numbers[try await engine.commit(writes(n)).version] = n
        }
        return numbers
      }()
      var seen: [(CommitVersion, [UInt8])] = []
      for _ in 0..<20 {
        var text: [UInt8] = []
        let report = try engine.export(Operation()) { text += $0 }
        seen.append((report.version, text))
        await engine.waitForSubmittedWrites()
      }
      isDone.withLock { $0 = true }
      numbers.merge(try await written) { $1 }
      for (version, text) in seen {
        let lines = text.split(separator: UInt8(ascii: "\n")).map { Array($0) }
        #expect(lines.count == documents + 2)
        for line in lines.dropFirst().dropLast() {
          guard case .document(let document) = try ExportLine(line) else { continue }
          #expect(document.fields["n"] == .integer(Int64(numbers[version] ?? -1)))
        }
      }
    }
  }

  @Test func `a cut or damaged export is refused, with the line`() async throws {
    var random = RandomValues(seed: testSeed("damaged exports"))
    try await withEngine { engine in
      try await fill(engine, &random, documents: 30)
      let text = try export(engine)
      let lines = text.count { $0 == UInt8(ascii: "\n") }
      for _ in 0..<(40 * soakFactor) {
        let cut = Int.random(in: 0..<text.count - 1, using: &random.generator)
        let error = await #expect(throws: HearthError.self) {
          try await importing(Array(text[..<cut]))
        }
        #expect(["IMPORT_CUT", "IMPORT_LINE"].contains(error?.reason))
        guard case .importLine(let line)? = error?.details else {
          Issue.record("no line: \(String(describing: error))")
          continue
        }
        let before = text[..<cut].count { $0 == UInt8(ascii: "\n") }
        // Cut right before its end, a line is whole, and it is the next one that is missing.
        let isWhole = text[cut] == UInt8(ascii: "\n")
        #expect(line == before + (isWhole ? 2 : 1))
      }
      for _ in 0..<(60 * soakFactor) {
        var damaged = text
        let place = Int.random(in: 0..<text.count - 1, using: &random.generator)
        damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random.generator)
        let error = await #expect(throws: HearthError.self) { try await importing(damaged) }
        guard case .importLine(let line)? = error?.details else {
          Issue.record("no line: \(String(describing: error))")
          continue
        }
        #expect((1...lines + 1).contains(line))
      }
      // A line that is missing, or stands twice, is sound by itself.
      var whole = text.split(separator: UInt8(ascii: "\n"))
      whole.remove(at: whole.count - 3)
      let missing = await #expect(throws: HearthError.self) {
        try await importing(Array(whole.joined(separator: [UInt8(ascii: "\n")])))
      }
      #expect(missing?.reason == "IMPORT_CHECKSUM")
    }
  }

  @Test func `each bad line is an error that says what is wrong with it`() async throws {
    let header =
      #"{"hearth":"export","format":1,"version":"2026-01-01T00:00:00Z","#
      + #""indexes":0,"overrides":0,"documents":1}"#
    func document(_ path: String, _ fields: String) -> String {
      #"{"document":"\#(path)","createTime":"2026-01-01T00:00:00Z","#
        + #""updateTime":"2026-01-01T00:00:00Z","fields":\#(fields)}"#
    }
    let cases: [(lines: [String], line: Int, says: String)] = [
      (["{}"], 1, "no header"), (["x"], 1, "not valid JSON"), ([], 1, "ends before"),
      ([document("a/b", "{}")], 1, "begins with a header"),
      ([header.replacing("\"format\":1", with: "\"format\":2")], 1, "newer Hearth"),
      ([header, header], 2, "second header"),
      ([header, document("a", "{}")], 2, "document path has an even number"),
      ([header, document("a/__x__", "{}")], 2, "reserved"),
      ([header, document("a/b", #"{"__x__":{"nullValue":null}}"#)], 2, "reserved"),
      ([header, document("a/b", #"{"x":{"integerValue":"1.5"}}"#)], 2, "field x"),
      (
        [header, document("a/b", #"{"x":{"arrayValue":{"values":[{"arrayValue":{}}]}}}"#)], 2,
        "array"
      ),
      ([header, document("a/b", "{}").replacing("createTime", with: "made")], 2, "createTime"),
      ([header, #"{"index":{"indexes":[{}]}}"#], 2, "index file"),
      ([header, document("a/b", "{}"), #"{"end":true}"#], 3, "no \"indexes\""),
    ]
    for (lines, number, says) in cases {
      let text = lines.map { $0 + "\n" }.joined()
      let error = await #expect(throws: HearthError.self) {
        try await importing(Array(text.utf8))
      }
      #expect(error?.details == .importLine(number), "\(lines)")
      #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
    }
  }

  @Test func `plain objects become documents of a collection`() async throws {
    let text = """
      \u{feff}{"id":"oslo","name":"Oslo","population":717710,"at":{"lat":59.9}}\r

      {"id":7,"name":"Seven","tags":["a",1.0]}
      """
    let form = ImportForm.objects(collection: try CollectionPath("cities"), id: "id")
    try await importing(Array(text.utf8), form) { engine in
      let oslo = try engine.get(DocumentPath("cities/oslo")).document?.fields()
      let at: Fields = ["lat": .double(59.9)]
      #expect(
        oslo == ["name": .string("Oslo"), "population": .integer(717_710), "at": .map(at)])
      let seven = try engine.get(DocumentPath("cities/7")).document?.fields()
      #expect(seven?["tags"] == .array([.string("a"), .double(1)]))
    }
    let free = ImportForm.objects(collection: try CollectionPath("c/d/e"), id: nil)
    try await importing(Array(#"{"a":1}"#.utf8) + [10] + Array(#"{"a":1}"#.utf8), free) {
      let paths = try $0.documentPaths(in: CollectionPath("c/d/e"), showMissing: false)
      #expect(paths.count == 2 && paths.allSatisfy { $0.id.utf8.count == 20 })
    }
    for (bad, line) in [
      ("{\"id\":1}\n{\"x\":1}", 2), ("{\"id\":true}", 1), ("{\"id\":\"a/b\"}", 1), ("[]", 1),
      ("{\"id\":1,\"x\":[[1]]}", 1), ("{\"id\":1}\n\n{\"id\":\"1\"}", 3),
    ] {
      let error = await #expect(throws: HearthError.self) {
        try await importing(Array(bad.utf8), form)
      }
      #expect(error?.details == .importLine(line), "\(bad)")
    }
  }

  @Test func `an import into an open database replaces what it names and keeps the rest`()
    async throws
  {
    var random = RandomValues(seed: testSeed("merging imports"))
    try await withEngine { source in
      try await fill(source, &random, documents: 80)
      let text = try export(source)
      try await withEngine { target in
        let report = try await target.importDocuments(
          .export, merging: false, Operation(), read: sendable(text))
        let documents = try source.storageSnapshot().tables[1].entries
        #expect(report.documents == documents)
        #expect(target.indexConfiguration == source.indexConfiguration)
        #expect(try content(target) == content(source))
        #expect(try target.checkConsistency().findings == [])
        // Again: refused, unless merging is asked for.
        let refused = await #expect(throws: HearthError.self) {
          _ = try await target.importDocuments(
            .export, merging: false, Operation(), read: sendable(text))
        }
        #expect(refused?.reason == "IMPORT_NOT_EMPTY")
        _ = try await target.commit([.set("other/one", [:]), .set("a/1", ["spoilt": .null])])
        _ = try await target.importDocuments(
          .export, merging: true, Operation(), read: sendable(text))
        _ = try await target.commit([.delete("other/one")])
        let merged = try content(target)
        let expected = try content(source)
        let path = try DocumentPath("a/1")
        if expected[path] != nil { #expect(merged == expected) }
        #expect(try target.checkConsistency().findings == [])
      }
    }
  }

  private func sendable(_ text: [UInt8]) -> @Sendable () throws -> [UInt8]? {
    let rest = Lock(text[...])
    return {
      rest.withLock { rest in
        let piece = rest.prefix(5000)
        rest = rest.dropFirst(5000)
        return piece.isEmpty ? nil : Array(piece)
      }
    }
  }

  /// Every document's fields, without times.
  private func content(_ engine: Engine) throws -> [DocumentPath: Fields] {
    var content: [DocumentPath: Fields] = [:]
    for line in try export(engine).split(separator: UInt8(ascii: "\n")) {
      guard case .document(let document) = try ExportLine(Array(line)) else { continue }
      content[document.path] = document.fields
    }
    return content
  }

  @Test func `operations end when they are cancelled or the database closes`() async throws {
    try await withEngine { engine in
      for batch in 0..<4 {
        _ = try await engine.commit((0..<400).map { try .set("c/\(batch)-\($0)", [:]) })
      }
      let cancelled = Operation()
      cancelled.cancel()
      for body in [
        { _ = try engine.export(cancelled) { _ in } },
        { _ = try engine.checkConsistency(cancelled) },
        { _ = try engine.backUp(to: engine.options.path + "-copy", compacting: true, cancelled) },
      ] {
        let error = #expect(throws: HearthError.self) { try body() }
        #expect(error?.reason == "CANCELLED")
      }
      // Closing does not wait for an export to come to its end.
      let begun = Lock(0)
      async let outcome: HearthError? = blocking {
        do {
          _ = try engine.export(
            Operation { _, _ in
              begun.withLock { $0 += 1 }
              while !engine.isClosed {}
            }
          ) { _ in }
          return nil
        } catch let error as HearthError {
          return error
        }
      }
      while begun.withLock({ $0 }) == 0 { await Task.yield() }
      await engine.close()
      #expect(try await outcome?.reason == "DATABASE_CLOSED")
      #expect(begun.withLock { $0 } <= 2)
    }
  }

  @Test func `backups under load are sound and equal one version`() async throws {
    try await withEngine { engine in
      let isDone = Lock(false)
      async let written: Int = {
        var n = 0
        while !isDone.withLock({ $0 }) {
          n += 1
          let value = Value.integer(Int64(n))
          _ = try await engine.commit((0..<30).map { try .set("c/\($0)", ["n": value]) })
        }
        return n
      }()
      while try engine.headVersion() == .zero { await Task.yield() }
      let base = engine.options.path
      for number in 0..<6 {
        let report = try await blocking {
          try engine.backUp(to: "\(base)-\(number)", compacting: number % 2 == 0, Operation())
        }
        #expect(report.checked.documents == 30)
        var options = EngineOptions.test(path: "\(base)-\(number)")
        options.createIfMissing = false
        let copy = try Engine.open(options)
        #expect(try copy.headVersion() == report.version)
        let values = try content(copy).values.map { $0["n"] }
        #expect(Set(values).count == 1)
        #expect(try copy.checkConsistency().findings == [])
        _ = try await copy.commit([.set("c/own", [:])])
        await copy.close()
      }
      isDone.withLock { $0 = true }
      #expect(try await written > 0)
      let refused = #expect(throws: HearthError.self) {
        _ = try engine.backUp(to: "\(base)-0", compacting: false, Operation())
      }
      #expect(refused?.reason == "TARGET_EXISTS")
    }
  }
}
