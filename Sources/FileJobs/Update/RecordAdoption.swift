// Two runs that were cut short.

internal import Glibc
internal import SystemPackage

/// Puts together what a run has recorded and what the one that went on from it
/// had recorded when it was cut short too: all that the second has, and of the
/// first what the second had not come to.
///
/// The second grows at its end alone. Whatever ends this in its midst: to do it
/// again gives the same.
struct RecordAdoption {
  let first: Int32
  let second: Int32
  let isOrdered: (Int) -> Bool

  func run() throws(Errno) {
    let former = RecordReader(FileDescriptor(rawValue: first), isStrict: true)
    let present = RecordReader(FileDescriptor(rawValue: second), isStrict: true)
    var join = RecordJoin(former, isOrdered: isOrdered)
    while let file = try present.next() {
      // Records always say their source.
      _ = try join.find(file.entry.name, source: file.source ?? 0)
    }
    let begin = join.place()
    while try former.next() != nil {}
    if ftruncate(second, off_t(present.place.offset)) != 0 { throw Errno(rawValue: errno) }
    if lseek(second, 0, SEEK_END) < 0 { throw Errno(rawValue: errno) }
    if begin.offset < former.place.offset {
      try write(
        "\(RecordReader.source)\(begin.source ?? 0)\n#weir \(begin.isBare ? "bare" : "dotted")\n")
      try copy(from: begin.offset, to: former.place.offset)
    }
    let error = OutputSync.retried { fdatasync(second) }
    if error != 0 { throw Errno(rawValue: error) }
  }

  private func write(_ text: String) throws(Errno) {
    try write(Array(text.utf8)[...])
  }

  private func write(_ bytes: ArraySlice<UInt8>) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(second, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw Errno(rawValue: errno) }
      rest = rest.dropFirst(count)
    }
  }

  private func copy(from begin: Int64, to end: Int64) throws(Errno) {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    var offset = begin
    while offset < end {
      let wanted = Int(min(Int64(piece.count), end - offset))
      let count = pread(first, &piece, wanted, off_t(offset))
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw Errno(rawValue: errno) }
      if count == 0 { return }
      try write(piece[..<count])
      offset += Int64(count)
    }
  }
}
