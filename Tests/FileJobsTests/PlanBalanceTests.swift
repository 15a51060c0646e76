// The balance of the strategies on three sets of files. WEIR_TEST_BALANCE=1 prints the whole
// table; without it, a part of each set is divided, and nothing printed.

import FileJobs
import Glibc
import TestSupport
import Testing
import Weir

@Suite(.timeLimit(.minutes(5)))
struct PlanBalanceTests {
  private typealias File = (path: [UInt8], size: UInt64)

  private static let isWhole = getenv("WEIR_TEST_BALANCE") != nil
  private static let count = isWhole ? 200_000 : 20_000

  private static func names(_ sizes: [UInt64]) -> [File] {
    sizes.enumerated().map { (Array("d\($0 / 40)/f\($0)".utf8), $1) }
  }

  /// Sizes whose logarithms are distributed normally: 10 kB in the middle.
  private static func lognormal() -> [File] {
    var random = SeededGenerator(for: "PlanBalanceTests.lognormal")
    return names(
      (0..<count).map { _ in
        let (first, second) = (unit(&random), unit(&random))
        let normal = (-2 * log(first)).squareRoot() * cos(2 * Double.pi * second)
        return UInt64(exp(log(10_000) + 2.2 * normal))
      })
  }

  /// Sizes with a heavy tail.
  private static func pareto() -> [File] {
    var random = SeededGenerator(for: "PlanBalanceTests.pareto")
    return names((0..<count).map { _ in UInt64(1000 * pow(unit(&random), -1 / 1.1)) })
  }

  private static func unit(_ random: inout SeededGenerator) -> Double {
    Double(random.next() >> 11 | 1) / Double(1 << 53)
  }

  /// The files of this machine.
  private static func libraries() -> [File] {
    var files: [File] = []
    for entry in FileWalk(isWhole ? "/usr/lib" : "/usr/include") where entry.type == .file {
      var status = stat()
      if lstat(terminated(entry.pathBytes), &status) == 0 {
        files.append((entry.pathBytes, UInt64(status.st_size)))
      }
    }
    return files
  }

  private func ratios(_ files: [File], _ shards: Int, _ strategy: ShardStrategy) -> (
    files: Double, bytes: Double, read: Double?, useful: UInt64
  ) {
    let assignment = ShardAssignment(shards: shards, strategy: strategy, memory: 64 << 20)
    for file in files { assignment.add(size: file.size) }
    assignment.divide()
    var (counts, bytes) = ([UInt64](repeating: 0, count: shards), [UInt64]())
    bytes = counts
    for file in files {
      let shard = file.path.withUnsafeBytes { assignment.shard(path: $0, size: file.size) }
      counts[shard] += 1
      bytes[shard] += file.size
    }
    return (
      PlanBalance.ratio(counts), PlanBalance.ratio(bytes),
      assignment.bytesToRead.map(PlanBalance.ratio), assignment.usefulShards
    )
  }

  private func text(_ value: Double) -> String {
    let digits = String(Int((value * 1000).rounded()))
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return "\(padded.dropLast(3)).\(padded.suffix(3))"
  }

  @Test("the strategy size is as even as the largest file permits", arguments: 0..<3)
  func table(set: Int) {
    let files = [Self.lognormal, Self.pareto, Self.libraries][set]()
    let name = ["lognormal", "Pareto 1.1", "libraries"][set]
    let largest = files.map(\.size).max() ?? 0
    let sum = files.reduce(0) { $0 + $1.size }
    for shards in Self.isWhole ? [4, 8, 16, 64, 256] : [4, 16, 64] {
      var line = "\(name), \(files.count) files, \(shards) shards:"
      for strategy in ShardStrategy.allCases {
        let found = ratios(files, shards, strategy)
        line += " \(strategy.rawValue) \(text(found.bytes)) (files \(text(found.files))"
        line += found.read.map { ", to read \(text($0)))" } ?? ")"
        if strategy == .size {
          line += " useful \(found.useful)"
          // The largest file is a lower bound, and the cost of a file shifts some bytes.
          let bound = max(1, Double(largest) * Double(shards) / Double(max(sum, 1)))
          #expect(found.bytes < 1.5 * bound + 0.25, "\(name), \(shards) shards")
        }
        if strategy == .count { #expect(found.files < 1.05 || files.count < 20 * shards) }
      }
      if Self.isWhole { print(line) }
    }
  }
}
