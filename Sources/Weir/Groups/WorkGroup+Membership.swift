// What leaves a group once.

internal import Synchronization

extension WorkGroup {
  /// One thing that is outstanding in a group. It leaves the group once: when it is
  /// told to, or when it goes out of scope.
  ///
  ///     func fetch(in group: WorkGroup) {
  ///       let membership = group.enter()
  ///       print("fetching")
  ///       membership.leave()
  ///     }
  ///
  /// Leaving twice does not compile. A closure that escapes can hold a membership,
  /// but cannot say when to leave: it makes an ``OwnedMembership`` of it.
  ///
  /// There is no corresponding C type.
  public struct Membership: ~Copyable, Sendable {
    private let group: WorkGroup
    private var error: (any Error)?
    private var isHandedOn = false

    init(_ group: WorkGroup) {
      self.group = group
    }

    deinit {
      if !isHandedOn {
        group.leave(with: error)
      }
    }

    /// Leaves the group, now and not at the end of the scope.
    ///
    /// - Complexity: O(1).
    ///
    /// Blocks: no.
    ///
    /// The corresponding C function is `weir_group_leave`.
    public consuming func leave() {}

    /// Leaves the group with an error, which becomes the group's unless another
    /// came first.
    ///
    ///     func fetch(in group: WorkGroup) {
    ///       let membership = group.enter()
    ///       membership.leave(throwing: CancellationError())
    ///     }
    ///
    /// - Parameter error: What went wrong.
    ///
    /// - Complexity: O(1).
    ///
    /// Blocks: no.
    ///
    /// The corresponding C function is `weir_group_leave`.
    public consuming func leave(throwing error: any Error) {
      self.error = error
    }

    /// The same membership as an object, for closures that escape.
    ///
    ///     func fetch(in group: WorkGroup, on queue: DispatchQueue) {
    ///       let membership = group.enter().owned()
    ///       queue.async { membership.leave() }
    ///     }
    ///
    /// - Returns: What leaves the group now, in the place of this one.
    ///
    /// - Complexity: O(1).
    ///
    /// Blocks: no.
    ///
    /// There is no corresponding C function.
    public consuming func owned() -> OwnedMembership {
      isHandedOn = true
      return OwnedMembership(group)
    }
  }

  /// A ``Membership`` that closures can share. It leaves the group once: when it
  /// is first told to, or when the last reference goes.
  ///
  ///     func fetch(in group: WorkGroup, on queue: DispatchQueue) {
  ///       let membership = group.enter().owned()
  ///       queue.async { membership.leave() }
  ///     }
  ///
  /// There is no corresponding C type.
  public final class OwnedMembership: Sendable {
    private let group: WorkGroup
    private let hasLeft = Atomic(false)

    init(_ group: WorkGroup) {
      self.group = group
    }

    deinit {
      leave(with: nil)
    }

    /// Leaves the group, unless that has been done.
    ///
    /// - Complexity: O(1).
    ///
    /// Blocks: no.
    ///
    /// The corresponding C function is `weir_group_leave`.
    public func leave() {
      leave(with: nil)
    }

    /// Leaves the group with an error, which becomes the group's unless another
    /// came first. Nothing happens where it has been left.
    ///
    /// - Parameter error: What went wrong.
    ///
    /// - Complexity: O(1).
    ///
    /// Blocks: no.
    ///
    /// The corresponding C function is `weir_group_leave`.
    public func leave(throwing error: any Error) {
      leave(with: error)
    }

    private func leave(with error: (any Error)?) {
      if !hasLeft.exchange(true, ordering: .acquiringAndReleasing) {
        group.leave(with: error)
      }
    }
  }
}
