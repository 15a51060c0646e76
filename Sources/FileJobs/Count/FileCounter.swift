// Counting one file.

internal import CFileKernels
public import SystemPackage
public import Weir

/// Counts what is in files, for jobs of one's own; ``CountJob`` is one that is ready.
///
///     let counter = FileCounter([.lines, .words])
///     let job = try FileProcessor { (file) throws(Errno) in
///       var counts = Counts()
///       try counter.count(file, into: &counts)
///       return counts.words
///     }
///
/// What characters and words are is a matter of the locale (LC_CTYPE) that the
/// process has taken, as `setlocale(LC_ALL, "")` takes it: without that, characters
/// are bytes.
public struct FileCounter: Sendable {
  private let columns: CountColumns
  private let charset: kernel_charset_t
  private let what: UInt32
  private let helpers: Helpers
  /// Whether bytes are wrong where wc has them wrong.
  private let missesAsWC: Bool

  /// From so much on that is left of a file, others help.
  private static let bigSize: Int64 = 8 << 20

  /// Makes a counter.
  ///
  /// - Parameters:
  ///   - columns: What to count.
  ///   - threads: How many threads may count one big file; `nil` for as many as there
  ///     are cores.
  ///   - missesAsWC: Whether bytes, where they alone are counted of a descriptor that
  ///     does not stand at the beginning of its file, are as wrong as wc has them.
  public init(_ columns: CountColumns, threads: Int? = nil, missesAsWC: Bool = false) {
    self.columns = columns
    self.missesAsWC = missesAsWC
    charset = kernel_charset()
    var what: UInt32 = 0
    if columns.contains(.lines) { what |= UInt32(KERNEL_COUNT_LINES) }
    if columns.contains(.words) { what |= UInt32(KERNEL_COUNT_WORDS) }
    if columns.contains(.longestLine) { what |= UInt32(KERNEL_COUNT_LONGEST) }
    if columns.contains(.characters) && charset != KERNEL_CHARSET_BYTES {
      what |= UInt32(KERNEL_COUNT_CHARACTERS)
    }
    self.what = what
    let cores = Lanes.defaultWidth
    helpers = Helpers(charset == KERNEL_CHARSET_OTHER ? 0 : min(threads ?? cores, cores) - 1)
  }

  /// Counts what is left of a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - counts: Where the counts go: also those of what was read before an error.
  /// - Throws: What reading throws.
  ///
  /// Blocks: as the file system does.
  public func count(_ file: borrowing OpenFile, into counts: inout Counts) throws(Errno) {
    if what == 0 { return try countBytes(file, into: &counts) }
    var count = kernel_count_t()
    defer { counts = Counts(count, hasCharacters: charset != KERNEL_CHARSET_BYTES) }
    var hasAsked = false
    while let piece = try file.read() {
      kernel_count_add(&count, charset, what, piece.baseAddress, piece.count)
      if !hasAsked && piece.count >= FileCounter.bufferMin {
        hasAsked = true
        try countRest(file, into: &count)
      }
    }
  }

  /// No file that fits into the smallest of the lanes' buffers is big.
  private static let bufferMin = 1 << 18

  /// What is left behind the first piece, where that is much.
  private func countRest(
    _ file: borrowing OpenFile, into count: inout kernel_count_t
  ) throws(Errno) {
    guard file.size >= FileCounter.bigSize, let lanes = helpers.lanes else { return }
    let (charset, what) = (charset, what)
    var rest = try file.concurrentReduce(
      into: kernel_count_t(), on: lanes, helpers: helpers.count
    ) { (part, bytes) throws(Errno) in
      kernel_count_add(&part, charset, what, bytes.baseAddress, bytes.count)
    } combine: { (sum, next) throws(Errno) in
      withUnsafePointer(to: next) { kernel_count_join(&sum, charset, $0) }
    }
    kernel_count_join(&count, charset, &rest)
  }

  /// Bytes alone.
  private func countBytes(
    _ file: borrowing OpenFile, into counts: inout Counts
  ) throws(Errno) {
    defer { counts.characters = counts.bytes }
    if kernel_count_skip(file.descriptor.rawValue, missesAsWC, &counts.bytes) { return }
    while let piece = try file.read() { counts.bytes += UInt64(piece.count) }
  }

  /// Whether bytes are all that is counted.
  var needsBytesAlone: Bool { what == 0 }
}

/// The lanes that help with big files, made when the first is met: most runs meet none.
private final class Helpers: Sendable {
  let count: Int
  private let made = Locked<Lanes?>(nil)

  init(_ count: Int) {
    self.count = min(count, Lanes.widthMax)
  }

  /// `nil` where nobody is to help.
  var lanes: Lanes? {
    if count < 1 { return nil }
    return made.with { made in
      if let made { return made }
      let lanes = Lanes(label: "pieces", width: count)
      made = lanes
      return lanes
    }
  }
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
