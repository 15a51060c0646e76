// What has become of each name of a plan.

internal import Weir

enum UpdateOutcome {
  case directory
  case link
  case unchanged(InventoryEntry)
  case content(ReadContent)
  /// The file could not be read: its record stays.
  case kept(InventoryEntry)
  case gone(InventoryEntry)
  case unlinked
  /// A file without a record that could not be read, or is not there any more.
  case nothing
}

struct UpdateOutcomes {
  let items: SortedRuns
  let results: SortedRuns

  func forEach(_ body: (UpdateItem, UpdateOutcome) throws -> Void) throws {
    let (reader, resultReader) = (items.makeReader(), results.makeReader())
    var result = try resultReader.next()
    while let record = try reader.next() {
      let item = UpdateItem(record)
      var read: UnsafeRawBufferPointer?
      if item.step == .read, let head = result, case let count = head.keyCount,
        UnsafeRawBufferPointer(rebasing: head[..<count]).hasSameBytes(as: item.place)
      {
        read = UnsafeRawBufferPointer(rebasing: head[(count + 1)...])
      }
      try body(item, outcome(of: item, read))
      if read != nil { result = try resultReader.next() }
    }
  }

  private func outcome(of item: UpdateItem, _ result: UnsafeRawBufferPointer?) -> UpdateOutcome {
    switch (item.step, item.record) {
    case (.directory, _): .directory
    case (.link, _): .link
    case (.unlinked, _): .unlinked
    case (.unchanged, let record?): .unchanged(record)
    case (.kept, let record?): .kept(record)
    case (.gone, let record?): .gone(record)
    case (.read, let record): outcome(read: result, item, record)
    case (.known, let record):
      item.known.map { known in
        .content(ReadContent(known, isSame: record?.hasContent(of: known) ?? false))
      } ?? .nothing
    case (.unchanged, nil), (.kept, nil), (.gone, nil): .nothing
    }
  }

  /// Returns the outcome of a result: a byte with its kind, and the content.
  private func outcome(
    read result: UnsafeRawBufferPointer?, _ item: UpdateItem, _ record: InventoryEntry?
  ) -> UpdateOutcome {
    let kind = result?[0] ?? UpdateOutcomes.failed
    if kind == UpdateOutcomes.missing { return record.map { .gone($0) } ?? .nothing }
    guard kind == UpdateOutcomes.read, let result,
      var content = ReadContent(UnsafeRawBufferPointer(rebasing: result[1...]))
    else { return record.map { .kept($0) } ?? .nothing }
    if item.header.isDescriptor { content.isTimed = false }
    return .content(content)
  }

  static let (failed, missing, read) = (UInt8(0), UInt8(1), UInt8(2))
}
