// The shard that a process works on, and the words on its origin.

/// The shard that a process works on.
struct ShardChoice: Equatable {
  /// The shard, from 0.
  let index: Int
  /// The number of shards if the origin names it.
  let count: Int?
  /// The origin, such as `slurm array 20_3, attempt 1, node n2`.
  let words: String
  /// The origin without its details, such as `slurm array`, `--shard` or `WEIR_SHARD`.
  let engine: String
  /// The attempt of this shard, from 1, as far as the launcher counts attempts.
  let attempt: Int
  /// The name of this machine in the cluster.
  let node: String

  /// Returns the beginning of the line that a run prints at its start.
  func line(of shards: Int) -> String { "shard \(index)/\(shards) (\(words))" }
}

/// A shard as words name it: `K/N`, or `K` alone.
struct ShardNumber: Equatable {
  let index: Int
  let count: Int?

  /// Returns the numbers of the text; `nil` if it has another form.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let index = ShardNumber.number(parts[0]) else { return nil }
    self.index = index
    guard parts.count == 2 else {
      count = nil
      return
    }
    guard let count = ShardNumber.number(parts[1]), count > 0 else { return nil }
    self.count = count
  }

  /// Returns the number that digits write; `nil` for any other text.
  static func number(_ text: some StringProtocol) -> Int? {
    let isDigits = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isDigits ? Int(text) : nil
  }
}
