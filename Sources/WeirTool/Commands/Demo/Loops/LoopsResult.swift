// The result of a loop in one form, and the share of each thread.

/// The indices that one thread ran.
struct LoopsShare: Sendable {
  /// The number of the thread. The caller is 1; the others follow in the order of their first
  /// blocks.
  let thread: Int
  var indices = 0
  var blocks = 0
  /// The first blocks, at most ``listedBlocks``.
  var first: [Range<Int>] = []
  /// The number of indices in each half of each column of the bar.
  var halves: [Int]

  /// The number of blocks that a sentence lists.
  static let listedBlocks = 3

  init(thread: Int, columns: Int) {
    self.thread = thread
    halves = Array(repeating: 0, count: columns * 2)
  }

  /// Adds a block of a loop of `count` indices.
  mutating func add(_ block: Range<Int>, of count: Int) {
    indices += block.count
    blocks += 1
    if first.count < LoopsShare.listedBlocks { first.append(block) }
    var index = block.lowerBound
    while index < block.upperBound {
      // The last half that begins at or before the index.
      let half = ((index + 1) * halves.count - 1) / count
      let end = min((half + 1) * count / halves.count, block.upperBound)
      halves[half] += end - index
      index = end
    }
  }

  /// Returns the text after a bar.
  static func text(indices: Int, blocks: Int) -> String {
    "\(Quantities.count(indices)) in \(Quantities.count(blocks, "block", "blocks"))"
  }
}

/// The result of a loop in one form.
struct LoopsResult: Sendable {
  /// A block, for the trace.
  struct Block: Sendable {
    let thread: Int
    let range: Range<Int>
    /// The begin and the end in nanoseconds after the begin of the loop.
    let begin: UInt64
    let end: UInt64
  }

  let form: LoopsForm
  let nanoseconds: UInt64
  /// The processor time of all threads.
  let processorNanoseconds: UInt64
  let blocks: Int
  /// The shares of the threads, in the order of their numbers.
  let shares: [LoopsShare]
  /// The sum of the work, equal for all forms.
  let sum: UInt64
  /// The blocks in the order of their indices; empty without a trace.
  var trace: [Block] = []

  /// The number of cores that the loop had on average: fewer than its threads if other
  /// programs use the cores too.
  var cores: Double { Double(processorNanoseconds) / Double(max(1, nanoseconds)) }

  /// Returns the number of indices of a loop in a column of its bar.
  static func width(of column: Int, of columns: Int, count: Int) -> Int {
    (column + 1) * count / columns - column * count / columns
  }
}
