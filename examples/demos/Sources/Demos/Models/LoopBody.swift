// The body of a loop: rows of work for the processor.
//
// DESIGN. A row is computed, and never a wait for the clock: two threads that share a core take
// twice the time. The unit is an iteration of z² + c. The iterations of each row are known before the
// loop runs, so the work of any run can be counted afterwards: a row that was left out, or drawn
// twice, shows. views/loops/model.js computes the same rows.

/// The rows of a picture of the Mandelbrot set, whose work differs, or rows of the same work.
/// @unchecked: each row is written by the block that has it.
final class LoopBody: @unchecked Sendable {
  enum Kind: String {
    case mandelbrot
    case even
  }

  /// The nanoseconds of an iteration on the simulated machine: measured once, on an AMD EPYC.
  static let simulatedNanoseconds = 2.6
  /// The iterations after which a point counts as one of the set.
  private static let limit = 32
  /// Each row counts in a cache line of its own.
  private static let line = 64 / MemoryLayout<Int>.stride

  let kind: Kind
  let rows: Int
  /// The points of a row of the picture, or the iterations of an even row.
  let size: Int
  /// The iterations of each row.
  let iterations: [Int]
  private let drawn: UnsafeMutableBufferPointer<Int>

  init(_ kind: Kind, rows: Int, size: Int) {
    (self.kind, self.rows, self.size) = (kind, rows, size)
    iterations = (0..<rows).map { Self.iterations(kind, $0, rows, size) }
    drawn = .allocate(capacity: rows * Self.line)
    drawn.initialize(repeating: 0)
  }

  deinit { drawn.deallocate() }

  /// Returns a body whose rows take so many nanoseconds on average.
  static func calibrated(
    _ kind: Kind, rows: Int, nanoseconds: Int, on machine: any Machine
  ) -> LoopBody {
    let trial = LoopBody(kind, rows: min(rows, 256), size: 64)
    let iterations = trial.iterations.reduce(0, +)
    var cost = simulatedNanoseconds
    if !machine.isSimulated {
      let times = (0..<5).map { _ in
        let begin = machine.now
        trial.draw(0..<trial.rows)
        return machine.now - begin
      }
      cost = Double(times.min() ?? 0) / Double(iterations)
    }
    let unit = cost * Double(iterations) / Double(trial.rows * trial.size)
    return LoopBody(
      kind, rows: rows, size: max(1, Int((Double(nanoseconds) / unit).rounded())))
  }

  /// Computes rows.
  func draw(_ range: Range<Int>) {
    for row in range { drawn[row * Self.line] &+= Self.iterations(kind, row, rows, size) }
  }

  /// True if each row has been drawn so many times, each time with all of its iterations.
  func isDrawn(times: Int) -> Bool {
    iterations.indices.allSatisfy { drawn[$0 * Self.line] == times * iterations[$0] }
  }

  /// The seconds of rows on the simulated machine.
  func seconds(_ range: Range<Int>) -> Double {
    Double(iterations[range].reduce(0, +)) * Self.simulatedNanoseconds / 1e9
  }

  @inline(__always)
  private static func iterations(_ kind: Kind, _ row: Int, _ rows: Int, _ size: Int) -> Int {
    let height = (Double(row) + 0.5) / Double(rows)
    // A point of the set, which no iteration leaves.
    guard kind == .mandelbrot else { return escape(-0.1, height / 1e3, size) }
    var sum = 0
    for column in 0..<size {
      let x = -2.2 + 2.9 * (Double(column) + 0.5) / Double(size)
      // The picture ends a little below the axis of the set: its last rows have the most work.
      sum += escape(x, 1.3 - 1.4 * height, limit)
    }
    return sum
  }

  /// The iterations until z² + c leaves the circle of radius 2.
  @inline(__always)
  private static func escape(_ realPart: Double, _ imaginaryPart: Double, _ limit: Int) -> Int {
    var (x, y, count) = (0.0, 0.0, 0)
    while count < limit && x * x + y * y <= 4 {
      (x, y) = (x * x - y * y + realPart, 2 * x * y + imaginaryPart)
      count += 1
    }
    return count
  }
}
