import HearthEncoding
package import HearthModel

/// What kind of text an import reads.
package enum ImportForm: Sendable, Equatable {
  /// An export of Hearth's.
  case export
  /// A plain JSON object a line, for one collection; the named field is the id, without one every
  /// document gets a new id.
  case objects(collection: CollectionPath, id: String?)
}

/// Reads an import line by line, and checks each line by itself and the whole at its end.
struct ImportReader {
  enum Item {
    case header(ExportLine.Header)
    case index(IndexDefinitionFile)
    case document(Document)
  }

  private let form: ImportForm
  private let autoID: () -> String
  /// When documents of a text that has no times were made.
  private let now: CommitVersion
  private var lines: ImportLines
  private var header: ExportLine.Header?
  private var counts = ExportLine.Counts()
  private var isEnded = false

  init(
    _ form: ImportForm, runtime: Runtime, read: @escaping () throws -> [UInt8]?
  ) {
    self.form = form
    autoID = runtime.autoID
    now = CommitVersion(microseconds: runtime.nowMicroseconds())
    lines = ImportLines(read)
  }

  /// The number of the line that `next` has read last.
  var line: Int { lines.number }

  /// How many documents there will be, if the text has said so.
  var total: Int? { header?.counts.documents }

  var documents: Int { counts.documents }

  /// The next thing to take in; nil after a complete text.
  mutating func next() throws -> Item? {
    while let bytes = try lines.next() {
      if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0d || $0 == 0x09 }) {
        if case .objects = form { continue }
      }
      do {
        switch form {
        case .objects(let collection, let id): return try object(bytes, collection, id)
        case .export:
          if let item = try exported(bytes) { return item }
        }
      } catch let fault as TextFault {
        throw HearthError.importLine(line, fault.message)
      }
    }
    if form == .export, !isEnded {
      throw HearthError.importLine(
        line + 1, "the text ends before the closing line; the file was cut, or is no export",
        "IMPORT_CUT")
    }
    return nil
  }

  // MARK: Exports

  private mutating func exported(_ bytes: [UInt8]) throws -> Item? {
    if isEnded { throw TextFault("there is more after the closing line") }
    let parsed = try ExportLine(bytes)
    if case .header(let header) = parsed {
      guard line == 1 else { throw TextFault("there is a second header") }
      self.header = header
      return .header(header)
    }
    guard header != nil else {
      throw TextFault(
        "an export begins with a header; for plain JSON objects name their collection")
    }
    switch parsed {
    case .header: return nil
    case .index(let file):
      counts.indexes += file.composites.count
      counts.overrides += file.overrides.count
      return .index(file)
    case .document(let document):
      counts.documents += 1
      return .document(try checked(document))
    case .end(let end):
      guard end.checksum == lines.checksumBefore else {
        throw HearthError.importLine(
          line,
          "the checksum is \(ExportLine.text(lines.checksumBefore)) and not "
            + "\(ExportLine.text(end.checksum)): the file is damaged", "IMPORT_CHECKSUM")
      }
      guard end.counts == counts, header?.counts == counts else {
        throw TextFault("there are other numbers of documents and indexes than the file says")
      }
      isEnded = true
      return nil
    }
  }

  // MARK: Plain objects

  private mutating func object(
    _ bytes: [UInt8], _ collection: CollectionPath, _ idField: String?
  ) throws -> Item {
    var bytes = bytes
    // What some editors put before the first line.
    if line == 1, bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
    var fields = try PlainJSON.fields(try JSONParser.parse(bytes))
    var id = autoID()
    if let idField {
      switch fields[idField] {
      case .string(let text)?: id = text
      case .integer(let number)?: id = String(number)
      case nil: throw TextFault("there is no field \"\(idField)\" for the document's id")
      default: throw TextFault("the field \"\(idField)\" is no string or integer")
      }
      fields[idField] = nil
      do throws(HearthError) {
        try PathRules.checkDocumentID(id)
      } catch {
        throw TextFault(error.message)
      }
    }
    counts.documents += 1
    return .document(
      try checked(
        Document(
          path: collection.document(id), createVersion: now, updateVersion: now, fields: fields)))
  }

  /// The document as it would be stored, if it obeys the rules of written ones.
  private func checked(_ document: Document) throws(TextFault) -> Document {
    do throws(HearthError) {
      let write = Write(
        document: document.path,
        operation: .update(fields: document.fields, mask: nil, transforms: []))
      try write.validate()
      let applied = try write.apply(
        to: nil, version: document.updateVersion, requestTime: document.updateVersion.time)
      var checked = document
      checked.fields = applied.document?.fields ?? document.fields
      return checked
    } catch {
      throw TextFault("document '\(document.path)': \(error.message)")
    }
  }
}
