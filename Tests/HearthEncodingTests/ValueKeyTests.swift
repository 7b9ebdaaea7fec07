import HearthEncoding
import HearthModel
import HearthTestSupport
import Testing

struct ValueKeyTests {
  /// Fails unless bytes agree with the order of two values, in both directions.
  private func check(_ a: Value, _ b: Value, _ comment: Comment? = nil) {
    let expected = Value.compare(a, b).signum()
    #expect(byteOrder(ValueKey.encode(a), ValueKey.encode(b)) == expected, "\(a) \(b)")
    var x: [UInt8] = []
    var y: [UInt8] = []
    ValueKey.append(a, descending: true, to: &x)
    ValueKey.append(b, descending: true, to: &y)
    #expect(byteOrder(x, y) == -expected, "descending \(a) \(b)")
  }

  @Test func `the bytes of edge values sort as the values do`() {
    let ascending = edgeValues.map { ValueKey.encode($0) }
    let descending = ascending.map { $0.map { ~$0 } }
    for (i, a) in edgeValues.enumerated() {
      var complemented: [UInt8] = []
      ValueKey.append(a, descending: true, to: &complemented)
      #expect(complemented == descending[i])
      for (j, b) in edgeValues.enumerated() {
        let expected = Value.compare(a, b).signum()
        // Plain comparisons, since a million expectations take their time.
        if byteOrder(ascending[i], ascending[j]) != expected
          || byteOrder(descending[i], descending[j]) != -expected
        {
          Issue.record("\(a) and \(b)")
        }
      }
    }
  }

  @Test func `the bytes of random values sort as the values do`() {
    var generator = SeededGenerator(seed: testSeed("ValueKey order"))
    for _ in 0..<(5000 * soakFactor) {
      check(generator.value(), generator.value())
    }
  }

  @Test func `around the end of the budget bytes sort as index forms do`() {
    var generator = SeededGenerator(seed: testSeed("ValueKey budget"))
    let empties: [Value] = [
      .string(""), .bytes([]), .map([:]), .vector(VectorValue([])), .map(["a": .array([])]), .null,
    ]
    func value() -> Value {
      let head = String(repeating: "a", count: 1500 - generator.number(0..<12))
      var elements: [Value] = [.string(head)]
      for _ in 0..<generator.number(0..<8) {
        let next = generator.oneIn(2) ? generator.value() : empties[generator.number(0..<6)]
        if case .array = next { continue }
        elements.append(next)
      }
      return generator.oneIn(4) ? .map(["k": .array(elements)]) : .array(elements)
    }
    for _ in 0..<(3000 * soakFactor) {
      let (a, b) = (value(), value())
      let expected = Value.compareIndexForms(a, b).signum()
      #expect(byteOrder(ValueKey.encode(a), ValueKey.encode(b)) == expected, "\(a) \(b)")
    }
  }

  /// Empty text was free, so a long array of it made a key without bound.
  @Test func `no value makes a key much longer than its budget`() {
    let count = 20_000
    let empties: [Value] = [
      .string(""), .bytes([]), .map([:]), .map(["a": .array([])]), .map(["a": .map([:])]), .null,
      .boolean(true), .integer(.max), .double(.pi), .string("\0"), .bytes([0]),
      .vector(VectorValue([1])), .map(["\0": .string("")]), .reference(path("\0", "\0")),
    ]
    for empty in empties {
      let array: Value = .array(Array(repeating: empty, count: count))
      let map: Value = .map(Fields((0..<count).map { ("\($0)", empty) }))
      for value in [array, map] { #expect(ValueKey.encode(value).count <= 12_000, "\(empty)") }
    }
  }

  @Test func `numbers that are equal have equal bytes`() {
    #expect(ValueKey.encode(.integer(1)) == ValueKey.encode(.double(1)))
    #expect(ValueKey.encode(.double(0)) == ValueKey.encode(.double(-0.0)))
    #expect(ValueKey.encode(.integer(0)) == ValueKey.encode(.double(-0.0)))
    #expect(
      ValueKey.encode(.integer(9_007_199_254_740_993)) != ValueKey.encode(.double(0x1p53)))
    #expect(ValueKey.encode(.double(.nan)) == ValueKey.encode(.double(-.nan)))
    #expect(ValueKey.encode(.double(.nan)) == ValueKey.nanEncoding)
    #expect(ValueKey.encode(.null) == ValueKey.nullEncoding)
  }

  @Test func `common numbers are short`() {
    #expect(ValueKey.encode(.integer(0)).count == 2)
    #expect(ValueKey.encode(.double(4.5)).count == 3)
    #expect(ValueKey.encode(.integer(-1000)).count <= 4)
    #expect(ValueKey.encode(.integer(.max)).count <= 12)
  }

  @Test func `a concatenation sorts component by component and then by name`() {
    var generator = SeededGenerator(seed: testSeed("ValueKey concatenation"))
    for _ in 0..<(3000 * soakFactor) {
      let directions = [generator.oneIn(2), generator.oneIn(2)]
      let pool = (0..<3).map { _ in generator.value() }
      let rows = (0..<2).map { _ in
        (values: (0..<2).map { _ in pool[generator.number(0..<3)] }, id: generator.id())
      }
      let keys = rows.map { row in
        var key: [UInt8] = []
        for (value, descending) in zip(row.values, directions) {
          ValueKey.append(value, descending: descending, to: &key)
        }
        NameKey.appendID(row.id, to: &key)
        return key
      }
      var expected = 0
      for i in 0..<2 where expected == 0 {
        expected = Value.compare(rows[0].values[i], rows[1].values[i]).signum()
        if directions[i] { expected = -expected }
      }
      if expected == 0 { expected = PathRules.compareIDs(rows[0].id, rows[1].id).signum() }
      #expect(byteOrder(keys[0], keys[1]) == expected, "\(rows)")
    }
  }

  @Test func `a component ends where the next one begins`() throws {
    var generator = SeededGenerator(seed: testSeed("ValueKey componentEnd"))
    let values = edgeValues + (0..<(2000 * soakFactor)).map { _ in generator.value() }
    for value in values {
      for descending in [false, true] {
        var key: [UInt8] = [1, 2, 3]
        ValueKey.append(value, descending: descending, to: &key)
        let end = key.count
        for _ in 0..<generator.number(0..<6) { key.append(UInt8(generator.number(0..<256))) }
        #expect(try ValueKey.componentEnd(in: key, from: 3, descending: descending) == end)
        // Without its last byte it has no end.
        let cut = Array(key[..<(end - 1)])
        #expect(throws: HearthError.self) {
          try ValueKey.componentEnd(in: cut, from: 3, descending: descending)
        }
      }
    }
  }

  @Test func `a bracket contains exactly its rank`() {
    let ranks: [Value.Rank] = [
      .null, .boolean, .number, .timestamp, .string, .bytes, .reference, .geoPoint, .array,
      .vector, .map,
    ]
    for value in edgeValues {
      for descending in [false, true] {
        var key: [UInt8] = []
        ValueKey.append(value, descending: descending, to: &key)
        for rank in ranks {
          let inside =
            byteOrder(ValueKey.bracketLower(rank, descending: descending), key) <= 0
            && byteOrder(key, ValueKey.bracketUpper(rank, descending: descending)) < 0
          #expect(inside == (value.rank == rank && !value.isNaN), "\(value) in \(rank)")
        }
      }
    }
  }
}

struct IndexFormTests {
  private func text(_ count: Int, _ suffix: String = "") -> Value {
    .string(String(repeating: "x", count: count) + suffix)
  }

  private func order(_ a: Value, _ b: Value) -> Int {
    byteOrder(ValueKey.encode(a), ValueKey.encode(b))
  }

  @Test func `text is cut after 1500 bytes`() {
    #expect(order(text(1499), text(1500)) < 0)
    #expect(order(text(1500), text(1501)) < 0)
    #expect(order(text(1501), text(1502)) == 0)
    #expect(order(text(1500, "a"), text(1500, "b")) == 0)
    #expect(order(text(1499, "a"), text(1499, "b")) < 0)
    #expect(order(text(1500), text(1500, "\0")) < 0)
    #expect(
      order(.bytes(.init(repeating: 0, count: 1501)), .bytes(.init(repeating: 0, count: 9999))) == 0
    )
    #expect(
      order(.bytes(.init(repeating: 0, count: 1500)), .bytes(.init(repeating: 0, count: 1501))) < 0)
  }

  @Test func `the cut may split a character`() {
    let euro = String(repeating: "x", count: 1499) + "€"
    let yen = String(repeating: "x", count: 1499) + "₿"
    #expect(order(.string(euro), .string(yen)) == 0)
    #expect(order(text(1499), .string(euro)) < 0)
  }

  @Test func `truncated forms with equal retained content are equal wherever they were cut`() {
    let forms: [Value] = [
      .array([text(1501)]), .array([text(1500), .string("y")]), .array([text(1500), .null]),
      .array([text(1500), .map([:])]), .array([text(1500, "zzz"), .null]),
    ]
    for a in forms { for b in forms { #expect(order(a, b) == 0) } }
    #expect(order(.array([text(1500)]), forms[0]) < 0)
    #expect(order(forms[0], .array([text(1499, "y")])) < 0)

    let long = String(repeating: "k", count: 1500)
    let maps: [Value] = [
      .map([long: .integer(5)]), .map([long + "x": .null]), .map([long: text(3)]),
    ]
    for a in maps { for b in maps { #expect(order(a, b) == 0) } }

    let nested: [Value] = [
      .array([.map(["a": text(1600)])]), .array([.map(["a": text(1499)]), .integer(1)]),
      .array([.map(["a": text(1499), "b": .null])]),
    ]
    #expect(order(nested[1], nested[2]) == 0)
    #expect(order(.array([.map(["a": text(1499)])]), nested[1]) < 0)
    #expect(order(nested[0], nested[1]) == 0)
  }

  @Test func `scalars are kept whole while any budget is left`() {
    #expect(order(.array([text(1499), .integer(1)]), .array([text(1499), .integer(2)])) < 0)
    #expect(
      order(
        .array([text(1499), .integer(1), .null]), .array([text(1499), .integer(1), .map([:])]))
        == 0)
    let long = VectorValue((0..<188).map(Double.init))
    let longer = VectorValue(long.array + [1])
    #expect(order(.vector(longer), .vector(VectorValue(long.array + [2]))) == 0)
    #expect(order(.vector(long), .vector(longer)) < 0)
    #expect(order(.vector(longer), .vector(VectorValue(long.array + [1, 1]))) < 0)
  }

  @Test func `references are cut too`() {
    let id = String(repeating: "i", count: 1499)
    func order(_ a: DocumentPath, _ b: DocumentPath) -> Int {
      self.order(.reference(a), .reference(b))
    }
    #expect(order(path("c", id), path("c", id, "d", "e")) < 0)
    #expect(order(path("c", id, "d", "e"), path("c", id, "f", "__id4__")) == 0)
    #expect(order(path("c", id, "d", "e"), path("c", id + "x")) == 0)
  }

  @Test func `cutting never reverses an order, and every form still ends by itself`() throws {
    var generator = SeededGenerator(seed: testSeed("IndexForm order"))
    func value(_ generator: inout SeededGenerator, _ depth: Int) -> Value {
      switch generator.number(0..<(depth > 0 ? 7 : 5)) {
      case 0: return text([0, 400, 700, 1490, 1499, 1500, 1501][generator.number(0..<7)])
      case 1:
        return text(generator.number(1480..<1502), ["", "\0", "a", "z"][generator.number(0..<4)])
      case 2: return generator.value(depth: 0)
      case 3: return .integer(Int64(generator.number(0..<3)))
      case 4:
        return .vector(VectorValue((0..<generator.number(180..<192)).map { Double($0 / 189) }))
      case 5:
        let count = generator.number(0..<5)
        return .array((0..<count).map { _ in value(&generator, depth - 1) })
      default:
        let count = generator.number(0..<4)
        return .map(
          Fields(
            (0..<count).map { _ in
              let name = String(
                repeating: "k", count: [1, 2, 750, 1499, 1500][generator.number(0..<5)])
              return (name, value(&generator, depth - 1))
            }))
      }
    }
    for _ in 0..<(200 * soakFactor) {
      let pool = (0..<8).map { _ in value(&generator, 3) }
      let keys = pool.map { ValueKey.encode($0) }
      for i in 0..<8 {
        var key = keys[i]
        key += [0, 1, 2]
        #expect(try ValueKey.componentEnd(in: key, from: 0) == keys[i].count)
        let complement = key.map { ~$0 }
        #expect(
          try ValueKey.componentEnd(in: complement, from: 0, descending: true) == keys[i].count)
        for j in 0..<8 {
          let order = Value.compare(pool[i], pool[j]).signum()
          let bytes = byteOrder(keys[i], keys[j])
          if bytes != 0 { #expect(bytes == order) }
        }
      }
    }
  }
}
