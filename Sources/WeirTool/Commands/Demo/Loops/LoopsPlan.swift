// The loop to show, and the forms in which it runs.

/// A form of the loop.
enum LoopsForm: Hashable, Sendable {
  /// An ordinary `for` loop.
  case plain
  /// A fixed number of indices per block.
  case stride(Int)
  /// Strides that Weir chooses during the run.
  case automatic

  var name: String {
    switch self {
    case .plain: "plain loop"
    case .stride(let stride): "stride \(Quantities.count(stride))"
    case .automatic: "automatic"
    }
  }
}

/// The loop of the command line.
struct LoopsPlan: Sendable {
  let count: Int
  let stride: Int
  /// The work of an index, in nanoseconds.
  let work: Int
  /// The number of cores that this process may use.
  let cores: Int
  /// The longest line, in columns.
  var width = 80

  /// All forms, in the order in which they run.
  var forms: [LoopsForm] {
    [.plain] + Set([1, stride, 64]).sorted().map { .stride($0) } + [.automatic]
  }

  /// Returns the number of blocks of a form; `nil` if the run decides it.
  func blocks(_ form: LoopsForm) -> Int? {
    switch form {
    case .plain: 1
    case .stride(let stride): (count - 1) / stride + 1
    case .automatic: nil
    }
  }

  /// The number of columns of a bar, which leaves room for the text after the bar.
  var columns: Int {
    let longest = LoopsShare.text(indices: count, blocks: count).count
    return max(1, min(count, 50, width - LoopsText.margin - longest))
  }
}
