import HearthModel

/// Writes with something in them that breaks a rule, or lies just within it.
extension RandomWorld {
  mutating func spoilt(_ write: Write) -> Write {
    var write = write
    switch below(10) {
    case 0, 1: write.document = spoiltPath()
    case 2:
      let names = ["__a__", "", "____", "__", "___", "__x", "x__"]
      write.operation = .update(fields: [(pick(names), 1)].asFields, mask: nil, transforms: [])
    case 3:
      let length = pick([1490, 1500, 1501, 1600])
      let name = String(repeating: "n", count: length)
      write.operation = .update(fields: [(name, 1)].asFields, mask: nil, transforms: [])
    case 4: write.operation = .update(fields: fields(), mask: [spoiltField()], transforms: [])
    case 5:
      let isMany = oneIn(4)
      let many = (0..<(isMany ? pick([499, 500, 501]) : 0)).map {
        FieldTransform(path: FieldPath(["t\($0)"]), kind: .increment(1))
      }
      write.operation = .update(
        fields: fields(), mask: oneIn(2) ? nil : [],
        transforms: isMany ? many : [spoiltTransform()])
    default:
      let value = spoiltValue()
      let name = name()
      let isDeep = oneIn(4)
      write.operation = .update(
        fields: [(name, isDeep ? .map([("x", value)].asFields) : value)].asFields,
        mask: oneIn(2) ? nil : [FieldPath([name])], transforms: [])
    }
    return write
  }

  private mutating func spoiltPath() -> DocumentPath {
    let root = CollectionPath(unchecked: ["c"])
    switch below(8) {
    case 0: return root.document(String(repeating: "i", count: pick([1500, 1501])))
    case 1: return root.document(pick(["__a__", "____", "__id__", "__id1.5__", "__id007__"]))
    case 2: return root.document(pick(["__id9223372036854775807__", "__id9223372036854775808__"]))
    case 3: return root.document(pick([".", "..", "...", "__", "___", "__id", "_id1__"]))
    case 4: return CollectionPath(unchecked: [pick(["__c__", "__id7__", "."])]).document("a")
    case 5:
      var path = root.document("a")
      let depth = pick([99, 100, 101])
      while path.segments.count < 2 * depth { path = path.collection("c").document("a") }
      return path
    case 6:
      let long = String(repeating: "i", count: 1490)
      var path = root.document(long)
      for _ in 0..<pick([2, 3, 4]) { path = path.collection("c").document(long) }
      return path
    default: return root.document(pick(["a b", "\u{7f}", "a.b", "é", "\n"]))
    }
  }

  private mutating func spoiltField() -> FieldPath {
    pick([
      FieldPath(["__name__"]), FieldPath(["a", "__x__"]), FieldPath(["a", "__name__"]),
      FieldPath([String(repeating: "n", count: pick([1500, 1501]))]),
      FieldPath([
        String(repeating: "n", count: 750), String(repeating: "n", count: pick([749, 750])),
      ]),
    ])
  }

  private mutating func spoiltTransform() -> FieldTransform {
    let path = oneIn(3) ? spoiltField() : field()
    let kinds: [FieldTransform.Kind] = [
      .increment("a"), .maximum(.null), .minimum(.array([])), .increment(.boolean(true)),
      .arrayUnion([.array([1])]), .arrayRemove([.array([])]), .arrayUnion([spoiltValue()]),
      .serverTimestamp,
    ]
    return FieldTransform(path: path, kind: pick(kinds))
  }

  private mutating func spoiltValue() -> Value {
    switch below(8) {
    case 0:
      return pick([
        .array([.array([1])]), .array([.vector(VectorValue([1]))]), .vector(VectorValue([.nan])),
      ])
    case 1: return .array([.map(["x": .array([.array([])])])])
    case 2:
      // One container is the field that this stands in, if it is put deeper.
      var value: Value = 1
      for level in 0..<pick([18, 19, 20, 21]) {
        value = level % 2 == 0 ? .map([("x", value)].asFields) : .array([value])
      }
      return value
    case 3:
      return .geoPoint(
        GeoPoint(
          latitude: pick([90, 90.1, -90, -91, .nan, .infinity, 0]),
          longitude: pick([180, 180.1, -180, -181, .nan, 0])))
    case 4:
      return .timestamp(
        Timestamp(
          seconds: pick([-62_135_596_801, -62_135_596_800, 253_402_300_799, 253_402_300_800]),
          nanoseconds: pick([0, 999_999_999])))
    case 5:
      let count = pick([0, 1, 2048, 2049])
      return .vector(VectorValue(Array(repeating: 0.5, count: count)))
    case 6:
      // Long values are slow on their way; the longest are rare.
      let lengths = oneIn(8) ? [1_048_400, 1_048_488, 1_100_000] : [1499, 1500, 1501, 3000]
      return .string(String(repeating: "s", count: pick(lengths)))
    default: return .map([(pick(["__a__", "", "____", "__type__"]), 1)].asFields)
    }
  }
}

extension [(String, Value)] {
  fileprivate var asFields: Fields { Fields(self) }
}
