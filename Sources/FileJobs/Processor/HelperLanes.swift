internal import Weir

/// Lanes that read pieces of big files beside the lanes of a job. The first big file creates
/// them; most runs have none, and do not count the cores either, which takes 31 system calls.
package final class HelperLanes: Sendable {
  private let threads: @Sendable () -> Int?
  private let state = Locked(State())
  private struct State { var (count, lanes): (Int?, Lanes?) = (nil, nil) }

  /// The minimum size of a file that several threads read.
  private static let bigSize: Int64 = 8 << 20
  /// The number of bytes after which a lane asks for the size of a file: most are smaller.
  private static let askedAfter = 1 << 18

  /// - Parameter threads: The maximum number of threads for one file, with the lane of the
  ///   job, asked for when the first file may be big; `nil` for one per core.
  package init(threads: @escaping @autoclosure @Sendable () -> Int?) {
    self.threads = threads
  }

  convenience init(_ options: FileProcessorOptions) {
    self.init(threads: options.isInline ? 1 : options.jobs)
  }

  /// The maximum number of lanes that help with one file.
  var count: Int {
    state.with { state in
      if let count = state.count { return count }
      let threads = threads()
      let cores = threads == 1 ? 1 : Lanes.defaultWidth
      let count = min(max(min(threads ?? cores, cores) - 1, 0), Lanes.widthMax)
      state.count = count
      return count
    }
  }

  /// True if a file may be big, by the number of bytes read so far.
  func areWorthwhile(after byteCount: Int) -> Bool {
    byteCount >= HelperLanes.askedAfter && count > 0
  }

  /// Returns the lanes if a file is big. Asks for its status.
  func lanes(for file: borrowing OpenFile) -> Lanes? {
    let count = count
    guard count > 0, file.size >= HelperLanes.bigSize else { return nil }
    return state.with { state in
      let lanes = state.lanes ?? Lanes(label: "pieces", width: count)
      state.lanes = lanes
      return lanes
    }
  }
}
