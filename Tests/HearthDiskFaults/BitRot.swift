import Foundation
import HearthTestSupport

/// Damages a data file in all ways and reads it (testing.md, R15).
struct BitRot {
  private let options: Options
  private var report: Report
  private var tallies: [String: Tally] = [:]

  /// What came of one kind of damage.
  private struct Tally {
    var verdicts: [Verdict: Int] = [:]
    var died = 0
    var count = 0
    /// Harmless, and still named by `verify`.
    var onlyNamed = 0
  }

  private init(_ options: Options) {
    self.options = options
    report = Report(
      "bit-rot", options, noun: "damages", kinds: [.wrong, .unnamed, .failure])
    report.header = [
      "damage", "count", "right", "refused", "data loss", "hidden", "misplaced", "stale", "died",
      "wrong",
    ]
  }

  /// Runs it.
  static func report(_ options: Options) async throws -> Report {
    var check = BitRot(options)
    return try await check.run()
  }

  private mutating func run() async throws -> Report {
    let directory = try Workplace.directory(bytes: 200 << 20)
    let database = directory + "/db"
    let old = directory + "/old.mdb"
    try await RotData.make(database) {
      try FileManager.default.copyItem(atPath: database + "/data.mdb", toPath: old)
    }
    try FileManager.default.copyItem(
      atPath: database + "/data.mdb", toPath: directory + "/sound.mdb")
    let source = DamageSource(
      sound: Array(try Data(contentsOf: URL(filePath: directory + "/sound.mdb"))),
      old: Array(try Data(contentsOf: URL(filePath: old))))
    var generator = SeededGenerator(seed: options.seed)
    var damages = (0..<(options.plant ? 20 : options.cycles ?? 2000)).map {
      source.random($0, &generator)
    }
    if options.plant { damages.append(source.forged(&generator)) }
    let readers = 2
    let size = (damages.count + readers - 1) / readers
    try await withThrowingTaskGroup(of: [(Damage, String)].self) { group in
      for reader in 0..<readers {
        let part = Array(damages.dropFirst(reader * size).prefix(size))
        let place = "\(directory)/work-\(reader)"
        try FileManager.default.createDirectory(
          atPath: place, withIntermediateDirectories: false)
        group.addTask {
          try await DamageReader(directory, place).read(part) { done in
            Progress.show("bit-rot: \(done * readers) of \(readers * size)")
          }
        }
      }
      for try await answers in group {
        for (damage, answer) in answers { note(damage, answer, source) }
      }
    }
    tell()
    return report
  }

  private mutating func note(_ damage: Damage, _ answer: String, _ source: DamageSource) {
    report.cycles += 1
    let words = answer.split(separator: " ", maxSplits: 2).map(String.init)
    let area = source.area(damage)
    let text = "\(damage.text) (\(area.rawValue)): \(answer)"
    var tally = tallies[damage.kind] ?? Tally()
    defer { tallies[damage.kind] = tally }
    tally.count += 1
    guard let verdict = Verdict.allCases.first(where: { "\($0)" == words.first }) else {
      tally.died += 1
      // LMDB trusts its own pages; records and keys it only hands on.
      if words.first != "died" || [.key, .value, .free, .gap].contains(area) {
        report.find(.failure, text)
      }
      return
    }
    tally.verdicts[verdict, default: 0] += 1
    switch verdict {
    case .wrong: report.find(.wrong, text)
    case .failure: report.find(.failure, text)
    // Bytes that change themselves bring back no past; only a page that was lost does.
    case .stale where [.key, .value].contains(area): report.find(.wrong, text)
    default: break
    }
    if verdict > .refused, words.dropFirst().first == "unnamed" { report.find(.unnamed, text) }
  }

  private mutating func tell() {
    for kind in Damage.kinds + ["forge"] {
      guard let tally = tallies[kind] else { continue }
      let verdicts: [Verdict] = [.right, .refused, .dataLoss, .hidden, .misplaced, .stale]
      report.rows.append(
        [kind, "\(tally.count)"] + verdicts.map { "\(tally.verdicts[$0, default: 0])" }
          + ["\(tally.died)", "\(tally.verdicts[.wrong, default: 0])"])
    }
  }
}

/// Hands damages to children, a new one whenever one dies.
private struct DamageReader: Sendable {
  let directory: String
  let place: String

  init(_ directory: String, _ place: String) {
    self.directory = directory
    self.place = place
  }

  func read(
    _ damages: [Damage], _ progress: @escaping @Sendable (Int) -> Void
  ) async throws -> [(Damage, String)] {
    try await blocking {
      var answers: [(Damage, String)] = []
      while answers.count < damages.count {
        answers += try readSome(damages[answers.count...].prefix(50))
        progress(answers.count)
      }
      return answers
    }
  }

  /// One child's life, at least one answer.
  private func readSome(_ damages: ArraySlice<Damage>) throws -> [(Damage, String)] {
    try? FileManager.default.removeItem(atPath: place)
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    let child = try Workplace.start(["bit-rot", directory, place], silent: true)
    defer { Workplace.ended(child) }
    var answers: [(Damage, String)] = []
    var lines = Lines(child)
    guard lines.next()?.hasPrefix("ready") == true else {
      child.kill()
      throw Tool.Failure(description: "the sound file cannot be read: \(child.wait())")
    }
    for damage in damages {
      child.write(damage.text + "\n")
      guard let answer = lines.next() else {
        let isHanging = lines.isHanging
        child.kill()
        let ending = child.wait()
        answers.append((damage, isHanging ? "hangs" : "died \(ending)"))
        return answers
      }
      answers.append((damage, answer))
    }
    _ = child.wait()
    return answers
  }

  /// What a child writes, line by line.
  private struct Lines {
    private let child: ChildProcess
    private var bytes: [UInt8] = []
    private(set) var isHanging = false

    init(_ child: ChildProcess) { self.child = child }

    /// Nil at the end, or if nothing comes for half a minute.
    mutating func next() -> String? {
      while true {
        if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
          defer { bytes.removeSubrange(...end) }
          return String(decoding: bytes[..<end], as: UTF8.self)
        }
        let deadline = DispatchTime.now().uptimeNanoseconds + 30_000_000_000
        guard let more = child.read(until: deadline) else { return nil }
        if more.isEmpty {
          isHanging = true
          return nil
        }
        bytes += more
      }
    }
  }
}
