import Foundation
import HearthModel

/// The databases of this process.
///
/// LMDB forbids opening one file twice in a process, so open databases are known by the identity
/// of their data file (device and inode): two spellings of a path give one `Firestore`.
final class Registry: Sendable {
  static let shared = Registry()

  private struct State {
    var storage: Hearth.Storage?
    var settings = FirestoreSettings.Values()
    var standard: Firestore?
    var open: [FileIdentity: Firestore] = [:]
  }

  private let state = Locked(State())
  /// Held while a database is opened, so that two tasks cannot open one file at the same time.
  private let opening = Locked(())

  func configure(storage: Hearth.Storage, settings: FirestoreSettings.Values) {
    state.with {
      $0.storage = storage
      $0.settings = settings
    }
  }

  var isConfigured: Bool { state.with { $0.storage != nil } }

  /// The default database; one whose every call fails as long as nothing was configured.
  func standardDatabase() -> Firestore {
    state.with { state in
      if let standard = state.standard { return standard }
      guard let storage = state.storage else {
        return Firestore(
          broken: HearthError(
            .failedPrecondition, "NOT_CONFIGURED",
            "No database is configured. Before the first use of Firestore.firestore() write "
              + "Hearth.configure(storage: .directory(url)), or use Firestore.open(at: url)."))
      }
      let made = Firestore(storage: storage, settings: state.settings)
      state.standard = made
      return made
    }
  }

  /// The database at a path: the one that is open already, or what `open` gives.
  func database(
    at path: String, open: () throws(HearthError) -> Firestore
  ) throws(HearthError) -> Firestore {
    try opening.with { (_) throws(HearthError) -> Firestore in
      if let identity = FileIdentity(databaseAt: path),
        let existing = state.with({ $0.open[identity] })
      {
        return existing
      }
      let opened = try open()
      remember(opened, at: path)
      return opened
    }
  }

  /// Notes an open database under the identity of its file.
  func remember(_ database: Firestore, at path: String) {
    guard let identity = FileIdentity(databaseAt: path) else { return }
    state.with { $0.open[identity] = database }
  }

  /// The databases that are open now.
  var openDatabases: [Firestore] { state.with { Array($0.open.values) } }

  /// Forgets a terminated database, so that it can be opened anew.
  func forget(_ database: Firestore) {
    state.with { state in
      if state.standard === database { state.standard = nil }
      state.open = state.open.filter { $0.value !== database }
    }
  }
}

/// What makes two paths the same file.
struct FileIdentity: Hashable {
  private let device: Int
  private let file: UInt64

  /// The identity of the data file of the database at `path`; nil if there is none.
  init?(databaseAt path: String) {
    let url = URL(filePath: path).resolvingSymlinksInPath()
    let inside = url.appending(path: "data.mdb").path(percentEncoded: false)
    let files = FileManager.default
    guard
      let found = (try? files.attributesOfItem(atPath: inside))
        ?? (try? files.attributesOfItem(atPath: url.path(percentEncoded: false))),
      let device = (found[.systemNumber] as? NSNumber)?.intValue,
      let file = (found[.systemFileNumber] as? NSNumber)?.uint64Value
    else { return nil }
    self.device = device
    self.file = file
  }
}
