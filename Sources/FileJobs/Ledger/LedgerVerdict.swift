/// The difference between a file and its record in the ledger.
package enum LedgerVerdict: UInt8, Sendable {
  case same
  /// The time has changed, the content has not.
  case touched
  /// The content has changed, and so has the size or the time.
  case edited
  /// The content has changed, the size and the time have not.
  case rot
  /// The ledger has no record of the name.
  case new
  /// The ledger has the file, and it is not there.
  case gone
  /// An open point is settled: the content is the recorded one again.
  case back
  /// A new name has the content of a file that is gone.
  case moved
  /// A symbolic link has another target.
  case relinked
  /// A symbolic link is not there any more.
  case unlinked

  /// True if the verdict is an open point of the ledger.
  package var isOpen: Bool { self == .rot || self == .gone }

  /// Judges a file whose content is known; `record` is `nil` if its name has none.
  init(_ record: InventoryEntry?, _ content: ReadContent) {
    guard let record else {
      self = .new
      return
    }
    let (size, time) = (content.entry.size, content.time)
    // A record from a line of text has neither size nor time.
    let hasStatus = record.size != nil && record.time != nil && time != nil
    if content.isSame {
      let isTouched = hasStatus && !record.matches(size, time)
      self = record.open != nil ? .back : isTouched ? .touched : .same
    } else {
      self = hasStatus && record.matches(size, time) ? .rot : .edited
    }
  }
}

/// The content of a file that was read: the output of the job, and what an interrupted run has read.
struct ReadContent {
  let entry: InventoryEntry
  /// True if the content is that of the record of the file's name.
  let isSame: Bool
  let isDashFile: Bool
  /// False if the time proves nothing.
  var isTimed: Bool

  var time: FileTime? { isTimed ? entry.time : nil }

  init(_ entry: InventoryEntry, isSame: Bool, isDashFile: Bool = false, isTimed: Bool = true) {
    (self.entry, self.isSame, self.isDashFile) = (entry, isSame, isDashFile)
    self.isTimed = isTimed
  }

  var capacity: Int { 1 + entry.count }

  func write(to line: inout LineWriter) {
    line.append(UInt8(isSame ? 1 : 0) | (isDashFile ? 2 : 0) | (isTimed ? 4 : 0))
    entry.write(to: &line)
  }

  /// Reads the output of a job; `nil` if it is empty.
  init?(_ bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty { return nil }
    self.init(
      InventoryEntry(bytes[1...].rebased), isSame: bytes[0] & 1 != 0,
      isDashFile: bytes[0] & 2 != 0, isTimed: bytes[0] & 4 != 0)
  }
}
