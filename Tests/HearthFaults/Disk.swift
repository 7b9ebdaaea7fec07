/// A file system as the standard has it: what was not synced may be on the disk or not.
///
/// Names belong to directories and files to themselves: syncing a file says nothing about its name.
struct Disk {
  /// A change to a file that no flush has followed.
  struct Change {
    var offset: Int
    /// As a place in the trace.
    var bytes: Range<Int>
    /// Whether a flush has failed since: the system then takes the page for clean and never writes
    /// it again, unless something else on it changes.
    var isDoubtful = false

    var pages: Range<Int> { offset / 4096..<(offset + bytes.count + 4095) / 4096 }
  }

  /// A change to a directory that no flush has followed.
  enum NameChange {
    case link(String, Int)
    case unlink(String)
    /// A name moves here, from another directory perhaps, in one step.
    case move(String, Int, from: Int, as: String)
  }

  struct Node {
    var isDirectory = false
    /// A file's content on the disk.
    var durable: [UInt8] = []
    var changes: [Change] = []
    /// How long programs see it.
    var length = 0
    /// A directory's names on the disk, and as programs see them.
    var entries: [String: Int] = [:]
    var names: [String: Int] = [:]
    /// In the order of time, with the place in it.
    var nameChanges: [(time: Int, change: NameChange)] = []
  }

  private(set) var nodes = [Node(isDirectory: true)]
  private var openings: [UInt32: Int] = [:]
  private let trace: Trace
  private var time = 0

  static let root = 0

  init(_ trace: Trace) { self.trace = trace }

  private func find(_ path: String) -> (directory: Int, name: String, node: Int?)? {
    var parts = path.split(separator: "/").map(String.init)
    guard let name = parts.popLast() else { return nil }
    var directory = Disk.root
    for part in parts {
      guard let next = nodes[directory].names[part] else { return nil }
      directory = next
    }
    return (directory, name, nodes[directory].names[name])
  }

  private mutating func add(_ node: Node, _ place: (directory: Int, name: String, node: Int?))
    -> Int
  {
    nodes.append(node)
    let number = nodes.count - 1
    nodes[place.directory].names[place.name] = number
    change(.link(place.name, number), in: place.directory)
    return number
  }

  private mutating func change(_ change: NameChange, in directory: Int) {
    time += 1
    nodes[directory].nameChanges.append((time, change))
  }

  /// Performs an operation to its end.
  mutating func apply(_ operation: Trace.Operation) {
    switch operation.kind {
    case .opened: open(operation)
    case .wrote, .wroteThrough:
      begin(operation)
      if operation.kind == .wroteThrough, let node = openings[operation.tag] {
        flush(node, pagesOf: operation)
      }
    case .synced: if let node = openings[operation.tag] { sync(node) }
    case .truncated: if let node = openings[operation.tag] { resize(node, operation) }
    case .syncFailed: if let node = openings[operation.tag] { doubt(node) }
    case .renamed, .unlinked, .made, .removed: begin(operation)
    case .noted: break
    }
  }

  /// Performs an operation as far as it has begun: nothing of it need be on the disk.
  mutating func begin(_ operation: Trace.Operation) {
    switch operation.kind {
    case .wrote, .wroteThrough:
      guard let node = openings[operation.tag] else { return }
      nodes[node].changes.append(Change(offset: operation.offset, bytes: operation.bytes))
      nodes[node].length = max(nodes[node].length, operation.offset + operation.bytes.count)
    case .renamed: rename(operation.name, operation.second)
    case .unlinked, .removed:
      guard let place = find(operation.name), place.node != nil else { return }
      nodes[place.directory].names[place.name] = nil
      change(.unlink(place.name), in: place.directory)
    case .made:
      if let place = find(operation.name) { _ = add(Node(isDirectory: true), place) }
    case .opened, .synced, .truncated, .noted, .syncFailed: break
    }
  }

  private mutating func open(_ operation: Trace.Operation) {
    if operation.name.isEmpty {
      openings[operation.tag] = Disk.root
      return
    }
    guard let place = find(operation.name) else { return }
    openings[operation.tag] = place.node ?? add(Node(), place)
  }

  private mutating func rename(_ from: String, _ to: String) {
    guard let old = find(from), let new = find(to), let node = old.node else { return }
    nodes[old.directory].names[old.name] = nil
    nodes[new.directory].names[new.name] = node
    change(.move(new.name, node, from: old.directory, as: old.name), in: new.directory)
  }

  private mutating func sync(_ node: Int) {
    if nodes[node].isDirectory {
      let changes = nodes[node].nameChanges
      nodes[node].nameChanges = []
      for (_, change) in changes { perform(change, in: node) }
      return
    }
    let changes = nodes[node].changes
    nodes[node].changes = []
    let dirty = Set(changes.filter { !$0.isDoubtful }.flatMap(\.pages))
    for change in changes {
      // A doubtful change is on one page only.
      if change.isDoubtful, dirty.isDisjoint(with: change.pages) {
        nodes[node].changes.append(change)
      } else {
        write(change, node)
      }
    }
    resize(node, to: nodes[node].length)
  }

  /// After a failed flush nobody knows what is on the disk.
  private mutating func doubt(_ node: Int) {
    let changes = nodes[node].changes
    nodes[node].changes = []
    for change in changes {
      let end = change.offset + change.bytes.count
      for page in change.pages {
        let from = max(change.offset, page * 4096)
        let start = change.bytes.lowerBound + from - change.offset
        let length = min(end, (page + 1) * 4096) - from
        nodes[node].changes.append(
          Change(offset: from, bytes: start..<start + length, isDoubtful: true))
      }
    }
  }

  /// A page goes to the disk with all that was written to it before.
  private mutating func flush(_ node: Int, pagesOf operation: Trace.Operation) {
    let pages = Change(offset: operation.offset, bytes: operation.bytes).pages
    let changes = nodes[node].changes
    nodes[node].changes = []
    for change in changes {
      if pages.overlaps(change.pages) {
        write(change, node)
      } else {
        nodes[node].changes.append(change)
      }
    }
  }

  private mutating func write(_ change: Change, _ node: Int) {
    resize(node, to: max(nodes[node].durable.count, change.offset + change.bytes.count))
    trace.bytes.withUnsafeBytes { all in
      nodes[node].durable.withUnsafeMutableBytes {
        UnsafeMutableRawBufferPointer(rebasing: $0[change.offset...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: all[change.bytes]))
      }
    }
  }

  private mutating func resize(_ node: Int, to length: Int) {
    let missing = length - nodes[node].durable.count
    if missing > 0 { nodes[node].durable += [UInt8](repeating: 0, count: missing) }
    if missing < 0 { nodes[node].durable.removeLast(-missing) }
  }

  /// Lengths are changed only of files whose content nobody needs, so this counts at once.
  private mutating func resize(_ node: Int, _ operation: Trace.Operation) {
    let grows = operation.flags != 0
    let length = grows ? max(nodes[node].length, operation.offset) : operation.offset
    for change in nodes[node].changes { write(change, node) }
    nodes[node].changes = []
    nodes[node].length = length
    resize(node, to: length)
  }

  private mutating func perform(_ change: NameChange, in directory: Int) {
    switch change {
    case .link(let name, let node): nodes[directory].entries[name] = node
    case .unlink(let name): nodes[directory].entries[name] = nil
    case .move(let name, let node, let from, let old):
      if nodes[from].entries[old] == node { nodes[from].entries[old] = nil }
      nodes[from].nameChanges.removeAll {
        if case .link(old, node) = $0.change { true } else { false }
      }
      nodes[directory].entries[name] = node
    }
  }

  /// The disk if of each directory's unsynced changes so many had been performed.
  func performing(_ count: (_ pending: Int) -> Int) -> Disk {
    var chosen: [(time: Int, directory: Int, change: NameChange)] = []
    for node in nodes.indices where !nodes[node].nameChanges.isEmpty {
      let changes = nodes[node].nameChanges
      chosen += changes.prefix(count(changes.count)).map { ($0.time, node, $0.change) }
    }
    var copy = self
    for (_, directory, change) in chosen.sorted(by: { $0.time < $1.time }) {
      copy.perform(change, in: directory)
    }
    return copy
  }
}
