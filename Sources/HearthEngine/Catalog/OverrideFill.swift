import HearthEncoding
import HearthModel
import HearthStorage

/// The following of changed overrides by the documents of one collection, and how far it is.
///
/// From the commit that changes the overrides on, writes keep what is configured now; here the
/// documents that nobody writes lose the entries that are not configured any more and get those
/// that are new.
struct OverrideFill: Sendable {
  let change: OverrideChange
  let path: CollectionPath
  let collection: CollectionNumber
  private(set) var done = 0
  private(set) var isFinished = false
  /// Set by a document whose entries would exceed their budget (documents-and-queries, 6.6); it
  /// and those behind it are left as they were.
  private(set) var overBudget: HearthError?
  private var last: [UInt8]?

  init(_ change: OverrideChange, path: CollectionPath, collection: CollectionNumber) {
    self.change = change
    self.path = path
    self.collection = collection
  }

  /// The state after one more step, taken inside a group.
  func advanced(
    _ group: inout CommitGroup, checksBudget: Bool, _ transaction: borrowing WriteTransaction
  ) throws -> OverrideFill {
    var next = self
    let store = group.reader.store
    let state = group.catalog.state
    let now = IndexConfiguration(overrides: state.overrides)
    let before = IndexConfiguration(overrides: change.previous)
    let chunk = try IndexFill.documents(
      after: last, in: collection, limit: IndexFill.mostDocuments, store, transaction)
    next.isFinished = chunk.count < IndexFill.mostDocuments
    var removed: [[UInt8]] = []
    var added: [IndexEntry] = []
    for (key, record) in chunk {
      if removed.count + added.count >= IndexFill.mostEntries {
        next.isFinished = false
        break
      }
      let document = path.document(try KeyLayout.documentID(of: key).id)
      let fields = try record.fields()
      func entries(_ configuration: IndexConfiguration) throws(HearthError) -> [IndexEntry] {
        try IndexEntries.automatic(
          fields: fields, path: document, collection: collection, configuration: configuration
        ) { (key) throws(HearthError) in
          do {
            return try group.catalog.number(of: key, transaction)
          } catch {
            throw HearthError.wrapping(error)
          }
        }
      }
      let difference = IndexEntries.difference(old: try entries(before), new: try entries(now))
      if checksBudget, !difference.added.isEmpty {
        do throws(HearthError) {
          try IndexEntries.checkBudget(
            fields: fields, path: document, configuration: state.fieldConfiguration,
            declared: state.maintained(collectionID: path.collectionID).map(\.definition))
        } catch {
          next.overBudget = error
          break
        }
      }
      removed += difference.removed
      added += difference.added
      next.last = key
      next.done += 1
    }
    for key in removed.sorted(by: bytesLess) {
      try store.delete(key, in: store.entries, transaction)
    }
    for entry in added.sorted(by: { bytesLess($0.key, $1.key) }) {
      try store.put(entry.key, entry.payload, in: store.entries, transaction)
    }
    return next
  }
}
