import HearthEncoding
import HearthModel
import HearthTestSupport
import Testing

/// Hands out numbers as the catalog would.
private final class Numbers {
  var keys: [AutomaticIndexKey] = []

  func number(_ key: AutomaticIndexKey) throws(HearthError) -> IndexNumber {
    if let i = keys.firstIndex(of: key) { return IndexNumber(UInt64(i)) }
    keys.append(key)
    return IndexNumber(UInt64(keys.count - 1))
  }
}

private let sanFrancisco: Fields = [
  "city_name": .string("San Francisco"),
  "temperatures": .map(["summer": .integer(67), "winter": .integer(55)]),
  "neighborhoods": .array([.string("Mission"), .string("Downtown"), .string("Marina")]),
]
private let sf = path("cities", "SF")

struct IndexEntriesTests {
  private func automatic(
    _ fields: Fields, _ path: DocumentPath = sf,
    _ configuration: IndexConfiguration = IndexConfiguration(), _ numbers: Numbers = Numbers()
  ) throws -> [[UInt8]] {
    try entries(fields, path, configuration, numbers).map(\.key)
  }

  private func entries(
    _ fields: Fields, _ path: DocumentPath = sf,
    _ configuration: IndexConfiguration = IndexConfiguration(), _ numbers: Numbers = Numbers()
  ) throws -> [IndexEntry] {
    try IndexEntries.automatic(
      fields: fields, path: path, collection: CollectionNumber(4), configuration: configuration,
      number: numbers.number)
  }

  private func index(_ fields: IndexField..., scope: IndexScope = .collection) -> PhysicalIndex {
    PhysicalIndex(
      number: IndexNumber(9),
      definition: IndexDefinition(collectionID: "cities", scope: scope, fields: fields))
  }

  @Test func `the example city has 13 logical entries in 8 physical ones`() throws {
    let numbers = Numbers()
    let keys = try automatic(sanFrancisco, sf, IndexConfiguration(), numbers)
    // Five fields have an ascending and a descending index, which share a tree: 10 logical and 5
    // physical entries. The three elements have one entry each in both ways of counting.
    #expect(keys.count == 8)
    #expect(Set(keys).count == 8)
    #expect(numbers.keys.count == 6)
    let cost = IndexEntries.cost(
      fields: sanFrancisco, path: sf, configuration: IndexConfiguration(), declared: [])
    #expect(cost.entries == 13)
    let composite = IndexDefinition(
      collectionID: "cities",
      fields: [
        IndexField(FieldPath(["city_name"]), .ascending),
        IndexField(FieldPath(["neighborhoods"]), .contains),
      ])
    let both = IndexEntries.cost(
      fields: sanFrancisco, path: sf, configuration: IndexConfiguration(), declared: [composite])
    #expect(both.entries == 16)
    let declared = IndexEntries.declared(
      fields: sanFrancisco, path: sf, collection: CollectionNumber(4),
      index: PhysicalIndex(number: IndexNumber(9), definition: composite))
    #expect(declared.count == 3)
  }

  @Test func `an entry is prefix, values and name`() throws {
    let numbers = Numbers()
    let keys = try automatic(["a": .integer(5)], sf, IndexConfiguration(), numbers)
    var key = KeyLayout.entriesPrefix(IndexNumber(0), CollectionNumber(4))
    ValueKey.append(.integer(5), to: &key)
    NameKey.appendID("SF", to: &key)
    #expect(keys == [key])
    #expect(
      numbers.keys[0].definition
        == IndexDefinition(
          collectionID: "cities", fields: [IndexField(FieldPath(["a"]), .ascending)]))
    #expect(AutomaticIndexKey(numbers.keys[0].definition) == numbers.keys[0])
    #expect(AutomaticIndexKey(numbers.keys[0].definition.twin) == numbers.keys[0])
  }

  @Test func `elements equal in queries share an entry`() throws {
    let array = Value.array([.integer(1), .double(1), .null, .null, .double(0), .double(-0.0)])
    #expect(try automatic(["a": array]).count == 1 + 3)
    #expect(try automatic(["a": .array([])]).count == 1)
    let long = String(repeating: "x", count: 1500)
    #expect(
      try automatic(["a": .array([.string(long + "a"), .string(long + "b")])]).count == 1 + 1)
  }

  @Test func `overrides replace the automatic trees of a field and below`() throws {
    func override(_ path: FieldPath?, _ indexes: [SingleFieldIndex]) -> FieldOverride {
      FieldOverride(collectionID: "cities", path: path, indexes: indexes)
    }
    let temperatures = FieldPath(["temperatures"])
    let none = IndexConfiguration(overrides: [override(temperatures, [])])
    #expect(try automatic(sanFrancisco, sf, none).count == 5)
    let one = IndexConfiguration(overrides: [
      override(temperatures, []),
      override(
        FieldPath(["temperatures", "summer"]),
        [SingleFieldIndex(mode: .descending, scope: .collection)]),
    ])
    #expect(try automatic(sanFrancisco, sf, one).count == 6)
    let group = IndexConfiguration(overrides: [
      override(
        nil,
        [
          SingleFieldIndex(mode: .ascending, scope: .collectionGroup),
          SingleFieldIndex(mode: .contains, scope: .collectionGroup),
        ])
    ])
    let numbers = Numbers()
    let keys = try automatic(sanFrancisco, sf, group, numbers)
    #expect(keys.count == 8)
    #expect(numbers.keys.allSatisfy { $0.scope == .collectionGroup })
    for key in keys {
      var position = 0
      _ = try OrderedNumber.read(from: key, at: &position)
      let end = try ValueKey.componentEnd(in: key, from: position)
      #expect(try NameKey.decodePath(in: key, from: end) == sf)
    }
    let elsewhere = IndexConfiguration(overrides: [
      FieldOverride(collectionID: "towns", path: nil, indexes: [])
    ])
    #expect(try automatic(sanFrancisco, sf, elsewhere).count == 8)
  }

  @Test func `a declared index has entries only where every field is present`() throws {
    func entries(_ index: PhysicalIndex, _ fields: Fields = sanFrancisco) -> [[UInt8]] {
      IndexEntries.declared(
        fields: fields, path: sf, collection: CollectionNumber(4), index: index
      ).map(\.key)
    }
    let name = IndexField(FieldPath(["city_name"]), .ascending)
    let summer = IndexField(FieldPath(["temperatures", "summer"]), .descending)
    let missing = IndexField(FieldPath(["missing"]), .ascending)
    let hoods = IndexField(FieldPath(["neighborhoods"]), .contains)
    #expect(entries(index(name, missing)).isEmpty)
    #expect(entries(index(name, IndexField(name.path, .contains))).isEmpty)
    #expect(entries(index(name, hoods), ["city_name": .null, "neighborhoods": .array([])]).isEmpty)
    // The definition ends in a descending field, so its name descends and the twin is stored.
    var key = KeyLayout.entriesPrefix(IndexNumber(9), CollectionNumber(4))
    ValueKey.append(.string("San Francisco"), descending: true, to: &key)
    ValueKey.append(.integer(67), to: &key)
    NameKey.appendID("SF", to: &key)
    #expect(entries(index(name, summer)) == [key])
    #expect(entries(index(summer, hoods, name)).count == 3)
    for index in [
      index(name, summer), index(summer, hoods, name), index(hoods, scope: .collectionGroup),
    ] {
      for key in entries(index) {
        let start = try KeyLayout.nameStart(inEntry: key.span.bytes, of: index.definition)
        if index.definition.scope == .collection {
          #expect(try NameKey.decodeID(in: key, from: start) == "SF")
        } else {
          #expect(try NameKey.decodePath(in: key, from: start) == sf)
        }
      }
    }
    var group = KeyLayout.entriesPrefix(IndexNumber(9), nil)
    NameKey.appendPath(sf, to: &group)
    let names = index(IndexField(.documentName, .ascending), scope: .collectionGroup)
    #expect(entries(names) == [group])
  }

  @Test func `a difference turns the old entries into the new ones`() throws {
    var generator = SeededGenerator(seed: testSeed("IndexEntries difference"))
    let numbers = Numbers()
    for _ in 0..<(300 * soakFactor) {
      let before = generator.fields(depth: 3)
      var after = before
      if let field = before.first { after[field.name] = generator.value() }
      after["new"] = .integer(1)
      let old = try entries(before, sf, IndexConfiguration(), numbers)
      let new = try entries(after, sf, IndexConfiguration(), numbers)
      let change = IndexEntries.difference(old: old, new: new)
      var table = Dictionary(uniqueKeysWithValues: old.map { ($0.key, $0.payload) })
      for key in change.removed { table[key] = nil }
      for entry in change.added { table[entry.key] = entry.payload }
      #expect(table == Dictionary(uniqueKeysWithValues: new.map { ($0.key, $0.payload) }))
      #expect(Set(change.removed).isDisjoint(with: new.map(\.key)))
      #expect(Set(change.added).isDisjoint(with: old))
      for keys in [change.removed, change.added.map(\.key)] {
        for (a, b) in zip(keys, keys.dropFirst()) { #expect(byteOrder(a, b) < 0) }
      }
    }
  }
}

struct NumberKindTests {
  @Test func `numbers read back from keys with their kinds`() throws {
    var generator = SeededGenerator(seed: testSeed("numbers from keys"))
    var values: [Value] = [
      .integer(0), .integer(1), .integer(-1), .integer(.max), .integer(.min), .integer(.max - 1),
      .integer(1 << 53 + 1), .integer(-(1 << 53) - 1), .double(0), .double(1), .double(-1),
      .double(0.5), .double(-0.1), .double(.nan), .double(.infinity), .double(-.infinity),
      .double(9_223_372_036_854_775_808), .double(-9_223_372_036_854_775_808), .double(1e300),
      .double(.leastNonzeroMagnitude), .double(-.leastNonzeroMagnitude),
    ]
    for _ in 0..<2000 {
      let bits = generator.next()
      values += [
        .integer(Int64(bitPattern: bits)), .integer(Int64(bitPattern: bits) >> 40),
        .double(Double(bitPattern: bits)), .double(Double(Int64(bitPattern: bits) >> 30)),
      ]
    }
    for value in values {
      for descending in [false, true] {
        var key: [UInt8] = [7]
        ValueKey.append(value, descending: descending, to: &key)
        let read = try ValueKey.number(
          in: key, from: 1, descending: descending,
          isWholeDouble: NumberKinds.isWholeDouble(value))
        #expect(read == value)
      }
    }
    let text = ValueKey.encode(.string("1"))
    #expect(
      try ValueKey.number(in: text, from: 0, descending: false, isWholeDouble: false) == nil)
  }

  @Test func `an entry says which whole numbers are doubles, and is put again when that changes`()
    throws
  {
    let index = PhysicalIndex(
      number: IndexNumber(9),
      definition: IndexDefinition(
        collectionID: "cities",
        fields: [
          IndexField(FieldPath(["a"]), .ascending), IndexField(FieldPath(["b"]), .ascending),
        ]))
    func entries(_ a: Value, _ b: Value) -> [IndexEntry] {
      IndexEntries.declared(
        fields: ["a": a, "b": b], path: sf, collection: CollectionNumber(4), index: index)
    }
    let integers = entries(.integer(1), .integer(2))
    let mixed = entries(.integer(1), .double(2))
    #expect(integers[0].key == mixed[0].key)
    #expect(integers[0].payload == [])
    #expect(!NumberKinds.contains(0, in: mixed[0].payload))
    #expect(NumberKinds.contains(1, in: mixed[0].payload))
    #expect(entries(.integer(1), .double(2.5))[0].payload == [])
    let change = IndexEntries.difference(old: integers, new: mixed)
    #expect(change.removed == [])
    #expect(change.added == mixed)
  }
}

struct IndexBudgetTests {
  private let task = path("users", "jeff", "tasks", "my_task_id")
  private let taskFields: Fields = [
    "type": .string("Personal"), "done": .boolean(false), "priority": .integer(1),
    "description": .string("Learn Cloud Firestore"),
  ]

  private func only(_ scope: IndexScope) -> IndexConfiguration {
    IndexConfiguration(overrides: [
      FieldOverride(collectionID: "tasks", path: nil, indexes: []),
      FieldOverride(
        collectionID: "tasks", path: FieldPath(["done"]),
        indexes: [SingleFieldIndex(mode: .ascending, scope: scope)]),
    ])
  }

  private func composite(_ scope: IndexScope) -> IndexDefinition {
    IndexDefinition(
      collectionID: "tasks", scope: scope,
      fields: [
        IndexField(FieldPath(["done"]), .ascending),
        IndexField(FieldPath(["priority"]), .ascending),
      ])
  }

  @Test func `entries have the sizes of the published example`() {
    let none = IndexConfiguration(overrides: [
      FieldOverride(collectionID: "tasks", path: nil, indexes: [])
    ])
    for (configuration, declared, size) in [
      (only(.collection), [], 109), (only(.collectionGroup), [], 98),
      (none, [composite(.collection)], 112), (none, [composite(.collectionGroup)], 85),
    ] {
      let cost = IndexEntries.cost(
        fields: taskFields, path: task, configuration: configuration, declared: declared)
      #expect([cost.entries, cost.largest, cost.total] == [1, size, size])
    }
  }

  private func reason(
    _ fields: Fields, _ path: DocumentPath = sf, _ declared: [IndexDefinition] = []
  ) -> String? {
    do {
      try IndexEntries.checkBudget(
        fields: fields, path: path, configuration: IndexConfiguration(), declared: declared)
      return nil
    } catch {
      #expect(error.status == .invalidArgument)
      return error.reason
    }
  }

  @Test func `40,000 entries are allowed and one more is not`() {
    func fields(_ count: Int64) -> Fields { ["a": .array((0..<count).map { .integer($0) })] }
    #expect(reason(sanFrancisco) == nil)
    #expect(reason(fields(39_998)) == nil)
    #expect(reason(fields(39_999)) == "TOO_MANY_INDEX_ENTRIES")
    // Equal elements count once.
    #expect(reason(["a": .array(.init(repeating: .integer(1), count: 50_000))]) == nil)
  }

  @Test func `an entry of 7680 bytes is allowed and one more byte is not`() {
    let declared = IndexDefinition(
      collectionID: "cities",
      fields: ["a", "b", "c", "d", "e", "f"].map { IndexField(FieldPath([$0]), .ascending) })
    // Name 6 + 1 + 3 + 16 = 26 with the parent's 16 and 32 leaves 7606 bytes for values.
    func fields(_ last: Int) -> Fields {
      var fields = Fields()
      for name in ["a", "b", "c", "d", "e"] {
        fields[name] = .string(String(repeating: "x", count: 1600))
      }
      fields["f"] = .bytes(.init(repeating: 0, count: last))
      return fields
    }
    #expect(reason(fields(106), sf, [declared]) == nil)
    #expect(reason(fields(107), sf, [declared]) == "INDEX_ENTRY_TOO_LARGE")
    // The definition of another collection does not count.
    let other = IndexDefinition(collectionID: "towns", fields: declared.fields)
    #expect(reason(fields(107), sf, [other]) == nil)
  }

  @Test func `8 MiB of entries are allowed and more is not`() {
    func fields(_ count: Int) -> Fields {
      ["a": .array((0..<count).map { .string("\($0)" + String(repeating: "x", count: 1500)) })]
    }
    #expect(reason(fields(5000)) == nil)
    #expect(reason(fields(6000)) == "INDEX_ENTRIES_TOO_LARGE")
  }

  @Test func `the quick bounds never hide what the exact count finds`() {
    var generator = SeededGenerator(seed: testSeed("IndexBudget bounds"))
    for _ in 0..<(10 * soakFactor) {
      var fields = generator.fields(depth: 2)
      let count = generator.number(0..<4000)
      let length = generator.number(0..<3000)
      fields["big"] = .array(
        (0..<count).map { .string("\($0)" + String(repeating: "x", count: length)) })
      let cost = IndexEntries.cost(
        fields: fields, path: sf, configuration: IndexConfiguration(), declared: [])
      let tooMuch =
        cost.entries > IndexEntries.mostEntries || cost.largest > IndexEntries.largestEntry
        || cost.total > IndexEntries.largestTotal
      #expect((reason(fields) != nil) == tooMuch)
    }
  }
}
