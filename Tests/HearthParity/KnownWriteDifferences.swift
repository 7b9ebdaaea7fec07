import HearthModel

extension KnownDifferences {
  static let writes = [
    KnownDifference(
      name: "update time of a delete",
      reason: """
        Where a commit deletes a document and then writes it again, the emulator gives the delete \
        the update time of the later write. The API says that a delete has none.
        """
    ) { difference, _ in
      guard case .commit(let writes) = difference.request,
        case .commit(var results) = difference.emulator, results.count == writes.count
      else { return }
      for (position, write) in writes.enumerated() where write.operation == .delete {
        let rest = writes[(position + 1)...]
        if rest.contains(where: { $0.document == write.document }) {
          results[position].updated = nil
        }
      }
      difference.emulator = .commit(results)
    }
  ]
}
