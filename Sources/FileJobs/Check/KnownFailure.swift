// A failure that is known before a run begins: an open point of the ledger, or one of a state.
//
// DESIGN. A failure ends only when the content was read and is right. So a run that does not read
// such a file, because its budget is used up or it reads no contents, reports it all the same.

internal import Weir

/// A failure that earlier runs have left.
package struct KnownFailure: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// Rot, as the ledger says.
    case rot = 1
    /// The file is gone, as the ledger says.
    case gone
    /// The file failed when it was last verified, as the state says.
    case failed
  }

  package let kind: Kind
  /// The time since which the ledger has the point, or at which the file failed last, in seconds
  /// since 1970; 0 if it is unknown.
  package let time: UInt32

  init?(kind: UInt8, time: UInt32) {
    guard let kind = Kind(rawValue: kind) else { return nil }
    (self.kind, self.time) = (kind, time)
  }

  init(failedAt time: UInt32) { (kind, self.time) = (.failed, time) }

  init(_ point: OpenPoint) {
    kind = point.kind == .rot ? .rot : .gone
    time = point.since
  }
}
