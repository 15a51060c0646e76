// The width of the columns of wc.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage

/// The width of the columns of wc, which is fixed before anything is read. It is the
/// width of the sum of the sizes of all regular files, since no count is larger. It is at
/// least seven if a name is not a regular file, and one if only one number is written.
///
/// A list of names counts if it is a regular file of at most ten million bytes. A larger
/// list is read only when its names are needed, and does not change the width.
struct CountWidth {
  private var total: UInt64 = 0
  private var hasOther = false

  /// The size of the largest list that wc reads ahead.
  static let listMax = 10 << 20
  private static let widthOfOthers = 7

  /// The width without any file.
  init() {}

  /// The width for regular files of these bytes together, and possibly others.
  init(total: UInt64, hasOther: Bool) {
    self.total = total
    self.hasOther = hasOther
  }

  var value: Int { max(String(total).utf8.count, hasOther ? CountWidth.widthOfOthers : 1) }

  /// Adds a file, if it exists.
  mutating func add(_ status: stat?) {
    guard let status else { return }
    if status.isRegularFile {
      total += UInt64(max(0, status.st_size))
    } else {
      hasOther = true
    }
  }

  /// Returns the status of a path; `nil` if it does not exist.
  static func status(of path: UnsafeRawBufferPointer) -> stat? {
    var status = stat()
    return path.withPath { stat($0, &status) } == 0 ? status : nil
  }

  static func status(of descriptor: Int32) -> stat? {
    try? stat(of: FileDescriptor(rawValue: descriptor))
  }
}
