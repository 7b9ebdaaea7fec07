import Foundation
import HearthEngine
import HearthModel
import HearthTestSupport

/// Makes the damages named on standard input, one after another, reads what is left, and answers
/// each with a line: the verdict, whether `verify` named it, and what was worst.
///
/// Argument: the directory with `sound.mdb`, `old.mdb`, and a directory of its own to work in.
func readDamages(_ arguments: [String]) async throws {
  // LMDB's last words about damaged pages are expected.
  let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
  if silence >= 0 { dup2(silence, 2) }
  let directory = arguments[0]
  let workplace = arguments[1]
  let source = DamageSource(
    sound: try bytes("\(directory)/sound.mdb"), old: try bytes("\(directory)/old.mdb"))
  let truth = try await reading(source.sound, "\(workplace)/sound")
  let past = try await reading(source.old, "\(workplace)/old")
  say("ready \(truth.answers.count)")
  var number = 0
  while let line = readLine() {
    guard let damage = Damage(line) else { continue }
    number += 1
    let path = "\(workplace)/\(number)"
    try write(source.damaged(damage), path)
    say(try await verdict(path, truth, past))
    try FileManager.default.removeItem(atPath: path)
  }
}

private func bytes(_ path: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(filePath: path)))
}

private func write(_ bytes: [UInt8], _ path: String) throws {
  try FileManager.default.createDirectory(
    atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  try Data(bytes).write(to: URL(filePath: path + "/data.mdb"))
}

/// Everything in a file that is sound.
private func reading(_ bytes: [UInt8], _ path: String) async throws -> RotReading {
  try write(bytes, path)
  let engine = try Engine.open(.test(path: path))
  let reading = try RotReading(engine)
  await engine.close()
  try FileManager.default.removeItem(atPath: path)
  return reading
}

private func verdict(
  _ path: String, _ truth: RotReading, _ past: RotReading
) async throws -> String {
  let engine: Engine
  do {
    engine = try Engine.open(.test(path: path))
  } catch {
    // Damage in the superblock makes the file look like somebody else's.
    let isExpected =
      error.status == .dataLoss
      || ["NOT_A_DATABASE", "FORMAT_VERSION"].contains(error.reason)
    return "\(isExpected ? Verdict.refused : .failure) named \(flat(error))"
  }
  let reading = try RotReading(engine)
  let (verdict, text) = truth.verdict(on: reading, past: past)
  let named: String
  do {
    named = try engine.checkConsistency().findings.isEmpty ? "unnamed" : "named"
  } catch {
    named = error.status == .dataLoss ? "named" : "unnamed"
  }
  await engine.close()
  return "\(verdict) \(named) \(flat(text))"
}

private func flat(_ value: some Any) -> String {
  String("\(value)".replacing("\n", with: " ").prefix(300))
}
