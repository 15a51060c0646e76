// What a task holds of a gate, and what it lends its children.

internal import CWeir

/// Permits of a gate that are held by a scope: ``Gate/withPermits(_:timeout:_:)``
/// or a child of a map within a gate.
///
/// It serves two ends. A task that waits for more permits than its gate has
/// left, while it holds all that are out, waits for itself: that can be told.
/// And a map within a gate, inside of another map within the same gate, would
/// wait for the permits that its own callers hold, each of which only waits for
/// its inner map: so a scope lends what it holds to the children of a map that
/// its task waits for. Whatever is nested, as many elements are worked on as
/// there are permits, and each map can always go on with what it was lent.
///
/// A child takes a permit of the gate or a loan, whichever comes first. A task
/// waits for one thing only, its ``PermitRequest``; a loan that comes back ends
/// such a request and takes its place.
///
/// Scopes are found by a task-local value, which child tasks and unstructured
/// ones inherit. But only the task that opened a scope is known to do nothing
/// else while it waits: so nobody else is lent anything, or told that he waits
/// for himself. And a scope may end while a loan of it is still out, in a group
/// that outlives it: what is out then goes back to the gate by itself.
final class Holding: Sendable {
  /// The innermost scope of the current task.
  @TaskLocal static var current: Holding?

  private struct Loans {
    var isOpen = true
    var free: Int
    /// Requests of children that would take a loan as well, longest first.
    var waiting: [PermitRequest] = []
  }

  private let gate: Gate
  private let count: Int
  private let task: Int?
  private let outer: Holding?
  private let loans: Locked<Loans>

  /// Begins a scope of the current task that has obtained permits.
  init(_ gate: Gate, _ count: Int) {
    self.gate = gate
    self.count = count
    task = Holding.thisTask
    // Not what was only inherited: nobody asks for it, and tasks that start their
    // successors would make an endless chain of it.
    outer = Holding.current.flatMap { $0.isOpen && $0.task == Holding.thisTask ? $0 : nil }
    loans = Locked(Loans(free: count))
  }

  /// Ends the scope.
  ///
  /// - Returns: How many permits are to be given back; what is lent comes back
  ///   by itself.
  func close() -> Int {
    loans.with { loans in
      let free = loans.free
      loans = Loans(isOpen: false, free: 0)
      return free
    }
  }

  // MARK: Finding scopes

  /// While it is, its task lives, and no other has the same number.
  private var isOpen: Bool { loans.with { $0.isOpen } }

  /// Tells tasks that live at the same time apart.
  private static var thisTask: Int? {
    withUnsafeCurrentTask { $0?.hashValue }
  }

  /// The innermost scope of this very task that holds permits of a gate.
  static func lender(of gate: Gate) -> Holding? {
    firstOwn(of: gate, from: current)
  }

  /// How many permits of a gate this very task holds in scopes.
  static func held(of gate: Gate) -> Int {
    var (holding, count) = (firstOwn(of: gate, from: current), 0)
    while let this = holding {
      count += this.count
      holding = firstOwn(of: gate, from: this.outer)
    }
    return count
  }

  private static func firstOwn(of gate: Gate, from start: Holding?) -> Holding? {
    guard start != nil, let task = thisTask else { return nil }
    var holding = start
    while let this = holding, this.task == task, this.isOpen {
      if this.gate === gate && this.count > 0 { return this }
      holding = this.outer
    }
    return nil
  }

  // MARK: Lending

  /// Takes a loan if there is one.
  func borrow() -> Bool {
    loans.with { loans in
      if loans.free == 0 { return false }
      loans.free -= 1
      return true
    }
  }

  /// Lets a request, of which C has been asked, end with a loan too.
  func offer(to request: PermitRequest) {
    let isFree = loans.with { loans in
      if loans.free == 0 {
        if loans.isOpen { loans.waiting.append(request) }
        return false
      }
      loans.free -= 1
      return true
    }
    if isFree && !request.finish(.lent) { giveBack() }
  }

  /// A request has been decided and wants no loan any more.
  func withdraw(_ request: PermitRequest) {
    loans.with { loans in loans.waiting.removeAll { $0 === request } }
  }

  /// A loan is over: it goes to whoever waits longest, or lies here, or, where
  /// the scope has ended, back to the gate.
  func giveBack() {
    while true {
      switch takeBack() {
      case .kept: return
      case .ended: return gate.giveBack(1)
      case .wanted(let request): if request.finish(.lent) { return }
      }
    }
  }

  private enum Return {
    case kept, ended
    case wanted(PermitRequest)
  }

  private func takeBack() -> Return {
    loans.with { loans in
      if !loans.isOpen { return .ended }
      if !loans.waiting.isEmpty { return .wanted(loans.waiting.removeFirst()) }
      loans.free += 1
      return .kept
    }
  }
}
