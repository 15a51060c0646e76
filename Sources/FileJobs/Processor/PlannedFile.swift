package import SystemPackage
internal import Weir

/// The size and the time of a file when its plan was made: an output, and later an item's note.
package struct PlannedFile: BitwiseCopyable, Hashable, Sendable {
  package let size: UInt64
  /// In nanoseconds since 1970.
  package let modified: Int64

  /// The error of a file that has another size or time than in its plan. It is no errno value
  /// of any system.
  package static let changed = Errno(rawValue: 0x57_0001)

  static let noteCount = 16

  /// The value of a name that is no regular file in the plan: it matches none.
  static let none = PlannedFile(size: .max, modified: 0)

  init(size: UInt64, modified: Int64) {
    self.size = size
    self.modified = modified
  }

  init?(note: UnsafeRawBufferPointer) {
    guard note.count == PlannedFile.noteCount || PlannedFile.place(in: note) != nil else {
      return nil
    }
    size = note.littleEndian(at: 0)
    modified = note.littleEndian(at: 8)
  }

  var note: [UInt8] {
    var note: [UInt8] = []
    note.append(littleEndian: size)
    note.append(littleEndian: modified)
    return note
  }

  /// Returns a note that has the place of the file in its plan, too.
  func note(place: UInt64) -> [UInt8] {
    var note = note
    note.append(littleEndian: place)
    return note
  }

  static func place(in note: UnsafeRawBufferPointer) -> UInt64? {
    note.count == noteCount + 8 ? note.littleEndian(at: noteCount) : nil
  }

  func matches(_ status: FileStatus) -> Bool {
    status.type == .file && status.size == size && status.modified.nanosecondsSince1970 == modified
  }

  /// Returns ``changed`` if the file is not as planned, or the error of its status.
  func error(at path: [UInt8]) -> Errno? {
    do throws(Errno) {
      let status = try LongPath.status(path + [0], followsLinks: true)
      return matches(FileStatus(status)) ? nil : PlannedFile.changed
    } catch {
      return error
    }
  }

  /// Throws ``changed`` if a file with a note is not as planned. A job that opens its files late
  /// passes false for `opens`, to ask for the status of the path.
  static func expect(_ file: borrowing OpenFile, opens: Bool = true) throws(Errno) {
    guard let planned = PlannedFile(note: file.lentNote) else { return }
    if !planned.matches(opens ? file.status : try file.pathStatus()) { throw changed }
  }
}

extension FileTime {
  /// The time in nanoseconds since 1970, clamped to the years 1677 to 2262.
  package var nanosecondsSince1970: Int64 {
    let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isBeyond) = product.addingReportingOverflow(Int64(nanoseconds))
    return isTooLarge || isBeyond ? (seconds < 0 ? .min : .max) : sum
  }
}
