/// Where a snapshot comes from; always the database, since nothing is visible before it is
/// committed.
public final class SnapshotMetadata: Sendable {
  /// Always false.
  public let hasPendingWrites = false
  /// Always false.
  public let isFromCache = false

  static let committed = SnapshotMetadata()
}

extension SnapshotMetadata: Hashable {
  /// Always true.
  public static func == (a: SnapshotMetadata, b: SnapshotMetadata) -> Bool { true }

  /// Feeds nothing.
  public func hash(into hasher: inout Hasher) {}
}

/// How to show server timestamps that are not known yet; accepted, there are none.
public enum ServerTimestampBehavior: Int, Sendable {
  /// As null.
  case none
  /// As an estimate.
  case estimate
  /// As the value before.
  case previous
}
