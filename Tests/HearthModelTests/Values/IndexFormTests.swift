import HearthModel
import HearthTestSupport
import Testing

@Suite struct IndexFormTests {
  private func string(_ count: Int, _ tail: String = "") -> Value {
    s(String(repeating: "a", count: count) + tail)
  }

  private func order(_ a: Value, _ b: Value) -> Int {
    let order = Value.compareIndexForms(a, b).signum()
    #expect(Value.compareIndexForms(b, a).signum() == -order)
    return order
  }

  @Test func `strings that share 1500 bytes and go on are equal in queries`() {
    #expect(order(string(1500, "x"), string(1500, "yy")) == 0)
    #expect(
      order(.bytes(Array(repeating: 7, count: 1501)), .bytes(Array(repeating: 7, count: 1502))) == 0
    )
    #expect(string(1500, "x").indexForm.isTruncated)
  }

  @Test func `a value that ends with the budget is not truncated and sorts below one that is`() {
    #expect(!string(1500).indexForm.isTruncated)
    #expect(order(string(1500), string(1501)) == -1)
    #expect(order(string(1499), string(1500)) == -1)
    #expect(order(string(1499, "b"), string(1501)) == 1)
  }

  @Test func `the cut is a byte position and may split a character`() {
    // é is C3 A9 and ê is C3 AA: only C3 is retained.
    #expect(order(string(1499, "é"), string(1499, "ê")) == 0)
    #expect(order(string(1499, "é"), string(1499, "z")) == 1)
  }

  @Test func `the elements of an array share one budget`() {
    let full = string(1500)
    #expect(order(list(full, i(1)), list(full, i(2))) == 0)
    #expect(order(list(full), list(full, i(2))) == -1)
    // A number is kept whole while anything is left.
    #expect(order(list(string(1499), i(1), i(5)), list(string(1499), i(2), i(4))) == -1)
    #expect(order(list(string(1499), i(1), i(5)), list(string(1499), i(1), i(4))) == 0)
    #expect(!list(string(1499), i(1)).indexForm.isTruncated)
    #expect(order(list(string(1492), i(1), .null), list(string(1492), i(1))) == 1)
  }

  @Test func `truncated forms with equal content are equal wherever they were cut`() {
    let full = string(1500)
    #expect(order(list(full, i(1)), list(string(1501))) == 0)
    #expect(order(list(map(["k": string(1499)]), i(1)), list(map(["k": string(1500)]))) == 0)
    #expect(order(list(map(["k": string(1499)])), list(map(["k": string(1500)]))) == -1)
    #expect(order(list(full, s("")), list(full)) == 1)
    #expect(order(list(full, list()), list(full, s(""))) == 0)
  }

  /// Empty text was free, so a long array of it made a key without bound.
  @Test func `empty text and empty containers cost 1 each`() {
    let empties: [Value] = [s(""), .bytes([]), map([:]), .vector(VectorValue([]))]
    for empty in empties {
      func array(_ count: Int, _ tail: Value...) -> Value {
        .array(Array(repeating: empty, count: count) + tail)
      }
      #expect(order(array(1500), array(1501)) == -1, "\(empty)")
      #expect(order(array(1501), array(9000, i(1))) == 0, "\(empty)")
      #expect(order(array(1499, i(1)), array(1499, i(2))) == -1, "\(empty)")
      #expect(!array(1500).indexForm.isTruncated && array(1501).indexForm.isTruncated)
      #expect(order(array(3), array(2, .null)) != 0, "\(empty)")
    }
    #expect(order(list(string(1499), map(["a": list()])), list(string(1499), map([:]))) == 1)
    #expect(order(map(["a": list(), "b": string(2000)]), map(["a": list(), "b": s("a")])) == 1)
  }

  @Test func `map keys count by their bytes`() {
    let name = String(repeating: "k", count: 1000)
    let other = String(repeating: "k", count: 1000)
    let long = String(repeating: "a", count: 500)
    #expect(order(map(Fields([(name, s(long + "x"))])), map(Fields([(other, s(long + "y"))]))) == 0)
    #expect(order(map(Fields([(name, s(long))])), map(Fields([(other, s(long + "y"))]))) == -1)
  }

  @Test func `a vector keeps its dimension and its first 188 components`() {
    var (x, y) = (Array(repeating: 1.0, count: 200), Array(repeating: 1.0, count: 200))
    x[187] = 2
    #expect(order(.vector(VectorValue(x)), .vector(VectorValue(y))) == 1)
    x[187] = 1
    y[188] = 5
    #expect(order(.vector(VectorValue(x)), .vector(VectorValue(y))) == 0)
    y.append(0)
    #expect(order(.vector(VectorValue(x)), .vector(VectorValue(y))) == -1)
  }

  @Test func `the ids of a reference share the budget`() throws {
    let long = String(repeating: "a", count: 1499)
    let a = Value.reference(CollectionPath(unchecked: ["b"]).document(long + "x"))
    let b = Value.reference(CollectionPath(unchecked: ["b"]).document(long + "y"))
    #expect(order(a, b) == 0)
    #expect(order(a, .reference(CollectionPath(unchecked: ["b"]).document(long))) == 1)
  }

  @Test func `forms are totally ordered around the end of the budget`() {
    var random = RandomValues(seed: testSeed("index forms"))
    func value() -> Value {
      let head = string(1500 - Int.random(in: 0...24, using: &random.generator))
      var elements = [head]
      for _ in 0..<Int.random(in: 0...4, using: &random.generator) {
        let empty = [s(""), map([:]), map(["a": list()]), .bytes([])]
        let next =
          Bool.random(using: &random.generator)
          ? random.value(depth: 1) : empty.randomElement(using: &random.generator) ?? .null
        if case .array = next { continue }
        elements.append(next)
      }
      return .array(elements)
    }
    for _ in 0..<3000 * soakFactor {
      let (a, b, c) = (value(), value(), value())
      #expect(Value.compareIndexForms(a, a) == 0)
      if order(a, b) <= 0, order(b, c) <= 0 { #expect(order(a, c) <= 0, "\(a) \(b) \(c)") }
    }
  }
}
