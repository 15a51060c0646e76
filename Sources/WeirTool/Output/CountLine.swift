internal import FileJobs
internal import WeirLibC

/// A line in the format of wc: counts in columns of one width, then the name.
///
/// A name that contains a newline is quoted as in messages of the GNU tools, unless
/// lines end in NUL.
struct CountLine: Sendable {
  let columns: CountColumns
  private let width: Int
  let isZeroTerminated: Bool
  private let hasName: Bool

  private static let newline = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")

  /// - Parameters:
  ///   - width: The smallest width of a column.
  ///   - hasName: False for standard input without an operand.
  init(_ columns: CountColumns, width: Int, isZeroTerminated: Bool = false, hasName: Bool = true) {
    self.columns = columns
    self.width = width
    self.isZeroTerminated = isZeroTerminated
    self.hasName = hasName
  }

  /// The counts in the order of wc, with their JSON keys.
  private static let all:
    [(column: CountColumns, name: String, value: @Sendable (Counts) -> UInt64)] = [
      (.lines, "lines", \.lines), (.words, "words", \.words),
      (.characters, "characters", \.characters), (.bytes, "bytes", \.bytes),
      (.longestLine, "longest", \.longestLine),
    ]

  /// Returns the counts that are written, with their JSON keys.
  func numbers(of counts: Counts) -> [(name: String, value: UInt64)] {
    CountLine.all.filter { columns.contains($0.column) }.map { ($0.name, $0.value(counts)) }
  }

  func append(_ counts: Counts, _ name: UnsafeRawBufferPointer?, to out: inout [UInt8]) {
    let begin = out.count
    for (column, _, value) in CountLine.all where columns.contains(column) {
      if out.count > begin { out.append(CountLine.space) }
      let digits = String(value(counts)).utf8
      out += repeatElement(CountLine.space, count: max(0, width - digits.count))
      out += digits
    }
    if hasName, let name {
      out.append(CountLine.space)
      if !isZeroTerminated && name.contains(CountLine.newline) {
        out += QuotedName.bytes(of: name)
      } else {
        out.append(contentsOf: name)
      }
    }
    out.append(isZeroTerminated ? 0 : CountLine.newline)
  }
}

extension CountColumns {
  var count: Int { rawValue.nonzeroBitCount }
}

/// The width of the columns of wc, which is fixed before anything is read. It is the
/// width of the sum of the sizes of all regular files, since no count is larger. It is at
/// least seven if a name is not a regular file, and one if only one number is written.
///
/// A list of names counts if it is a regular file of at most ten million bytes. A larger
/// list is read only when its names are needed, and does not change the width.
extension PlanNamedInputs {
  /// The size of the largest list that wc reads ahead.
  static let listMax = 10 << 20
  private static let widthOfOthers = 7

  mutating func add(_ status: stat?) {
    guard let status else { return }
    if status.isRegularFile {
      bytes &+= UInt64(max(0, status.st_size))
    } else {
      hasOther = true
    }
  }

  func width(of columns: CountColumns) -> Int {
    if isSingle && columns.count == 1 { return 1 }
    return max(String(bytes).utf8.count, hasOther ? PlanNamedInputs.widthOfOthers : 1)
  }
}
