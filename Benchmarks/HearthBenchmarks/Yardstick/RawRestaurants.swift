import Foundation
import Hearth
import HearthDatasets
import HearthYardstick

/// A restaurant made ready for raw LMDB: all its bytes exist before anything is timed, so the
/// yardstick is the store alone.
struct RawDocument: Sendable {
  var key: [UInt8]
  var record: [UInt8]
  /// As many as Hearth keeps: one for each field, and the composite one.
  var entries: [[UInt8]]

  init(_ document: DatasetDocument) {
    key = Array(document.id.utf8)
    record = RawRecord.bytes(
      count: document.integer("ratingCount"), sum: document.integer("ratingSum"),
      category: document.text("category"), rest: Array("\(document.fields)".utf8.prefix(170)))
    entries = document.fields.flatMap { field -> [[UInt8]] in
      switch field.name {
      // A map has an entry for each of its two fields.
      case "features":
        ["delivery", "seats"].map { RawKeys.text($0, "\(field.value)", document.id) }
      case "ratingCount", "ratingSum", "avgRating": []
      default: [RawKeys.text(field.name, "\(field.value)", document.id)]
      }
    }
    entries += RawKeys.ofRating(
      id: document.id, category: document.text("category"),
      count: document.integer("ratingCount"), sum: document.integer("ratingSum"))
  }
}

/// The record: count and sum in the first 16 bytes, the length of the category and the category,
/// then bytes that nobody looks at.
enum RawRecord {
  static func bytes(count: Int, sum: Int, category: String, rest: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    RawKeys.append(UInt64(count), to: &bytes)
    RawKeys.append(UInt64(sum), to: &bytes)
    bytes.append(UInt8(category.utf8.count))
    bytes += category.utf8
    bytes += rest
    return bytes
  }

  static func number(_ bytes: [UInt8], at offset: Int) -> Int {
    Int(bytes[offset..<offset + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  static func category(_ bytes: [UInt8]) -> String {
    String(decoding: bytes[17..<17 + Int(bytes[16])], as: UTF8.self)
  }
}

/// Ordered keys of index entries, as short as Hearth's.
enum RawKeys {
  static func text(_ field: String, _ value: String, _ id: String) -> [UInt8] {
    Array(field.utf8.prefix(2)) + [0] + Array(value.utf8.prefix(40)) + [0] + Array(id.utf8)
  }

  /// The entries that change with each rating: count, sum, average, and category with average.
  static func ofRating(id: String, category: String, count: Int, sum: Int) -> [[UInt8]] {
    let average = FriendlyEats.average(sum: sum, count: count)
    return [
      number("rc", UInt64(count), id), number("rs", UInt64(sum), id),
      number("av", average.bitPattern, id),
      // Descending: of positive doubles the larger has the smaller complement.
      Array("c2".utf8) + [0] + Array(category.utf8) + number("", ~average.bitPattern, id),
    ]
  }

  /// Where the entries of a category begin in the composite index.
  static func compositePrefix(_ category: String) -> [UInt8] {
    Array("c2".utf8) + [0] + Array(category.utf8) + [0]
  }

  static func number(_ field: String, _ value: UInt64, _ id: String) -> [UInt8] {
    var key = Array(field.utf8) + [0]
    append(value, to: &key)
    return key + Array(id.utf8)
  }

  static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }
}

/// Restaurants in raw LMDB, with as many index entries as in Hearth: the yardstick.
struct RawRestaurants: Sendable {
  private let store: RawLMDB

  init(_ store: RawLMDB) { self.store = store }

  func close() { store.close() }

  func insert(_ documents: [DatasetDocument]) throws {
    try insert(documents.map(RawDocument.init))
  }

  /// Writes documents and their entries in one commit, keys in order.
  func insert(_ documents: [RawDocument]) throws {
    let sorted = documents.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    let entries = documents.flatMap(\.entries).sorted { $0.lexicographicallyPrecedes($1) }
    try store.write { transaction in
      for document in sorted {
        try store.put(transaction, store.documents, document.key, document.record)
      }
      for entry in entries { try store.put(transaction, store.entries, entry, []) }
    }
  }

  func byteCount(ofDocument key: [UInt8]) throws -> Int {
    try store.read { transaction in
      try store.get(transaction, store.documents, key) { $0.count }
    }
  }

  /// Reads the documents of the first entries of a category; gives how many there were.
  func top(_ limit: Int, ofCategory category: String) throws -> Int {
    let prefix = RawKeys.compositePrefix(category)
    return try store.read { transaction in
      var found = 0
      try store.walk(transaction, store.entries, from: prefix) { key in
        guard found < limit, key.starts(with: prefix) else { return false }
        let id = Array(key.suffix(20))
        found += try store.get(transaction, store.documents, id) { $0.isEmpty ? 0 : 1 }
        return true
      }
      return found
    }
  }

  /// Commits ratings, all at once: each reads its restaurant, writes it and a rating document,
  /// and changes their index entries.
  func rate(_ ratings: [(restaurant: String, id: String)], stars: Int) throws -> UInt64 {
    let text = Array("rating,userId,text: Fine, if you must.".utf8)
    return try store.write { transaction in
      var checksum: UInt64 = 0
      for rating in ratings {
        let key = Array(rating.restaurant.utf8)
        var record = try store.get(transaction, store.documents, key) { Array($0) }
        let category = RawRecord.category(record)
        let count = RawRecord.number(record, at: 0)
        let sum = RawRecord.number(record, at: 8)
        let before = RawKeys.ofRating(
          id: rating.restaurant, category: category, count: count, sum: sum)
        let after = RawKeys.ofRating(
          id: rating.restaurant, category: category, count: count + 1, sum: sum + stars)
        record.replaceSubrange(
          0..<record.count,
          with: RawRecord.bytes(
            count: count + 1, sum: sum + stars, category: category,
            rest: Array(record[(17 + category.utf8.count)...])))
        try store.put(transaction, store.documents, key, record)
        try store.put(transaction, store.documents, key + Array(rating.id.utf8), text)
        for (old, new) in zip(before, after) where old != new {
          try store.delete(transaction, store.entries, old)
          try store.put(transaction, store.entries, new, [])
        }
        for field in ["ra", "us", "te"] {
          try store.put(
            transaction, store.entries, RawKeys.text(field, rating.restaurant, rating.id), [])
        }
        checksum &+= UInt64(count)
      }
      return checksum
    }
  }
}

extension DatasetDocument {
  fileprivate func integer(_ name: String) -> Int {
    if case .integer(let x)? = fields[name] { return Int(x) }
    return 0
  }

  fileprivate func text(_ name: String) -> String {
    if case .string(let x)? = fields[name] { return x }
    return ""
  }
}
