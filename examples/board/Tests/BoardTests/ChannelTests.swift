// The order of messages: every stream gets each message of a log once, whatever the schedule.

import Foundation
import TestSupport
import Testing

@testable import BoardServer

@Suite(.timeLimit(.minutes(10))) struct ChannelTests {
  private static func message(_ epoch: Int, _ number: Int) -> [UInt8] {
    Array("{\"kind\":\"test\",\"epoch\":\(epoch),\"n\":\(number)}".utf8)
  }

  /// Adds epochs of messages in random bursts. The last message of all has the number -1.
  private func produce(_ channel: Channel, epochs: [Int], seed: UInt64) async throws {
    var numbers = SeededGenerator(seed: seed, for: "channels")
    for (index, count) in epochs.enumerated() {
      try channel.begin(Run(index + 1, channel: channel), ChannelTests.message(index + 1, 0))
      var next = 1
      while next <= count {
        for _ in 0..<Int.random(in: 1...20, using: &numbers) where next <= count {
          channel.append(ChannelTests.message(index + 1, next))
          next += 1
        }
        if Int.random(in: 0...3, using: &numbers) == 0 {
          try await Task.sleep(nanoseconds: .random(in: 1...9_000_000, using: &numbers))
        }
      }
      channel.end(EndMessage(run: index + 1, reason: .finished))
    }
    channel.append(ChannelTests.message(epochs.count, -1))
  }

  /// Follows until the last message. Returns the messages as `epoch.number`, and `hello`.
  private func follow(_ channel: Channel) async throws -> [String] {
    var seen: [String] = []
    let stream = channel.open()
    while let bytes = try await stream.nextBuffer(suggested: 1) {
      for message in try messages(in: bytes) {
        switch message["kind"] as? String {
        case "hello": seen.append("hello")
        case "test":
          let (epoch, number) = (message["epoch"] as? Int ?? 0, message["n"] as? Int ?? 0)
          if number == -1 { return seen }
          seen.append("\(epoch).\(number)")
        default: break
        }
      }
    }
    return seen
  }

  /// A stream that is behind when a log begins goes on with the new one.
  private func expectOrder(_ seen: [String], _ epochs: [Int], _ seed: UInt64) {
    #expect(seen.first == "hello" && !seen.dropFirst().contains("hello"))
    for (index, count) in epochs.enumerated() {
      let own = seen.filter { $0.hasPrefix("\(index + 1).") }
      let all = (0...count).map { "\(index + 1).\($0)" }
      #expect(own == Array(all.prefix(own.count)), "seed \(seed)")
      #expect(index + 1 < epochs.count || own.count == all.count, "seed \(seed)")
    }
    let order = seen.dropFirst().map { $0.prefix(1) }
    #expect(order == order.sorted(), "seed \(seed)")
  }

  @Test(arguments: 0..<20)
  func everyMessageInOrder(_ round: UInt64) async throws {
    let seed = testSeed + round
    var numbers = SeededGenerator(seed: seed, for: "channels")
    let epochs = (0..<3).map { _ in Int.random(in: 0...400, using: &numbers) }
    let channel = Channel(instance: "test")
    let all = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<6 { group.addTask { try await self.follow(channel) } }
      // The streams are open before the first message.
      while channel.streamCount < 6 { await Task.yield() }
      try await self.produce(channel, epochs: epochs, seed: seed)
      return try await group.reduce(into: [[String]]()) { $0.append($1) }
    }
    for seen in all { expectOrder(seen, epochs, seed) }
    #expect(channel.streamCount == 0)
  }

  @Test func aStreamBeginsWithTheWholeLog() async throws {
    let channel = Channel(instance: "test")
    try channel.begin(Run(7, channel: channel), ChannelTests.message(1, 0))
    channel.append(ChannelTests.message(1, 1))
    channel.end(EndMessage(run: 7, reason: .finished))
    for _ in 0..<2 {
      let stream = channel.open()
      let hello = try #require(try await stream.nextBuffer(suggested: 1))
      #expect(try messages(in: hello).first?["run"] as? Int == 7)
      let log = try #require(try await stream.nextBuffer(suggested: 1))
      #expect(String(decoding: log, as: UTF8.self).contains("id: test.2\n"))
      #expect(try messages(in: log).map { $0["kind"] as? String } == ["test", "test", "end"])
    }
  }

  @Test func aCancelledStreamDoesNotWait() async throws {
    let channel = Channel(instance: "test")
    let stream = channel.open()
    let task = Task { while try await stream.nextBuffer(suggested: 1) != nil {} }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

func messages(in bytes: [UInt8]) throws -> [[String: Any]] {
  try String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter {
    $0.hasPrefix("data: ")
  }.flatMap { line in
    try JSONSerialization.jsonObject(with: Data(line.dropFirst(6).utf8)) as? [[String: Any]] ?? []
  }
}
