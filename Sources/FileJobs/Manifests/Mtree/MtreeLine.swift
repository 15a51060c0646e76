// The lines of a manifest of mtree(5).

package import Weir

/// How a file, a directory and a symbolic link stand in a manifest of mtree(5):
///
///     ./a\040b type=file size=3 time=1795291086.891619096 sha256=...
///     ./d type=dir
///     ./l type=link link=a\040b
///
/// A name that does not begin with `./` is written with it, as mtree(8) wants
/// it; ``MtreeFrame`` writes what says so to those who read it again. Of
/// directories there is the type alone: their size and time change with every
/// name in them.
public struct MtreeLine: Sendable {
  /// ` sha256=`, for each of the digests.
  private let labels: [[UInt8]]
  private let digitCount: Int

  /// Lines with the digests of some algorithms, in this order.
  public init(_ algorithms: [DigestAlgorithm]) {
    labels = algorithms.map { Array(" \($0.name)=".utf8) }
    digitCount = algorithms.reduce(0) { $0 + $1.byteCount * 2 + 16 }
  }

  /// The most bytes a line for a file with a name of `nameCount` bytes can have.
  package func capacity(nameCount: Int) -> Int {
    160 + nameCount * MtreeName.expansion + digitCount
  }

  /// Writes the line of a file. Returns how many bytes it has.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - isDashFile: Whether it is a file that is called `-`. Then what says that
  ///     the name begins with `./` stands around the line.
  ///   - status: What it is and when it was changed. Of what is neither a regular
  ///     file nor a block device, as a pipe, there is no time, and it is `file`.
  ///   - size: How many bytes it has.
  ///   - digests: Its digests, in the order of the algorithms.
  ///   - out: Memory of the capacity.
  package func write(
    name: UnsafeRawBufferPointer, isDashFile: Bool = false, _ status: FileStatus?, size: UInt64,
    digests: some Sequence<UnsafeRawBufferPointer>, to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    let isRegular = status?.type == .file
    return write(
      name: name, isDashFile: isDashFile,
      type: status?.type == .blockDevice ? .blockDevice : .file, size: size,
      time: isRegular ? status?.modified : nil, digests: digests, to: out)
  }

  /// Writes the line of a file of which a time is known or not.
  package func write(
    name: UnsafeRawBufferPointer, isDashFile: Bool = false, type: EntryType = .file,
    size: UInt64, time: FileTime?, digests: some Sequence<UnsafeRawBufferPointer>,
    to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    var line = LineWriter(out)
    if isDashFile { line.append("#weir dotted\n") }
    line.append(mtreePath: name)
    line.append(" type=")
    line.append(MtreeType.word(of: type))
    line.append(" size=")
    line.append(size)
    if let time {
      line.append(" time=")
      line.append(time)
    }
    for (label, digest) in zip(labels, digests) {
      line.append(label)
      line.append(hexadecimal: digest)
    }
    line.append(UInt8(ascii: "\n"))
    // The frame had said this for `-`.
    if isDashFile { line.append("#weir bare\n") }
    return line.count
  }

  /// The most bytes a line for a directory can have.
  package static func capacity(directoryName nameCount: Int) -> Int {
    32 + nameCount * MtreeName.expansion
  }

  /// Writes the line of a directory. Returns how many bytes it has.
  package static func write(
    directory name: UnsafeRawBufferPointer, to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    var line = LineWriter(out)
    line.append(mtreePath: name)
    line.append(" type=dir\n")
    return line.count
  }

  /// The most bytes a line for a link can have.
  package static func capacity(linkName nameCount: Int, targetCount: Int) -> Int {
    32 + (nameCount + targetCount) * MtreeName.expansion
  }

  /// Writes the line of a symbolic link. Returns how many bytes it has.
  package static func write(
    link name: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer,
    to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    var line = LineWriter(out)
    line.append(mtreePath: name)
    line.append(" type=link link=")
    line.append(mtreeName: target)
    line.append(UInt8(ascii: "\n"))
    return line.count
  }

  /// Whether a name stands in a manifest as it is: `.` and what begins with `./`.
  static func isDotted(_ name: UnsafeRawBufferPointer) -> Bool {
    guard name.first == UInt8(ascii: ".") else { return false }
    return name.count == 1 || name[1] == UInt8(ascii: "/")
  }
}

extension LineWriter {
  /// A name, with a `./` before it where it has none.
  fileprivate mutating func append(mtreePath name: UnsafeRawBufferPointer) {
    if !MtreeLine.isDotted(name) { append("./") }
    append(mtreeName: name)
  }

  /// A time: the part behind the point always has nine digits.
  fileprivate mutating func append(_ time: FileTime) {
    if time.seconds < 0 { append(UInt8(ascii: "-")) }
    append(time.seconds.magnitude)
    append(UInt8(ascii: "."))
    var divisor: Int32 = 100_000_000
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(time.nanoseconds / divisor % 10))
      divisor /= 10
    }
  }
}
