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
  var addedEntries: [[UInt8]]

  /// Works out the delta.
  ///
  /// `number` gives the numbers of automatic indexes.
  init(
    _ change: ChangedDocument, collection: CollectionNumber, state: CatalogState,
    number: (AutomaticIndexKey) throws(HearthError) -> IndexNumber
  ) throws(HearthError) {
    let path = change.path
    key = KeyLayout.document(collection, id: path.id)
    record = change.after.map { document in
      DocumentCodec.record(
        create: document.createVersion, update: document.updateVersion,
        fields: DocumentCodec.encode(document.fields))
    }
    changesPresence = (change.before == nil) != (change.after == nil)
    let trees = state.maintained(collectionID: path.collection.collectionID)
    let configuration = state.fieldConfiguration
    func entries(_ fields: Fields?) throws(HearthError) -> [[UInt8]] {
      guard let fields else { return [] }
      var keys = try IndexEntries.automatic(
        fields: fields, path: path, collection: collection, configuration: configuration,
        number: number)
      for tree in trees {
        keys += IndexEntries.declared(
          fields: fields, path: path, collection: collection, index: tree)
      }
      return keys
    }
    (removedEntries, addedEntries) = IndexEntries.difference(
      old: try entries(change.before?.fields).sorted(by: bytesLess),
      new: try entries(change.after?.fields).sorted(by: bytesLess))
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
