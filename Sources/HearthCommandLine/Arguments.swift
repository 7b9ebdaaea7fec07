/// A command line that does not make sense; the text says what to do.
package struct UsageError: Error {
  package var text: String
}

/// An option that a command knows.
struct Option {
  /// Without the dashes.
  var name: String
  /// What stands for its value in the help text; nil for a flag.
  var value: String?
  var help: String
}

/// What was given to a command: words in a fixed order, and `--name value`, `--name=value` or
/// `--flag` anywhere between them.
struct Arguments {
  private var values: [String: String] = [:]
  private var flags: Set<String> = []
  /// The words that are no options, one for each name that the command knows.
  private(set) var operands: [String] = []

  /// Reads the words after the command's name.
  init(
    _ words: [String], options: [Option], operands names: [String] = []
  ) throws(UsageError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        guard operands.count < names.count, !word.isEmpty else {
          throw UsageError(text: "unexpected argument '\(word)'; options begin with --")
        }
        operands.append(word)
        continue
      }
      let parts = word.dropFirst(2).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = options.first(where: { $0.name == name }) else {
        throw UsageError(text: Self.unknown(name, options))
      }
      if let placeholder = option.value {
        guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst(), !value.isEmpty
        else { throw UsageError(text: "--\(name) needs a value: --\(name) \(placeholder)") }
        guard values.updateValue(value, forKey: name) == nil else {
          throw UsageError(text: "--\(name) is given twice")
        }
      } else {
        guard parts.count == 1 else { throw UsageError(text: "--\(name) takes no value") }
        flags.insert(name)
      }
    }
    if operands.count < names.count, !flags.contains("help") {
      throw UsageError(text: "\(names[operands.count]) is missing")
    }
  }

  /// Whether a flag is given.
  func has(_ name: String) -> Bool { flags.contains(name) }

  /// The value of an option, nil if it is not given.
  func text(_ name: String) -> String? { values[name] }

  /// The value of an option as a number within a range.
  func integer(
    _ name: String, in range: ClosedRange<Int>, default standard: Int
  ) throws(UsageError) -> Int {
    guard let text = values[name] else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        text: "--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), "
          + "not '\(text)'")
    }
    return number
  }

  /// The value of an option as one of some words.
  func choice<T: RawRepresentable<String> & CaseIterable>(
    _ name: String, default standard: T
  ) throws(UsageError) -> T {
    guard let text = values[name] else { return standard }
    guard let choice = T(rawValue: text) else {
      let all = T.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError(text: "--\(name) is one of \(all), not '\(text)'")
    }
    return choice
  }

  private static func unknown(_ name: String, _ options: [Option]) -> String {
    let known = options.map(\.name)
    if let close = closest(to: name, among: known) {
      return "unknown option --\(name); did you mean --\(close)?"
    }
    let all = known.map { "--\($0)" }.joined(separator: ", ")
    return "unknown option --\(name); there are \(all)"
  }
}

/// The candidate that differs from a word in at most two letters, if there is one.
func closest(to word: String, among candidates: [String]) -> String? {
  let rated = candidates.map { ($0, editDistance(Array(word), Array($0))) }
  return rated.filter { $0.1 <= 2 }.min { $0.1 < $1.1 }?.0
}

/// How many letters must be added, removed or replaced to make one word of the other.
private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
  var row = Array(0...b.count)
  for (i, x) in a.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, y) in b.enumerated() {
      let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1))
      diagonal = row[j + 1]
      row[j + 1] = next
    }
  }
  return row[b.count]
}
