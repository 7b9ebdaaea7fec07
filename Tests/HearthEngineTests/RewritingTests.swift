import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Property 6 of documents-and-queries, Annex C.
@Suite struct RewritingTests {
  @Test func `writing the same again keeps the version, another type of number does not`()
    async throws
  {
    let seed = testSeed("storageIdentity")
    var random = RandomValues(seed: seed)
    let path = doc("x")
    try await withEngine { engine in
      for _ in 0..<(120 * soakFactor) {
        var fields = random.fields(names: ["a", "b", "c"], depth: 3)
        fields["n"] = random.pick([.integer(1), .double(1), .double(0), .double(-0.0)])
        let first = try await engine.commit([update(path, fields)])
        let version = try #require(try engine.get(path).document).updateVersion
        for write in same(path, fields, &random) {
          let again = try await engine.commit([write])
          #expect(again.results.map(\.updateVersion) == [version], "\(seed) \(write)")
          #expect(try engine.get(path).document?.updateVersion == version, "\(seed) \(write)")
        }
        #expect(version <= first.version)
        // The same to every query, and yet another value.
        var other = fields
        other["n"] = twinNumber(fields["n"])
        let changed = try await engine.commit([update(path, other)])
        #expect(changed.results.map(\.updateVersion) == [changed.version], "\(seed) \(other)")
        #expect(try engine.get(path).document?.updateVersion == changed.version)
        #expect(try engine.get(path).document?.fields() == other)
      }
      #expect(try engine.findings() == [])
    }
  }

  private func update(
    _ path: DocumentPath, _ fields: Fields, _ mask: [FieldPath]? = nil,
    _ transforms: [FieldTransform] = []
  ) -> Write {
    Write(
      document: path, operation: .update(fields: fields, mask: mask, transforms: transforms))
  }

  /// Writes that leave a document as it is.
  private func same(
    _ path: DocumentPath, _ fields: Fields, _ random: inout RandomValues
  ) -> [Write] {
    let some = fields.map { FieldPath([$0.name]) }.filter { _ in random.generator.oneIn(2) }
    var writes = [
      update(path, fields), update(path, fields, some), update(path, Fields(), []),
      update(path, Fields(), [FieldPath(["none"]), FieldPath(["n", "none"])]),
    ]
    // Of numbers equal in queries the current one stays.
    if let number = fields["n"] {
      let n = FieldPath(["n"])
      for kind in [FieldTransform.Kind.maximum(twinNumber(number)), .minimum(twinNumber(number))] {
        writes.append(update(path, Fields(), [], [FieldTransform(path: n, kind: kind)]))
      }
    }
    for field in fields {
      guard case .array(let elements) = field.value else { continue }
      let union = FieldTransform(path: FieldPath([field.name]), kind: .arrayUnion(elements))
      writes.append(update(path, Fields(), [], [union]))
    }
    return writes
  }

  /// A number that queries do not tell from another.
  private func twinNumber(_ value: Value?) -> Value {
    switch value {
    case .integer(let number)?: .double(Double(number))
    case .double(let number)? where number == 0 && number.sign == .plus: .double(-0.0)
    case .double(let number)?: .integer(Int64(number))
    default: .integer(0)
    }
  }
}
