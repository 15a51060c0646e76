// A line of wc.

internal import FileJobs

/// Writes counts as wc does: in columns as wide as the widest can be, and the name
/// behind them.
///
/// A name with a newline in it is quoted as GNU's tools quote names in messages,
/// unless lines end in NUL.
struct CountLine: Sendable {
  let columns: CountColumns
  private let width: Int
  private let isZeroTerminated: Bool
  private let hasName: Bool

  private static let newline = UInt8(ascii: "\n")

  /// - Parameters:
  ///   - columns: What is written.
  ///   - width: How wide the columns are, at least.
  ///   - isZeroTerminated: Whether lines end in NUL.
  ///   - hasName: Whether there are names: standard input has none where nothing is
  ///     named.
  init(_ columns: CountColumns, width: Int, isZeroTerminated: Bool = false, hasName: Bool = true) {
    self.columns = columns
    self.width = width
    self.isZeroTerminated = isZeroTerminated
    self.hasName = hasName
  }

  /// Whether lines are ended by a NUL.
  var endsInNull: Bool { isZeroTerminated }

  /// The counts that are asked for, in wc's order, with what JSON calls them.
  func numbers(of counts: Counts) -> [(name: String, value: UInt64)] {
    let all: [(column: CountColumns, name: String, value: UInt64)] = [
      (.lines, "lines", counts.lines), (.words, "words", counts.words),
      (.characters, "characters", counts.characters), (.bytes, "bytes", counts.bytes),
      (.longestLine, "longest", counts.longestLine),
    ]
    return all.filter { columns.contains($0.column) }.map { ($0.name, $0.value) }
  }

  /// Adds a line.
  func append(_ counts: Counts, _ name: UnsafeRawBufferPointer?, to out: inout [UInt8]) {
    var isFirst = true
    append(counts.lines, .lines, &isFirst, to: &out)
    append(counts.words, .words, &isFirst, to: &out)
    append(counts.characters, .characters, &isFirst, to: &out)
    append(counts.bytes, .bytes, &isFirst, to: &out)
    append(counts.longestLine, .longestLine, &isFirst, to: &out)
    if hasName, let name {
      out.append(UInt8(ascii: " "))
      if !isZeroTerminated && name.contains(CountLine.newline) {
        out += QuotedName.bytes(of: name)
      } else {
        out.append(contentsOf: name)
      }
    }
    out.append(isZeroTerminated ? 0 : CountLine.newline)
  }

  private func append(
    _ number: UInt64, _ column: CountColumns, _ isFirst: inout Bool, to out: inout [UInt8]
  ) {
    guard columns.contains(column) else { return }
    if !isFirst { out.append(UInt8(ascii: " ")) }
    isFirst = false
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var begin = digits.count
      var rest = number
      repeat {
        begin -= 1
        digits[begin] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      for _ in 0..<max(0, width - (digits.count - begin)) { out.append(UInt8(ascii: " ")) }
      out.append(contentsOf: digits[begin...])
    }
  }
}
