// Memberships of a group, each of which leaves once.

internal import Synchronization

extension WorkGroup {
  /// A unit of outstanding work in a group. It leaves the group once: by a call, or at the end
  /// of its scope.
  ///
  ///     func fetch(in group: WorkGroup) {
  ///       let membership = group.enter()
  ///       print("fetching")
  ///       membership.leave()
  ///     }
  ///
  /// Leaving twice does not compile. An escaping closure uses an ``OwnedMembership``. There is no
  /// corresponding C type.
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

    /// Leaves the group, which keeps the error of the work unless there was an earlier one. Blocks:
    /// no. The corresponding C function is `weir_group_leave`.
    public consuming func leave(throwing error: (any Error)? = nil) {
      self.error = error
    }

    /// Returns the same membership as an object, for escaping closures. Blocks: no. There is no
    /// corresponding C function.
    public consuming func owned() -> OwnedMembership {
      isHandedOn = true
      return OwnedMembership(group)
    }
  }

  /// A ``Membership`` that closures can share. It leaves the group once: with the first call,
  /// or with the last reference.
  ///
  ///     import Dispatch
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
      leave()
    }

    /// Leaves the group, which keeps the error of the work unless there was an earlier one. After
    /// an earlier call it has no effect. Blocks: no. The corresponding C function is
    /// `weir_group_leave`.
    public func leave(throwing error: (any Error)? = nil) {
      if !hasLeft.exchange(true, ordering: .acquiringAndReleasing) {
        group.leave(with: error)
      }
    }
  }
}
