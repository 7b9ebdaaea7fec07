import Foundation
import HearthTestSupport
import Synchronization

/// Follows a child that writes lines: `count NAME N`, `finding KIND TEXT`, `cycle`, and at its end
/// `done`.
struct Supervision: Sendable {
  var counts: [String: Int] = [:]
  var findings: [Finding] = []
  var cycles = 0

  /// How long a child may say nothing.
  static let patience: UInt64 = 120_000_000_000

  /// Runs a child to its end; whatever ends it before it is done is a finding.
  static func run(
    _ arguments: [String], _ progress: @escaping @Sendable (Supervision) -> Void
  ) async throws -> Supervision {
    let child = try Workplace.start(arguments)
    return try await blocking {
      defer { Workplace.ended(child) }
      var result = Supervision()
      var rest = Substring()
      var isDone = false
      while let bytes = child.read(until: DispatchTime.now().uptimeNanoseconds + patience) {
        if bytes.isEmpty {
          result.findings.append(Finding(.failure, "the child hangs"))
          child.kill()
          continue
        }
        var lines = (rest + String(decoding: bytes, as: UTF8.self))
          .split(separator: "\n", omittingEmptySubsequences: false)
        rest = lines.popLast() ?? ""
        for line in lines { isDone = result.take(line) || isDone }
        progress(result)
      }
      let ending = child.wait()
      if !isDone || ending != .exit(0) {
        result.findings.append(Finding(.failure, "the child ended with \(ending)"))
      }
      return result
    }
  }

  /// Whether the line is the last one.
  private mutating func take(_ line: Substring) -> Bool {
    let words = line.split(separator: " ", maxSplits: 2)
    switch words.first {
    case "cycle": cycles += 1
    case "done": return true
    case "count" where words.count == 3:
      counts[String(words[1]), default: 0] += Int(words[2]) ?? 0
    case "finding" where words.count == 3:
      let kind = Finding.Kind(rawValue: String(words[1])) ?? .failure
      findings.append(Finding(kind, String(words[2])))
    default: findings.append(Finding(.failure, "the child says '\(line)'"))
    }
    return false
  }
}

/// How a supervised child speaks.
struct ChildVoice: Sendable {
  func find(_ kind: Finding.Kind, _ text: String) {
    say("finding \(kind.rawValue) \(text.replacing("\n", with: " "))")
  }

  func count(_ name: String, _ count: Int) { say("count \(name) \(count)") }
  func cycle() { say("cycle") }
  func done() { say("done") }
}

/// Whether something still goes on, as several tasks see it.
final class Activity: Sendable {
  private let state = Mutex(true)

  /// Whether nobody has ended it.
  var goesOn: Bool { state.withLock { $0 } }

  func end() { state.withLock { $0 = false } }
}
