/// Finds the cycles of a graph of dependencies, and names each by its edges.
///
/// From the gravest kind to the mildest: a part of the graph that has a graver cycle is not
/// searched for milder ones.
struct CycleSearch {
  private typealias Edge = DependencyGraph.Edge

  private let graph: DependencyGraph
  private let names: [String]
  private let listName: (Int) -> String
  private var explained: Set<Int> = []
  private(set) var anomalies: [ListAnomaly] = []

  init(_ graph: DependencyGraph, _ names: [String], _ listName: @escaping (Int) -> String) {
    self.graph = graph
    self.names = names
    self.listName = listName
    search(.writes) { graph, members, component in
      graph.shortestCycle(
        in: members, component, beginning: { $0.dependency == .ww },
        goingOn: { DependencyGraph.Kinds.writes.has($1) }
      ).map { (.g0, $0) }
    }
    search(.information) { graph, members, component in
      graph.shortestCycle(
        in: members, component, beginning: { $0.dependency == .wr },
        goingOn: { DependencyGraph.Kinds.information.has($1) }
      ).map { (.g1c, $0) }
    }
    search(.serialization, CycleSearch.antidependency)
    search(.all) { graph, members, component in
      graph.shortestCycle(
        in: members, component,
        beginning: { $0.dependency != .realTime && $0.dependency != .through },
        goingOn: { _, _ in true }
      ).map { (.realTime, $0) }
    }
  }

  private mutating func search(
    _ kinds: DependencyGraph.Kinds,
    _ cycle: (DependencyGraph, [Int], [Int]) -> (ListAnomaly.Kind, [Edge])?
  ) {
    let (large, component) = graph.components(kinds)
    for members in large {
      if members.contains(where: { explained.contains($0) }) { continue }
      guard let (kind, edges) = cycle(graph, members, component) else { continue }
      anomalies.append(ListAnomaly(kind: kind, text: text(edges)))
      explained.formUnion(members.filter { $0 < graph.transactionCount })
    }
  }

  /// A cycle with reads of what was then written over.
  private static func antidependency(
    _ graph: DependencyGraph, _ members: [Int], _ component: [Int]
  ) -> (ListAnomaly.Kind, [Edge])? {
    let isRead = { (edge: Edge) in edge.dependency == .rw }
    let lost = graph.shortestCycle(in: members, component, beginning: isRead) { first, edge in
      DependencyGraph.Kinds.writes.has(edge) && edge.list == first.list
    }
    if let lost { return (.lostUpdate, lost) }
    let single = graph.shortestCycle(in: members, component, beginning: isRead) { _, edge in
      DependencyGraph.Kinds.information.has(edge)
    }
    if let single { return (.gSingle, single) }
    return graph.shortestCycle(in: members, component, beginning: isRead) { _, edge in
      DependencyGraph.Kinds.serialization.has(edge)
    }.map { (.g2, $0) }
  }

  private func text(_ cycle: [Edge]) -> String {
    guard let first = cycle.first else { return "" }
    var text = first.from < names.count ? names[first.from] : ""
    var isBefore = false
    for edge in cycle {
      switch edge.dependency {
      case .ww: text += " -ww \(listName(edge.list))-> "
      case .wr: text += " -wr \(listName(edge.list))-> "
      case .rw: text += " -rw \(listName(edge.list))-> "
      case .realTime where !isBefore: text += " -before-> "
      case .realTime, .through: break
      }
      isBefore = edge.dependency == .realTime && edge.to >= names.count
      if edge.to < names.count { text += names[edge.to] }
    }
    return text
  }
}
