import Foundation
import Hearth

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A workload whose operations on files become a trace.
struct RecordedRun {
  private let job: RecordJob
  private let durability: Durability
  private let notebook = Notebook()

  init(_ job: RecordJob) {
    self.job = job
    durability = Durability(rawValue: job.durability) ?? .durable
  }

  private var path: String { job.root + "/db" }

  func run() async throws {
    var variables = ["ROOT": job.root, "TRACE": job.trace]
    variables["LIE"] = job.plant?.lie
    variables["FAIL"] = fault?.text
    Shim.configure(variables)
    if fault != nil {
      try await writeThroughFault()
    } else {
      try await writeAndOperate()
    }
    Zygote.send(.positions(Trace(try readFile(job.trace)).positions))
  }

  /// The call that fails in this run.
  private var fault: FaultPoint? {
    let number = 3 + Int(job.seed % UInt64(max(1, job.rounds / 2)))
    return switch job.scenario {
    case .failedFlush:
      // Without room LMDB says the same of a page, and writing goes on.
      FaultPoint(
        group: "fdatasync", number: number, mode: .once,
        code: durability == .relaxed ? ENOSPC : EIO)
    case .failedMeta: FaultPoint(group: "meta", number: number, mode: .late, code: EIO)
    case .lastingMeta: FaultPoint(group: "meta", number: number, mode: .gone, code: EIO)
    default: nil
    }
  }

  /// One client, which opens the database again when a commit has failed.
  private func writeThroughFault() async throws {
    var database = try await openDatabase(path, durability)
    var client = Client(database, 0, notebook, job.plant)
    for _ in 0..<job.rounds {
      do {
        try await client.write()
      } catch let error as HearthError where error.reason != "DISK_FULL" {
        try await database.terminate()
        database = try await openDatabase(path, durability)
        client.database = database
        try await Judge.settle(database, notebook)
      } catch is HearthError {
        // Nothing was written, and the next one is tried.
      }
    }
    try await database.terminate()
  }

  private func writeAndOperate() async throws {
    if job.scenario == .creation { try makeDirectory() }
    var database = try await openDatabase(path, durability)
    var clients = (0..<3).map { Client(database, $0, notebook, job.plant) }
    try await write(&clients, job.rounds / 2)
    switch job.scenario {
    case .ratings, .creation, .failedFlush, .failedMeta, .lastingMeta: break
    case .index: try await buildIndex(database, &clients)
    case .compaction:
      try await database.terminate()
      try await Firestore.compact(at: URL(filePath: path), settings: runSettings(durability))
      notebook.note(.reached, "compaction")
      database = try await openDatabase(path, durability)
    case .backup: try await backUp(database, &clients)
    case .imports: try await exportAndImport(database)
    }
    try await database.terminate()
    if job.plant == .skipIndex { try removeIndexEntry(at: path) }
    database = try await openDatabase(path, durability)
    for number in clients.indices { clients[number].database = database }
    try await write(&clients, job.rounds - job.rounds / 2)
    try await database.terminate()
  }

  /// A directory that is there, and stays there, before the database is made in it.
  private func makeDirectory() throws {
    guard mkdir(path, 0o700) == 0 else { throw POSIXError(.EIO) }
    let descriptor = open(job.root, O_RDONLY)
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw POSIXError(.EIO) }
  }

  /// All clients at once, so that commits meet in groups.
  private func write(_ clients: inout [Client], _ rounds: Int) async throws {
    clients = try await withThrowingTaskGroup(of: Client.self) { group in
      for client in clients {
        group.addTask {
          var client = client
          for _ in 0..<rounds { try await client.write() }
          return client
        }
      }
      var done: [Client] = []
      for try await client in group { done.append(client) }
      return done.sorted { $0.number < $1.number }
    }
  }

  private func buildIndex(_ database: Firestore, _ clients: inout [Client]) async throws {
    let notebook = notebook
    async let built: Void = {
      try await database.createIndex(Client.index)
      notebook.note(.reached, "index")
    }()
    try await write(&clients, job.rounds / 4)
    try await built
  }

  private func backUp(_ database: Firestore, _ clients: inout [Client]) async throws {
    let (notebook, root) = (notebook, job.root)
    notebook.note(.reached, "copy-begun")
    async let made: Void = {
      try await database.backUp(to: URL(filePath: root + "/copy"), compacting: true)
      notebook.note(.reached, "copy")
    }()
    try await write(&clients, job.rounds / 4)
    try await made
  }

  private func exportAndImport(_ database: Firestore) async throws {
    // Outside of what is recorded: the file is a means only.
    let file = URL(filePath: job.trace + ".ndjson")
    try await database.export(to: file)
    notebook.note(.reached, "copy-begun")
    try await Firestore.importDatabase(
      at: URL(filePath: job.root + "/copy"), from: file, settings: runSettings(durability))
    notebook.note(.reached, "copy")
    try FileManager.default.removeItem(at: file)
  }
}

/// The bytes of a file.
func readFile(_ path: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: URL(filePath: path)))
}
