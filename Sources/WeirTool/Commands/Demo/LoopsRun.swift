// What became of a loop that was run.

/// What one thread ran of it.
struct LoopsShare: Sendable {
  /// 1 is the thread that called; the others are numbered by their first blocks.
  let thread: Int
  var indices = 0
  var blocks = 0
  /// The first of its blocks.
  var first: [Range<Int>] = []
  /// How many indices of each column of the bar.
  var columns: [Int]

  /// So many of its blocks are told.
  static let told = 3

  init(thread: Int, columns: Int) {
    self.thread = thread
    self.columns = Array(repeating: 0, count: columns)
  }

  /// What stands behind the bar.
  static func text(indices: Int, blocks: Int) -> String {
    "\(Quantities.count(indices)) in \(Quantities.count(blocks, "block", "blocks"))"
  }
}

/// A loop that was run in one way.
struct LoopsRun: Sendable {
  /// A block, for the trace.
  struct Block: Sendable {
    let thread: Int
    let range: Range<Int>
    /// In nanoseconds, from the beginning of the loop.
    let begin: UInt64
    let end: UInt64
  }

  let form: LoopsForm
  let nanoseconds: UInt64
  /// How long processors worked for it, all together.
  let processorNanoseconds: UInt64
  let blocks: Int
  /// By thread.
  let shares: [LoopsShare]
  /// The same for every form.
  let result: UInt64
  /// Empty where nothing is traced.
  var trace: [Block] = []

  /// How many cores it had: where others want them too, fewer than it has threads.
  var cores: Double { Double(processorNanoseconds) / Double(max(1, nanoseconds)) }

  /// How many indices of a loop lie in a column of its bar.
  static func width(of column: Int, of columns: Int, count: Int) -> Int {
    (column + 1) * count / columns - column * count / columns
  }
}

extension LoopsShare {
  /// Adds a block to it.
  mutating func add(_ block: Range<Int>, of count: Int) {
    indices += block.count
    blocks += 1
    if first.count < LoopsShare.told { first.append(block) }
    var index = block.lowerBound
    while index < block.upperBound {
      // The last column that begins at the index or before it.
      let column = ((index + 1) * columns.count - 1) / count
      let end = min((column + 1) * count / columns.count, block.upperBound)
      columns[column] += end - index
      index = end
    }
  }
}
