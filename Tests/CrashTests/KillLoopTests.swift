import Foundation
import Hearth
import HearthTestSupport
import Testing

/// Kills a process in the middle of its writes, over and over, and looks at what is left.
///
/// `HEARTH_KILL_CYCLES` says how often; a night's run has 10 000.
@Suite(.serialized) struct KillLoopTests {
  private static var cycles: Int {
    ProcessInfo.processInfo.environment["HEARTH_KILL_CYCLES"].flatMap { Int($0) } ?? 60
  }

  @Test func `no kill loses an acknowledged commit or tears one`() async throws {
    let seed = testSeed("kill loop")
    if let obstacle = OutsideReader.obstacle { print(obstacle) }
    try await withTemporaryDirectory { directory in
      let template = directory + "/template"
      try await fillTemplate(template)
      var loop = KillLoop(directory: directory, template: template, seed: seed)
      for cycle in 0..<KillLoopTests.cycles { try await loop.run(cycle) }
      print("kill loop: \(loop.summary)")
      // A loop that kills nobody in the act proves nothing.
      if KillLoopTests.cycles >= 60 { #expect(loop.acknowledged > KillLoopTests.cycles) }
    }
  }

  /// A database whose index takes several commits to build.
  private func fillTemplate(_ path: String) async throws {
    try await withDatabase(at: path) { database in
      for start in stride(from: 0, to: 1200, by: 300) {
        let batch = database.batch()
        for number in start..<start + 300 {
          batch.setData(
            ["kind": number % 7, "value": -number],
            forDocument: database.document("filler/f\(number)"))
        }
        try await batch.commit()
      }
    }
  }
}

/// Runs a closure with a database, which is closed after it.
func withDatabase<R>(
  at path: String, durability: Durability = .none, _ body: (Firestore) async throws -> R
) async throws -> R {
  let settings = FirestoreSettings()
  settings.durability = durability
  // Tests run side by side: hundreds of databases must share one address space.
  settings.mapSizeBytes = 1 << 33
  let database = try await Firestore.open(at: URL(filePath: path), settings: settings)
  do {
    let result = try await body(database)
    try await database.terminate()
    return result
  } catch {
    try await database.terminate()
    throw error
  }
}

/// One database after another, and what was reported about the current one.
private struct KillLoop {
  let directory: String
  let template: String
  let seed: UInt64
  var generator: SeededGenerator
  private var ledger = Ledger()
  private var databases = 0
  private var indexLedger = Ledger()
  private var indexDatabases = 0
  private(set) var acknowledged = 0
  private var aimed: [String: Int] = [:]

  init(directory: String, template: String, seed: UInt64) {
    self.directory = directory
    self.template = template
    self.seed = seed
    generator = SeededGenerator(seed: seed)
  }

  var summary: String {
    "\(acknowledged) acknowledged commits, kills by aim: "
      + aimed.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  private mutating func random(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  /// Two thirds of the kills come at random moments of the load; the others are aimed.
  mutating func run(_ cycle: Int) async throws {
    // Every tenth database is a new one; between, it lives on with what kills left in it.
    if cycle % 10 == 0 {
      databases += 1
      ledger = Ledger()
    }
    if cycle % 30 == 0 {
      indexDatabases += 1
      indexLedger = Ledger()
      try FileManager.default.copyItem(
        atPath: template, toPath: "\(directory)/index-\(indexDatabases)")
    }
    switch random(0...14) {
    case 0:
      try await killLoad(cycle, "opening", .opening, microseconds: random(0...20_000))
    case 1:
      try await killLoad(
        cycle, "closing", .closing, microseconds: random(0...5000), closeAfter: random(1...40))
    case 2: try await killCreation(cycle)
    case 3, 4: try await killIndexBuild(cycle)
    case 5, 6:
      // A long life now and then, for databases with something in them.
      try await killLoad(cycle, "long load", .open, microseconds: random(60_000...300_000))
    default:
      try await killLoad(cycle, "load", .open, microseconds: random(2000...60_000))
    }
  }

  private func context(_ cycle: Int, _ aim: String) -> Comment {
    "cycle \(cycle), killed in \(aim), HEARTH_SEED=\(seed)"
  }

  /// What a child must not do of its own accord.
  private mutating func note(_ run: KilledRun, _ aim: String, _ context: Comment) {
    if run.wasAimed { aimed[aim, default: 0] += 1 }
    #expect(run.records.allSatisfy { $0.kind != .failure }, context)
    #expect(run.ending == .signal(SIGKILL) || run.ending == .exit(0), context)
    acknowledged += run.records.count { ![.phase, .submitted, .failure].contains($0.kind) }
  }

  private mutating func killLoad(
    _ cycle: Int, _ aim: String, _ phase: ChildRecord.Phase, microseconds: Int, closeAfter: Int = 0
  ) async throws {
    let path = "\(directory)/load-\(databases)"
    ledger.start()
    let run = try await runAndKill(
      ["load", path, ledger.argument, "\(closeAfter)"],
      KillPlan(phase: phase, microseconds: microseconds))
    let context = context(cycle, aim)
    note(run, aim, context)
    ledger.take(run.records)
    ledger = try await examine(path, ledger, context)
  }

  private mutating func killIndexBuild(_ cycle: Int) async throws {
    let path = "\(directory)/index-\(indexDatabases)"
    let context = context(cycle, "index build")
    indexLedger.start()
    let run = try await runAndKill(
      ["index", path, "\(indexLedger.clients[0].counter.acknowledged)"],
      KillPlan(
        phase: .buildingIndex, value: [1, 500, 1000][random(0...2)],
        microseconds: random(0...15_000)))
    note(run, "index build", context)
    indexLedger.take(run.records)
    indexLedger = try await examine(path, indexLedger, context)
    try await withDatabase(at: path) { database in
      let filler = database.collection("filler")
      let all = try await filler.getDocuments().documents
      #expect(all.count == 1200, context)
      guard try !database.indexes.isEmpty else { return }
      let found = try await filler.whereField("kind", isEqualTo: 3).order(by: "value")
        .getDocuments().documents.map(\.documentID)
      let expected = all.filter { $0["kind"] as? Int == 3 }.map(\.documentID)
      #expect(Set(found) == Set(expected) && found.count == expected.count, context)
    }
  }

  private mutating func killCreation(_ cycle: Int) async throws {
    let place = "\(directory)/creations-\(cycle)"
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let run = try await runAndKill(
      ["create", place], KillPlan(phase: .opening, microseconds: random(0...60_000)))
    let context = context(cycle, "creation")
    note(run, "creation", context)
    let made = run.records.filter { $0.phase == .created }.map(\.value).max() ?? 0
    // The last one may be there in part; opening must make a whole one of it, empty or with the
    // write that was under way.
    for number in 1...(made + 1) {
      try await withDatabase(at: "\(place)/\(number)") { database in
        let document = try await database.document("made/one").getDocument()
        #expect(document["n"] as? Int == number || (number > made && !document.exists), context)
        #expect(try await database.verify().findings == [], context)
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(place)/\(number)")
      #expect(
        Set(names).subtracting(["reserve"]) == ["data.mdb", "lock.mdb", "hearth.lock"], context)
    }
  }

  /// Opens what a kill left, under any of the durabilities, and holds it against the ledger, which
  /// then says what was found.
  private mutating func examine(
    _ path: String, _ before: Ledger, _ context: Comment
  ) async throws -> Ledger {
    var ledger = before
    let looksFromOutside = OutsideReader.obstacle == nil && random(0...4) == 0
    let found = looksFromOutside ? try? await OutsideReader.rows(of: path) : nil
    let durability = Durability.allCases[random(0...Durability.allCases.count - 1)]
    let (counts, after) = try await withDatabase(at: path, durability: durability) { database in
      let counts = looksFromOutside ? try await database.verify() : nil
      var oracle = Oracle(database, context)
      try await oracle.check(&ledger)
      return (counts, looksFromOutside ? try await database.verify() : nil)
    }
    guard let counts, let after else { return ledger }
    if let found {
      #expect(found.documents == counts.documents, context)
      #expect(found.collections == counts.collections, context)
      #expect(found.strange == 0, context)
    }
    let closed = try #require(try await OutsideReader.rows(of: path), context)
    #expect(closed.documents == after.documents && closed.strange == 0, context)
    // Entries of dropped indexes are rows that Hearth does not count.
    #expect(closed.entries >= after.indexEntries, context)
    return ledger
  }
}
