// The assignment of files to shards: its balance, and what its strategies promise.

import FileJobs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PlanAssignmentTests {
  private struct File {
    let path: [UInt8]
    let size: UInt64?
  }

  /// Random files: mostly small ones, some as large as all others.
  private func files(_ count: Int, using random: inout SeededGenerator) -> [File] {
    (0..<count).map { index in
      let directory = index / Int.random(in: 1...50, using: &random)
      let bits = UInt64.random(in: 0...30, using: &random)
      let size = UInt64.random(in: 0...(1 << bits), using: &random)
      return File(
        path: Array("d\(directory)/f\(index)".utf8),
        size: Int.random(in: 0..<50, using: &random) == 0 ? nil : size)
    }
  }

  private func shards(
    of files: [File], _ shards: Int, _ strategy: ShardStrategy, memory: UInt64 = 64 << 20
  ) -> (all: [Int], assignment: ShardAssignment) {
    let assignment = ShardAssignment(shards: shards, strategy: strategy, memory: memory)
    for file in files { assignment.add(size: file.size) }
    assignment.divide()
    let all = files.map { file in
      file.path.withUnsafeBytes { assignment.shard(path: $0, size: file.size) }
    }
    return (all, assignment)
  }

  private func loads(_ all: [Int], _ costs: [UInt64], _ shards: Int) -> [UInt64] {
    var loads = [UInt64](repeating: 0, count: shards)
    for (shard, cost) in zip(all, costs) { loads[shard] += cost }
    return loads
  }

  @Test("no shard has more than the mean and the largest file")
  func balance() {
    var random = SeededGenerator(for: "PlanAssignmentTests.balance")
    for _ in 0..<20 {
      let files = files(Int.random(in: 1...3000, using: &random), using: &random)
      let count = Int.random(in: 1...100, using: &random)
      let costs = files.map { ($0.size ?? 0) + ShardAssignment.fileCost }
      let mean = Double(costs.reduce(0, +)) / Double(count)
      let largest = Double(costs.max() ?? 0)
      // With memory for 16 files, the others are divided in chunks.
      for memory in [64 << 20, 1024] as [UInt64] {
        let all = shards(of: files, count, .size, memory: memory).all
        let loads = loads(all, costs, count)
        #expect(Double(loads.max() ?? 0) <= mean + largest, "\(count) shards, memory \(memory)")
      }
      let numbers = loads(
        shards(of: files, count, .count).all, costs.map { _ in 1 }, count)
      let chunk = max(1, UInt64(files.count) / UInt64(count) / 2048)
      #expect((numbers.max() ?? 0) - (numbers.min() ?? 0) <= chunk)
    }
  }

  @Test("with many small files no shard has a thousandth more than the mean")
  func evenness() {
    var random = SeededGenerator(for: "PlanAssignmentTests.evenness")
    let files = (0..<100_000).map { index in
      File(
        path: Array("d\(index / 30)/\(index)".utf8),
        size: UInt64.random(in: 0...100_000, using: &random))
    }
    let costs = files.map { ($0.size ?? 0) + ShardAssignment.fileCost }
    for memory in [64 << 20, 1024] as [UInt64] {
      let loads = loads(shards(of: files, 8, .size, memory: memory).all, costs, 8)
      #expect(PlanBalance.ratio(loads) < 1.001)
    }
  }

  @Test("the largest files are divided one by one, also if there is memory for few")
  func largest() {
    var random = SeededGenerator(for: "PlanAssignmentTests.largest")
    var files = files(2000, using: &random).map { File(path: $0.path, size: ($0.size ?? 0) / 4096) }
    var expected: [UInt64] = []
    for index in 0..<16 {
      let place = 100 * index + Int.random(in: 0..<100, using: &random)
      files[place] = File(path: files[place].path, size: 1 << 34)
      expected.append(2)
    }
    let all = shards(of: files, 8, .size, memory: 1024).all
    var found = [UInt64](repeating: 0, count: 8)
    for (file, shard) in zip(files, all) where file.size == 1 << 34 { found[shard] += 1 }
    #expect(found == Array(expected.prefix(8)))
  }

  @Test("files of one size share a shard, and the bytes to read are divided")
  func sizeClasses() {
    var random = SeededGenerator(for: "PlanAssignmentTests.sizeClasses")
    for memory in [64 << 20, 1 << 16] as [UInt64] {
      // With little memory, more sizes than slots.
      let sizes = (0..<3000).map { _ in UInt64.random(in: 0...(1 << 24), using: &random) }
      let files = (0..<9000).map { index in
        File(
          path: Array("f\(index)".utf8), size: sizes[Int.random(in: 0..<3000, using: &random)])
      }
      let (all, assignment) = shards(of: files, 7, .sizeClass, memory: memory)
      var shardOfSize: [UInt64: Int] = [:]
      for (file, shard) in zip(files, all) {
        guard let size = file.size else { continue }
        #expect(shardOfSize[size] ?? shard == shard)
        shardOfSize[size] = shard
      }
      #expect(PlanBalance.ratio(assignment.bytesToRead ?? []) < 1.1)
    }
    // A file whose size no other one has is not read.
    let lone = [File(path: [1], size: 1 << 40), File(path: [2], size: 7), File(path: [3], size: 7)]
    let (_, assignment) = shards(of: lone, 2, .sizeClass)
    #expect(assignment.bytesToRead?.reduce(0, +) == 14)
  }

  @Test("files of a directory stay together as far as the balance permits")
  func neighbours() {
    let files = (0..<400_000).map { index in
      File(path: Array("d\(index / 40)/\(index)".utf8), size: 100)
    }
    let all = shards(of: files, 4, .size).all
    let changes = zip(all, all.dropFirst()).count { $0 != $1 }
    #expect(changes < 400_000 / 30, "\(changes)")
  }

  @Test("sizes of exabytes do not overflow")
  func overflow() {
    let files = (0..<40).map { File(path: [UInt8($0)], size: $0 % 2 == 0 ? .max : 1 << 62) }
    for strategy in ShardStrategy.allCases {
      let all = shards(of: files, 3, strategy).all
      #expect(all.allSatisfy { $0 < 3 })
    }
  }

  // MARK: Hashes

  private static let vectors: [(name: String, hash: UInt64, shards: [Int])] = [
    ("", 0xF52A_15E9_A9B5_E89B, [6, 61, 957]),
    ("a", 0x02C0_BDBF_4814_20F8, [0, 0, 10]),
    ("dir/file.txt", 0xF577_E928_A4C0_F529, [6, 61, 958]),
    ("é/ü", 0x7D2E_54FB_3448_6F66, [3, 31, 488]),
  ]

  @Test("names have the published hashes and shards")
  func hashes() {
    for (name, hash, shards) in Self.vectors {
      Array(name.utf8).withUnsafeBytes { bytes in
        #expect(NameHash.hash(bytes) == hash, "\(name)")
        #expect([7, 64, 1000].map { NameHash.shard(of: bytes, count: $0) } == shards, "\(name)")
      }
    }
  }
}
