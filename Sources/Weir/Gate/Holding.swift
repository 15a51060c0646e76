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
/// on with its loans. `withPermit` in a scope of the same task gets a loan too, so that a
/// function may take a permit whether its caller holds one or not. `withPermits` gets none:
/// its count is of further things, such as descriptors or memory. Rejected: to return the
/// permit while the inner map runs (the outer element would queue again in its middle), and to
/// count the inner elements as part of the outer one (the bound would multiply).
///
/// Rejected: to return the permit while the inner map runs (others could take it), and to count
/// the inner elements as part of the outer one (the bound would multiply).
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

  /// The origin of the permits of a scope.
  enum Source {
    case gate
    /// A loan of an outer scope of the same task.
    case ownTask(Holding?)
    /// A loan of a scope of the task that waits for this one.
    case waitingTask(Holding?)
  }

  private let gate: Gate
  private let count: Int
  private let lender: Holding?
  /// The number of permits that no outer scope of the same task holds too.
  private let countOfItsOwn: Int
  private let task: Int?
  private let outer: Holding?
  private let loans: Locked<Loans>

  /// Begins a scope of the current task, which has obtained permits.
  init(_ gate: Gate, _ count: Int, _ source: Source) {
    self.gate = gate
    self.count = count
    switch source {
    case .gate: (lender, countOfItsOwn) = (nil, count)
    case .ownTask(let scope): (lender, countOfItsOwn) = (scope, 0)
    case .waitingTask(let scope): (lender, countOfItsOwn) = (scope, count)
    }
    task = Holding.thisTask
    // An inherited scope is dropped: no code asks for it, and tasks that start their
    // successors would build an endless chain.
    outer = Holding.current.flatMap { $0.isOpen && $0.task == Holding.thisTask ? $0 : nil }
    loans = Locked(Loans(free: count))
  }

  /// Ends the scope, and returns its permits to the gate or to the lender. A loan in use is
  /// returned by its borrower.
  func end() {
    let free = loans.with { loans in
      let free = loans.free
      loans = Loans(isOpen: false, free: 0)
      return free
    }
    if let lender {
      for _ in 0..<free { lender.returnLoan() }
    } else {
      gate.release(free)
    }
  }

  // MARK: Finding scopes

  /// A Boolean value that indicates whether the scope is open. While it is, its task lives,
  /// and no other task has the same number.
  private var isOpen: Bool { loans.with { $0.isOpen } }

  /// The number of the current task, or of the task that it is a deputy of.
  fileprivate static var thisTask: Int? {
    let number = Deputy.numberOfTask
    return Deputy.current?.client(of: number) ?? number
  }

  /// Returns the innermost scope, opened by the current task, that holds permits of a gate.
  static func lender(of gate: Gate) -> Holding? {
    firstOwn(of: gate, from: current)
  }

  /// Returns the number of permits of a gate that scopes of the current task hold.
  static func held(of gate: Gate) -> Int {
    var (holding, count) = (lender(of: gate), 0)
    while let this = holding {
      count += this.countOfItsOwn
      holding = firstOwn(of: gate, from: this.outer)
    }
    return count
  }

  /// Takes a permit as a loan of a scope, opened by the current task, and returns the scope.
  static func borrow(from gate: Gate) -> Holding? {
    var holding = lender(of: gate)
    while let this = holding, !this.borrow() {
      holding = firstOwn(of: gate, from: this.outer)
    }
    return holding
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

/// A child task that works on behalf of its parent, which only waits for it: the parent's
/// scopes count as the child's.
final class Deputy: Sendable {
  @TaskLocal fileprivate static var current: Deputy?

  private let clientNumber: Int?
  /// The number of the child while it works. Tasks that inherit the deputy differ from it.
  private let ownNumber = Locked<Int?>(nil)

  /// Created by the parent.
  init() {
    clientNumber = Holding.thisTask
  }

  /// Runs `body` in the child.
  func run<R: Sendable>(_ body: @Sendable () async throws -> R) async throws -> R {
    ownNumber.with { $0 = Deputy.numberOfTask }
    defer { ownNumber.with { $0 = nil } }
    return try await Deputy.$current.withValue(self) { try await body() }
  }

  /// Returns the number of the parent, if the task of this number is the child.
  fileprivate func client(of number: Int?) -> Int? {
    ownNumber.with { $0 != nil && $0 == number } ? clientNumber : nil
  }

  /// The number of the current task, unique among living tasks.
  fileprivate static var numberOfTask: Int? {
    withUnsafeCurrentTask { $0?.hashValue }
  }
}
