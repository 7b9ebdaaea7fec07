import HearthEncoding
import HearthModel

/// What a change of one document means for the tables.
struct DocumentDelta: Sendable {
  var key: [UInt8]
  /// The new record, nil for a delete.
  var record: [UInt8]?
  /// Whether the document's key itself comes or goes.
  var changesPresence: Bool
  var removedEntries: [[UInt8]]
  var addedEntries: [IndexEntry]

  /// Works out the delta.
  ///
  /// `number` gives the numbers of automatic indexes.
  init(
    _ changed: ChangedDocument, collection: CollectionNumber, state: CatalogState,
    number: (AutomaticIndexKey) throws(HearthError) -> IndexNumber
  ) throws(HearthError) {
    let path = changed.path
    key = KeyLayout.document(collection, id: path.id)
    record = changed.after.map { document in
      DocumentCodec.record(
        create: document.createVersion, update: document.updateVersion,
        fields: DocumentCodec.encode(document.fields))
    }
    changesPresence = (changed.before == nil) != (changed.after == nil)
    let trees = state.maintained(collectionID: path.collection.collectionID)
    func automatic(
      _ fields: Fields, _ configuration: IndexConfiguration
    ) throws(HearthError) -> [IndexEntry] {
      try IndexEntries.automatic(
        fields: fields, path: path, collection: collection, configuration: configuration,
        number: number)
    }
    let configuration = state.fieldConfiguration
    let change = configuration.change(of: path.collection.collectionID)
    func entries(_ fields: Fields?, isOld: Bool) throws(HearthError) -> [IndexEntry] {
      guard let fields else { return [] }
      var entries = try automatic(fields, configuration)
      if isOld, let change {
        // The document may still have the entries of before the overrides changed.
        let before = try automatic(fields, IndexConfiguration(overrides: change.previous))
        let known = Set(entries.map(\.key))
        entries += before.filter { !known.contains($0.key) }
      }
      for tree in trees {
        entries += IndexEntries.declared(
          fields: fields, path: path, collection: collection, index: tree)
      }
      return entries
    }
    if change != nil {
      // What is in the table is not known, so that everything new is put.
      removedEntries =
        IndexEntries.difference(
          old: try entries(changed.before?.fields, isOld: true),
          new: try entries(changed.after?.fields, isOld: false)
        ).removed
      addedEntries = try entries(changed.after?.fields, isOld: false)
      return
    }
    (removedEntries, addedEntries) = IndexEntries.difference(
      old: try entries(changed.before?.fields, isOld: true),
      new: try entries(changed.after?.fields, isOld: false))
  }
}

extension DocumentDelta {
  /// The same delta with the versions that the committer gave the document.
  func stamped(_ document: Document?) -> DocumentDelta {
    var delta = self
    if let document, var record = delta.record {
      DocumentCodec.setVersions(
        create: document.createVersion, update: document.updateVersion, in: &record)
      delta.record = record
    }
    return delta
  }
}
