package import Weir

/// The format of files, directories and symbolic links in a manifest of mtree(5):
///
/// ```text
/// ./a\040b type=file size=3 time=1795291086.891619096 sha256=...
/// ./d type=dir
/// ./l type=link link=a\040b
/// ```
///
/// mtree(8) requires names that begin with `./`, so the line adds it if it is missing;
/// ``MtreeWriter`` records the original form in a comment. A directory has its type only,
/// because its size and time change with every name in it.
package struct MtreeLine: Sendable {
  /// ` sha256=`, for each digest.
  private let labels: [[UInt8]]
  private let digitCount: Int

  package init(_ algorithms: [DigestAlgorithm]) {
    labels = algorithms.map { Array(" \($0.name)=".utf8) }
    digitCount = algorithms.reduce(0) { $0 + $1.byteCount * 2 + 16 }
  }

  package func capacity(nameCount: Int) -> Int {
    160 + nameCount * MtreeName.expansion + digitCount
  }

  /// Writes the line of a file to ``capacity(nameCount:)`` bytes. Returns their number. The
  /// comments that declare a name with `./` surround the line of a file that is called `-`. Only
  /// regular files have a time. Digests are in the order of the algorithms.
  package func write(
    name: UnsafeRawBufferPointer, isDashFile: Bool = false, type: FileWalk.EntryType = .file,
    size: UInt64?, time: FileTime?, digests: some Sequence<UnsafeRawBufferPointer>,
    to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    var line = LineWriter(out)
    if isDashFile { line.append("#weir dotted\n") }
    line.append(mtreePath: name)
    line.append(" type=")
    line.append(MtreeType.word(of: type))
    if let size {
      line.append(" size=")
      line.append(size)
    }
    if let time {
      line.append(" time=")
      line.append(time)
    }
    for (label, digest) in zip(labels, digests) {
      line.append(label)
      line.append(hexadecimal: digest)
    }
    line.append(UInt8(ascii: "\n"))
    // The comment that applied before the line.
    if isDashFile { line.append("#weir bare\n") }
    return line.count
  }

  package static func append(directory name: UnsafeRawBufferPointer, to lines: inout [UInt8]) {
    lines += LineWriter.bytes(capacity: 32 + name.count * MtreeName.expansion) { line in
      line.append(mtreePath: name)
      line.append(" type=dir\n")
    }
  }

  package static func append(
    link name: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer, to lines: inout [UInt8]
  ) {
    let capacity = 32 + (name.count + target.count) * MtreeName.expansion
    lines += LineWriter.bytes(capacity: capacity) { line in
      line.append(mtreePath: name)
      line.append(" type=link link=")
      line.append(mtreeName: target)
      line.append(UInt8(ascii: "\n"))
    }
  }

  static func isDotted(_ name: UnsafeRawBufferPointer) -> Bool {
    guard name.first == UInt8(ascii: ".") else { return false }
    return name.count == 1 || name[1] == UInt8(ascii: "/")
  }
}

extension LineWriter {
  /// Appends a name, with `./` before it if it has none.
  fileprivate mutating func append(mtreePath name: UnsafeRawBufferPointer) {
    if !MtreeLine.isDotted(name) { append("./") }
    append(mtreeName: name)
  }

  /// Appends a time. The part after the point always has nine digits.
  fileprivate mutating func append(_ time: FileTime) {
    if time.seconds < 0 { append(UInt8(ascii: "-")) }
    append(time.seconds.magnitude)
    let point = count
    // A digit before the nanoseconds keeps their zeros, and becomes the point.
    append(UInt64(1_000_000_000 + Int64(time.nanoseconds)))
    replace(at: point, by: UInt8(ascii: "."))
  }
}
