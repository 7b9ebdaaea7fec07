import HearthModel

/// Values that are near each other, or the same to queries, at the edges of documents-and-queries
/// 2: what an index, a filter and an order must tell apart, or must not.
enum ValueFamilies {
  /// Most fields hold these, so that filters find something.
  static let common: [[Value]] = [smallNumbers, smallNumbers, words, strange]

  static let rare: [[Value]] = [
    precise, words, times, bytes, references, points, vectors, arrays, maps,
  ]

  /// Values around the budget of index forms (2.4).
  ///
  /// Few fields may hold them: an index entry has a limit of its own.
  static let long: [[Value]] = [longStrings, longBytes, longContainers]

  private static let smallNumbers: [Value] = [
    .integer(0), .double(0), .double(-0.0), .integer(1), .double(1), .double(1.5), .integer(2),
    .integer(3), .integer(-1), .double(-1), .double(.leastNonzeroMagnitude),
  ]

  private static let precise: [Value] = [
    .integer(1 << 53), .integer(1 << 53 + 1), .double(0x1p53), .integer(1 << 53 + 2),
    .double(0x1p53 + 2), .integer(.max), .integer(.max - 1), .double(0x1p63), .integer(.min),
    .integer(.min + 1), .double(-0x1p63), .double(.infinity), .double(-.infinity),
    .double(.greatestFiniteMagnitude), .double(0x1.fffffffffffffp62),
  ]

  private static let strange: [Value] = [
    .null, .double(.nan), .boolean(false), .boolean(true), .integer(1), .string("a"),
    .double(-.infinity),
  ]

  private static let words: [Value] = [
    "", "a", "a\0", "a\u{1}", "aa", "b", "é", "e\u{301}", "\u{d7ff}", "\u{fe12}", "\u{ff30}",
    "\u{ffff}", "\u{10000}", "\u{1f435}",
  ].map { .string($0) }

  private static let times: [Value] = [
    (-62_135_596_800, 0), (-1, 999_999_000), (0, 0), (0, 1000), (1, 0),
    (253_402_300_799, 999_999_000),
  ].map { .timestamp(Timestamp(seconds: $0.0, nanoseconds: $0.1)) }

  private static let bytes: [Value] = [[], [0], [0, 0], [0, 255], [1], [255], [255, 0]].map {
    .bytes($0)
  }

  private static let references: [Value] = [
    ["r", "a"], ["r", "b"], ["r", "__id7__"], ["r", "__id12__"], ["r", "__id-2__"], ["r", "12"],
    ["r", "a", "r", "a"], ["r", "a", "q", "a"], ["q", "b"], ["r", "é"], ["r", "e\u{301}"],
    ["r", String(repeating: "z", count: 1500)],
    ["r", String(repeating: "z", count: 1500), "r", "a"],
  ].map { ids in
    let collection = CollectionPath(unchecked: Array(ids.dropLast()))
    return .reference(DocumentPath(collection: collection, id: ids[ids.count - 1]))
  }

  private static let points: [Value] = [
    (-90, -180), (0, 0), (-0.0, 0), (0, -0.0), (0, 1), (90, 180), (1, -1),
  ].map { .geoPoint(GeoPoint(latitude: $0.0, longitude: $0.1)) }

  private static let vectors: [Value] = [
    [1], [9], [1, 2], [2, 2], [1, 2, 3], [0], [-0.0], [.nan], [.infinity, 0],
  ].map { .vector(VectorValue($0)) }

  private static let arrays: [Value] = [
    [], [.integer(1)], [.double(1)], [.null], [.double(.nan)], [.integer(1), .integer(2)],
    [.integer(2)], [.string("a")], [.string("a"), .null], [.map(["k": .integer(1)])], [.map([:])],
    [.map(["k": .array([.integer(1)])])],
  ].map { .array($0) }

  private static let maps: [Value] = [
    [:], ["a": .integer(1)], ["a": .double(1)], ["a": .integer(1), "b": .integer(2)],
    ["b": .integer(0)], ["a": .map(["b": .integer(1)])], ["a": .array([.integer(1)])],
    ["é": .integer(1)], ["e\u{301}": .integer(1)], ["a": .null], ["a": .double(.nan)],
  ].map { .map($0) }

  private static let stem = String(repeating: "l", count: 1498)

  private static let longStrings: [Value] = [
    // Longer than a stored key.
    .string(String(repeating: "l", count: 520)), .string(String(repeating: "l", count: 520) + "\0"),
    .string(stem + "l"), .string(stem + "ll"), .string(stem + "llx"), .string(stem + "lly"),
    // Cut in the middle of a character: the same first byte.
    .string(stem + "lé"), .string(stem + "lè"), .string(stem + "é"), .string(stem + "m"),
  ]

  private static let longBytes: [Value] = [520, 1499, 1500, 1501, 1502].map {
    .bytes([UInt8](repeating: 0, count: $0))
  }

  /// 187 integers cost 1496: four bytes are left for what follows.
  private static let longContainers: [Value] = {
    let many = [Value](repeating: .integer(1), count: 187)
    let wide = [Double](repeating: 1, count: 187)
    return [
      .array(many), .array(many + [.string("abcd")]), .array(many + [.string("abcde")]),
      .array(many + [.string("abcdf")]), .array(many + [.integer(2)]),
      .array(many + [.integer(2), .integer(1)]), .array(many + [.integer(2), .integer(2)]),
      .array(many + [.double(1), .string("")]),
      .vector(VectorValue(wide + [1])), .vector(VectorValue(wide + [2])),
      .vector(VectorValue(wide + [2, 1])), .vector(VectorValue(wide + [2, 2])),
      .map(["a": .string(stem + "l")]), .map(["a": .string(stem + "ll")]),
      .map(["a": .string(stem + "l"), "b": .integer(1)]),
      .map(["a": .string(stem + "l"), "b": .integer(2)]),
    ]
  }()
}
