// The entries of a manifest of mtree(5) that do not count, since a later one has their name.
//
// DESIGN. mtree(8) takes the last entry of a name, which bsdtar writes when an archive has newer files
// at its end. The first one has its verdict before the last one is read, so the manifest is read ahead.
// A table of bits finds the few names that may come again, so that the memory does not grow with the
// names. Weir's own manifests have a name once, and are not read ahead; nor are pipes, of which each
// entry is verified.

internal import SystemPackage
internal import Weir
internal import WeirLibC

struct ReplacedEntries {
  /// The last line of each name that may occur several times, by its hash.
  private var last: [Int: Int] = [:]
  private static let (bitsMin, bitsMax) = (1 << 12, 1 << 27)

  init(in file: FileDescriptor, from begin: Int64) {
    // A line has more bytes than this table has bits for it.
    let size = (try? stat(of: file)).map { Int($0.st_size) } ?? 0
    var mask = ReplacedEntries.bitsMin
    while mask < min(size, ReplacedEntries.bitsMax) { mask *= 2 }
    mask -= 1
    var words = [UInt64](repeating: 0, count: mask / 64 + 1)
    let (lines, parser) = (
      ManifestReader(file, from: begin, skipsMark: true), MtreeParser()
    )
    var number = 0
    while let line = try? lines.next() {
      if !parser.isContinued { number = lines.lineNumber }
      guard case .entry(let entry) = parser.parse(line) else { continue }
      let hash = ReplacedEntries.hash(entry)
      let (word, bit) = ((hash & mask) / 64, UInt64(1) << UInt64(hash & 63))
      if words[word] & bit != 0 { last[hash] = number }
      words[word] |= bit
    }
  }

  /// Returns true if a line after this one has the same name.
  func contain(_ entry: MtreeEntry, at number: Int) -> Bool {
    !last.isEmpty && last[ReplacedEntries.hash(entry)].map { $0 > number } ?? false
  }

  /// Entries of two types contradict each other: both are verified.
  private static func hash(_ entry: MtreeEntry) -> Int {
    LedgerNames.hash(entry.name) ^ (entry.type ?? .file).hashValue
  }
}
