import HearthModel
import HearthTestSupport
import Testing

@Suite struct FieldsTests {
  @Test func `a path walks maps only, and missing is not null`() {
    let fields: Fields = ["a": map(["b": .null, "c": list(map(["x": i(1)]))]), "n": i(1)]
    #expect(fields.value(at: field("a", "b")) == Value.null)
    #expect(fields.value(at: field("a", "z")) == nil)
    #expect(fields.value(at: field("a", "c", "x")) == nil)
    #expect(fields.value(at: field("n", "x")) == nil)
    #expect(fields.value(at: FieldPath([])) == nil)
  }

  @Test func `setting makes maps on the way and replaces what is none`() {
    var fields: Fields = ["a": i(5)]
    fields.set(i(1), at: field("a", "b", "c"))
    #expect(fields == ["a": map(["b": map(["c": i(1)])])])
  }

  @Test func `removing below something that is no map does nothing`() {
    var fields: Fields = ["a": i(5), "m": map(["x": i(1)])]
    fields.remove(at: field("a", "b"))
    fields.remove(at: field("z", "b"))
    #expect(fields == ["a": i(5), "m": map(["x": i(1)])])
    fields.remove(at: field("m", "x"))
    #expect(fields == ["a": i(5), "m": map([:])])
  }

  @Test func `a projection keeps the maps around its paths and leaves out what is missing`() {
    let fields: Fields = ["a": map(["b": i(1), "c": i(2)]), "d": i(3), "e": i(4)]
    #expect(
      fields.projected(to: [field("a", "b"), field("d"), field("z", "y")])
        == ["a": map(["b": i(1)]), "d": i(3)])
    #expect(
      fields.projected(to: [field("a"), field("a", "b")]) == ["a": map(["b": i(1), "c": i(2)])])
    #expect(fields.projected(to: [.documentName]).isEmpty)
    #expect(fields.projected(to: []).isEmpty)
  }

  @Test func `fields stand in the order of their names' bytes, whatever the order of setting`() {
    var random = RandomValues(seed: testSeed("fields"))
    for _ in 0..<300 * soakFactor {
      var expected: [UTF8String: Value] = [:]
      var fields = Fields()
      for _ in 0..<20 {
        let name = random.string()
        let value: Value? = random.generator.oneIn(4) ? nil : random.value(depth: 0)
        fields[name] = value
        expected[UTF8String(name)] = value
      }
      #expect(fields.map { UTF8String($0.name) } == expected.keys.sorted())
      for (name, value) in expected { #expect(fields[name.string] == value) }
    }
  }
}
