// A loop to show, and the ways to run it.

/// A way to run the loop.
enum LoopsForm: Hashable, Sendable {
  /// An ordinary `for`.
  case plain
  /// So many indices a block.
  case stride(Int)
  /// Weir chooses as it goes.
  case automatic

  var name: String {
    switch self {
    case .plain: "plain loop"
    case .stride(let stride): "stride \(Quantities.count(stride))"
    case .automatic: "automatic"
    }
  }
}

/// The loop that was asked for.
struct LoopsPlan: Sendable {
  let count: Int
  let stride: Int
  /// Of an index, in nanoseconds.
  let work: Int
  /// How many cores this process may use.
  let cores: Int

  /// All ways, in the order in which they are shown.
  var forms: [LoopsForm] {
    [.plain] + Set([1, stride, 64]).sorted().map { .stride($0) } + [.automatic]
  }

  /// How many blocks a form makes; `nil` where that is found out as it runs.
  func blocks(_ form: LoopsForm) -> Int? {
    switch form {
    case .plain: 1
    case .stride(let stride): (count - 1) / stride + 1
    case .automatic: nil
    }
  }

  /// How many columns a bar has, so that what stands behind it fits as well.
  var columns: Int {
    let longest = LoopsShare.text(indices: count, blocks: count).count
    return min(count, 50, 80 - LoopsDrawing.margin - longest)
  }
}
