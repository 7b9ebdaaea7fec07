/// The path of a field: names from the top of a document down through maps.
public struct FieldPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The names, each literal (a dot in a name is just a dot).
  public let segments: [String]

  /// Makes a path from literal names; checked when it is used.
  public init(_ names: [String]) { segments = names }

  /// The path that stands for a document's name.
  public static func documentID() -> FieldPath { .documentName }

  /// `__name__`.
  package static let documentName = FieldPath(["__name__"])

  /// Whether this is `__name__`.
  package var isDocumentName: Bool {
    segments.count == 1 && UTF8Order.equal(segments[0], "__name__")
  }

  /// Parses a dotted string as the Swift API takes it: no escaping (documents-and-queries, 3.1).
  package init(dotted string: String) throws(HearthError) {
    let bytes = Array(string.utf8)
    let forbidden = Array("~*/[]".utf8)
    if bytes.isEmpty || bytes.contains(where: forbidden.contains) {
      throw FieldPath.syntax(string)
    }
    let parts = string.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    if parts.contains(where: \.isEmpty) { throw FieldPath.syntax(string) }
    self.init(parts)
  }

  private static func syntax(_ string: String) -> HearthError {
    .invalid(
      "FIELD_PATH_SYNTAX",
      "'\(string)' is not a field path: it must not be empty, start or end with '.', contain '..' "
        + "or any of '~*/[]'. Use FieldPath([\"…\"]) for names with such characters.")
  }

  /// Equal if all names have the same bytes.
  public static func == (a: FieldPath, b: FieldPath) -> Bool {
    a.segments.count == b.segments.count
      && zip(a.segments, b.segments).allSatisfy { UTF8Order.equal($0, $1) }
  }

  /// Hashes the bytes of the names.
  public func hash(into hasher: inout Hasher) {
    for segment in segments { hasher.combineUTF8(segment) }
  }

  /// Segment by segment by UTF-8 bytes; a proper prefix sorts first.
  public static func < (a: FieldPath, b: FieldPath) -> Bool {
    for (x, y) in zip(a.segments, b.segments) {
      let order = UTF8Order.compare(x, y)
      if order != 0 { return order < 0 }
    }
    return a.segments.count < b.segments.count
  }

  /// Whether this path is `other` or lies above it.
  package func isPrefix(of other: FieldPath) -> Bool {
    segments.count <= other.segments.count
      && zip(segments, other.segments).allSatisfy { UTF8Order.equal($0, $1) }
  }

  /// The canonical form of index files, messages and explain output.
  public var description: String {
    segments.map(FieldPath.canonicalSegment).joined(separator: ".")
  }

  private static func canonicalSegment(_ segment: String) -> String {
    if isBare(segment.utf8) { return segment }
    var out = "`"
    for scalar in segment.unicodeScalars {
      if scalar == "`" || scalar == "\\" { out.unicodeScalars.append("\\") }
      out.unicodeScalars.append(scalar)
    }
    return out + "`"
  }

  /// Whether a name is written without backticks: `[A-Za-z_][A-Za-z_0-9]*`.
  static func isBare(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy {
      isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
  }
}
