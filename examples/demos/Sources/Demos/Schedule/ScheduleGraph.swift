// All states of a level, and the steps between them.

/// The states that the schedules of a level lead to.
public struct ScheduleGraph: Sendable {
  /// A state with the steps out of it.
  public struct Node: Sendable {
    /// The state.
    public let state: ScheduleState
    /// True if the state is the goal, from which no step leads on.
    public let isReached: Bool
    /// The steps: a thread, the index of the next node, and a sentence.
    public internal(set) var steps: [(thread: Int, node: Int, note: String)] = []
    /// The number of steps from the start.
    public let distance: Int
    /// The node before on a shortest way, and the thread that stepped.
    let origin: (node: Int, thread: Int)?
  }

  /// All nodes, by their distance; the start is the first.
  public let nodes: [Node]

  /// Lists the states of a level, nearest first.
  public init(_ level: ScheduleLevel) {
    var nodes = [
      Node(
        state: level.start, isReached: level.isReached(level.start), distance: 0, origin: nil)
    ]
    var indices = [level.start: 0]
    var index = 0
    while index < nodes.count {
      let node = nodes[index]
      for thread in node.isReached ? [] : level.choices(in: node.state) {
        let (state, note) = level.step(thread, in: node.state)
        let next = indices[state] ?? nodes.count
        if next == nodes.count {
          indices[state] = next
          nodes.append(
            Node(
              state: state, isReached: level.isReached(state), distance: node.distance + 1,
              origin: (index, thread)))
        }
        nodes[index].steps.append((thread, next, note))
      }
      index += 1
    }
    self.nodes = nodes
  }

  /// The threads of a shortest schedule that reaches the goal; `nil` if none does.
  public var solution: [Int]? {
    nodes.firstIndex { $0.isReached }.map { steps(to: $0) }
  }

  /// The threads of a shortest schedule that ends without the goal; `nil` if there is none.
  public var miss: [Int]? {
    nodes.firstIndex { !$0.isReached && $0.steps.isEmpty }.map { steps(to: $0) }
  }

  private func steps(to node: Int) -> [Int] {
    var steps: [Int] = []
    var node = node
    while let origin = nodes[node].origin {
      steps.append(origin.thread)
      node = origin.node
    }
    return steps.reversed()
  }
}
