package import HearthModel

/// One line of an export, see Docs/ExportFormat.md.
package enum ExportLine: Sendable {
  case header(Header)
  /// A composite index, or a field override, as a whole `firestore.indexes.json` of its own.
  case index(IndexDefinitionFile)
  case document(Document)
  case end(End)

  /// How many of each there are.
  package struct Counts: Sendable, Equatable {
    package var indexes = 0
    package var overrides = 0
    package var documents = 0

    package init(indexes: Int = 0, overrides: Int = 0, documents: Int = 0) {
      self.indexes = indexes
      self.overrides = overrides
      self.documents = documents
    }
  }

  /// The first line.
  package struct Header: Sendable, Equatable {
    package var format: Int
    /// The version that was exported.
    package var version: CommitVersion
    package var counts: Counts

    package init(format: Int = ExportLine.format, version: CommitVersion, counts: Counts) {
      self.format = format
      self.version = version
      self.counts = counts
    }
  }

  /// The last line.
  package struct End: Sendable, Equatable {
    package var counts: Counts
    /// XXH64 of all bytes before this line.
    package var checksum: UInt64

    package init(counts: Counts, checksum: UInt64) {
      self.counts = counts
      self.checksum = checksum
    }
  }

  /// The format that this code writes, and the newest that it reads.
  package static let format = 1

  // MARK: Writing

  /// The line with its end.
  package var bytes: [UInt8] {
    var writer = JSONWriter()
    switch self {
    case .header(let header):
      writer.json("{\"hearth\":\"export\",\"format\":\(header.format),\"version\":")
      writer.string(TimestampText.text(header.version.time))
      writer.raw(",")
      Self.append(header.counts, to: &writer)
    case .index(let file):
      writer.raw("{\"index\":")
      writer.json(Self.oneLine(file.json()))
    case .document(let document):
      writer.raw("{\"document\":")
      writer.string(document.path.description)
      writer.json(",\"createTime\":\"\(TimestampText.text(document.createVersion.time))\"")
      writer.json(",\"updateTime\":\"\(TimestampText.text(document.updateVersion.time))\"")
      writer.raw(",\"fields\":")
      TypedValueJSON.append(document.fields, to: &writer)
    case .end(let end):
      writer.raw("{\"end\":true,")
      Self.append(end.counts, to: &writer)
      writer.json(",\"checksum\":\"\(Self.text(end.checksum))\"")
    }
    writer.raw("}\n")
    return writer.bytes
  }

  private static func append(_ counts: Counts, to writer: inout JSONWriter) {
    writer.json(
      "\"indexes\":\(counts.indexes),\"overrides\":\(counts.overrides),"
        + "\"documents\":\(counts.documents)")
  }

  /// Pretty JSON without its line breaks; those in strings are escaped.
  private static func oneLine(_ json: String) -> String {
    json.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
  }

  /// Sixteen hexadecimal digits.
  package static func text(_ checksum: UInt64) -> String {
    let digits = String(checksum, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  // MARK: Reading

  /// Reads a line, without its end.
  package init(_ bytes: [UInt8]) throws(TextFault) {
    var members = try JSONMembers(try JSONParser.parse(bytes), "the line")
    if let name = members.take("hearth") {
      guard case .string("export") = name else {
        throw TextFault("this is no export of Hearth's")
      }
      self = .header(try Self.header(&members))
    } else if let node = members.take("index") {
      self = .index(try Self.index(node))
    } else if let path = members.take("document") {
      self = .document(try Self.document(path, &members))
    } else if members.take("end") != nil {
      let counts = try Self.counts(&members)
      guard let checksum = UInt64(try members.text("checksum"), radix: 16) else {
        throw TextFault("the checksum is no hexadecimal number")
      }
      self = .end(End(counts: counts, checksum: checksum))
    } else {
      throw TextFault("the line is no header, index, document or end")
    }
    try members.expectEnd()
  }

  private static func header(_ members: inout JSONMembers) throws(TextFault) -> Header {
    let format = try members.count("format")
    guard format <= ExportLine.format else {
      throw TextFault(
        "the export has format \(format), this version reads \(ExportLine.format) and older: "
          + "import it with a newer Hearth")
    }
    return Header(
      format: format, version: try version("version", &members), counts: try counts(&members))
  }

  private static func counts(_ members: inout JSONMembers) throws(TextFault) -> Counts {
    Counts(
      indexes: try members.count("indexes"), overrides: try members.count("overrides"),
      documents: try members.count("documents"))
  }

  private static func version(
    _ name: String, _ members: inout JSONMembers
  ) throws(TextFault) -> CommitVersion {
    let text = try members.text(name)
    guard let time = TimestampText.parse(text), time.nanoseconds % 1000 == 0 else {
      throw TextFault("\"\(name)\" is no time to the microsecond: \(text)")
    }
    return CommitVersion(microseconds: time.microseconds)
  }

  private static func index(_ node: JSONNode) throws(TextFault) -> IndexDefinitionFile {
    var writer = JSONWriter()
    node.append(to: &writer)
    do throws(HearthError) {
      return try IndexDefinitionFile(json: writer.bytes)
    } catch {
      throw TextFault(error.message)
    }
  }

  private static func document(
    _ path: JSONNode, _ members: inout JSONMembers
  ) throws(TextFault) -> Document {
    guard case .string(let text) = path else {
      throw TextFault("\"document\" is \(path.kind) and not the path of a document")
    }
    let name: DocumentPath
    do throws(HearthError) {
      name = try DocumentPath(text)
    } catch {
      throw TextFault(error.message)
    }
    let create = try version("createTime", &members)
    let update = try version("updateTime", &members)
    if update < create { throw TextFault("the document was updated before it was created") }
    do throws(TextFault) {
      return Document(
        path: name, createVersion: create, updateVersion: update,
        fields: try TypedValueJSON.fields(members.required("fields")))
    } catch {
      throw TextFault("document '\(text)': \(error.message)")
    }
  }
}

extension JSONNode {
  /// Appends the JSON that this was read from, but for its white space.
  fileprivate func append(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.raw("null")
    case .boolean(let x): writer.raw(x ? "true" : "false")
    case .number(let x): writer.json(x)
    case .string(let x): writer.string(x)
    case .array(let x):
      writer.raw("[")
      writer.list(x) { $1.append(to: &$0) }
      writer.raw("]")
    case .object(let x):
      writer.raw("{")
      writer.list(x) { writer, member in
        writer.string(member.name)
        writer.raw(":")
        member.value.append(to: &writer)
      }
      writer.raw("}")
    }
  }
}
