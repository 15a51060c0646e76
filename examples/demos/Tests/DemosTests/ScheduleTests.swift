// The game of the scheduler: all states of each level, the rules of the machine, and the page.

import Demos
import Foundation
import TestSupport
import Testing

@Suite struct ScheduleTests {
  private static let numbers = ScheduleLevel.all.map(\.number)

  private func level(_ number: Int) throws -> ScheduleLevel {
    try #require(ScheduleLevel.all.first { $0.number == number })
  }

  /// Takes steps that must be possible.
  private func take(_ steps: [Int], _ game: inout ScheduleGame) {
    for step in steps {
      let isTaken = game.step(step)
      #expect(isTaken, "\(step) after \(game.steps)")
    }
  }

  // MARK: The levels

  @Test("there are six levels, each with a pitfall that shows the same")
  func levels() {
    #expect(Self.numbers == [1, 2, 3, 4, 5, 6])
    for level in ScheduleLevel.all {
      #expect(Pitfall.named(level.pitfall) != nil, "\(level.pitfall)")
      #expect((2...3).contains(level.threads.count))
      for text in [level.goal, level.hint, level.lesson] { #expect(".?".contains(text.suffix(1))) }
      for line in level.threads.flatMap(\.lines) { #expect(line.code.count <= 60) }
    }
  }

  @Test("the goal can be reached and missed, and the states are few", arguments: numbers)
  func reachable(number: Int) throws {
    let level = try level(number)
    let graph = ScheduleGraph(level)
    #expect(graph.nodes.count <= 120, "\(graph.nodes.count)")
    // Each schedule ends: a step leads to a state that no step leads back from.
    var longest = [Int](repeating: -1, count: graph.nodes.count)
    func length(_ node: Int, _ path: Set<Int>) -> Int {
      if path.contains(node) { return 1000 }
      if longest[node] < 0 {
        longest[node] =
          graph.nodes[node].steps.map { 1 + length($0.node, path.union([node])) }
          .max() ?? 0
      }
      return longest[node]
    }
    #expect(length(0, []) <= 20)
    let solution = try #require(graph.solution)
    let miss = try #require(graph.miss)
    for (steps, isSolution) in [(solution, true), (miss, false)] {
      var game = ScheduleGame(level)
      for step in steps {
        #expect(!game.isReached && !game.isMissed)
        take([step], &game)
      }
      #expect(game.isReached == isSolution && game.isMissed != isSolution)
      #expect(game.choices.isEmpty)
    }
    // No shorter schedule reaches it.
    let reached = graph.nodes.filter(\.isReached).map(\.distance)
    #expect(reached.min() == solution.count)
  }

  @Test(
    "the shortest schedules",
    arguments: zip(numbers, [4, 7, 8, 6, 5, 3]))
  func solutions(number: Int, steps: Int) throws {
    #expect(try ScheduleGraph(level(number)).solution?.count == steps)
  }

  @Test("the graph has every state that play can reach", arguments: numbers)
  func randomPlay(number: Int) throws {
    let level = try level(number)
    let states = Set(ScheduleGraph(level).nodes.map(\.state))
    var random = SeededGenerator(for: "schedule \(number)")
    for _ in 0..<300 {
      var game = ScheduleGame(level)
      while let thread = game.choices.randomElement(using: &random) {
        let before = game.state
        take([thread], &game)
        #expect(states.contains(game.state))
        #expect(game.state.permits >= 0 && game.state.entries >= 0)
        #expect(game.state != before)
        // Undo leads back, and the same step forward again.
        var other = game
        other.undo()
        #expect(other.state == before)
        take([thread], &other)
        #expect(other.state == game.state)
      }
      #expect(game.isReached != game.isMissed)
      game.restart()
      #expect(game.state == level.start && game.steps.isEmpty)
    }
  }

  // MARK: The rules

  @Test("a thread that cannot step is refused, and the state stays")
  func refusals() throws {
    var game = ScheduleGame(try level(1))
    #expect(game.choices == [0, 1])
    let isEarly = game.step(2)
    #expect(!isEarly && game.state == game.level.start)
    take([1, 0], &game)
    #expect(game.level.condition(of: 0, in: game.state) == .waiting)
    let others = [game.step(0), game.step(7)]
    #expect(others == [false, false] && game.steps == [1, 0])
  }

  @Test("the main queue runs one block at a time")
  func mainQueue() throws {
    var game = ScheduleGame(try level(1))
    // The task runs to its end while the button has not been tapped.
    take([1, 1, 1], &game)
    #expect(game.choices == [0, 2])
    take([2], &game)
    #expect(game.level.condition(of: 0, in: game.state) == .queued)
    take([2], &game)
    #expect(game.choices == [0])
  }

  @Test("a wait with a time-out takes a permit if there is one, and none after its time")
  func timeout() throws {
    let level = try level(2)
    var game = ScheduleGame(level)
    take([0, 1], &game)
    #expect(level.condition(of: 1, in: game.state) == .timed)
    var late = game
    take([1], &late)
    #expect(late.state.permits == 0 && late.state.positions[1] == 1)
    // The same wait, but the permit comes first.
    take([0, 0, 1], &game)
    #expect(game.state.permits == 0 && game.state.positions == [3, 1])
    take([1, 1], &game)
    #expect(game.state.permits == 1 && game.isMissed)
  }

  @Test("a semaphore with all its permits is released without a trap")
  func release() throws {
    var game = ScheduleGame(try level(6))
    take([1, 1, 1, 0, 0], &game)
    #expect(game.state.isReleased && !game.state.hasTrapped)
    take([2], &game)
    #expect(game.isMissed)
    #expect(game.notes.last == "Task 2 finds no semaphore, and returns.")
  }

  @Test("notify runs its block when the group is empty, also if it was before")
  func notify() throws {
    let level = try level(5)
    for steps in [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0]] {
      var game = ScheduleGame(level)
      for thread in steps {
        #expect(level.condition(of: 2, in: game.state) == .unsubmitted)
        take([thread], &game)
      }
      #expect(level.condition(of: 2, in: game.state) == .queued)
      take([0, 2], &game)
      #expect(game.isMissed)
    }
  }

  // MARK: The page

  @Test("the page needs no network, and has all states and steps of the levels")
  func page() throws {
    let page = ScheduleHTML.page()
    for part in ["http:", "https:", " src=", "@import", "url(", "<link"] {
      #expect(!page.contains(part), "\(part)")
    }
    #expect(page.contains("default-src 'none'"))
    let begin = try #require(page.range(of: "id=\"levels\">"))
    let rest = page[begin.upperBound...]
    #expect(rest.hasPrefix("\(ScheduleHTML.levels)</script>"))
    let data = rest[..<(try #require(rest.range(of: "</script>"))).lowerBound]
    #expect(!data.contains("<"))
    let levels = try #require(
      JSONSerialization.jsonObject(with: Data(data.utf8)) as? [[String: Any]])
    #expect(levels.count == 6)
    for (object, level) in zip(levels, ScheduleLevel.all) {
      #expect(object["title"] as? String == level.title)
      let graph = ScheduleGraph(level)
      let nodes = try #require(object["nodes"] as? [[Any]])
      #expect(nodes.count == graph.nodes.count)
      for (node, expected) in zip(nodes, graph.nodes) {
        #expect(node[0] as? [Int] == expected.state.positions)
        #expect(node[2] as? [String] == level.values(in: expected.state).map(\.value))
        #expect(node[3] as? Int == (expected.isReached ? 1 : 0))
        let steps = try #require(node[4] as? [[Any]])
        #expect(steps.map { $0[0] as? Int } == expected.steps.map(\.thread))
        #expect(steps.map { $0[1] as? Int } == expected.steps.map(\.node))
        #expect(steps.map { $0[2] as? String } == expected.steps.map(\.note))
      }
    }
  }
}
