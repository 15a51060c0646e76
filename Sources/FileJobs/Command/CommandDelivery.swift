// The delivery of what a run finds and of its commands, each in its turn.
//
// DESIGN. A command that has ended is logged at once, and its lane takes the next one: only the
// delivery waits. 64 ends wait in memory and all others in the spool, at some 30 bytes each. With a
// log, an end is in the spool before its line is in the log. The command whose turn it is passes
// its output on as it comes. A lane that has ended a command waits for the thread that delivers: so
// a slow reader of the output slows the commands, and the disk does not fill. Rejected: the order
// of the file processor, with room for 64 commands.

internal import SystemPackage
package import Weir

/// Takes a piece of the output of the command whose turn it is.
package typealias CommandOutputReceiver =
  @Sendable (ChildProcess.Stream, UnsafeRawBufferPointer) throws -> Void

final class CommandDelivery: Sendable {
  /// The takers of what is delivered, called one at a time.
  struct Receiver: Sendable {
    let event: @Sendable (CommandEvent) throws -> Void
    let record: @Sendable (CommandPartEntry) throws -> Void
    /// `nil` to deliver all output with the records.
    let output: CommandOutputReceiver?
  }

  private enum Entry: Sendable {
    case event(CommandEvent)
    case record(CommandPartEntry)
  }

  private struct State {
    var receiver: Receiver?
    /// The last turn that was assigned, and the turn of what is delivered next.
    var (last, turn): (UInt64, UInt64) = (0, 1)
    /// The entries that wait in memory, and the places of those that wait in the spool, by turn.
    var kept: [UInt64: Entry] = [:]
    var places: [UInt64: Int] = [:]
    /// The running commands whose output may be passed on.
    var running: [UInt64: CommandOutput] = [:]
    /// The streams in which the command whose turn it is has passed on a line without its end.
    var openLines: Set<ChildProcess.Stream> = []
    var failure: (any Error)?
    /// The number of commands that were delivered at the end of the run.
    var rest: UInt64 = 0
  }

  private let state = Locked(State())
  /// Held by the thread that delivers. A Bool, not (): for a value without a size ThreadSanitizer
  /// reports an access to the object's first bytes.
  private let delivering = Locked(true)
  private let spool: OutputSpool
  private let log: JobLog?
  private let template: CommandTemplate
  private let isOrdered: Bool
  private let onFailure: @Sendable () -> Void

  private static let keptMost = 64

  /// - Parameter isOrdered: True if turns are in the order of the items, false if in that of the
  ///   ends.
  init(
    _ spool: OutputSpool, _ log: JobLog?, _ template: CommandTemplate, isOrdered: Bool,
    onFailure: @escaping @Sendable () -> Void
  ) {
    (self.spool, self.log, self.template) = (spool, log, template)
    (self.isOrdered, self.onFailure) = (isOrdered, onFailure)
  }

  /// The error because of which nothing more is delivered.
  var failure: (any Error)? { state.with { $0.failure } }
  /// Moves while the rest of a run is delivered.
  var rest: UInt64 { state.with { $0.rest } }

  /// Begins a run: delivers what an earlier run has logged and not delivered.
  func begin(_ receiver: Receiver) throws {
    state.with { state -> Void in
      state = State()
      state.receiver = receiver
    }
    guard let log, spool.isNamed else { return }
    for place in try spool.attributing({ () throws(Errno) in try spool.recover() })
    where log.isContinued {
      try receiver.record(try read(place))
      spool.release(place)
    }
    spool.remove()
  }

  func reserve() -> UInt64 {
    state.with { state in
      state.last += 1
      return state.last
    }
  }

  func add(_ event: CommandEvent) {
    let turn = reserve()
    state.with { $0.kept[turn] = .event(event) }
    drain()
  }

  /// Notes that a command runs whose output may be passed on when its turn comes.
  func start(_ turn: UInt64, _ output: CommandOutput) {
    guard isOrdered else { return }
    state.with { $0.running[turn] = output }
    drain()
  }

  /// Notes that a command was ended early. If it has passed output on, ends the line in which that is
  /// cut, and delivers `Errno.canceled` as its outcome, which is neither counted nor logged.
  func cut(_ turn: UInt64, _ invocation: CommandInvocation) {
    let output = state.with { $0.running.removeValue(forKey: turn) }
    guard let output, output.complete(), output.count > 0 else { return }
    delivering.with { _ in
      let (receiver, open) = state.with { ($0.failure == nil ? $0.receiver : nil, $0.openLines) }
      let entry = CommandPartEntry(
        invocation: invocation, outcome: .lost(Errno.canceled.rawValue))
      do {
        for stream in open {
          try [UInt8(ascii: "\n")].withUnsafeBytes { try receiver?.output?(stream, $0) }
        }
        try receiver?.record(entry)
      } catch {
        fail(error)
      }
    }
  }

  /// Logs a command that has ended, and delivers what has its turn.
  ///
  /// Blocks: while another thread delivers.
  func finish(_ record: CommandPartEntry, turn given: UInt64) throws(CommandFailure) {
    state.with { $0.running[given] = nil }
    let turn = isOrdered ? given : reserve()
    let isPassed = record.output?.complete() ?? false
    // A part of its output may be lost.
    if isPassed && failure != nil { return }
    let result = record.result(template)
    let isFull = state.with { $0.kept.count >= CommandDelivery.keptMost }
    let mustStay = spool.isNamed && !isPassed && (record.output?.count ?? 0) > 0
    if isFull || mustStay {
      let place = try spool.attributing { () throws(Errno) in
        try spool.append(record.pack(), turn: turn)
      }
      if let log, let result { try log.append(result) }
      state.with { $0.places[turn] = place }
    } else {
      if let log, let result { try log.append(result) }
      state.with { $0.kept[turn] = .record(record) }
    }
    drain()
  }

  /// Delivers what has its turn, and lets the running command that has it pass on its output.
  private func drain() {
    delivering.with { _ in
      do { while try deliverNext(followsGap: false) {} } catch { fail(error) }
    }
  }

  /// Ends the run: delivers what has ended, also after a command that has not. What could not be
  /// delivered stays in the file of the log.
  func end() {
    let turns = state.with { ($0.kept.keys + Array($0.places.keys)).sorted() }
    var followsGap = false
    do {
      for turn in turns where failure == nil {
        state.with { state -> Void in
          followsGap = followsGap || turn != state.turn
          (state.turn, state.rest) = (turn, state.rest + 1)
        }
        _ = try deliverNext(followsGap: followsGap)
      }
    } catch {
      fail(error)
    }
    state.with { $0.rest = 0 }
    if failure == nil { spool.remove() }
  }

  /// Returns false if what has the turn has not ended.
  private func deliverNext(followsGap: Bool) throws -> Bool {
    let (turn, kept, place, running, receiver) = state.with { state in
      (
        state.turn, state.kept.removeValue(forKey: state.turn),
        state.places.removeValue(forKey: state.turn), state.running[state.turn],
        state.failure == nil ? state.receiver : nil
      )
    }
    guard let receiver else { return false }
    switch try kept ?? place.map({ .record(try read($0)) }) {
    case .event(let event): try receiver.event(event)
    case .record(var record):
      record.followsGap = followsGap
      try receiver.record(record)
    case nil:
      guard let running, let receive = receiver.output else { return false }
      try running.attach { [self] stream, bytes in
        let isInLine = bytes.last != UInt8(ascii: "\n")
        state.with { state -> Void in
          if isInLine { state.openLines.insert(stream) } else { state.openLines.remove(stream) }
        }
        do { if failure == nil { try receive(stream, bytes) } } catch { fail(error) }
      }
      return false
    }
    if let place { spool.release(place) }
    state.with { ($0.turn, $0.openLines) = (turn + 1, []) }
    return true
  }

  private func read(_ place: Int) throws(CommandFailure) -> CommandPartEntry {
    try spool.attributing { () throws(Errno) in
      let record = try spool.content(place).withUnsafeBytes { CommandPartEntry(packed: $0, spool) }
      guard let record else { throw .ioError }
      return record
    }
  }

  private func fail(_ error: any Error) {
    state.with { $0.failure = $0.failure ?? error }
    onFailure()
  }
}
