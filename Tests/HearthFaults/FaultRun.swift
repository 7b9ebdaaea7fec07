import Foundation
import Hearth

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A fixed workload while calls fail, then a look at what it left.
///
/// Whatever fails, the run goes on as a program would: it closes, opens again, and tries the next
/// thing. In the end nothing fails any more, and the database must be what the answers said.
struct FaultRun {
  private let job: FaultJob
  private let notebook: Notebook
  private var database: Firestore?
  private var client: Client?

  private var path: String { job.root + "/db" }

  /// The reasons that the failing of a call may have, as documented.
  private static func documented(_ point: FaultPoint?) -> Set<String> {
    switch point?.code {
    case ENOSPC: ["DISK_FULL", "STORAGE_FAILED", "COMMIT_OUTCOME_UNKNOWN"]
    case ENOMEM: ["MEMORY"]
    case EMFILE: ["TOO_MANY_FILES"]
    default: ["STORAGE_FAILED", "COMMIT_OUTCOME_UNKNOWN"]
    }
  }

  init(_ job: FaultJob) throws {
    self.job = job
    guard let template = job.template else {
      try FileManager.default.createDirectory(
        atPath: job.root, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700]
      )
      notebook = Notebook()
      return
    }
    try FileManager.default.copyItem(atPath: template, toPath: job.root)
    let ledger = try Data(contentsOf: URL(filePath: template + ".ledger"))
    notebook = Notebook(try JSONDecoder().decode(Ledger.self, from: ledger))
  }

  mutating func run() async throws {
    var variables = ["ROOT": job.root]
    variables["FAIL"] = job.point?.text
    variables["LIE"] = job.plant?.lie
    Shim.configure(variables)
    await work()
    await close()
    var counts: [String: Int] = [:]
    for group in FaultPoint.groups { counts[group] = Shim.count(group) }
    counts["hits"] = Shim.hits
    Shim.disarm()
    if job.plant == .skipIndex { try removeIndexEntry(at: path) }
    var findings = await Judge.judge(path, notebook.ledger)
    let copy = job.root + "/copy"
    if FileManager.default.fileExists(atPath: copy) {
      findings += await Judge.judge(copy, Ledger(), isExact: false)
    }
    for finding in findings { Zygote.send(.finding(finding)) }
    try FileManager.default.removeItem(atPath: job.root)
    Zygote.send(.counts(counts))
  }

  private mutating func work() async {
    await writeRounds(job.rounds)
    await attempt("query") { try await FaultRun.query($0) }
    await attempt("index") { database in
      if try database.indexes.contains(where: { $0.definition == Client.index }) { return }
      try await database.createIndex(Client.index)
    }
    await writeRounds(3)
    await attempt("backup") { [copy = job.root + "/copy"] in
      try await $0.backUp(to: URL(filePath: copy))
    }
    await close()
    await compact()
    await writeRounds(4)
    await attempt("verify") { database in
      for finding in try await database.verify().findings {
        Zygote.send(.finding(Finding(kind: .torn, text: "at work: \(finding)")))
      }
    }
  }

  private static func query(_ database: Firestore) async throws {
    let ratings = database.collection("restaurants/r0/ratings")
    _ = try await ratings.order(by: "stars", descending: true).limit(to: 5).getDocuments()
    _ = try await ratings.whereField("client", isEqualTo: 0).getDocuments()
  }

  private mutating func writeRounds(_ rounds: Int) async {
    for _ in 0..<rounds {
      await open()
      guard database != nil, var client else { continue }
      do {
        try await client.write()
        self.client = client
      } catch {
        self.client = client
        await note("commit", error)
      }
    }
  }

  private mutating func attempt(
    _ name: String, _ body: (Firestore) async throws -> Void
  ) async {
    await open()
    guard let database else { return }
    do {
      try await body(database)
    } catch {
      await note(name, error)
    }
  }

  private mutating func open() async {
    if database != nil { return }
    do {
      let opened = try await openDatabase(path)
      database = opened
      if client == nil {
        // Numbers that the template has not used.
        let written = job.template == nil ? 0 : 1000
        client = Client(opened, 0, notebook, job.plant, after: written)
      }
      client?.database = opened
    } catch {
      await note("open", error)
    }
  }

  private mutating func close() async {
    try? await database?.terminate()
    database = nil
  }

  private mutating func compact() async {
    do {
      try await Firestore.compact(at: URL(filePath: path), settings: runSettings())
    } catch let error as HearthError where error.reason == "DATABASE_NOT_FOUND" {
      // Every attempt to make one failed.
    } catch {
      await note("compaction", error)
    }
  }

  /// An error must be documented; after one that stops writing, the database is opened again.
  private mutating func note(_ doing: String, _ error: any Error) async {
    if job.plant == .trap { raise(SIGTRAP) }
    guard let error = error as? HearthError else {
      return Zygote.send(.finding(Finding(kind: .undocumented, text: "\(doing): \(error)")))
    }
    if !FaultRun.documented(job.point).contains(error.reason) {
      Zygote.send(.finding(Finding(kind: .undocumented, text: "\(doing): \(error)")))
    }
    Zygote.send(.error("\(doing) \(error.status.name) \(error.reason)"))
    if ["STORAGE_FAILED", "COMMIT_OUTCOME_UNKNOWN"].contains(error.reason) { await close() }
  }
}

/// Makes a database and leaves it in the middle of an index build, as a killed process does.
func leaveDatabase(_ job: LeaveJob) async throws {
  let notebook = Notebook()
  try FileManager.default.createDirectory(
    atPath: job.root, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  let path = job.root + "/db"
  let database = try await openDatabase(path)
  var client = Client(database, 0, notebook, nil)
  for _ in 0..<job.rounds { try await client.write() }
  // What an interrupted compaction leaves.
  let staging = path + "/hearth.compacting"
  try FileManager.default.createDirectory(
    atPath: staging, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  try Data(repeating: 1, count: 5000).write(to: URL(filePath: staging + "/data.mdb"))
  try JSONEncoder().encode(notebook.ledger).write(to: URL(filePath: job.root + ".ledger"))
  try await database.createIndex(Client.index) { _, _ in _exit(0) }
}
