// What may have to be done about a task that waits at a gate for long.

internal import CWeir
internal import Dispatch

/// When a wait is to end.
enum Deadline {
  case time(DispatchTime)
  case wallTime(DispatchWallTime)

  /// `nil` for a wait that never gives up.
  init?(_ time: DispatchTime) {
    if time == .distantFuture { return nil }
    self = .time(time)
  }

  init?(_ time: DispatchWallTime) {
    if time == .distantFuture { return nil }
    self = .wallTime(time)
  }
}

/// The timer of a task that waits: for its time-out, or, where it never gives up
/// and holds permits of the same gate, for a look whether it waits for itself.
///
/// Only those who need one have one: libdispatch opens three descriptors for the
/// first timer of a process.
final class Alarms {
  /// How long nothing must have happened before a wait for oneself is told: a
  /// resize might come. As long as in C.
  private static let patience = DispatchTimeInterval.seconds(2)
  private static let queue = DispatchQueue(label: "weir.alarms")

  private let timer: any DispatchSourceTimer
  private var selfWait: SelfWait?

  /// - Parameters:
  ///   - watched: The gate, if the task holds permits of it.
  init?(_ deadline: Deadline?, watched: Gate?, _ request: PermitRequest, _ count: Int) {
    switch (deadline, watched) {
    case (nil, nil):
      return nil
    case (.time(let time)?, _):
      timer = DispatchSource.makeTimerSource(queue: Self.queue)
      timer.schedule(deadline: time)
      timer.setEventHandler { request.finish(.timedOut) }
    case (.wallTime(let time)?, _):
      timer = DispatchSource.makeTimerSource(queue: Self.queue)
      timer.schedule(wallDeadline: time)
      timer.setEventHandler { request.finish(.timedOut) }
    case (nil, let gate?):
      timer = DispatchSource.makeTimerSource(queue: Self.queue)
      timer.schedule(deadline: .now() + Self.patience, repeating: Self.patience)
      let watch = SelfWait(gate, held: Holding.held(of: gate), count: count)
      selfWait = watch
      timer.setEventHandler { watch.pathStatus() }
    }
    timer.activate()
  }

  func stop() {
    timer.cancel()
    selfWait?.end()
  }
}

/// A task that holds permits of a gate and waits for more of them, without end.
///
/// Where all that are out are held by such tasks, nobody can give any back.
private final class SelfWait: Sendable {
  private let gate: Gate
  private let held: Int
  private let count: Int

  init(_ gate: Gate, held: Int, count: Int) {
    self.gate = gate
    self.held = held
    self.count = count
    gate.selfWaits.with { waits in
      waits.tasks += 1
      waits.held += held
    }
  }

  func end() {
    gate.selfWaits.with { waits in
      waits.tasks -= 1
      waits.held -= held
    }
  }

  /// Called while the task still waits.
  func pathStatus() {
    let waits = gate.selfWaits.with { $0 }
    let now = gate.statistics
    guard now.inUse == waits.held && now.waiting >= waits.tasks else { return }
    misuse(
      waits.tasks == 1
        ? "the gate \"\(gate.label)\" was asked to wait for \(count) permits by the task that holds "
          + "\(held) of its \(now.permits), which waits for itself for ever; take all that a task "
          + "needs at once"
        : "the gate \"\(gate.label)\" was asked to wait for \(count) permits by a task that holds "
          + "\(held) of its \(now.permits); all that are out are held by \(waits.tasks) tasks that "
          + "wait for more, and for each other for ever; take all that a task needs at once")
  }
}

/// How many tasks wait at a gate of which they hold permits, and how many those
/// hold.
struct SelfWaits: Sendable {
  var tasks = 0
  var held = 0
}
