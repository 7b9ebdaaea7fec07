/// What the preloaded library recorded; `shim.c` writes it.
struct Trace {
  enum Kind: UInt8 {
    case opened = 1
    case wrote, wroteThrough, synced, truncated, renamed, unlinked, made, removed, noted, syncFailed
  }

  struct Operation {
    var kind: Kind
    var flags: UInt8
    /// The opening that the operation belongs to.
    var tag: UInt32
    var offset: Int
    /// What was written, as a place in the trace.
    var bytes: Range<Int>
    var name: String
    /// The new name in a renaming.
    var second: String
  }

  let bytes: [UInt8]
  private(set) var operations: [Operation] = []

  private static let headLength = 24

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var place = 0
    bytes.withUnsafeBytes { all in
      while place + Trace.headLength <= all.count {
        let nameLength = Int(all.loadUnaligned(fromByteOffset: place + 2, as: UInt16.self))
        let length = Int(all.loadUnaligned(fromByteOffset: place + 16, as: UInt64.self))
        let start = place + Trace.headLength
        let end = start + nameLength + length
        guard let kind = Kind(rawValue: all[place]), end <= all.count else { return }
        let names = all[start..<start + nameLength].split(separator: 0)
          .map { String(decoding: $0, as: UTF8.self) }
        operations.append(
          Operation(
            kind: kind, flags: all[place + 1],
            tag: all.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
            offset: Int(all.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)),
            bytes: start + nameLength..<end, name: names.first ?? "",
            second: names.count > 1 ? names[1] : ""))
        place = end
      }
    }
  }

  /// The text of a note.
  func note(_ operation: Operation) -> String {
    String(decoding: bytes[operation.bytes], as: UTF8.self)
  }

  /// The openings of the database's file.
  var databaseTags: Set<UInt32> {
    Set(operations.filter { $0.kind == .opened && $0.name == "db/data.mdb" }.map(\.tag))
  }

  /// Where a crash makes a difference: before each operation that changes something, and at the
  /// end.
  var positions: [Int] {
    operations.indices.filter { ![.opened, .noted].contains(operations[$0].kind) }
      + [operations.count]
  }
}

/// The trace that this process works on.
enum TraceCache {
  // nonisolated(unsafe) is right: set by the one thread there is, before copies of the process
  // are made, which only read it.
  nonisolated(unsafe) private static var loaded: (path: String, trace: Trace)?

  static func load(_ path: String) {
    guard loaded?.path != path, let bytes = try? readFile(path) else { return }
    loaded = (path, Trace(bytes))
  }

  static func trace(_ path: String) -> Trace? { loaded?.path == path ? loaded?.trace : nil }
}
