// The symbolic links of the manifest that an update brings up to date.

internal import SystemPackage
internal import Weir

/// A reader of the links in records that are in step with a run. Links are few, so it reads the
/// records beside the join, and parses only lines of links and comments.
struct RecordedLinks {
  private let lines: ManifestReader
  private let parser = MtreeParser()
  private var source = 0
  /// The next link.
  private var next: (source: Int, name: [UInt8], target: [UInt8])?
  private var isRead = false

  init(_ descriptor: FileDescriptor) {
    lines = ManifestReader(descriptor, from: 0)
  }

  /// Returns the recorded target of a link; `nil` if it is not recorded. Links come in the order of
  /// the run.
  mutating func target(
    of name: UnsafeRawBufferPointer, source: Int
  ) throws(Errno) -> [UInt8]? {
    while true {
      if !isRead { try read() }
      guard let next else { return nil }
      let order =
        next.source != source
        ? next.source - source : next.name.withUnsafeBytes { Int(WalkOrder.compare($0, name)) }
      if order > 0 { return nil }
      isRead = false
      if order == 0 { return next.target }
    }
  }

  private mutating func read() throws(Errno) {
    (next, isRead) = (nil, true)
    while let line = try lines.next() {
      // A name has no blank.
      let rest = line.firstIndex(of: UInt8(ascii: " ")).map { line[$0...] }
      guard line.first == UInt8(ascii: "#") || rest?.starts(with: " type=link ".utf8) == true
      else { continue }
      switch parser.parse(line) {
      case .comment(let comment):
        if let number = RecordReader.sourceNumber(comment) { source = number }
      case .entry(let entry):
        guard let target = entry.target else { continue }
        next = (source, Array(entry.name), Array(target))
        return
      case .ignored, .malformed: break
      }
    }
  }
}
