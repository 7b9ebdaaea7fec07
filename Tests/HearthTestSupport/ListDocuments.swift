package import HearthModel

/// How documents hold the lists of a list-append workload.
///
/// A *list* is a document with an array, read and written whole, or appended to blindly. A *group*
/// is a list whose every number is a document, so that only predicates can read it: who appends
/// counts the documents of the group and adds one at that position.
package enum ListDocuments {
  package static let lists = CollectionPath(unchecked: ["lists"])
  package static let members = CollectionPath(unchecked: ["members"])
  package static let collections = [lists, members]
  /// Queries of lists ask for those of one part.
  package static let parts = 3
  /// Groups are numbered from here as lists.
  package static let firstGroup = 1_000_000

  private static let numbers = FieldPath(["n"])
  private static let part = FieldPath(["part"])
  private static let group = FieldPath(["g"])

  package static func list(_ list: Int) -> DocumentPath { lists.document("l\(list)") }

  package static func isGroup(_ list: Int) -> Bool { list >= firstGroup }

  /// For messages.
  package static func name(_ list: Int) -> String {
    isGroup(list) ? "g\(list - firstGroup)" : "l\(list)"
  }

  // MARK: Reading

  /// All lists, or those of one part.
  package static func lists(part number: Int? = nil) -> StructuredQuery {
    var query = StructuredQuery(lists)
    if let number {
      query.filter = .field(FieldFilter(part, .equal, .integer(Int64(number))))
    }
    return query
  }

  package static func members(of number: Int) -> StructuredQuery {
    var query = StructuredQuery(members)
    query.filter = .field(FieldFilter(group, .equal, .integer(Int64(number))))
    return query
  }

  /// The numbers that a list's document holds.
  package static func numbers(_ document: Document?) -> [Int] {
    guard case .array(let values)? = document?.fields.value(at: numbers) else { return [] }
    return values.compactMap(integer)
  }

  private static func integer(_ value: Value?) -> Int? {
    if case .integer(let number)? = value { return Int(number) }
    return nil
  }

  // MARK: Writing

  /// A list with what was read and one number more.
  package static func write(_ list: Int, _ read: [Int], appending number: Int) -> Write {
    let values = (read + [number]).map { Value.integer(Int64($0)) }
    return Write(
      document: self.list(list),
      operation: .update(
        fields: ["part": .integer(Int64(list % parts)), "n": .array(values)], mask: nil,
        transforms: []))
  }

  /// One number more, whatever is there.
  package static func append(_ list: Int, _ number: Int, padding: Int = 0) -> Write {
    var fields: Fields = ["part": .integer(Int64(list % parts))]
    if padding > 0 { fields.set(.bytes(Array(repeating: 7, count: padding)), at: pad) }
    return Write(
      document: self.list(list),
      operation: .update(
        fields: fields, mask: padding > 0 ? [part, pad] : [part],
        transforms: [
          FieldTransform(path: numbers, kind: .arrayUnion([.integer(Int64(number))]))
        ]))
  }

  private static let pad = FieldPath(["pad"])

  /// One member more, at a position that was counted.
  package static func join(_ group: Int, at position: Int, _ number: Int) -> Write {
    Write(
      document: members.document("m\(number)"),
      operation: .update(
        fields: [
          "g": .integer(Int64(group)), "position": .integer(Int64(position)),
          "number": .integer(Int64(number)),
        ], mask: nil, transforms: []))
  }

  // MARK: What was recorded

  /// Recorded operations as list-append transactions; versions are left out.
  package static func transactions(
    of operations: [HistoryOperation], lists: Int
  ) -> [ListTransaction] {
    operations.map { operation in
      let outcome: ListTransaction.Outcome =
        if !operation.isCertain { .unknown } else {
          operation.effect == .nothing ? .aborted : .committed
        }
      return ListTransaction(
        operation.name, invoked: operation.invoked, returned: operation.returned,
        outcome: outcome, reads: operation.reads.flatMap { readings($0, lists) },
        appends: operation.writes.compactMap(append))
    }
  }

  private static func readings(_ read: HistoryRead, _ lists: Int) -> [ListTransaction.Reading] {
    switch read {
    case .document(let path, let document):
      guard path.collection == ListDocuments.lists, let list = Int(path.id.dropFirst()) else {
        return []
      }
      return [.list(list, numbers(document))]
    case .query(let query, let documents):
      guard query.collectionID == "members" else {
        return listed(query, documents, lists)
      }
      guard let group = asked(query) else { return [] }
      let members = documents.map {
        (
          position: integer($0.fields.value(at: FieldPath(["position"]))) ?? 0,
          number: integer($0.fields.value(at: FieldPath(["number"]))) ?? 0
        )
      }
      let sorted = members.sorted { ($0.position, $0.number) < ($1.position, $1.number) }
      return [.list(firstGroup + group, sorted.map(\.number))]
    case .count(let query, let count):
      guard query.collectionID == "members", let group = asked(query) else { return [] }
      return [.length(firstGroup + group, count)]
    }
  }

  /// A query reads every list that it asks for, also those that are not there.
  private static func listed(
    _ query: StructuredQuery, _ documents: [Document], _ lists: Int
  ) -> [ListTransaction.Reading] {
    var found: [Int: [Int]] = [:]
    for document in documents {
      if let list = Int(document.path.id.dropFirst()) { found[list] = numbers(document) }
    }
    let part = asked(query)
    return (0..<lists).filter { part == nil || $0 % parts == part }
      .map { .list($0, found[$0] ?? []) }
  }

  private static func asked(_ query: StructuredQuery) -> Int? {
    guard case .field(let filter)? = query.filter else { return nil }
    return integer(filter.value)
  }

  private static func append(_ write: Write) -> ListTransaction.Append? {
    guard case .update(let fields, _, let transforms) = write.operation else { return nil }
    if write.document.collection == members {
      guard let group = integer(fields.value(at: group)),
        let number = integer(fields.value(at: FieldPath(["number"])))
      else { return nil }
      return ListTransaction.Append(firstGroup + group, number)
    }
    guard write.document.collection == lists, let list = Int(write.document.id.dropFirst())
    else { return nil }
    for transform in transforms {
      if case .arrayUnion(let values) = transform.kind, let number = integer(values.last) {
        return ListTransaction.Append(list, number)
      }
    }
    guard case .array(let values)? = fields.value(at: numbers), let number = integer(values.last)
    else { return nil }
    return ListTransaction.Append(list, number)
  }
}
