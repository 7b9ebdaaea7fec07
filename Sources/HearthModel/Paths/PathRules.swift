/// The rules that collection ids and document ids obey (documents-and-queries, 1.2).
package enum PathRules {
  /// The longest id in bytes.
  package static let longestID = 1500
  /// The longest document name, measured as its document name size.
  package static let longestName = 6144
  /// The deepest nesting of (collection, document) levels.
  package static let deepest = 100

  /// Checks a collection id.
  package static func checkCollectionID(_ id: String) throws(HearthError) {
    try checkCommon(id, what: "collection id")
    if isReserved(id) { throw reserved(id, what: "collection id") }
  }

  /// Checks a document id; numeric ids of the form `__id<n>__` are legal.
  package static func checkDocumentID(_ id: String) throws(HearthError) {
    try checkCommon(id, what: "document id")
    if isReserved(id), numericID(id) == nil { throw reserved(id, what: "document id") }
  }

  private static func checkCommon(_ id: String, what: String) throws(HearthError) {
    let bytes = id.utf8
    if bytes.isEmpty {
      throw .invalid("ID_EMPTY", "A \(what) must not be empty.")
    }
    if bytes.count > longestID {
      throw .invalid(
        "ID_TOO_LONG", "A \(what) may have \(longestID) bytes; this one has \(bytes.count).")
    }
    if bytes.contains(UInt8(ascii: "/")) {
      throw .invalid("ID_SLASH", "The \(what) '\(id)' must not contain '/'.")
    }
    if UTF8Order.equal(id, ".") || UTF8Order.equal(id, "..") {
      throw reserved(id, what: what)
    }
  }

  private static func reserved(_ id: String, what: String) -> HearthError {
    .invalid(
      "ID_RESERVED",
      "The \(what) '\(id)' is reserved: '.', '..' and ids of the form '__…__' cannot be used.")
  }

  /// Whether a name has the reserved form `__.*__` (at least four bytes).
  package static func isReserved(_ name: String) -> Bool {
    let bytes = name.utf8
    return bytes.count >= 4 && bytes.starts(with: "__".utf8)
      && bytes.suffix(2).elementsEqual("__".utf8)
  }

  /// The number of a canonical numeric id `__id<n>__`, nil for every other id.
  package static func numericID(_ id: String) -> Int64? {
    // Nearly every id fails here, so look before copying the bytes.
    guard isReserved(id) else { return nil }
    let bytes = Array(id.utf8)
    guard bytes.count >= 7, bytes.starts(with: "__id".utf8),
      bytes.suffix(2).elementsEqual("__".utf8)
    else { return nil }
    let digits = String(decoding: bytes[4..<(bytes.count - 2)], as: UTF8.self)
    // Only the canonical spelling is a number: no plus sign, no leading zeros, no "-0".
    guard let number = Int64(digits), UTF8Order.equal(String(number), digits) else { return nil }
    return number
  }

  /// Order of two ids of one path level: numeric ids first and by number, then by bytes (1.6).
  package static func compareIDs(_ a: String, _ b: String) -> Int {
    switch (numericID(a), numericID(b)) {
    case (let x?, let y?): x == y ? 0 : (x < y ? -1 : 1)
    case (_?, nil): -1
    case (nil, _?): 1
    case (nil, nil): UTF8Order.compare(a, b)
    }
  }
}
