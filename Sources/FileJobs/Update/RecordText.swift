// What was recorded of a file, written again.

internal import Weir

/// Writes records of which less may be known than a run finds out.
enum RecordText {
  private static let noSize = Array(" size=0".utf8)

  /// Appends the line of a file: without a size and a time where there is none.
  static func append(
    _ name: UnsafeRawBufferPointer, size: UInt64?, time: FileTime?,
    _ digests: [(DigestAlgorithm, UnsafeRawBufferPointer)], to bytes: inout [UInt8]
  ) {
    let line = MtreeLine(digests.map(\.0))
    let capacity = line.capacity(nameCount: name.count)
    let begin = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: capacity))
    let count = bytes.withUnsafeMutableBytes { memory in
      line.write(
        name: name, size: size ?? 0, time: time, digests: digests.map(\.1),
        to: UnsafeMutableRawBufferPointer(rebasing: memory[begin...]))
    }
    bytes.removeLast(capacity - count)
    guard size == nil else { return }
    // The name has no blanks: the first two are those of the type and the size.
    let blank = UInt8(ascii: " ")
    guard let type = bytes[begin...].firstIndex(of: blank),
      let place = bytes[(type + 1)...].firstIndex(of: blank)
    else { return }
    bytes.removeSubrange(place..<place + noSize.count)
  }
}
