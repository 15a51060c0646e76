// A scope that holds permits of a gate, and lends them to the children of its maps.

/// A scope that holds permits of a gate: ``Gate/withPermits(_:timeout:_:)`` or a child of
/// a map within a gate.
///
/// DESIGN. A scope has two purposes. A task that waits for more permits than its gate has
/// left, while it holds all permits in use, waits for itself: the scopes let the gate
/// report that error. And a map within a gate, nested in another map within the same
/// gate, would wait for the permits of its own callers, which wait for the inner map. So a
/// scope lends its permits to the children of a map that its task waits for. At any depth
/// of nesting, as many elements are in progress as there are permits, and each map can go
/// on with its loans.
///
/// A child takes a permit of the gate or a loan, whichever comes first. A task waits for
/// its ``PermitRequest`` only; a returned loan ends such a request and takes its place.
///
/// A task-local value holds the scope; child tasks and unstructured tasks inherit it. But
/// only the task that opened the scope is known to do nothing else while it waits, so no
/// other task gets a loan or is reported as waiting for itself. A scope may end while a
/// loan is in use, in a group that outlives the scope: that loan returns to the gate.
final class Holding: Sendable {
  /// The innermost scope of the current task.
  @TaskLocal static var current: Holding?

  private struct Loans {
    var isOpen = true
    var free: Int
    /// The requests of children that would also take a loan, longest wait first.
    var waiting: [PermitRequest] = []
  }

  private let gate: Gate
  private let count: Int
  private let task: Int?
  private let outer: Holding?
  private let loans: Locked<Loans>

  /// Begins a scope of the current task, which has obtained permits.
  init(_ gate: Gate, _ count: Int) {
    self.gate = gate
    self.count = count
    task = Holding.thisTask
    // An inherited scope is dropped: no code asks for it, and tasks that start their
    // successors would build an endless chain.
    outer = Holding.current.flatMap { $0.isOpen && $0.task == Holding.thisTask ? $0 : nil }
    loans = Locked(Loans(free: count))
  }

  /// Ends the scope.
  ///
  /// - Returns: The number of permits to release now. A loan in use is released by its
  ///   borrower.
  func close() -> Int {
    loans.with { loans in
      let free = loans.free
      loans = Loans(isOpen: false, free: 0)
      return free
    }
  }

  // MARK: Finding scopes

  /// A Boolean value that indicates whether the scope is open. While it is, its task lives,
  /// and no other task has the same number.
  private var isOpen: Bool { loans.with { $0.isOpen } }

  /// The number of the current task, unique among living tasks.
  private static var thisTask: Int? {
    withUnsafeCurrentTask { $0?.hashValue }
  }

  /// Returns the innermost scope, opened by the current task, that holds permits of a gate.
  static func lender(of gate: Gate) -> Holding? {
    firstOwn(of: gate, from: current)
  }

  /// Returns the number of permits of a gate that scopes of the current task hold.
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

  /// Takes a loan if one is free.
  func borrow() -> Bool {
    loans.with { loans in
      if loans.free == 0 { return false }
      loans.free -= 1
      return true
    }
  }

  /// Lets a request that C has accepted also end with a loan.
  func offer(to request: PermitRequest) {
    let isFree = loans.with { loans in
      if loans.free == 0 {
        if loans.isOpen { loans.waiting.append(request) }
        return false
      }
      loans.free -= 1
      return true
    }
    if isFree && !request.finish(.lent) { returnLoan() }
  }

  /// Withdraws a decided request, which needs no loan.
  func withdraw(_ request: PermitRequest) {
    loans.with { loans in loans.waiting.removeAll { $0 === request } }
  }

  /// Returns a loan: to the request that waits longest, to this scope, or to the gate if
  /// the scope has ended.
  func returnLoan() {
    while true {
      switch takeReturnedLoan() {
      case .kept: return
      case .ended: return gate.release(1)
      case .wanted(let request): if request.finish(.lent) { return }
      }
    }
  }

  private enum Return {
    case kept, ended
    case wanted(PermitRequest)
  }

  private func takeReturnedLoan() -> Return {
    loans.with { loans in
      if !loans.isOpen { return .ended }
      if !loans.waiting.isEmpty { return .wanted(loans.waiting.removeFirst()) }
      loans.free += 1
      return .kept
    }
  }
}
