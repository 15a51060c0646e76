// Sets of shards as ranges: the form in which a command line submits them again.

/// Sets of shards as text.
enum ShardRanges {
  /// Returns ascending numbers as ranges, such as `1,4-5`: the form of `sbatch --array`,
  /// `bsub -J` and `qsub -J`.
  ///
  /// - Parameters:
  ///   - base: The number of the first shard in the text.
  ///   - separator: The text between two ranges.
  static func text(_ shards: some Sequence<Int>, base: Int = 0, separator: String = ",") -> String {
    ranges(shards).map { range in
      let first = range.lowerBound + base
      return range.count == 1 ? "\(first)" : "\(first)-\(range.upperBound + base)"
    }.joined(separator: separator)
  }

  /// Returns the ranges of ascending numbers.
  static func ranges(_ shards: some Sequence<Int>) -> [ClosedRange<Int>] {
    var ranges: [ClosedRange<Int>] = []
    for shard in shards {
      if let last = ranges.last, shard - 1 <= last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, shard)
      } else {
        ranges.append(shard...shard)
      }
    }
    return ranges
  }
}
