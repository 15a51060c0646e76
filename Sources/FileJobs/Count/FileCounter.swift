// DESIGN. The counts of two pieces can be joined wherever the cut is (count.h), so all idle
// lanes count a big file. Lanes read the pieces, not a loop of libdispatch, which would start
// its event loop and take three descriptors.

internal import CFileKernels
package import SystemPackage
package import Weir

package struct FileCounter: Sendable {
  private let columns: CountColumns
  private let charset: kernel_charset_t
  private let what: UInt32
  private let helpers: HelperLanes
  /// True if bytes are wrong exactly if those of wc are.
  private let missesAsWC: Bool

  /// - Parameters:
  ///   - threads: The maximum number of threads for one big file; `nil` for one per core.
  ///   - usesLocale: True for the characters of the locale of the process (LC_CTYPE), which are
  ///     bytes without a call such as `setlocale(LC_ALL, "")`; false for UTF-8.
  ///   - missesAsWC: True to reproduce an error of wc: if only bytes are counted and the
  ///     descriptor's offset is not 0, wc counts a wrong number.
  package init(
    _ columns: CountColumns, threads: @escaping @autoclosure @Sendable () -> Int? = nil,
    usesLocale: Bool, missesAsWC: Bool = false
  ) {
    self.columns = columns
    self.missesAsWC = missesAsWC
    charset = usesLocale ? kernel_charset() : KERNEL_CHARSET_UTF8
    var what: UInt32 = 0
    if columns.contains(.lines) { what |= UInt32(KERNEL_COUNT_LINES) }
    if columns.contains(.words) { what |= UInt32(KERNEL_COUNT_WORDS) }
    if columns.contains(.longestLine) { what |= UInt32(KERNEL_COUNT_LONGEST) }
    if columns.contains(.characters) && charset != KERNEL_CHARSET_BYTES {
      what |= UInt32(KERNEL_COUNT_CHARACTERS)
    }
    self.what = what
    let isSlow = charset == KERNEL_CHARSET_OTHER
    helpers = HelperLanes(threads: isSlow ? 1 : threads())
  }

  /// Counts the rest of a file. After an error `counts` has the part that was read.
  ///
  /// Blocks: as the file system does.
  package func count(_ file: borrowing OpenFile, into counts: inout Counts) throws(Errno) {
    if what == 0 { return try countBytes(file, into: &counts) }
    var count = kernel_count_t()
    defer { counts = Counts(count, hasCharacters: charset != KERNEL_CHARSET_BYTES) }
    var hasAsked = false
    var size = 0
    while let piece = try file.readPiece() {
      kernel_count_add(&count, charset, what, piece.baseAddress, piece.count)
      size += piece.count
      if !hasAsked && helpers.areWorthwhile(after: size) {
        hasAsked = true
        try countRest(file, into: &count)
      }
    }
  }

  private func countRest(
    _ file: borrowing OpenFile, into count: inout kernel_count_t
  ) throws(Errno) {
    guard let lanes = helpers.lanes(for: file) else { return }
    let (charset, what) = (charset, what)
    var rest = try file.concurrentReduce(
      on: lanes, helpers: helpers.count, partial: { _ in kernel_count_t() }
    ) { (part, bytes) throws(Errno) in
      kernel_count_add(&part, charset, what, bytes.baseAddress, bytes.count)
    } combine: { (sum, next) throws(Errno) in
      withUnsafePointer(to: next) { kernel_count_join(&sum, charset, $0) }
    }
    kernel_count_join(&count, charset, &rest)
  }

  private func countBytes(
    _ file: borrowing OpenFile, into counts: inout Counts
  ) throws(Errno) {
    defer { counts.characters = counts.bytes }
    if kernel_count_skip(file.descriptor.rawValue, missesAsWC, &counts.bytes) { return }
    while let piece = try file.readPiece() { counts.bytes += UInt64(piece.count) }
  }

  var needsBytesAlone: Bool { what == 0 }
}

extension Counts {
  init(_ count: kernel_count_t, hasCharacters: Bool) {
    lines = count.lines
    bytes = count.bytes
    characters = hasCharacters ? count.characters : count.bytes
    withUnsafePointer(to: count) { count in
      words = kernel_count_words(count)
      longestLine = kernel_count_longest(count)
    }
  }
}
