import HearthModel
import Testing

@Suite struct TransformTests {
  let page = Page()

  /// The value of `f` after a transform of it, merged into what is stored.
  private func apply(_ kind: FieldTransform.Kind, to value: Value?) throws -> (Value?, Value?) {
    let stored: Fields? = value.map { ["f": $0, "g": i(0)] }
    let write = page.write([:], mask: [], [FieldTransform(path: field("f"), kind: kind)])
    let applied = try page.apply(write, to: stored)
    return (applied.document?.fields["f"], applied.result.transformResults.first)
  }

  @Test func `increment adds, saturates and keeps integers integers`() throws {
    let rows: [(Value?, Value, Value)] = [
      (i(5), i(1), i(6)), (i(.max), i(1), i(.max)), (i(.min), i(-1), i(.min)),
      (i(5), d(0.5), d(5.5)), (d(1), i(1), d(2)), (nil, i(3), i(3)), (s("x"), d(2), d(2)),
      (.null, i(1), i(1)), (nan, i(1), nan), (d(.infinity), d(-.infinity), nan),
    ]
    for (current, operand, expected) in rows {
      let (value, result) = try apply(.increment(operand), to: current)
      #expect(value == expected)
      #expect(result == expected)
    }
  }

  @Test func `maximum and minimum keep the current value of equal ones`() throws {
    let rows: [(Value?, Value, max: Value, min: Value)] = [
      (i(3), d(3), i(3), i(3)), (d(-0.0), i(0), d(-0.0), d(-0.0)), (d(0), d(-0.0), d(0), d(0)),
      (i(3), d(4), d(4), i(3)), (nil, i(3), i(3), i(3)), (s("x"), i(3), i(3), i(3)),
      (i(1), nan, nan, nan), (nan, i(1), nan, nan),
      // Exact, not through double.
      (
        i(9_007_199_254_740_993), d(9_007_199_254_740_992), i(9_007_199_254_740_993),
        d(9_007_199_254_740_992)
      ),
    ]
    for (current, operand, max, min) in rows {
      #expect(try apply(.maximum(operand), to: current).0 == max)
      #expect(try apply(.minimum(operand), to: current).0 == min)
    }
  }

  @Test func `arrayUnion appends what is missing, once, first spelling wins`() throws {
    let rows: [(Value?, [Value], Value)] = [
      (list(i(1), d(2)), [d(1), i(3), i(3)], list(i(1), d(2), i(3))),
      (s("x"), [], list()), (nil, [d(1), i(1)], list(d(1))),
      (list(nan, .null), [nan, .null], list(nan, .null)),
      (list(map(["a": i(1)])), [map(["a": d(1)])], list(map(["a": i(1)]))),
      // What is in the array already stays, duplicates included.
      (list(i(1), i(1)), [i(1)], list(i(1), i(1))),
    ]
    for (current, operands, expected) in rows {
      let (value, result) = try apply(.arrayUnion(operands), to: current)
      #expect(value == expected)
      #expect(result == Value.null)
    }
  }

  @Test func `arrayRemove removes every occurrence of an equal element`() throws {
    let rows: [(Value?, [Value], Value)] = [
      (list(i(1), i(3), i(1), i(3)), [d(1), i(4)], list(i(3), i(3))),
      (s("x"), [i(1)], list()), (nil, [i(1)], list()), (list(nan, .null), [nan, .null], list()),
    ]
    for (current, operands, expected) in rows {
      #expect(try apply(.arrayRemove(operands), to: current).0 == expected)
    }
  }

  @Test func `a transformed operand is stored in its normal form`() throws {
    let fine = Value.timestamp(Timestamp(seconds: 1, nanoseconds: 1_500))
    let cut = Value.timestamp(Timestamp(seconds: 1, nanoseconds: 1_000))
    #expect(try apply(.arrayUnion([fine]), to: list(cut)).0 == list(cut))
    #expect(try apply(.arrayRemove([fine]), to: list(cut)).0 == list())
  }

  @Test func `serverTimestamp is the request time cut to milliseconds`() throws {
    let (value, result) = try apply(.serverTimestamp, to: nil)
    let expected = Value.timestamp(Timestamp(seconds: 7, nanoseconds: 123_000_000))
    #expect(value == expected)
    #expect(result == expected)
  }

  @Test func `transforms follow the update and each other in order`() throws {
    let f = field("m", "f")
    let write = page.write(
      ["m": map(["x": i(1)])], mask: [field("m")],
      [
        FieldTransform(path: f, kind: .increment(i(2))),
        FieldTransform(path: f, kind: .increment(i(3))),
        FieldTransform(path: f, kind: .arrayUnion([i(1)])),
      ])
    let applied = try page.apply(write, to: ["m": map(["f": i(9), "y": i(2)])])
    #expect(applied.document?.fields == ["m": map(["x": i(1), "f": list(i(1))])])
    #expect(applied.result.transformResults == [i(2), i(5), .null])
  }
}

@Suite struct CommitUnitTests {
  let page = Page()

  private func commit(_ writes: [Write], stored: Fields?) throws(HearthError) -> (
    changes: [CommitUnit.Change], results: [WriteResult]
  ) {
    for write in writes { try write.validate() }
    return try CommitUnit.apply(writes, version: page.version, requestTime: page.time) { path in
      path == page.path ? stored.map(page.stored) : nil
    }
  }

  @Test func `later writes see earlier ones`() throws {
    let plus = page.write([:], mask: [], [FieldTransform(path: field("n"), kind: .increment(i(1)))])
    let (changes, results) = try commit([plus, plus], stored: ["n": i(1)])
    #expect(changes.count == 1)
    #expect(changes.first?.before == page.stored(["n": i(1)]))
    #expect(changes.first?.after?.fields == ["n": i(3)])
    #expect(results.map(\.transformResults) == [[i(2)], [i(3)]])
  }

  @Test func `an update after a delete is refused and a set makes the document anew`() throws {
    let update = page.write(["a": i(1)], mask: [field("a")], [], .exists(true))
    for stored in [["a": i(1)], nil] as [Fields?] {
      expectFailure("UPDATE_AFTER_DELETE") {
        try commit([page.delete(), update], stored: stored)
      }
    }
    let (changes, _) = try commit([page.delete(), page.write(["a": i(1)])], stored: ["a": i(1)])
    #expect(changes.first?.after?.createVersion == page.version)
    #expect(changes.first?.isChange == true)
    // After the set there is something to update again.
    #expect(
      reason(of: { try commit([page.delete(), page.write([:]), update], stored: nil) }) == nil)
    // Without the demand that it exists, a masked write is a set.
    let merge = page.write(["a": i(1)], mask: [field("a")])
    #expect(reason(of: { try commit([page.delete(), merge], stored: nil) }) == nil)
  }

  @Test func `changes stand in the order of first writes, unchanged documents included`() throws {
    let other = Write(
      document: page.path.collection.document("a"),
      operation: .update(fields: [:], mask: nil, transforms: []))
    let (changes, results) = try commit(
      [page.write(["a": i(1)]), other, page.write(["a": i(1)])], stored: ["a": i(1)])
    #expect(changes.map(\.path.id) == ["d", "a"])
    #expect(changes.map(\.isChange) == [false, true])
    #expect(results.map(\.updateVersion?.microseconds) == [1000, 2000, 1000])
  }

  @Test func `transforms are counted per document over the whole unit`() throws {
    let some = page.write(
      [:], mask: [],
      Array(repeating: FieldTransform(path: field("t"), kind: .serverTimestamp), count: 300))
    expectFailure("TOO_MANY_TRANSFORMS") { try commit([some, some], stored: nil) }
  }

  @Test func `a unit has ten MiB at most, names counted`() {
    let megabyte = ["a": s(String(repeating: "a", count: 1_048_400))] as Fields
    let ten = Array(repeating: page.write(megabyte), count: 10)
    #expect(reason(of: { try CommitUnit.validate(ten) }) == nil)
    // Each is 1,048,400 + 1 + 2 + 20 + 32 bytes, which leaves 1210: sixty deletes of 20.
    let deletes = Array(repeating: page.delete(), count: 61)
    expectFailure("REQUEST_TOO_LARGE") { try CommitUnit.validate(ten + deletes) }
    #expect(reason(of: { try CommitUnit.validate(ten + deletes.dropLast()) }) == nil)
  }

  @Test func `any failure fails the unit`() {
    expectFailure("DOCUMENT_EXISTS", .alreadyExists) {
      try commit([page.write([:]), page.write([:], [], .exists(false))], stored: nil)
    }
  }
}
