import HearthModel
import HearthTestSupport
import Testing

@Suite struct PathTests {
  @Test func `one slash around a path is tolerated and an empty segment inside is not`() throws {
    #expect(try DocumentPath("/a/b/").description == "a/b")
    #expect(try CollectionPath("a/b/c").segments.count == 3)
    for text in ["a//b", "//a/b", "a/b//"] {
      expectFailure("PATH_EMPTY_SEGMENT") { try DocumentPath(text) }
    }
    expectFailure("PATH_EMPTY_SEGMENT") { try CollectionPath("") }
  }

  @Test func `documents have even paths and collections odd ones`() {
    expectFailure("PATH_WRONG_PARITY") { try DocumentPath("a") }
    expectFailure("PATH_WRONG_PARITY") { try CollectionPath("a/b") }
    expectFailure("PATH_WRONG_PARITY") { try CollectionPath(unchecked: []).validate() }
  }

  @Test func `dots and double-underscored ids are reserved`() {
    for id in [".", "..", "____", "__a__", "__name__"] {
      expectFailure("ID_RESERVED") { try DocumentPath("a/\(id)") }
      expectFailure("ID_RESERVED") { try CollectionPath(id) }
    }
    for id in ["__", "___", "__id", "_id1__", "...", " ", "\0", "é"] {
      #expect(reason(of: { try DocumentPath("\(id)/\(id)") }) == nil)
    }
  }

  @Test func `a numeric id is legal for documents only and must be canonical`() {
    #expect(reason(of: { try DocumentPath("a/__id7__") }) == nil)
    #expect(reason(of: { try DocumentPath("a/__id-9223372036854775808__") }) == nil)
    expectFailure("ID_RESERVED") { try CollectionPath("__id7__") }
    for id in [
      "__id007__", "__id+7__", "__id-0__", "__id__", "__id9223372036854775808__", "__id7 __",
    ] { expectFailure("ID_RESERVED") { try DocumentPath("a/\(id)") } }
  }

  @Test func `ids have 1500 bytes at most`() {
    let longest = String(repeating: "é", count: 750)
    #expect(reason(of: { try DocumentPath("a/\(longest)") }) == nil)
    expectFailure("ID_TOO_LONG") { try DocumentPath("a/\(longest)a") }
    expectFailure("ID_SLASH") { try CollectionPath(unchecked: ["a"]).document("b/c").validate() }
    expectFailure("ID_EMPTY") { try CollectionPath(unchecked: ["a"]).document("").validate() }
  }

  @Test func `a name has 6144 bytes at most, measured as the name size`() throws {
    let id = String(repeating: "a", count: 1499)
    let four = [id, id, id, id].joined(separator: "/")
    // 16 + 4 * 1500 leaves 128: two more ids.
    #expect(try DocumentPath("\(four)/b/\(String(repeating: "c", count: 125))").nameSize == 6144)
    expectFailure("NAME_TOO_LONG") {
      try DocumentPath("\(four)/b/\(String(repeating: "c", count: 126))")
    }
  }

  @Test func `paths nest a hundred levels and not one more`() {
    let deepest = Array(repeating: "a", count: 200).joined(separator: "/")
    #expect(reason(of: { try DocumentPath(deepest) }) == nil)
    expectFailure("PATH_TOO_DEEP") { try DocumentPath(deepest + "/a/a") }
  }

  @Test func `names sort by segment, numeric ids first and by number`() throws {
    let ids = ["__id-2__", "__id7__", "__id12__", "12", "7", "A", "Aa", "__id", "_id1__", "a"]
    let paths = try ids.map { try DocumentPath("c/\($0)") }
    #expect(paths.shuffled().sorted() == paths)
    // All below a/1 come before all below a/2.
    #expect(try DocumentPath("a/1/b/9") < DocumentPath("a/2/b/1"))
    #expect(try DocumentPath("a/1") < DocumentPath("a/1/b/1"))
  }

  @Test func `canonically equivalent ids are different documents`() throws {
    #expect(try DocumentPath("a/\u{e9}") != DocumentPath("a/e\u{301}"))
  }

  @Test func `name order is total at random`() {
    var random = RandomValues(seed: testSeed("name order"))
    for _ in 0..<1000 * soakFactor {
      let (a, b, c) = (random.documentPath(), random.documentPath(), random.documentPath())
      #expect(DocumentPath.compare(a, b).signum() == -DocumentPath.compare(b, a).signum())
      #expect((DocumentPath.compare(a, b) == 0) == (a == b))
      if a <= b, b <= c { #expect(a <= c) }
    }
  }
}

@Suite struct FieldPathTests {
  @Test func `a dotted string splits on dots and knows no escapes`() throws {
    #expect(try FieldPath(dotted: "a.b") == field("a", "b"))
    for text in ["a-b", "a b", "1a", "`", "\\", "__name__"] {
      #expect(try FieldPath(dotted: text) == field(text))
    }
    for text in ["", ".a", "a.", "a..b", ".", "a~", "a*b", "a/b", "[a", "a]"] {
      expectFailure("FIELD_PATH_SYNTAX") { try FieldPath(dotted: text) }
    }
  }

  @Test func `the canonical form quotes what is not an identifier`() throws {
    let rows: [(FieldPath, String)] = [
      (field("foo", "x&y"), "foo.`x&y`"), (field("a.b"), "`a.b`"),
      (field("bak`tik"), "`bak\\`tik`"),
      (field("_0", "1", "+2"), "_0.`1`.`+2`"), (field("\\"), "`\\\\`"), (field("é"), "`é`"),
      (field("__name__"), "__name__"), (field("*"), "`*`"),
    ]
    for (path, text) in rows {
      #expect(path.description == text)
      #expect(try FieldPath(canonical: text) == path)
      #expect(path.canonicalLength == text.utf8.count)
    }
  }

  @Test func `a canonical path with a fault is refused`() {
    for text in ["", ".", "a.", ".a", "a..b", "`a", "`a\\", "``", "a-b", "1a", "a`b`", "`a`b", "*"]
    {
      expectFailure("FIELD_PATH_SYNTAX") { try FieldPath(canonical: text) }
    }
  }

  @Test func `canonical paths come back as they were, at random`() throws {
    var random = RandomValues(seed: testSeed("canonical paths"))
    for _ in 0..<2000 * soakFactor {
      let names = (0..<Int.random(in: 1...3, using: &random.generator)).map { _ in
        let name = random.name() + random.string()
        return name
      }
      let path = FieldPath(names)
      #expect(try FieldPath(canonical: path.description) == path, "\(names)")
      #expect(path.canonicalLength == path.description.utf8.count)
    }
  }

  @Test func `paths sort by segment and a prefix first`() {
    #expect(
      [field("a-b"), field("a", "b"), field("a")].sorted().map(\.description)
        == ["a", "a.b", "`a-b`"])
  }

  @Test func `a query path may be the name and nothing else that is reserved`() {
    #expect(reason(of: { try FieldPath.documentName.validateForQuery() }) == nil)
    expectFailure("FIELD_NAME_RESERVED") { try FieldPath.documentName.validateForWrite() }
    expectFailure("FIELD_NAME_RESERVED") { try field("a", "__name__").validateForQuery() }
    expectFailure("FIELD_NAME_EMPTY") { try field("a", "").validateForQuery() }
    expectFailure("FIELD_NAME_EMPTY") { try FieldPath([]).validateForWrite() }
  }

  @Test func `messages count in the singular, too`() {
    let one = #expect(throws: HearthError.self) { _ = try DocumentPath("a") }
    #expect(one?.message.contains("'a' has 1 segment and") == true)
    let three = #expect(throws: HearthError.self) { _ = try DocumentPath("a/b/c") }
    #expect(three?.message.contains("has 3 segments and") == true)
  }
}
