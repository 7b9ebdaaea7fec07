public import Foundation
public import HearthModel

/// Where the process's default database lives, and the hooks of the whole library.
public enum Hearth {
  /// Where a database keeps its data.
  public enum Storage: Sendable, Hashable {
    /// A directory, created if it does not exist.
    case directory(URL)
    /// A temporary directory that is removed when the database is terminated; nothing is flushed.
    case inMemory
  }

  /// Says where `Firestore.firestore()` keeps its data: the one line to write instead of
  /// `FirebaseApp.configure()`.
  ///
  /// The database is opened at its first use, so errors of the file system come from there.
  /// Configuring again takes effect once the default database has been terminated.
  ///
  /// - Parameters:
  ///   - storage: Where the data is.
  ///   - settings: How the database behaves; copied.
  public static func configure(storage: Storage, settings: FirestoreSettings = .init()) {
    Registry.shared.configure(storage: storage, settings: settings.values)
  }

  /// Called whenever an object notices that it was misused.
  ///
  /// The executing call gives the error all the same; trap in the handler if you prefer that. It is
  /// called on the misusing thread.
  public static var misuseHandler: (@Sendable (HearthError) -> Void)? {
    get { hooks.with { $0.misuse } }
    set { hooks.with { $0.misuse = newValue } }
  }

  /// Receives what Hearth has to say, one line a call; nil writes to standard error.
  public static var logHandler: (@Sendable (String) -> Void)? {
    get { hooks.with { $0.log } }
    set { hooks.with { $0.log = newValue } }
  }

  private struct Hooks {
    var misuse: (@Sendable (HearthError) -> Void)?
    var log: (@Sendable (String) -> Void)?
    var unhandledWrite: (@Sendable (any Error) -> Void)?
  }

  private static let hooks = Locked(Hooks())

  static var unhandledWriteErrorHandler: (@Sendable (any Error) -> Void)? {
    get { hooks.with { $0.unhandledWrite } }
    set { hooks.with { $0.unhandledWrite = newValue } }
  }

  static func log(_ line: String) {
    if let handler = logHandler {
      handler(line)
    } else {
      FileHandle.standardError.write(Data("hearth: \(line)\n".utf8))
    }
  }

  /// Tells the hook about a misuse and gives the error back, for the object to remember.
  @discardableResult
  static func misused(_ error: HearthError) -> HearthError {
    misuseHandler?(error)
    return error
  }
}
