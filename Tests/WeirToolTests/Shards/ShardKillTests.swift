// kill -9 of the shards of one plan at random moments, and shards that are submitted again.
// `make test-kill` sets WEIR_TEST_KILLS=200 or more; the shards get five times as many.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(30)))
struct ShardKillTests {
  private static let kills = getenv("WEIR_TEST_KILLS").flatMap { Int(String(cString: $0)) }
  private static let shards = 16

  /// A killed or finished attempt.
  private struct Attempt {
    let isKilled: Bool
    let outcome: Outcome
  }

  @Test("nothing is lost and nothing is there twice, whatever was killed")
  func random() async throws {
    let set = try await ShardFixture(
      "shard kills", files: Self.kills == nil ? 1000 : 8000, shards: Self.shards)
    var random = SeededGenerator(for: "shard kill moments")
    let expected = try await weir("hash", "t", in: set.directory).run().output
    let kills = Self.kills.map { $0 * 5 } ?? 40
    var (done, rounds, resumed) = (0, 0, 0)
    var duration = Duration.milliseconds(30)
    while done < kills {
      rounds += 1
      set.directory.removeTree("parts")
      var open = Array(0..<Self.shards)
      while !open.isEmpty && done < kills {
        let shard = try #require(open.randomElement(using: &random))
        let known = set.recordedFiles(shard)
        let delay = duration * Double.random(in: 0...1.2, using: &random)
        // Now and then two attempts run at a time, as after a partition of the network.
        let count = Int.random(in: 0..<8, using: &random) == 0 ? 2 : 1
        let options = Bool.random(using: &random) ? words("--resume") : []
        let attempts = try await attempts(set, shard, options, count, after: delay)
        for attempt in attempts where attempt.isKilled { done += 1 }
        if !options.isEmpty && known > 0 { resumed += 1 }
        duration = attempts.allSatisfy(\.isKilled) ? duration * 1.05 : duration * 0.9
        for attempt in attempts where !attempt.isKilled {
          #expect(attempt.outcome.status == 0, "\(attempt.outcome.errorText)")
        }
        if set.directory.content(set.part(shard)) != nil { open.removeAll { $0 == shard } }
      }
      for shard in open {
        let last = try await set.run("hash", words("--resume"), shard: shard)
        #expect(last.status == 0, "\(last.errorText)")
      }
      let merged = try await set.merge()
      #expect(merged.output == expected && merged.status == 0, "\(merged.errorText)")
      let left = set.directory.names(in: "parts").filter { !$0.hasSuffix(".part") }
      // An attempt that was killed after another one had ended may leave its file.
      for name in left {
        let part = name.split(separator: ".tmp").first.map(String.init) ?? name
        #expect(set.directory.content("parts/\(part)") != nil, "\(name)")
      }
    }
    if Self.kills != nil {
      print("\(done) kills in \(rounds) rounds of \(Self.shards) shards, \(resumed) continued")
    }
  }

  /// Starts attempts at a shard, and kills them after a while.
  private func attempts(
    _ set: ShardFixture, _ shard: Int, _ options: [[UInt8]], _ count: Int, after delay: Duration
  ) async throws -> [Attempt] {
    let command = weir(set.arguments("hash", options, shard: shard), in: set.directory)
    return try await onThread {
      let children = try (0..<count).map { _ in try Child(command) }
      usleep(useconds_t(delay / .microseconds(1)))
      return try children.map { child in
        kill(child.pid, SIGKILL)
        let outcome = try child.finish(limit: 40)
        return Attempt(isKilled: outcome.signal == SIGKILL, outcome: outcome)
      }
    }
  }
}

extension ShardFixture {
  /// The number of bytes in attempts at a shard: above 0 if there is something to continue.
  fileprivate func recordedFiles(_ shard: Int) -> Int {
    let begin = String(part(shard).split(separator: "/")[1])
    return directory.names(in: "parts").filter { $0.hasPrefix("\(begin).tmp") }
      .reduce(0) { $0 + max(0, (directory.content("parts/\($1)")?.count ?? 0) - 500) }
  }
}

extension TemporaryDirectory {
  /// The names in a directory below this one.
  fileprivate func names(in name: String) -> [String] {
    guard let stream = opendir("\(text)/\(name)") else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes the files of a directory below this one.
  fileprivate func removeTree(_ name: String) {
    for file in names(in: name) { unlink("\(text)/\(name)/\(file)") }
  }
}
