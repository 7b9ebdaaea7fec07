/// Who must come before whom, and why.
///
/// Nodes are numbers; those from `transactionCount` on stand for no transaction but save edges.
struct DependencyGraph {
  /// Why one comes before the other.
  enum Dependency: UInt8 {
    /// It wrote what the other wrote next.
    case ww = 1
    /// It wrote what the other read.
    case wr = 2
    /// It read what the other then wrote over.
    case rw = 4
    /// It had returned before the other began.
    case realTime = 8
    /// From a helping node to a transaction; the edge into the helping node says why.
    case through = 16
  }

  struct Edge {
    var from: Int
    var to: Int
    var dependency: Dependency
    /// The list that it is about; -1 for real time.
    var list: Int
  }

  /// A set of dependencies.
  struct Kinds: OptionSet {
    let rawValue: UInt8
    static let writes: Kinds = [.init(.ww), .init(.through)]
    static let information: Kinds = [.writes, .init(.wr)]
    static let serialization: Kinds = [.information, .init(.rw)]
    static let all: Kinds = [.serialization, .init(.realTime)]

    init(rawValue: UInt8) { self.rawValue = rawValue }
    init(_ dependency: Dependency) { rawValue = dependency.rawValue }
    func has(_ edge: Edge) -> Bool { rawValue & edge.dependency.rawValue != 0 }
  }

  let transactionCount: Int
  private(set) var nodeCount: Int
  private(set) var edges: [Edge] = []
  /// Positions in `edges`, ordered by where they begin; `starts[n]..<starts[n + 1]` are those of n.
  private var sorted: [Int] = []
  private var starts: [Int] = []

  init(transactionCount: Int) {
    self.transactionCount = transactionCount
    nodeCount = transactionCount
  }

  /// A node that stands for no transaction.
  mutating func addHelper() -> Int {
    nodeCount += 1
    return nodeCount - 1
  }

  mutating func add(_ from: Int, _ to: Int, _ dependency: Dependency, list: Int = -1) {
    if from != to {
      edges.append(Edge(from: from, to: to, dependency: dependency, list: list))
    }
  }

  /// Must be called when all edges are there.
  mutating func seal() {
    starts = Array(repeating: 0, count: nodeCount + 1)
    for edge in edges { starts[edge.from + 1] += 1 }
    for node in 0..<nodeCount { starts[node + 1] += starts[node] }
    var next = starts
    sorted = Array(repeating: 0, count: edges.count)
    for (position, edge) in edges.enumerated() {
      sorted[next[edge.from]] = position
      next[edge.from] += 1
    }
  }

  // MARK: Components

  /// The strongly connected components of more than one node, each with its nodes, and for every
  /// node the number of its component (Tarjan, without recursion).
  func components(_ kinds: Kinds) -> (large: [[Int]], of: [Int]) {
    var number = Array(repeating: -1, count: nodeCount)
    var low = Array(repeating: 0, count: nodeCount)
    var component = Array(repeating: -1, count: nodeCount)
    var next = starts
    var stack: [Int] = []
    var path: [Int] = []
    var count = 0
    var componentCount = 0
    var large: [[Int]] = []
    for root in 0..<nodeCount where number[root] < 0 {
      path.append(root)
      number[root] = count
      low[root] = count
      count += 1
      stack.append(root)
      while let node = path.last {
        if next[node] < starts[node + 1] {
          let edge = edges[sorted[next[node]]]
          next[node] += 1
          if !kinds.has(edge) { continue }
          if number[edge.to] < 0 {
            number[edge.to] = count
            low[edge.to] = count
            count += 1
            stack.append(edge.to)
            path.append(edge.to)
          } else if component[edge.to] < 0 {
            low[node] = min(low[node], number[edge.to])
          }
          continue
        }
        path.removeLast()
        if let parent = path.last { low[parent] = min(low[parent], low[node]) }
        if low[node] != number[node] { continue }
        var members: [Int] = []
        while let member = stack.popLast() {
          component[member] = componentCount
          members.append(member)
          if member == node { break }
        }
        componentCount += 1
        if members.count > 1 { large.append(members) }
      }
    }
    return (large, component)
  }

  // MARK: Cycles

  /// The shortest way from one node to another by edges that `isAllowed` admits.
  func path(from: Int, to: Int, where isAllowed: (Edge) -> Bool) -> [Edge]? {
    var arrival: [Int: Int] = [from: -1]
    var queue = [from]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      if node == to {
        var way: [Edge] = []
        var current = to
        while let position = arrival[current], position >= 0 {
          way.append(edges[position])
          current = edges[position].from
        }
        return way.reversed()
      }
      for position in sorted[starts[node]..<starts[node + 1]] {
        let edge = edges[position]
        if arrival[edge.to] == nil, isAllowed(edge) {
          arrival[edge.to] = position
          queue.append(edge.to)
        }
      }
    }
    return nil
  }

  /// The edges of some dependency between nodes of one component, at most so many.
  private func edges(
    within members: [Int], _ component: [Int], limit: Int, where isWanted: (Edge) -> Bool
  ) -> [Edge] {
    var found: [Edge] = []
    for node in members {
      for position in sorted[starts[node]..<starts[node + 1]] {
        let edge = edges[position]
        if component[edge.to] == component[node], isWanted(edge) { found.append(edge) }
        if found.count >= limit { return found }
      }
    }
    return found
  }

  /// The shortest cycle in a component that begins with a wanted edge and goes on by allowed ones.
  ///
  /// Looks at a bounded number of beginnings, since a component may be the whole history.
  func shortestCycle(
    in members: [Int], _ component: [Int], beginning isFirst: (Edge) -> Bool,
    goingOn isAllowed: (_ first: Edge, Edge) -> Bool
  ) -> [Edge]? {
    var best: [Edge]?
    for first in edges(within: members, component, limit: 300, where: isFirst) {
      let rest = path(from: first.to, to: first.from) { edge in
        component[edge.to] == component[first.from] && isAllowed(first, edge)
      }
      guard let rest, rest.count + 1 < best?.count ?? .max else { continue }
      best = [first] + rest
      if rest.count == 1 { break }
    }
    return best
  }
}
