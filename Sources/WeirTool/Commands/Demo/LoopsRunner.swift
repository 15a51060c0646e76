// Runs the loop, and takes notes of who ran what.

internal import Glibc
internal import Weir

/// Runs a loop in one way and another.
///
/// What a block leaves behind is written where its first index has its place, so
/// that no lock is in the way of what is measured.
///
/// @unchecked: a place is written by one block, and read when all are over.
final class LoopsRunner: @unchecked Sendable {
  private struct Note {
    var thread: UInt = 0
    /// 0 where no block begins.
    var end = 0
    var result: UInt64 = 0
  }

  private struct Times {
    var begin: UInt64 = 0
    var end: UInt64 = 0
  }

  private let plan: LoopsPlan
  private let steps: Int
  private let notes: UnsafeMutableBufferPointer<Note>
  /// Empty where nobody asks for the times of blocks.
  private let times: UnsafeMutableBufferPointer<Times>

  /// Of some runs the quickest counts: so many, where they do not take long.
  private static let (rounds, patience) = (5, UInt64(300_000_000))

  init(_ plan: LoopsPlan, isTraced: Bool) {
    self.plan = plan
    steps = LoopsWork.steps(nanoseconds: plan.work)
    notes = .allocate(capacity: plan.count)
    notes.initialize(repeating: Note())
    times = .allocate(capacity: isTraced ? plan.count : 0)
    times.initialize(repeating: Times())
  }

  deinit {
    notes.deallocate()
    times.deallocate()
  }

  /// The quickest of some runs.
  func best(_ form: LoopsForm) -> LoopsRun {
    var best = run(form)
    var spent = best.nanoseconds
    var rounds = 1
    while rounds < LoopsRunner.rounds && spent < LoopsRunner.patience {
      let other = run(form)
      spent += other.nanoseconds
      rounds += 1
      if other.nanoseconds < best.nanoseconds { best = other }
    }
    return best
  }

  /// One run.
  func run(_ form: LoopsForm) -> LoopsRun {
    notes.update(repeating: Note())
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
    return read(
      form, begin: begin, end: end, spent: LoopsWork.now(CLOCK_PROCESS_CPUTIME_ID) - spent)
  }

  /// A block.
  private func run(_ block: Range<Int>) {
    let begin = times.isEmpty ? 0 : LoopsWork.now()
    let result = LoopsWork.run(block, steps: steps)
    notes[block.lowerBound] = Note(
      thread: UInt(pthread_self()), end: block.upperBound, result: result)
    if !times.isEmpty {
      times[block.lowerBound] = Times(begin: begin, end: LoopsWork.now())
    }
  }

  // MARK: What was noted

  private func read(
    _ form: LoopsForm, begin: UInt64, end: UInt64, spent: UInt64
  ) -> LoopsRun {
    let columns = plan.columns
    var shares = [LoopsShare(thread: 1, columns: columns)]
    var numbers = [UInt(pthread_self()): 0]
    var trace: [LoopsRun.Block] = []
    var result: UInt64 = 0
    for (index, note) in notes.enumerated() where note.end > 0 {
      let number = numbers[note.thread] ?? shares.count
      if number == shares.count {
        numbers[note.thread] = number
        shares.append(LoopsShare(thread: number + 1, columns: columns))
      }
      shares[number].add(index..<note.end, of: plan.count)
      result &+= note.result
      if !times.isEmpty {
        trace.append(
          LoopsRun.Block(
            thread: number + 1, range: index..<note.end, begin: times[index].begin - begin,
            end: times[index].end - begin))
      }
    }
    return LoopsRun(
      form: form, nanoseconds: end - begin, processorNanoseconds: spent,
      blocks: shares.reduce(0) { $0 + $1.blocks }, shares: shares.filter { $0.blocks > 0 },
      result: result, trace: trace)
  }
}
