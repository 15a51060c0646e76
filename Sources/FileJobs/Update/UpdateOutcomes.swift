// What has become of each name of a plan.

internal import Weir

/// The content of a file of an update.
struct UpdateContent {
  let digests: RecordDigests
  /// True if it is that of the record of the file's name.
  let isSame: Bool
  let size: UInt64
  /// The time; `nil` if it proves nothing.
  let time: FileTime?
}

enum UpdateOutcome {
  case directory
  case link
  case unchanged(RecordDigests)
  case content(UpdateContent)
  /// The file could not be read: its record stays.
  case kept(LedgerEntry)
  case gone(LedgerEntry)
  case unlinked
  /// A file without a record that could not be read, or is not there any more.
  case nothing
}

/// The items of a plan in step with the results of reading.
struct UpdateOutcomes {
  private let items: SortedRuns
  private let results: SortedRuns
  private let indices: AlgorithmIndices

  init(_ items: SortedRuns, _ results: SortedRuns, _ indices: AlgorithmIndices) {
    (self.items, self.results, self.indices) = (items, results, indices)
  }

  /// Calls a closure with each item, the key of its place, and its outcome.
  func forEach(
    _ body: (_ place: UnsafeRawBufferPointer, UpdateItem, UpdateOutcome) throws -> Void
  ) throws {
    let (reader, resultReader) = (items.makeReader(), results.makeReader())
    var result = try resultReader.next()
    while let record = try reader.next() {
      let count = LedgerKeys.count(in: record)
      let place = UnsafeRawBufferPointer(rebasing: record[..<count])
      let item = UpdateItem(UnsafeRawBufferPointer(rebasing: record[count...]))
      var read: UnsafeRawBufferPointer?
      if item.step == .read, let head = result, head.count > count,
        UnsafeRawBufferPointer(rebasing: head[..<count]).hasSameBytes(as: place)
      {
        read = UnsafeRawBufferPointer(rebasing: head[count...])
      }
      try body(place, item, outcome(of: item, read))
      if read != nil { result = try resultReader.next() }
    }
  }

  private func outcome(of item: UpdateItem, _ result: UnsafeRawBufferPointer?) -> UpdateOutcome {
    switch (item.step, item.record) {
    case (.directory, _): .directory
    case (.link, _): .link
    case (.unchanged, _): .unchanged(item.digests)
    case (.kept, let record?): .kept(record)
    case (.gone, let record?): .gone(record)
    case (.unlinked, _): .unlinked
    case (.known, let record): item.known.map { .content(content(known: $0, record)) } ?? .nothing
    case (.read, let record): outcome(read: result, item, record)
    case (.kept, nil), (.gone, nil): .nothing
    }
  }

  /// Returns the outcome of a result: a byte with its kind, and the content.
  private func outcome(
    read result: UnsafeRawBufferPointer?, _ item: UpdateItem, _ record: LedgerEntry?
  ) -> UpdateOutcome {
    guard let result else { return record.map { .kept($0) } ?? .nothing }
    switch (result[0], ReadContent(UnsafeRawBufferPointer(rebasing: result[1...]))) {
    case (UpdateOutcomes.read, let content?):
      return .content(
        UpdateContent(
          digests: RecordDigests(rest: content.rest, indices: indices.bytes),
          isSame: content.isSame, size: content.size,
          time: item.header.isDescriptor ? nil : content.time))
    case (UpdateOutcomes.missing, _): return record.map { .gone($0) } ?? .nothing
    default: return record.map { .kept($0) } ?? .nothing
    }
  }

  /// The kinds of results.
  static let (failed, missing, read) = (UInt8(0), UInt8(1), UInt8(2))

  /// Returns the content that the run before has read.
  private func content(known: LedgerEntry, _ record: LedgerEntry?) -> UpdateContent {
    let digests = known.digests
    let isSame =
      record.map { record in
        digests.algorithms.allSatisfy { algorithm in
          digests.digest(algorithm).map { record.digests.permits(algorithm, $0) } ?? true
        }
      } ?? false
    return UpdateContent(
      digests: digests, isSame: isSame, size: known.size ?? 0, time: known.time)
  }
}
