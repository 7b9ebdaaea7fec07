import Foundation
import HearthStorage
import Testing

// LMDB's own codes, which tests do not import.
private let mapFullCode: Int32 = -30792
private let panicCode: Int32 = -30795
private let corruptedCode: Int32 = -30796
private let transactionFullCode: Int32 = -30788
private let badTransactionCode: Int32 = -30782

@Suite struct FaultTests {
  private func withFaults(_ body: (Environment, StorageFaults) throws -> Void) throws {
    let faults = StorageFaults()
    try withEnvironment(.testing { $0.faults = faults }) { environment, _ in
      try environment.write { try $0.put(bytes("before"), bytes("v"), in: tableA) }
      try body(environment, faults)
    }
  }

  /// What a failure is called, and whether it stops all later writes (LM-17).
  @Test(
    arguments: [
      (ENOSPC, .diskFull, false), (EDQUOT, .diskFull, false), (ENOMEM, .memory, false),
      (EIO, .storageFailed, true), (corruptedCode, .corrupted, true),
      (mapFullCode, .mapFull, false), (transactionFullCode, .transactionFull, false),
      (badTransactionCode, .internalError, false),
    ] as [(Int32, StorageError.Kind, Bool)])
  func `a failure has its name and stops writes if the device lies`(
    code: Int32, kind: StorageError.Kind, stops: Bool
  ) throws {
    for operation in [.beginWrite, .put, .commit] as [StorageFaults.Operation] {
      try withFaults { environment, faults in
        faults.fail(operation, with: code)
        let error = expectError(kind) {
          try environment.write { try $0.put(bytes("k"), [], in: tableA) }
        }
        #expect(error?.underlying == code)
        #expect((environment.writesStopped != nil) == stops, "\(operation)")
        // Reading goes on, and shows nothing of what failed.
        try environment.read { transaction in
          try #expect(transaction.contains(bytes("before"), in: tableA))
          try #expect(!transaction.contains(bytes("k"), in: tableA))
        }
        if stops {
          expectError(kind) { try environment.write { _ in } }
        } else {
          try environment.write { try $0.put(bytes("k"), [], in: tableA) }
        }
      }
    }
  }

  @Test func `after a failed last step the outcome is unknown until reopening`() throws {
    try withFaults { environment, faults in
      faults.fail(.commit, with: panicCode)
      expectError(.outcomeUnknown) {
        try environment.write { try $0.put(bytes("k"), [], in: tableA) }
      }
      #expect(environment.writesStopped?.kind == .outcomeUnknown)
      expectError(.outcomeUnknown) { try environment.write { _ in } }
      let path = environment.path
      environment.close()
      let again = try Environment.open(at: path, options: .testing())
      try again.write { try $0.put(bytes("k"), [], in: tableA) }
      again.close()
    }
  }

  @Test func `a failed sync stops writes`() throws {
    try withFaults { environment, faults in
      faults.fail(.sync, with: EIO)
      expectError(.storageFailed) { try environment.sync() }
      expectError(.storageFailed) { try environment.write { _ in } }
    }
  }

  @Test func `a failed read harms nobody else`() throws {
    try withFaults { environment, faults in
      faults.fail(.beginRead, with: ENOMEM)
      expectError(.memory) { try environment.read { _ in } }
      faults.fail(.get, at: 2, with: corruptedCode)
      try environment.read { transaction in
        try #expect(transaction.contains(bytes("before"), in: tableA))
      }
      expectError(.corrupted) {
        try environment.read { _ = try $0.contains(bytes("before"), in: tableA) }
      }
      try environment.read { try #expect($0.contains(bytes("before"), in: tableA)) }
    }
  }

  @Test func `a fault strikes at the call it was set for`() throws {
    try withFaults { environment, faults in
      faults.fail(.put, at: 3, with: ENOMEM)
      let count = Lock(0)
      expectError(.memory) {
        try environment.write { transaction in
          for number in 1...5 as ClosedRange<UInt8> {
            try transaction.put([number], [], in: tableA)
            count.withLock { $0 += 1 }
          }
        }
      }
      #expect(count.withLock { $0 } == 2)
      faults.fail(.delete, with: EIO)
      faults.clear()
      try environment.write { try #expect($0.delete(bytes("before"), in: tableA)) }
    }
  }

  @Test func `points are reached in the order of a transaction's life`() throws {
    let faults = StorageFaults()
    let reached = Lock<[StorageFaults.Point]>([])
    for point in StorageFaults.Point.allCases {
      faults.at(point) { reached.withLock { $0.append(point) } }
    }
    try withEnvironment(.testing { $0.faults = faults }) { environment, _ in
      try environment.write { _ in }
      try? environment.write { _ in throw CancellationError() }
    }
    #expect(
      reached.withLock { $0 } == [
        .creationStarted, .creationCommitted, .creationSynced, .creationRenamed, .afterBegin,
        .beforeCommit, .afterCommit, .afterBegin, .afterAbort, .beforeClose,
      ])
  }

  /// What a crash at a point of creation leaves behind is simulated by copying the directory then.
  @Test(
    arguments: [.creationStarted, .creationCommitted, .creationSynced, .creationRenamed]
      as [StorageFaults.Point], [false, true])
  func `a creation that was interrupted anywhere is none or complete`(
    point: StorageFaults.Point, inPlace: Bool
  ) throws {
    let directory = try TemporaryDirectory()
    let source = directory.path + "/source"
    let crashed = directory.path + "/crashed"
    try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: false)
    if inPlace {
      try FileManager.default.createDirectory(
        atPath: source + "/db", withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    let faults = StorageFaults()
    faults.at(point) { try? FileManager.default.copyItem(atPath: source, toPath: crashed) }
    let environment = try Environment.open(
      at: source + "/db", options: .testing { $0.faults = faults })
    environment.close()

    if point == .creationRenamed {
      let found = try Environment.open(
        at: crashed + "/db", options: .testing { $0.createIfMissing = false })
      found.close()
    } else {
      expectError(.notFound) {
        _ = try Environment.open(
          at: crashed + "/db", options: .testing { $0.createIfMissing = false })
      }
    }
    let again = try Environment.open(at: crashed + "/db", options: .testing())
    try again.write { try $0.put(bytes("k"), [], in: tableA) }
    again.close()
    for leftover in ["/db.creating", "/db/hearth.creating"] {
      #expect(!FileManager.default.fileExists(atPath: crashed + leftover))
    }
  }

  @Test func `a data file that was removed stops writes`() throws {
    try withEnvironment { environment, directory in
      try environment.write { try $0.put(bytes("k"), [], in: tableA) }
      try FileManager.default.removeItem(atPath: directory.database + "/data.mdb")
      expectError(.fileRemoved) { try environment.write { _ in } }
      #expect(environment.writesStopped?.kind == .fileRemoved)
      try environment.read { try #expect($0.contains(bytes("k"), in: tableA)) }
    }
  }
}
