public import Foundation
import HearthEngine
public import HearthModel

/// What an import has taken in.
public struct ImportReport: Sendable, Equatable {
  /// The newest version of the database afterwards.
  public let version: Timestamp
  /// Documents written.
  public let documents: Int
  /// Composite indexes declared.
  public let indexes: Int
  /// Field overrides declared.
  public let overrides: Int

  init(_ report: TransferReport) {
    version = report.version.time
    documents = report.documents
    indexes = report.indexes
    overrides = report.overrides
  }
}

/// What kind of text an import reads.
public enum ImportFormat: Sendable, Hashable {
  /// What ``Firestore/export(to:progress:)-(URL,_)`` has written.
  case export
  /// A plain JSON object a line, each of which becomes a document of one collection.
  ///
  /// The field named `id`, a string or an integer, becomes the document's id and is not stored;
  /// with nil every document gets a new id. A number without fraction and exponent is an integer,
  /// any other a double.
  case objects(collection: String, id: String?)

  func form() throws(HearthError) -> ImportForm {
    switch self {
    case .export: .export
    case .objects(let collection, let id):
      .objects(collection: try CollectionPath(collection), id: id)
    }
  }
}

extension Firestore {
  /// Makes a new database from a file: it is there when everything is, or not at all.
  ///
  /// Documents of an export keep their create and update times. Memory is bounded, however long the
  /// file is; one pass, one line at a time. What an attempt that crashed has left
  /// (`PATH.importing`) is removed by the next one.
  ///
  /// - Parameters:
  ///   - url: The directory of the database to be made; there may be nothing, or an empty
  ///     directory.
  ///   - file: The text.
  ///   - format: What kind of text it is.
  ///   - settings: How large the map may be, and how durable the result.
  ///   - progress: Called on a thread of the engine's with documents done, and in total where the
  ///     text says that.
  /// - Throws: ``HearthError``: `ALREADY_EXISTS / TARGET_EXISTS` if something is there;
  ///   `INVALID_ARGUMENT` for what is wrong in the text, with `IMPORT_LINE` and the line's number
  ///   in the details, `IMPORT_CUT` if the end is missing, `IMPORT_CHECKSUM` if it is damaged.
  @discardableResult
  public static func importDatabase(
    at url: URL, from file: URL, format: ImportFormat = .export,
    settings: FirestoreSettings = .init(),
    progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
  ) async throws -> ImportReport {
    let path = try path(of: file)
    return try await make(at: url, TextInput(path: path), format, settings, progress)
  }

  /// Makes a new database from an open file or pipe, which stays open.
  @discardableResult
  public static func importDatabase(
    at url: URL, from handle: FileHandle, format: ImportFormat = .export,
    settings: FirestoreSettings = .init(),
    progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
  ) async throws -> ImportReport {
    try await make(at: url, TextInput(handle), format, settings, progress)
  }

  private static func make(
    at url: URL, _ input: TextInput, _ format: ImportFormat, _ settings: FirestoreSettings,
    _ progress: (@Sendable (Int, Int?) -> Void)?
  ) async throws -> ImportReport {
    let form = try format.form()
    let options = engineOptions(at: try path(of: url), settings.values)
    return ImportReport(
      try await operating(progress) { (operation) throws(HearthError) in
        try Engine.importNew(options, form, operation, read: input.read)
      })
  }

  /// Takes a file into this database.
  ///
  /// The whole file is checked first, so that one that was cut or damaged, or has a bad line,
  /// changes nothing. Then its documents are committed, some hundred at a time, with new times:
  /// readers and listeners see all or none of each commit. An import that was interrupted then can
  /// be repeated with `merge`.
  ///
  /// - Parameters:
  ///   - file: The text.
  ///   - format: What kind of text it is.
  ///   - merge: Whether documents with the same paths are replaced and others left; otherwise the
  ///     database must be empty.
  ///   - progress: Called on a thread of the engine's with documents done, and in total where the
  ///     text says that.
  /// - Throws: ``HearthError``: `FAILED_PRECONDITION / IMPORT_NOT_EMPTY`; otherwise as
  ///   ``importDatabase(at:from:format:settings:progress:)-(_,URL,_,_,_)``.
  @discardableResult
  public func `import`(
    from file: URL, format: ImportFormat = .export, merge: Bool = false,
    progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
  ) async throws -> ImportReport {
    let form = try format.form()
    let path = try Firestore.path(of: file)
    let engine = try engine()
    return ImportReport(
      try await cancellable(progress) { operation in
        let first = try TextInput(path: path)
        try await onBlockingThread { () throws(HearthError) in
          try engine.checkImport(form, operation, read: first.read)
        }
        let second = try TextInput(path: path)
        return try await engine.importDocuments(
          form, merging: merge, operation, read: second.read)
      })
  }

  /// Takes text from an open file or pipe into this database; the handle stays open.
  ///
  /// It is read once, so what comes before a bad line is committed.
  @discardableResult
  public func `import`(
    from handle: FileHandle, format: ImportFormat = .export, merge: Bool = false,
    progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
  ) async throws -> ImportReport {
    let form = try format.form()
    let engine = try engine()
    let input = TextInput(handle)
    return ImportReport(
      try await cancellable(progress) { operation in
        try await engine.importDocuments(form, merging: merge, operation, read: input.read)
      })
  }
}
