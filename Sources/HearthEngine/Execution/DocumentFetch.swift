import HearthEncoding
import HearthModel
import HearthStorage

/// Reads the documents that matches name.
///
/// It keeps the bytes of a key from one document to the next: a key of its own for each row would
/// cost as much as finding it.
struct DocumentFetch {
  private let reader: RecordReader
  private var key: [UInt8] = []
  /// Where the name begins in a key of the collection; zero before the first document.
  private var nameStart = 0

  init(_ reader: RecordReader) { self.reader = reader }

  /// The document of the match at which a stream stands.
  mutating func document(
    of match: any MatchStream, _ space: NameSpace, _ transaction: borrowing ReadTransaction
  ) throws -> StoredDocument {
    let path: DocumentPath
    switch space {
    case .collection(let collection, let number):
      if nameStart == 0 {
        key = KeyLayout.documentsPrefix(number)
        nameStart = key.count
      } else {
        key.removeSubrange(nameStart...)
      }
      try match.appendName(to: &key)
      path = DocumentPath(
        collection: collection, id: try NameKey.decodeID(in: key, from: nameStart))
    case .group:
      key.removeAll(keepingCapacity: true)
      try match.appendName(to: &key)
      path = try NameKey.decodePath(in: key, from: 0)
      guard let number = try reader.catalog.number(of: path.collection, transaction) else {
        throw DocumentFetch.missing(path)
      }
      key = KeyLayout.document(number, id: path.id)
    }
    let store = reader.store
    guard let record = try store.get(key, in: store.documents, transaction) else {
      throw DocumentFetch.missing(path)
    }
    return try StoredDocument(path: path, record: EncodedDocument(record: record))
  }

  private static func missing(_ path: DocumentPath) -> HearthError {
    .dataLoss(
      "INDEX_ENTRY_WITHOUT_DOCUMENT",
      "An index entry names '\(path)', which is not there; drop the index and create it again, "
        + "or restore a backup.")
  }
}
