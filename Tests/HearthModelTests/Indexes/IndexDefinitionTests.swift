import HearthModel
import Testing

@Suite struct IndexDefinitionTests {
  private func index(
    _ fields: (String, IndexFieldMode)..., scope: IndexScope = .collection
  ) -> IndexDefinition {
    IndexDefinition(
      collectionID: "c", scope: scope, fields: fields.map { IndexField(field($0.0), $0.1) })
  }

  @Test func `the name is added with the direction of the last ordered field`() {
    #expect(index(("a", .descending)).description == "(a DESC, __name__ DESC)")
    #expect(index(("a", .descending), ("b", .ascending)).nameDirection == .ascending)
    // Ends in CONTAINS after DESC: ascending, as the API says (6.1).
    #expect(index(("a", .descending), ("t", .contains)).nameDirection == .ascending)
    #expect(index(("a", .ascending), ("__name__", .descending)).fields.count == 2)
    #expect(
      index(("t", .contains), ("a", .ascending)).description
        == "(t ARRAY_CONTAINS, a ASC, __name__ ASC)")
  }

  @Test func `definitions that the service refuses are refused`() {
    let faults = [
      index(("t", .contains), ("u", .contains)), index(("a", .ascending), ("a", .ascending)),
      index(("a", .ascending), ("a", .descending)),
      index(("a", .ascending), ("__name__", .contains)),
      index(("__name__", .ascending), ("a", .ascending)), index(("__name__", .ascending)), index(),
      index(("__x__", .ascending)), index(("", .ascending)),
      IndexDefinition(collectionID: "__c__", fields: [IndexField(field("a"), .ascending)]),
      IndexDefinition(collectionID: "a/b", fields: [IndexField(field("a"), .ascending)]),
      IndexDefinition(
        collectionID: "c", fields: (0..<100).map { IndexField(field("f\($0)"), .ascending) }),
    ]
    for fault in faults { expectFailure("INDEX_DEFINITION") { try fault.validate() } }
  }

  @Test func `definitions at the edge of the rules are legal`() {
    let legal = [
      index(("__name__", .descending)), index(("a", .ascending), ("a", .contains)),
      index(("a", .descending), ("__name__", .ascending)), index(("a", .ascending)),
      IndexDefinition(
        collectionID: "c", fields: (0..<99).map { IndexField(field("f\($0)"), .ascending) }),
    ]
    for definition in legal { #expect(reason(of: { try definition.validate() }) == nil) }
  }

  @Test func `one field with the name it implies is a single-field index`() {
    #expect(index(("a", .descending)).isSingleField)
    #expect(index(("t", .contains)).isSingleField)
    #expect(!index(("a", .descending), ("__name__", .ascending)).isSingleField)
    #expect(!index(("__name__", .descending)).isSingleField)
  }

  @Test func `a twin has every direction turned and shares the physical tree`() {
    let definition = index(("t", .contains), ("a", .descending), ("b", .ascending))
    #expect(
      definition.twin.description == "(t ARRAY_CONTAINS, a ASC, b DESC, __name__ DESC)")
    #expect(definition.twin.twin == definition)
    #expect(definition.twin.physical == definition)
  }

  @Test func `overrides resolve by longest prefix, then star, then default`() {
    let none: [SingleFieldIndex] = []
    let ascending = [SingleFieldIndex(mode: .ascending, scope: .collection)]
    let group = [SingleFieldIndex(mode: .ascending, scope: .collectionGroup)]
    let configuration = IndexConfiguration(overrides: [
      FieldOverride(collectionID: "c", path: nil, indexes: none),
      FieldOverride(collectionID: "c", path: field("m"), indexes: ascending),
      FieldOverride(collectionID: "c", path: field("m", "x"), indexes: group),
    ])
    func resolve(_ collection: String, _ path: FieldPath) -> [SingleFieldIndex] {
      configuration.singleFieldIndexes(collectionID: collection, path: path)
    }
    #expect(resolve("c", field("z")) == none)
    #expect(resolve("c", field("m")) == ascending)
    #expect(resolve("c", field("m", "y")) == ascending)
    #expect(resolve("c", field("m", "x", "y")) == group)
    #expect(resolve("other", field("m")) == IndexConfiguration.defaultIndexes)
  }
}
