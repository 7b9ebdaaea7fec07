import Foundation
import HearthTestSupport
import Testing

/// What the child writes to its pipe; see `Tests/HearthCrashChild/Reporting.swift`.
struct ChildRecord {
  enum Kind: UInt8 {
    case phase = 1
    case submitted, counter, rating, pair, toggle, loose, failure
  }

  enum Phase: UInt32 {
    case opening = 1
    case open, buildingIndex, indexReady, closing, closed, created
  }

  var kind: Kind
  var client: Int
  var number: Int
  var value: Int

  var phase: Phase? { kind == .phase ? Phase(rawValue: UInt32(number)) : nil }

  static let length = 16

  init?(_ bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == ChildRecord.length, let kind = Kind(rawValue: bytes[0]) else {
      return nil
    }
    self.kind = kind
    client = Int(bytes[1])
    number = Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self) })
    value = Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) })
  }
}

/// When a child is killed.
struct KillPlan: Sendable {
  /// The record that starts the clock.
  var phase: ChildRecord.Phase
  /// For a phase that comes with a value: the least value.
  var value = 0
  var microseconds: Int
}

/// How a child's life went.
struct KilledRun: Sendable {
  var records: [ChildRecord]
  var ending: ChildProcess.Ending
  /// Whether the phase of the plan was reached.
  var wasAimed: Bool
}

/// Runs a child, kills it as planned, and returns all that it reported.
func runAndKill(_ arguments: [String], _ plan: KillPlan) async throws -> KilledRun {
  let executable = try #require(
    builtProduct("HearthCrashChild"), "build the tests first: swift build --build-tests")
  return try await blocking {
    let child = try ChildProcess(executable, arguments)
    var bytes: [UInt8] = []
    var records: [ChildRecord] = []
    var wasAimed = false
    // A child that never gets to the phase is killed all the same.
    var deadline = DispatchTime.now().uptimeNanoseconds + 20_000_000_000
    while let more = child.read(until: deadline), !more.isEmpty {
      bytes += more
      while bytes.count >= ChildRecord.length {
        if let record = ChildRecord(bytes.prefix(ChildRecord.length)) {
          records.append(record)
          if !wasAimed, record.phase == plan.phase, record.value >= plan.value {
            wasAimed = true
            deadline = DispatchTime.now().uptimeNanoseconds + UInt64(plan.microseconds) * 1000
          }
        }
        bytes.removeFirst(ChildRecord.length)
      }
      if DispatchTime.now().uptimeNanoseconds >= deadline { break }
    }
    child.kill()
    // What it had written before it died is in the pipe still.
    bytes += child.readToEnd()
    for start in stride(from: 0, to: bytes.count, by: ChildRecord.length) {
      if let record = ChildRecord(bytes[start...].prefix(ChildRecord.length)) {
        records.append(record)
      }
    }
    return KilledRun(records: records, ending: child.wait(), wasAimed: wasAimed)
  }
}
