import Foundation

/// Options of an app, kept for the SDK's sake; only `storage` has a meaning.
public final class FirebaseOptions {
  /// Where the default database keeps its data.
  public var storage: Hearth.Storage = .inMemory

  /// Makes options for a temporary database.
  public init() {}
}

/// The app that the SDK's configuration line speaks of; Hearth has one.
public final class FirebaseApp: Sendable {
  /// The app's name.
  public let name = "__FIRAPP_DEFAULT"

  static let standard = FirebaseApp()

  /// Configures a temporary database, which is logged; prefer
  /// ``Hearth/configure(storage:settings:)``, which says where data goes.
  public static func configure() {
    Hearth.log(
      "FirebaseApp.configure() keeps data in a temporary directory; to keep it, write "
        + "Hearth.configure(storage: .directory(url)) instead.")
    Hearth.configure(storage: .inMemory)
  }

  /// Configures the default database as the options say.
  public static func configure(options: FirebaseOptions) {
    Hearth.configure(storage: options.storage)
  }

  /// The app, nil before anything was configured.
  public static func app() -> FirebaseApp? {
    Registry.shared.isConfigured ? standard : nil
  }
}
