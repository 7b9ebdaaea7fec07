#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension FaultPoint {
  /// How the calls of each class can fail.
  private static let ways: [(group: String, ways: [(Mode, Int32)])] = [
    ("open", both(EMFILE) + both(EIO) + both(ENOSPC) + both(ENOMEM)),
    ("read", both(EIO)),
    ("pwrite", both(EIO) + both(ENOSPC) + [(.short, ENOSPC)]),
    ("writev", both(EIO) + both(ENOSPC) + [(.short, ENOSPC)]),
    ("write", both(EIO) + both(ENOSPC) + [(.short, ENOSPC)]),
    ("meta", both(EIO) + both(ENOSPC) + [(.late, EIO), (.gone, EIO), (.short, ENOSPC)]),
    ("fdatasync", both(EIO) + both(ENOSPC)),
    ("fsync", both(EIO) + both(ENOSPC)),
    ("dirsync", both(EIO) + both(ENOSPC)),
    ("ftruncate", both(EIO) + both(ENOSPC)),
    ("allocate", both(EIO) + both(ENOSPC)),
    ("rename", both(EIO) + both(ENOSPC)),
    ("unlink", both(EIO) + both(ENOSPC)),
    ("mkdir", both(EIO) + both(ENOSPC)),
    ("rmdir", both(EIO)),
    ("mmap", both(ENOMEM)),
    ("lock", both(ENOLCK)),
    ("thread", both(EAGAIN)),
    ("malloc", both(ENOMEM)),
  ]

  private static func both(_ code: Int32) -> [(Mode, Int32)] { [(.once, code), (.on, code)] }

  /// The classes of calls, in the order of the table.
  static var groups: [String] { ways.map(\.group) }

  /// The classes that files and threads make up, without memory.
  static var fileGroups: [String] { groups.filter { $0 != "malloc" } }

  /// Every call of the classes in every way, given how many calls there are.
  static func all(_ groups: [String], _ counts: [String: Int]) -> [FaultPoint] {
    ways.filter { groups.contains($0.group) }.flatMap { group, ways in
      (0..<counts[group, default: 0]).flatMap { number in
        ways.map { FaultPoint(group: group, number: number + 1, mode: $0, code: $1) }
      }
    }
  }

  /// For people, and for the option that repeats one.
  var name: String {
    let codes: [Int32: String] = [
      EMFILE: "EMFILE", EIO: "EIO", ENOSPC: "ENOSPC", ENOMEM: "ENOMEM", ENOLCK: "ENOLCK",
      EAGAIN: "EAGAIN",
    ]
    return "\(group):\(number):\(mode.rawValue):\(codes[code] ?? "\(code)")"
  }
}
