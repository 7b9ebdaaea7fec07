import HearthModel
import Testing

@Suite struct IndexDefinitionFileTests {
  private func load(_ json: String) throws(HearthError) -> IndexDefinitionFile {
    try IndexDefinitionFile(json: Array(json.utf8))
  }

  /// A file with one composite that has these fields.
  private func composite(_ fields: String, _ more: String = "") -> String {
    """
    {"indexes": [{"collectionGroup": "r", "queryScope": "COLLECTION", \(more) "fields": [\(fields)]}]}
    """
  }

  private let a = #"{"fieldPath": "a", "order": "ASCENDING"}"#
  private let b = #"{"fieldPath": "b", "order": "DESCENDING"}"#

  static let specified = """
    {
      "indexes": [
        { "collectionGroup": "restaurants", "queryScope": "COLLECTION",
          "fields": [ { "fieldPath": "category", "order": "ASCENDING" },
                      { "fieldPath": "avgRating", "order": "DESCENDING" } ] },
        { "collectionGroup": "restaurants", "queryScope": "COLLECTION",
          "fields": [ { "fieldPath": "tags", "arrayConfig": "CONTAINS" },
                      { "fieldPath": "city", "order": "ASCENDING" } ] }
      ],
      "fieldOverrides": [
        { "collectionGroup": "ratings", "fieldPath": "userId",
          "indexes": [ { "order": "ASCENDING", "queryScope": "COLLECTION" },
                       { "order": "DESCENDING", "queryScope": "COLLECTION" },
                       { "order": "ASCENDING", "queryScope": "COLLECTION_GROUP" } ] },
        { "collectionGroup": "ratings", "fieldPath": "text", "indexes": [] }
      ]
    }
    """

  // An entry pasted as a whole file was taken for a file without indexes.
  @Test func `a file has lists, and one entry alone is no file`() {
    for (json, words) in [
      (#"{"collectionGroup": "r", "queryScope": "COLLECTION", "fields": []}"#, "\"indexes\": ["),
      (#"{"collectionGroup": "r", "fieldPath": "a", "indexes": []}"#, "\"fieldOverrides\": ["),
      (#"{"index": []}"#, "unknown key 'index'"),
    ] {
      let error = #expect(throws: HearthError.self) {
        try IndexDefinitionFile(json: Array(json.utf8))
      }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
  }

  @Test func `the specification's file is read as it says`() throws {
    let file = try load(Self.specified)
    #expect(
      file.composites.map(\.description) == [
        "(category ASC, avgRating DESC, __name__ DESC)",
        "(tags ARRAY_CONTAINS, city ASC, __name__ ASC)",
      ])
    #expect(file.composites.map(\.collectionID) == ["restaurants", "restaurants"])
    #expect(
      file.overrides.first?.indexes == [
        SingleFieldIndex(mode: .ascending, scope: .collection),
        SingleFieldIndex(mode: .descending, scope: .collection),
        SingleFieldIndex(mode: .ascending, scope: .collectionGroup),
      ])
    #expect(
      file.overrides.last
        == FieldOverride(collectionID: "ratings", path: field("text"), indexes: []))
  }

  @Test func `a written file reads back the same and writes back the same`() throws {
    var file = try load(Self.specified)
    file.composites.append(
      IndexDefinition(
        collectionID: "quo\"te\n", scope: .collectionGroup,
        fields: [
          IndexField(field("a.b", "`"), .descending), IndexField(.documentName, .ascending),
        ]))
    file.composites.append(
      IndexDefinition(collectionID: "r", fields: [IndexField(.documentName, .descending)]))
    file.overrides.append(FieldOverride(collectionID: "r", path: nil, indexes: []))
    file.overrides.append(FieldOverride(collectionID: "r", path: field("*"), indexes: []))
    let json = file.json()
    let again = try load(json)
    #expect(again == file)
    #expect(again.json() == json)
    #expect(try load(IndexDefinitionFile().json()) == IndexDefinitionFile())
  }

  // A leading byte order mark is dropped by the parser unless it is escaped.
  @Test func `names of any characters are read back byte by byte`() throws {
    let names = [
      "\u{feff}", "\u{feff}r", "r\u{feff}", "\"\u{feff}", "\u{0}", "\n\u{301}", "\r\n", "\\u0041",
      "`\\`",
      "\u{2028}", "\u{fffe}", "\u{ffff}", "\u{10ffff}", "é", "e\u{301}", "*", ".",
    ]
    for name in names {
      let file = IndexDefinitionFile(
        composites: [
          IndexDefinition(
            collectionID: "c\(name)", scope: .collectionGroup,
            fields: [
              IndexField(FieldPath([name, name]), .contains),
              IndexField(FieldPath([name]), .descending),
            ]),
          IndexDefinition(
            collectionID: name.utf8.count > 1 ? name : "r",
            fields: [
              IndexField(FieldPath([name]), .ascending), IndexField(FieldPath(["n"]), .ascending),
            ]),
        ],
        overrides: [FieldOverride(collectionID: "\(name)c", path: FieldPath([name]), indexes: [])])
      #expect(try load(file.json()) == file, "\(name.debugDescription)")
    }
  }

  @Test func `the two stars are different overrides`() throws {
    let file = try load(
      """
      {"fieldOverrides": [
        {"collectionGroup": "r", "fieldPath": "*", "indexes": []},
        {"collectionGroup": "r", "fieldPath": "`*`", "indexes": [{"arrayConfig": "CONTAINS"}]}]}
      """)
    #expect(file.overrides.map(\.path) == [nil, field("*")])
    #expect(
      file.overrides.last?.indexes == [SingleFieldIndex(mode: .contains, scope: .collection)])
  }

  @Test func `options that mean what is done anyway are accepted`() throws {
    let options = #""apiScope": "ANY_API", "density": "SPARSE_ALL", "multikey": false,"#
    #expect(try load(composite("\(a), \(b)", options)).composites.count == 1)
    let modes =
      #"{"fieldPath": "a", "mode": "ASCENDING"}, {"fieldPath": "t", "mode": "ARRAY_CONTAINS"}"#
    #expect(
      try load(composite(modes)).composites.map(\.description)
        == ["(a ASC, t ARRAY_CONTAINS, __name__ ASC)"])
    let ttl =
      #"{"fieldOverrides": [{"collectionGroup": "r", "fieldPath": "t", "ttl": true, "indexes": []}]}"#
    #expect(try load(ttl).overrides.count == 1)
  }

  @Test func `copies of automatic indexes are ignored and equal definitions are one`() throws {
    #expect(try load(composite(a)).composites.isEmpty)
    #expect(
      try load(composite(#"{"fieldPath": "t", "arrayConfig": "CONTAINS"}"#)).composites.isEmpty)
    let name = #"{"fieldPath": "__name__", "order": "DESCENDING"}"#
    #expect(try load(composite(name)).composites.count == 1)
    #expect(try load(composite("\(a), \(name)")).composites.count == 1)
    let one = #"{"collectionGroup": "r", "queryScope": "COLLECTION", "fields": [\#(a), \#(b)]}"#
    let two =
      #"{"collectionGroup": "r", "queryScope": "COLLECTION", "fields": [\#(a), \#(b), \#(name)]}"#
    #expect(try load("{\"indexes\": [\(one), \(two)]}").composites.count == 1)
  }

  @Test func `what is no JSON is INDEX_FILE_SYNTAX and says where`() {
    for text in ["", "{", "{\"indexes\": [}", "\u{feff}nonsense"] {
      expectFailure("INDEX_FILE_SYNTAX") { try load(text) }
    }
    do {
      _ = try load("{\n\"indexes\": [}\n}")
    } catch {
      #expect(error.message.contains("line 2"), "\(error.message)")
    }
  }

  @Test func `faulty entries are refused`() {
    let vector = #"{"fieldPath": "v", "vectorConfig": {"dimension": 2, "flat": {}}}"#
    let override = #"{"collectionGroup": "r", "fieldPath": "a", "indexes": []}"#
    let rows: [(String, String)] = [
      ("INDEX_DEFINITION", "[]"), ("INDEX_DEFINITION", #"{"indexes": {}}"#),
      ("INDEX_DEFINITION", #"{"indexes": [1]}"#),
      ("INDEX_DEFINITION", #"{"indexes": [{"collectionGroup": "r", "fields": []}]}"#),
      ("INDEX_DEFINITION", composite("")),
      ("INDEX_DEFINITION", composite(#"{"fieldPath": "a"}"#)),
      ("INDEX_DEFINITION", composite(#"{"order": "ASCENDING"}"#)),
      ("INDEX_DEFINITION", composite(#"{"fieldPath": "a", "order": "ASC"}"#)),
      (
        "INDEX_DEFINITION",
        composite(#"{"fieldPath": "a", "order": "ASCENDING", "arrayConfig": "CONTAINS"}"#)
      ),
      ("INDEX_DEFINITION", composite(#"{"fieldPath": "a-b", "order": "ASCENDING"}"#)),
      ("INDEX_DEFINITION", composite("\(a), \(a)")),
      ("INDEX_DEFINITION", composite("\(a), \(vector)")),
      ("INDEX_DENSITY", composite("\(a), \(b)", #""density": "DENSE","#)),
      ("INDEX_DENSITY", composite("\(a), \(b)", #""density": "SPARSE_ANY","#)),
      ("INDEX_DEFINITION", composite("\(a), \(b)", #""unique": true,"#)),
      ("INDEX_DEFINITION", composite("\(a), \(b)", #""multikey": true,"#)),
      ("INDEX_DEFINITION", composite("\(a), \(b)", #""apiScope": "DATASTORE_MODE_API","#)),
      ("INDEX_DEFINITION", composite("\(a), \(b)", #""qeryScope": "COLLECTION","#)),
      ("INDEX_DEFINITION", #"{"fieldOverrides": [{"collectionGroup": "r", "indexes": []}]}"#),
      (
        "INDEX_DEFINITION",
        #"{"fieldOverrides": [{"collectionGroup": "r", "fieldPath": "__name__", "indexes": []}]}"#
      ),
      ("INDEX_DEFINITION", "{\"fieldOverrides\": [\(override), \(override)]}"),
    ]
    for (reason, json) in rows { expectFailure(reason) { try load(json) } }
  }

  @Test func `an error names the entry`() {
    do {
      _ = try load(composite("\(a), {\"fieldPath\": \"b\", \"order\": \"UP\"}"))
    } catch {
      #expect(error.message.contains("indexes[0].fields[1].order"), "\(error.message)")
    }
  }

  @Test func `a thousand composites are the most`() {
    let entries = (0...1000).map { n in
      #"{"collectionGroup": "r\#(n)", "queryScope": "COLLECTION", "fields": [\#(a), \#(b)]}"#
    }
    expectFailure("INDEX_DEFINITION") {
      try load("{\"indexes\": [\(entries.joined(separator: ","))]}")
    }
    #expect(
      reason(of: { try load("{\"indexes\": [\(entries.dropLast().joined(separator: ","))]}") })
        == nil)
  }

  @Test func `the fragment of a missing index can be pasted`() throws {
    let composite = IndexDefinition(
      collectionID: "r",
      fields: [IndexField(field("a"), .ascending), IndexField(field("b"), .descending)])
    #expect(try load("{\"indexes\": [\(composite.jsonFragment)]}").composites == [composite])
    #expect(!composite.jsonFragment.contains("__name__"), "the implied name is not written")
    // A single-field index restates the default ones, since an override replaces them.
    let single = IndexDefinition(
      collectionID: "r", scope: .collectionGroup, fields: [IndexField(field("a"), .ascending)])
    let file = try load("{\"fieldOverrides\": [\(single.jsonFragment)]}")
    #expect(
      file.overrides.first?.indexes == IndexConfiguration.defaultIndexes + [
        SingleFieldIndex(mode: .ascending, scope: .collectionGroup)
      ])
    #expect(single.overrideAdding(to: []).indexes.count == 1)
  }

  @Test func `a missing key is named`() {
    let table = [
      (#"{"indexes": [{"queryScope": "COLLECTION", "fields": []}]}"#, "collectionGroup"),
      (#"{"indexes": [{"collectionGroup": "c", "fields": []}]}"#, "queryScope"),
      (#"{"indexes": [{"collectionGroup": "c", "queryScope": "COLLECTION"}]}"#, "fields"),
      (
        #"{"indexes": [{"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [{}]}]}"#,
        "fieldPath"
      ),
      (#"{"fieldOverrides": [{"fieldPath": "a", "indexes": []}]}"#, "collectionGroup"),
      (#"{"fieldOverrides": [{"collectionGroup": "c", "indexes": []}]}"#, "fieldPath"),
      (#"{"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "a"}]}"#, "indexes"),
    ]
    for (json, key) in table {
      let error = #expect(throws: HearthError.self) {
        _ = try IndexDefinitionFile(json: Array(json.utf8))
      }
      #expect(error?.reason == "INDEX_DEFINITION")
      #expect(
        error?.message.contains("[0]") == true
          && error?.message.hasSuffix(" has no '\(key)', which is required.") == true,
        "\(error?.message ?? "")")
    }
  }
}
