// What has become of each name of a plan.

struct UpdateOutcomes {
  let items: SortedRuns
  let results: SortedRuns

  /// Calls a closure with each name, what has been done for it, and the content that was read,
  /// which only ``UpdateItem/Step/read`` has. A new file that could not be read is left out.
  func forEach(_ body: (UpdateItem, UpdateItem.Step, ReadContent?) throws -> Void) throws {
    let (reader, resultReader) = (items.makeReader(), results.makeReader())
    var result = try resultReader.next()
    while let record = try reader.next() {
      let item = UpdateItem(record)
      var read: UnsafeRawBufferPointer?
      if item.step == .read, let head = result, case let count = head.keyCount,
        head[..<count].rebased.hasSameBytes(as: item.place)
      {
        read = head[(count + 1)...].rebased
      }
      let content = content(of: item, read)
      let isRead = item.step == .read || item.step == .known
      let step = !isRead ? item.step : content != nil ? .read : isMissing(read) ? .gone : .kept
      let isKnown =
        switch step {
        case .unchanged, .kept, .gone: item.record != nil
        default: true
        }
      if isKnown { try body(item, step, content) }
      if read != nil { result = try resultReader.next() }
    }
  }

  /// Returns the content of a file that was read, in this run or in the one that it continues.
  private func content(of item: UpdateItem, _ result: UnsafeRawBufferPointer?) -> ReadContent? {
    if item.step == .known {
      return item.known.map { known in
        ReadContent(known, isSame: item.record?.hasContent(of: known) ?? false)
      }
    }
    guard let result, result[0] == UpdateOutcomes.read,
      var content = ReadContent(result[1...].rebased)
    else { return nil }
    if item.header.isDescriptor { content.isTimed = false }
    return content
  }

  private func isMissing(_ result: UnsafeRawBufferPointer?) -> Bool {
    result?[0] == UpdateOutcomes.missing
  }

  /// The first byte of a result: its kind. The content follows.
  static let (failed, missing, read) = (UInt8(0), UInt8(1), UInt8(2))
}
