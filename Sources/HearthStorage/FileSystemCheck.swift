#if canImport(Glibc)
  import CLMDB
  import Glibc
#else
  import Darwin
#endif

/// Refuses network file systems: neither their locks nor their maps keep LMDB's promises (LM-22).
package enum FileSystemCheck {
  /// What a file system is good for.
  package enum Verdict: Equatable, Sendable {
    case local
    case userSpace
    case network(String)
  }

  /// By the magic numbers that Linux' `statfs` answers.
  package static func verdict(magic: UInt32) -> Verdict {
    switch magic {
    case 0x6969: .network("NFS")
    case 0x517B, 0xFF53_4D42, 0xFE53_4D42: .network("SMB")
    case 0x5346_414F, 0x6B41_4653: .network("AFS")
    case 0x0102_1997: .network("9P")
    case 0x00C3_6400: .network("Ceph")
    case 0x6573_5546: .userSpace
    default: .local
    }
  }

  /// A warning, if there is one.
  static func check(_ path: String) throws(StorageError) -> String? {
    var information = statfs()
    guard unsafe statfs(path, &information) == 0 else {
      throw .system(errno, "\(path) could not be examined")
    }
    #if canImport(Glibc)
      let verdict = verdict(magic: UInt32(truncatingIfNeeded: information.f_type))
    #else
      let isLocal = information.f_flags & UInt32(MNT_LOCAL) != 0
      let verdict: Verdict = isLocal ? .local : .network("network")
    #endif
    switch verdict {
    case .local: return nil
    case .userSpace:
      return "\(path) is on a file system in user space: it must keep the order of synced writes."
    case .network(let name):
      throw StorageError(
        .networkFileSystem,
        "\(path) is on a \(name) file system, which cannot hold a database: use a local disk.")
    }
  }
}
