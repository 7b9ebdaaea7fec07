import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the child tells its parent, in records of 16 bytes: kind, client, two zero bytes, a
/// number (4 bytes) and a value (8 bytes), in the byte order of the machine.
///
/// `Tests/CrashTests/ChildRecords.swift` reads the same. A pipe and not a file: what was written to
/// it is with the parent whatever happens to this process, and the database's file system is not
/// asked to keep the evidence against itself.
enum Kind: UInt8 {
  case phase = 1
  /// A write nobody awaits is about to be submitted.
  case submitted = 2
  case counter = 3
  case rating = 4
  case pair = 5
  case toggle = 6
  case loose = 7
  /// Something failed that must not; the reason went to standard error.
  case failure = 8
}

enum Phase: UInt32 {
  case opening = 1
  case open = 2
  case buildingIndex = 3
  case indexReady = 4
  case closing = 5
  case closed = 6
  case created = 7
}

func report(_ kind: Kind, client: Int = 0, number: Int = 0, value: UInt64 = 0) {
  var bytes = [UInt8](repeating: 0, count: 16)
  bytes[0] = kind.rawValue
  bytes[1] = UInt8(client)
  bytes.withUnsafeMutableBytes {
    $0.storeBytes(of: UInt32(number), toByteOffset: 4, as: UInt32.self)
    $0.storeBytes(of: value, toByteOffset: 8, as: UInt64.self)
  }
  // Far below PIPE_BUF, so records of several threads do not mix.
  guard write(1, bytes, bytes.count) == bytes.count else { exit(9) }
}

func report(_ phase: Phase, value: UInt64 = 0) {
  report(.phase, number: Int(phase.rawValue), value: value)
}

func reportFailure(_ what: String, _ error: any Error) {
  FileHandle.standardError.write(Data("child: \(what): \(error)\n".utf8))
  report(.failure)
}
