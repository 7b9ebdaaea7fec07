import HearthModel
import HearthStorage

/// Keeps deleting possible when the disk or the map is full: what was kept back for that is given
/// out, and until there is room again only deletes are admitted.
struct Room {
  private var shortage: Shortage?
  private var hasRoom = true

  var isShort: Bool { shortage != nil }

  /// Looks, before a group, whether there is room again.
  mutating func look(_ environment: Environment) {
    guard let shortage else { return }
    // A map that has grown into its reserve stays there, so its use is watched from then on.
    if shortage == .disk, environment.restoreReserve() {
      self.shortage = nil
    } else {
      hasRoom = (try? environment.hasRoom(beyond: shortage)) ?? false
    }
  }

  /// Gives out what was kept back; false if there is nothing to give.
  mutating func open(for shortage: Shortage, _ environment: Environment) -> Bool {
    self.shortage = shortage
    hasRoom = false
    return environment.openReserve(for: shortage)
  }

  /// Why a request is not admitted now, nil if it is.
  func refusal(of writes: [Write]) -> HearthError? {
    if hasRoom || writes.allSatisfy(\.isDelete) { return nil }
    return refusal
  }

  /// Why only what frees room is admitted now, nil if everything is.
  var refusal: HearthError? {
    switch hasRoom ? nil : shortage {
    case nil: nil
    case .disk:
      HearthError(
        .resourceExhausted, "DISK_FULL",
        "The disk is full: until there is room only deletes are carried out. Make room on it, or "
          + "delete documents.")
    case .map:
      HearthError(
        .resourceExhausted, "MAP_FULL",
        "The database has reached its largest size: until there is room only deletes are carried "
          + "out. Delete documents, or open it with a larger maximum.")
    }
  }
}

extension Write {
  fileprivate var isDelete: Bool {
    if case .delete = operation { return true }
    return false
  }
}
