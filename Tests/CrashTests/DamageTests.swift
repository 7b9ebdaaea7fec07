import Foundation
import Hearth
import HearthTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Damaged files give the right answer or an error, never a wrong answer that nobody notices.
///
/// Reading happens in child processes: LMDB trusts the pages that lead to the records, and may take
/// the process down when one of those is damaged.
@Suite(.serialized) struct DamageTests {
  /// What became of reading a damaged copy.
  private enum Outcome: Hashable {
    case right
    case dataLoss
    /// Wrong or no documents, and `verify` says that something is wrong.
    case found
    case died
    case silent
    case other(String)
  }

  @Test func `flipped bits never give a silent wrong answer`() async throws {
    let seed = testSeed("damage")
    var generator = SeededGenerator(seed: seed)
    try await withTemporaryDirectory { directory in
      let sound = try await makeSound(directory)
      let size = sound.count
      var paths: [String] = []
      var flips: [String] = []
      for number in 0..<150 * soakFactor {
        var damaged = sound
        let offset = Int.random(in: 0..<size, using: &generator)
        let bit = Int.random(in: 0..<8, using: &generator)
        damaged[offset] ^= 1 << UInt8(bit)
        paths.append(try write(damaged, "\(directory)/flip-\(number)"))
        flips.append("bit \(bit) of byte \(offset)")
      }
      let outcomes = try await read([directory + "/sound"] + paths)
      let right = try #require(outcomes.first)
      #expect(right.hasPrefix("read ") && right.hasSuffix(" 0"))
      var counts: [Outcome: Int] = [:]
      for (flip, line) in zip(flips, outcomes.dropFirst()) {
        let outcome = outcome(line, right)
        counts[outcome, default: 0] += 1
        let context: Comment = "\(flip) of \(size), HEARTH_SEED=\(seed): \(line)"
        #expect(outcome != .silent, context)
        if case .other = outcome { Issue.record(context) }
      }
      print("damage: \(counts.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
    }
  }

  @Test func `truncated files give a typed error`() async throws {
    try await withTemporaryDirectory { directory in
      let sound = try await makeSound(directory)
      let page = Int(getpagesize())
      var lengths = [0, 1, 100, 512, page - 1, page, page + 1, 2 * page - 1, 2 * page, 3 * page]
      lengths += [sound.count / 4, sound.count / 2 + 7, sound.count * 3 / 4, sound.count - page]
      var paths: [String] = []
      for (number, length) in lengths.enumerated() {
        paths.append(try write(sound.prefix(length), "\(directory)/cut-\(number)"))
      }
      let outcomes = try await read([directory + "/sound"] + paths)
      let right = try #require(outcomes.first)
      for (length, line) in zip(lengths, outcomes.dropFirst()) {
        let outcome = outcome(line, right)
        #expect(
          outcome == .dataLoss || (outcome == .right && length >= sound.count - page),
          "\(length) of \(sound.count) bytes: \(line)")
      }
    }
  }

  private func outcome(_ line: String, _ right: String) -> Outcome {
    let words = line.split(separator: " ")
    switch words.first {
    case "died": return .died
    case "open", "error":
      // A flip in the superblock's own record makes the file look like somebody else's.
      let refusals = ["NOT_A_DATABASE", "FORMAT_VERSION"]
      let isRefused = words.first == "open" && refusals.contains { words.last == Substring($0) }
      return words.dropFirst().first == "DATA_LOSS" || isRefused ? .dataLoss : .other(line)
    case "read":
      if words[1] == right.split(separator: " ")[1] { return .right }
      return words[2] == "0" ? .silent : .found
    default: return .other(line)
    }
  }

  /// A closed database in `directory/sound`, and its file.
  private func makeSound(_ directory: String) async throws -> Data {
    let path = directory + "/sound"
    try await withDatabase(at: path) { database in
      try await database.createIndex(
        IndexDefinition(
          collectionID: "things",
          fields: [
            IndexField(FieldPath(["kind"]), .ascending),
            IndexField(FieldPath(["value"]), .ascending),
          ]))
      for number in 0..<120 {
        // Some documents are larger than what LMDB keeps inside its tree.
        let text = String(repeating: "text ", count: number % 30 == 0 ? 900 : number % 20)
        database.document("things/t\(number)").setData(
          ["kind": number % 7, "value": number * 31 % 120, "text": text] as [String: Any]
        ) { _ in }
      }
      for number in 0..<20 {
        try await database.document("things/t5/parts/p\(number)").setData(["n": number])
      }
    }
    return try Data(contentsOf: URL(filePath: path + "/data.mdb"))
  }

  private func write(_ content: Data, _ path: String) throws -> String {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try content.write(to: URL(filePath: path + "/data.mdb"))
    return path
  }

  /// One line for each path, as the child answers, or "died".
  private func read(_ paths: [String]) async throws -> [String] {
    let executable = try #require(builtProduct("HearthCrashChild"))
    return try await blocking {
      var lines: [String] = []
      while lines.count < paths.count {
        let child = try ChildProcess(executable, ["read"], silent: true)
        // Few enough at a time for the pipes, as nobody reads while this writes.
        let some = paths[lines.count...].prefix(100)
        child.write(some.joined(separator: "\n") + "\n")
        child.endInput()
        let end = lines.count + some.count
        lines += String(decoding: child.readToEnd(), as: UTF8.self)
          .split(separator: "\n").map(String.init)
        let ending = child.wait(endsInput: false)
        if lines.count < end { lines.append("died \(ending)") }
      }
      return lines
    }
  }
}
