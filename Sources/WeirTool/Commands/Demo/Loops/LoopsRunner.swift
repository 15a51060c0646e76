// Runs the loop in a form, and records which thread ran which block.

internal import Glibc
internal import Weir

/// Runs the loop.
///
/// A block writes its record at the place of its first index, so that no lock disturbs the
/// measurement.
///
/// @unchecked: one block writes a place, and the places are read after all blocks ended.
final class LoopsRunner: @unchecked Sendable {
  private struct Record {
    var thread: UInt = 0
    /// The end of the block; 0 if no block begins at this index.
    var end = 0
    var sum: UInt64 = 0
  }

  private struct Times {
    var begin: UInt64 = 0
    var end: UInt64 = 0
  }

  private let plan: LoopsPlan
  private let steps: Int
  private let records: UnsafeMutableBufferPointer<Record>
  /// The times of the blocks; empty without a trace.
  private let times: UnsafeMutableBufferPointer<Times>

  /// The maximum number of repetitions, and the nanoseconds after which none begins.
  private static let (repetitions, limit) = (5, UInt64(300_000_000))

  init(_ plan: LoopsPlan, isTraced: Bool) {
    self.plan = plan
    steps = LoopsWork.steps(nanoseconds: plan.work)
    records = .allocate(capacity: plan.count)
    records.initialize(repeating: Record())
    times = .allocate(capacity: isTraced ? plan.count : 0)
    times.initialize(repeating: Times())
  }

  deinit {
    records.deallocate()
    times.deallocate()
  }

  /// Runs the loop several times. Returns the fastest result.
  func best(_ form: LoopsForm) -> LoopsResult {
    var best = run(form)
    var spent = best.nanoseconds
    var repetitions = 1
    while repetitions < LoopsRunner.repetitions && spent < LoopsRunner.limit {
      let other = run(form)
      spent += other.nanoseconds
      repetitions += 1
      if other.nanoseconds < best.nanoseconds { best = other }
    }
    return best
  }

  /// Runs the loop once.
  private func run(_ form: LoopsForm) -> LoopsResult {
    records.update(repeating: Record())
    let indices = 0..<plan.count
    let (spent, begin) = (LoopsWork.now(CLOCK_PROCESS_CPUTIME_ID), LoopsWork.now())
    switch form {
    case .plain:
      run(indices)
    case .stride(let stride):
      concurrentLoop(indices, stride: .fixed(stride)) { block in run(block) }
    case .automatic:
      concurrentLoop(indices) { block in run(block) }
    }
    let end = LoopsWork.now()
    return result(
      form, begin: begin, end: end, spent: LoopsWork.now(CLOCK_PROCESS_CPUTIME_ID) - spent)
  }

  /// Runs a block, and records it.
  private func run(_ block: Range<Int>) {
    let begin = times.isEmpty ? 0 : LoopsWork.now()
    let sum = LoopsWork.run(block, steps: steps)
    records[block.lowerBound] = Record(
      thread: UInt(pthread_self()), end: block.upperBound, sum: sum)
    if !times.isEmpty {
      times[block.lowerBound] = Times(begin: begin, end: LoopsWork.now())
    }
  }

  /// Returns the result that the records give.
  private func result(
    _ form: LoopsForm, begin: UInt64, end: UInt64, spent: UInt64
  ) -> LoopsResult {
    let columns = plan.columns
    var shares = [LoopsShare(thread: 1, columns: columns)]
    var numbers = [UInt(pthread_self()): 0]
    var trace: [LoopsResult.Block] = []
    var sum: UInt64 = 0
    for (index, record) in records.enumerated() where record.end > 0 {
      let number = numbers[record.thread] ?? shares.count
      if number == shares.count {
        numbers[record.thread] = number
        shares.append(LoopsShare(thread: number + 1, columns: columns))
      }
      shares[number].add(index..<record.end, of: plan.count)
      sum &+= record.sum
      if !times.isEmpty {
        trace.append(
          LoopsResult.Block(
            thread: number + 1, range: index..<record.end, begin: times[index].begin - begin,
            end: times[index].end - begin))
      }
    }
    return LoopsResult(
      form: form, nanoseconds: end - begin, processorNanoseconds: spent,
      blocks: shares.reduce(0) { $0 + $1.blocks }, shares: shares.filter { $0.blocks > 0 },
      sum: sum, trace: trace)
  }
}
