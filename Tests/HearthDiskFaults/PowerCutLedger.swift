import Foundation

/// One sequence of numbered writes of a client, of which at most one is under way at a time.
struct WriteSequence: Hashable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// A document with a counter.
    case counter = "a"
    /// A rating and the sums of its restaurant, in a transaction.
    case rating = "b"
    /// Two documents in one batch.
    case pair = "c"
    /// A document that is written at odd numbers and deleted at even ones.
    case toggle = "d"
    /// A document with a text of a length that changes.
    case text = "e"
  }

  var kind: Kind
  var client: Int

  var name: String { "\(kind.rawValue)\(client)" }

  init(_ kind: Kind, _ client: Int) {
    self.kind = kind
    self.client = client
  }

  init?(_ name: some StringProtocol) {
    guard let kind = Kind(rawValue: String(name.prefix(1))), let client = Int(name.dropFirst())
    else { return nil }
    self.init(kind, client)
  }

  static let clients = 4
  static let all = Kind.allCases.flatMap { kind in (0..<clients).map { WriteSequence(kind, $0) } }
}

/// What was acknowledged of each sequence.
struct Acknowledged: Sendable {
  private var numbers: [WriteSequence: Int] = [:]
  private(set) var count = 0

  subscript(sequence: WriteSequence) -> Int {
    get { numbers[sequence, default: 0] }
    set { numbers[sequence] = newValue }
  }

  /// For the next child: `a0:5,b0:3`.
  var argument: String {
    WriteSequence.all.map { "\($0.name):\(self[$0])" }.joined(separator: ",")
  }

  init() {}

  init(_ argument: String) {
    for part in argument.split(separator: ",") { take(part, separator: ":") }
  }

  /// One line of a child: `a0 5`.
  @discardableResult
  mutating func take(_ line: Substring, separator: Character = " ") -> Bool {
    let parts = line.split(separator: separator)
    guard parts.count == 2, let sequence = WriteSequence(parts[0]), let number = Int(parts[1])
    else {
      return false
    }
    self[sequence] = max(self[sequence], number)
    count += 1
    return true
  }
}

/// How the contents of documents follow from client and number.
enum Contents {
  static let restaurants = 3

  static func stars(_ client: Int, _ n: Int) -> Int { 1 + (client + n * 3) % 5 }

  static func restaurant(_ client: Int, _ n: Int) -> Int { (client * 7 + n) % restaurants }

  /// Inside a page, in pages of its own, and in many of them.
  static func text(_ client: Int, _ n: Int) -> String {
    let lengths = [10, 700, 2500, 6000, 40_000]
    return String(repeating: "\(client)-\(n) ", count: lengths[n % 5] / 6)
  }
}
