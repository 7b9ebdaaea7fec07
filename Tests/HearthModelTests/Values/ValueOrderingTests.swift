import HearthModel
import HearthTestSupport
import Testing

@Suite struct ValueOrderingTests {
  /// Ascending; the values of one row are equal (documents-and-queries, 2.2).
  static func ascending() throws -> [[Value]] {
    [
      [.null], [.boolean(false)], [.boolean(true)],
      [nan, d(-.nan)], [d(-.infinity)], [d(-.greatestFiniteMagnitude)],
      [d(-0x1p63 - 2048)], [i(.min), d(-0x1p63)], [i(.min + 1)], [d(-0x1p63 + 1024)],
      [i(-9_007_199_254_740_993)], [i(-9_007_199_254_740_992), d(-0x1p53)],
      [i(-2)], [d(-1.5)], [i(-1), d(-1)], [d(-0.5)], [d(-.leastNonzeroMagnitude)],
      [i(0), d(0), d(-0.0)], [d(.leastNonzeroMagnitude)], [d(0.5)], [i(1), d(1)], [d(1.5)], [i(2)],
      [i(9_007_199_254_740_991)], [i(9_007_199_254_740_992), d(9_007_199_254_740_992.0)],
      [i(9_007_199_254_740_993)], [i(9_007_199_254_740_994), d(9_007_199_254_740_994)],
      [d(0x1p63 - 1024), i(.max - 1023)], [i(.max - 1)], [i(.max)], [d(0x1p63)],
      [d(.greatestFiniteMagnitude)], [d(.infinity)],
      [.timestamp(Timestamp(seconds: -1, nanoseconds: 0))],
      [.timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_999))],
      [.timestamp(Timestamp(seconds: 0, nanoseconds: 0))],
      [s("")], [s("\0")], [s("Sierpinski")], [s("a")], [s("a\0")], [s("aa")], [s("e\u{301}")],
      [s("\u{e9}")], [s("Łukasiewicz")], [s("你好")], [s("岩澤")], [s("\u{d7ff}")], [s("\u{e000}")],
      [s("︒")], [s("Ｐ")], [s("\u{ffff}")], [s("\u{10000}")], [s("🄟")], [s("🐵")],
      [.bytes([])], [.bytes([0])], [.bytes([0, 0])], [.bytes([127])], [.bytes([128])],
      [.bytes([255])],
      [try ref("a/__id-2__")], [try ref("a/__id7__")], [try ref("a/__id12__")], [try ref("a/12")],
      [try ref("a/7")], [try ref("a/A")], [try ref("a/A/b/1")], [try ref("a/Aa")],
      [try ref("a/__id")], [try ref("a/_id1__")], [try ref("a/a")], [try ref("b/1")],
      [.geoPoint(GeoPoint(latitude: -1, longitude: 5))],
      [
        .geoPoint(GeoPoint(latitude: 0, longitude: 0)),
        .geoPoint(GeoPoint(latitude: -0.0, longitude: 0)),
      ],
      [.geoPoint(GeoPoint(latitude: 0, longitude: 1))],
      [list()], [list(.null)], [list(i(1), i(2), i(3)), list(d(1), i(2), d(3))],
      [list(i(1), i(2), i(3), i(1))], [list(i(2))], [list(s("a"))],
      [vec(9)], [vec(1, 2)], [vec(2, 2)], [vec(1, 2, 3)],
      [map([:])], [map(["a": s("aaa"), "b": s("baz")])], [map(["a": s("foo"), "b": s("bar")])],
      [map(["a": s("foo"), "b": s("bar"), "c": s("qux")])], [map(["a": s("foo"), "b": s("baz")])],
      [map(["b": s("aaa")])], [map(["c": s("aaa")])],
      [map(["e\u{301}": .null])], [map(["\u{e9}": .null])],
    ]
  }

  @Test func `values of all types sort as the ascending list says`() throws {
    let rows = try Self.ascending()
    for (p, left) in rows.enumerated() {
      for (q, right) in rows.enumerated() {
        for a in left {
          for b in right {
            #expect(Value.compare(a, b).signum() == (p - q).signum(), "\(a.text) with \(b.text)")
            // Short values sort alike in queries.
            #expect(Value.compareIndexForms(a, b).signum() == (p - q).signum())
          }
        }
      }
    }
  }

  @Test func `comparing is a total order over random values`() {
    var random = RandomValues(seed: testSeed("total order"))
    for _ in 0..<3000 * soakFactor {
      let (a, b, c) = (random.value(), random.value(), random.value())
      let (ab, ba) = (Value.compare(a, b).signum(), Value.compare(b, a).signum())
      #expect(ab == -ba, "\(a) \(b)")
      #expect(Value.compare(a, a) == 0)
      if ab <= 0, Value.compare(b, c) <= 0 { #expect(Value.compare(a, c) <= 0, "\(a) \(b) \(c)") }
      #expect(ab == Value.compareIndexForms(a, b).signum(), "\(a) \(b)")
      if a == b { #expect(ab == 0) }
    }
  }

  @Test func `an integer beyond 2^53 is not rounded to compare with a double`() {
    #expect(Value.compare(i(9_007_199_254_740_993), d(9_007_199_254_740_992.0)) > 0)
    #expect(Value.compare(i(.max), d(0x1p63)) < 0)
    #expect(Value.compare(i(.min), d(-0x1p63)) == 0)
  }
}

@Suite struct StorageIdentityTests {
  @Test func `an integer is not the double of the same number`() {
    #expect(i(1) != d(1))
    #expect(list(i(1)) != list(d(1)))
    #expect(map(["a": i(1)]) != map(["a": d(1)]))
  }

  @Test func `the two zeros differ and every NaN is the same`() {
    #expect(d(0) != d(-0.0))
    #expect(nan == d(-.nan))
    #expect(nan == d(Double(nan: 5, signaling: false)))
    #expect(vec(.nan) == .vector(VectorValue([-.nan])))
    #expect(vec(0) != vec(-0.0))
    #expect(nan.hashValue == d(-.nan).hashValue)
  }

  @Test func `maps do not depend on the order in which fields were set`() {
    #expect(map(["a": i(1), "b": i(2)]) == map(["b": i(2), "a": i(1)]))
  }

  @Test func `canonically equivalent strings are different values and field names`() {
    #expect(s("\u{e9}") != s("e\u{301}"))
    let both: Fields = ["\u{e9}": i(1), "e\u{301}": i(2)]
    #expect(both.count == 2)
    #expect(both["\u{e9}"] == i(1))
    #expect(both["e\u{301}"] == i(2))
  }

  @Test func `equal values hash alike at random`() {
    var random = RandomValues(seed: testSeed("hashing"))
    for _ in 0..<500 * soakFactor {
      let value = random.value(depth: 3)
      let copy = value.normalizedForStorage
      #expect(copy == value, "random values are made in stored form")
      #expect(copy.hashValue == value.hashValue)
    }
  }
}
