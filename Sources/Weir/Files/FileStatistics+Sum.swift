// The figures of a run that is made of several.

extension FileStatistics {
  /// Those of no run.
  package static var none: FileStatistics { FileStatistics() }

  /// The figures of two runs, one behind the other.
  package static func + (first: FileStatistics, second: FileStatistics) -> FileStatistics {
    var sum = second
    sum.files += first.files
    sum.bytes += first.bytes
    sum.failed += first.failed
    sum.changed += first.changed
    sum.linked += first.linked
    sum.opened += first.opened
    sum.unread += first.unread
    sum.bytesExpected += first.bytesExpected
    sum.special += first.special
    sum.specialNamed += first.specialNamed
    sum.links += first.links
    sum.excluded += first.excluded
    sum.directories += first.directories
    sum.filtered += first.filtered
    sum.found += first.found
    sum.nanosecondsFeeding += first.nanosecondsFeeding
    sum.nanosecondsForDescriptors += first.nanosecondsForDescriptors
    sum.nanosecondsForReaders += first.nanosecondsForReaders
    sum.nanosecondsForLanes += first.nanosecondsForLanes
    sum.nanosecondsForDelivery += first.nanosecondsForDelivery
    sum.lanes = max(first.lanes, second.lanes)
    sum.lanesPeak = max(first.lanesPeak, second.lanesPeak)
    sum.descriptorsPeak = max(first.descriptorsPeak, second.descriptorsPeak)
    return sum
  }

  /// Says that another run follows, whatever this one has come to.
  package mutating func expectMore() {
    isFeeding = true
  }
}
