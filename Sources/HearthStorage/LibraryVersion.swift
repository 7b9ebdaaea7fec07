import CLMDB

/// A version of LMDB.
///
/// Only 0.9 from patch 24 on is understood (LM-24).
package struct LibraryVersion: Sendable, Equatable {
  package var major: Int
  package var minor: Int
  package var patch: Int

  /// Names a version.
  package init(major: Int, minor: Int, patch: Int) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// The version of the library this process runs with, which may differ from its header's.
  package static var linked: LibraryVersion {
    var major: Int32 = 0
    var minor: Int32 = 0
    var patch: Int32 = 0
    _ = unsafe mdb_version(&major, &minor, &patch)
    return LibraryVersion(major: Int(major), minor: Int(minor), patch: Int(patch))
  }

  /// Throws unless the version is one that was tested with this code.
  package func check() throws(StorageError) {
    guard major == 0, minor == 9, patch >= 24 else {
      throw StorageError(
        .libraryVersion,
        """
        LMDB \(major).\(minor).\(patch) is installed, but 0.9.24 or a later 0.9 is needed. \
        Files of 1.x and 0.9 cannot read each other: move data by export and import.
        """)
    }
  }

  /// Throws if this version splits pages wrongly at the given page size (ITS#9806).
  package func check(pageSize: Int) throws(StorageError) {
    guard pageSize == 4096 || patch >= 30 else {
      throw StorageError(
        .libraryVersion,
        "LMDB 0.9.\(patch) is not safe with pages of \(pageSize) bytes: install 0.9.30 or later.")
    }
  }

  /// Whether a commit of this library survives a power loss on this operating system.
  package var isDurable: Bool {
    #if canImport(Darwin)
      patch >= 36
    #else
      true
    #endif
  }
}
