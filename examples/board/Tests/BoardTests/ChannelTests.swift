// The order of messages: every stream gets each message once, whatever the schedule.

import Foundation
import TestSupport
import Testing

@testable import BoardServer

@Suite(.timeLimit(.minutes(2))) struct ChannelTests {
  private func makeChannel() -> Channel {
    Channel(instance: "test")
  }

  private static func message(_ epoch: Int, _ number: Int) -> [UInt8] {
    Array("{\"kind\":\"test\",\"epoch\":\(epoch),\"n\":\(number)}".utf8)
  }

  /// The events of a piece of a stream.
  private struct Piece {
    var id = ""
    var messages: [[String: Any]] = []

    init(_ bytes: [UInt8]) throws {
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
        guard line.hasPrefix("data: ") else { continue }
        let objects = try JSONSerialization.jsonObject(with: Data(line.dropFirst(6).utf8))
        messages = objects as? [[String: Any]] ?? []
      }
    }
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

  /// Follows until the last message; closes and opens the stream again at random times.
  ///
  /// - Returns: The messages as `epoch.number`, with `hello` where a stream began anew.
  private func follow(_ channel: Channel, seed: UInt64, resumes: Bool) async throws -> [String] {
    var numbers = SeededGenerator(seed: seed, for: "channels")
    var seen: [String] = []
    var last: String?
    while true {
      let stream = channel.open(after: last)
      var left = resumes ? Int.random(in: 1...6, using: &numbers) : .max
      while left > 0, let bytes = try await stream.nextBuffer(suggested: 1) {
        let piece = try Piece(bytes)
        if !piece.id.isEmpty { last = piece.id }
        for message in piece.messages {
          switch message["kind"] as? String {
          case "hello": seen.append("hello")
          case "test":
            let (epoch, number) = (message["epoch"] as? Int ?? 0, message["n"] as? Int ?? 0)
            if number == -1 { return seen }
            seen.append("\(epoch).\(number)")
          default: break
          }
        }
        left -= 1
      }
    }
  }

  private func expected(_ epochs: [Int]) -> [String] {
    epochs.enumerated().flatMap { index, count in (0...count).map { "\(index + 1).\($0)" } }
  }

  @Test(arguments: 0..<20)
  func everyMessageInOrder(_ round: UInt64) async throws {
    let seed = testSeed + round
    var numbers = SeededGenerator(seed: seed, for: "channels")
    let epochs = (0..<3).map { _ in Int.random(in: 0...400, using: &numbers) }
    let channel = makeChannel()
    let all = try await withThrowingTaskGroup(of: [String].self) { group in
      for reader in 0..<6 {
        let stream = seed &+ UInt64(reader) &* 1000
        group.addTask { try await self.follow(channel, seed: stream, resumes: false) }
      }
      // The streams are open before the first message.
      while channel.streamCount < 6 { await Task.yield() }
      try await self.produce(channel, epochs: epochs, seed: seed)
      return try await group.reduce(into: [[String]]()) { $0.append($1) }
    }
    for seen in all {
      #expect(seen == ["hello"] + expected(epochs), "seed \(seed)")
    }
    #expect(channel.streamCount == 0)
  }

  @Test(arguments: 0..<20)
  func streamsGoOnWhereTheyWere(_ round: UInt64) async throws {
    let seed = testSeed + round
    let channel = makeChannel()
    let all = try await withThrowingTaskGroup(of: [String].self) { group in
      for reader in 0..<6 {
        let stream = seed &+ UInt64(reader) &* 1000
        group.addTask { try await self.follow(channel, seed: stream, resumes: true) }
      }
      try await self.produce(channel, epochs: [700], seed: seed)
      return try await group.reduce(into: [[String]]()) { $0.append($1) }
    }
    for seen in all {
      // What came before the last hello is forgotten, as a page does.
      let begin = seen.lastIndex(of: "hello").map { $0 + 1 } ?? 0
      #expect(Array(seen[begin...]) == expected([700]), "seed \(seed)")
      // One at the beginning and one for the run: what is resumed says no hello.
      #expect(seen.count { $0 == "hello" } <= 2, "seed \(seed)")
    }
  }

  @Test func onlyItsOwnLogIsResumed() async throws {
    let channel = makeChannel()
    try channel.begin(Run(7, channel: channel), ChannelTests.message(1, 0))
    channel.append(ChannelTests.message(1, 1))
    channel.end(EndMessage(run: 7, reason: .finished))
    let first = channel.open(after: nil)
    var last = ""
    while !last.hasSuffix(".3") {
      last = try Piece(#require(try await first.nextBuffer(suggested: 1))).id
    }
    #expect(last == "test.2.3")
    for id in ["test.1.3", "other.2.3", "test.2.4", "test.2.-1", "x", "", "test.2"] {
      let piece = try Piece(
        #require(try await channel.open(after: id).nextBuffer(suggested: 1)))
      #expect(piece.messages.first?["kind"] as? String == "hello", "\(id)")
      #expect(piece.messages.first?["run"] as? Int == 7, "\(id)")
    }
    let resumed = channel.open(after: "test.2.2")
    #expect(try Piece(#require(try await resumed.nextBuffer(suggested: 1))).messages.isEmpty)
    let piece = try Piece(#require(try await resumed.nextBuffer(suggested: 1)))
    #expect(piece.messages.count == 1 && piece.messages[0]["kind"] as? String == "end")
  }

  @Test func aCancelledStreamDoesNotWait() async throws {
    let channel = makeChannel()
    let stream = channel.open(after: nil)
    let task = Task { while try await stream.nextBuffer(suggested: 1) != nil {} }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
