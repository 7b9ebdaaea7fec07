import Foundation
import Hearth

/// A mistake made on purpose, which a check must find.
enum Plant: String, Codable, CaseIterable {
  /// A commit counts as acknowledged before it was asked for.
  case ackBeforeCommit = "ack-before-commit"
  /// Flushes do nothing.
  case skipSync = "skip-sync"
  /// The flush that follows an opening does nothing.
  case skipFsync = "skip-fsync"
  /// Some writes of data do nothing.
  case skipWrite = "skip-write"
  /// An index entry is missing.
  case skipIndex = "skip-index"
  /// The first error ends the process.
  case trap = "trap"

  /// What the preloaded library is told.
  var lie: String? {
    switch self {
    case .skipSync: "sync"
    case .skipFsync: "fsync"
    case .skipWrite: "write"
    default: nil
    }
  }
}

/// What a recorded run does; each is a trace of its own.
enum Scenario: String, Codable, CaseIterable {
  case ratings, creation, index, compaction, backup, imports
  /// A flush fails, or the last write of a commit; the program opens again and goes on.
  case failedFlush = "failed flush"
  case failedMeta = "failed meta"
  /// As before, and LMDB cannot take the write back either.
  case lastingMeta = "lasting meta"
}

/// Calls to be failed: which, from which on, how and with what code.
struct FaultPoint: Codable, Hashable {
  /// How often.
  enum Mode: String, Codable {
    case once, on, late, gone, short
  }

  var group: String
  var number: Int
  var mode: Mode
  var code: Int32

  /// As the preloaded library reads it.
  var text: String { "\(group):\(number):\(mode.rawValue):\(code)" }
}

/// What a worker does in a process of its own.
enum Job: Codable {
  /// Writes a trace of a run.
  case record(RecordJob)
  /// Makes the images of some positions of a trace, and looks at them.
  case images(ImagesJob)
  /// Works while calls fail.
  case fault(FaultJob)
  /// Makes a database that was left in the middle of its work.
  case leave(LeaveJob)
}

/// A run to be recorded.
struct RecordJob: Codable {
  var scenario: Scenario
  var seed: UInt64
  /// Rounds of writes per client.
  var rounds: Int
  var durability: String
  /// Everything below is recorded.
  var root: String
  var trace: String
  var plant: Plant?
}

/// Crash images of a trace.
struct ImagesJob: Codable {
  var trace: String
  /// Where the images are made.
  var place: String
  var positions: [Int]
  /// Images with some of what was not synced, beside those with none and with all of it.
  var subsets: Int
  var seed: UInt64
  /// Whether commits may be lost that no flush has followed.
  var isRelaxed = false
  /// The first image to look at, where an earlier process died.
  var skip = 0
}

/// A run under faults.
struct FaultJob: Codable {
  var point: FaultPoint?
  var root: String
  /// A database to begin with, and what was acknowledged in it; none: one is made.
  var template: String?
  var rounds: Int
  var plant: Plant?
}

/// A database to be left.
struct LeaveJob: Codable {
  var root: String
  var rounds: Int
}

/// Something that must not be.
struct Finding: Codable, Hashable {
  enum Kind: String, Codable, CaseIterable, CodingKeyRepresentable {
    /// Something acknowledged is not there.
    case lost
    /// Something acknowledged is not there, as the durability allows.
    case waived
    /// Something is there in part, contradicts itself, or was never written.
    case torn
    /// The process died or hung.
    case crashed
    /// An error that is not documented.
    case undocumented
  }

  var kind: Kind
  var text: String
}

/// What a job says while it runs; one line of JSON each.
enum Reply: Codable {
  case begun(Int)
  case finding(Finding)
  /// The image was looked at.
  case image
  case counts([String: Int])
  /// An error that the run met, as status and reason, and what was being done.
  case error(String)
  case positions([Int])
  case end(signal: Int32, code: Int32)
}
