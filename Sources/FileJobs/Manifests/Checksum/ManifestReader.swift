internal import Weir
internal import WeirLibC
package import SystemPackage

/// A reader of lines from a descriptor, for one thread at a time, in constant memory.
package final class ManifestReader {
  let descriptor: FileDescriptor
  private let terminator: UInt8
  private let lengthMax: Int
  /// The number of bytes that an error shows of a line that is too long.
  private static let shownBytes = 1024
  private let skipsMark: Bool
  private var memory: UnsafeMutableRawBufferPointer
  /// The bytes in `memory` that were read and not returned yet.
  private var rest = 0..<0
  private var isAtEnd = false
  private var peeked = 0
  /// The offset of the next read in a file; `nil` to read from the descriptor's own offset.
  private var position: off_t?
  private let noLine = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
  /// The number of the last line returned, from 1.
  package private(set) var lineNumber = 0
  /// True if the last line returned had no terminator.
  private(set) var isCut = false
  /// The beginning of the last line returned if that was too long.
  private(set) var overlong: [UInt8]?
  /// The beginning of a line whose end is still to come, if that is too long already.
  private var skipped: [UInt8]?
  var digest: Digest?

  /// - Parameters:
  ///   - descriptor: The descriptor, which is not closed.
  ///   - position: The offset to begin at; `nil` for the descriptor's own, which moves then.
  ///   - terminator: The byte that ends a line.
  ///   - lengthMax: The maximum number of bytes in a line. For a longer line the reader
  ///     returns a line that every parser finds malformed.
  ///   - skipsMark: True to leave out the byte order mark that some editors add to the first line.
  package init(
    _ descriptor: FileDescriptor, from position: Int64? = nil,
    terminator: UInt8 = UInt8(ascii: "\n"), lengthMax: Int = 1 << 20, skipsMark: Bool = false
  ) {
    self.descriptor = descriptor
    self.position = position.map { off_t($0) }
    self.terminator = terminator
    (self.lengthMax, self.skipsMark) = (lengthMax, skipsMark)
    memory = .allocate(byteCount: 1 << 16, alignment: 16)
  }

  deinit {
    memory.deallocate()
    noLine.deallocate()
  }

  /// True if ``next()`` can return without a read.
  package var hasNext: Bool { isAtEnd || findEnd(from: 0) != nil }

  /// Returns the next line without its terminator; `nil` at the end. The line may be
  /// overwritten, and is valid until the next call.
  ///
  /// Blocks: as the descriptor does.
  ///
  /// - Throws: The error of `read(2)`, except `EINTR`.
  package func next() throws(Errno) -> UnsafeMutableRawBufferPointer? {
    var searched = 0
    while true {
      if let length = findEnd(from: searched) { return take(length, andTerminator: true) }
      if isAtEnd {
        return rest.isEmpty && skipped == nil ? nil : take(rest.count, andTerminator: false)
      }
      searched = rest.count > lengthMax ? 0 : rest.count
      try readAhead()
    }
  }

  /// Returns the next line, which ``next()`` returns again unless ``skip()`` is called; `nil` if only
  /// that may tell the line or its error.
  func peek() -> UnsafeRawBufferPointer? {
    if findEnd(from: 0) == nil && !isAtEnd { try? readAhead() }
    guard skipped == nil, let length = findEnd(from: 0), length <= lengthMax else { return nil }
    peeked = length + 1
    return UnsafeRawBufferPointer(rebasing: memory[rest.lowerBound..<rest.lowerBound + length])
  }

  /// Skips the line that ``peek()`` has returned. Returns its number of bytes, with the terminator.
  func skip() -> Int {
    rest = rest.lowerBound + peeked..<rest.upperBound
    lineNumber += 1
    return peeked
  }

  private func findEnd(from searched: Int) -> Int? {
    guard rest.count > searched, let start = memory.baseAddress else { return nil }
    let begin = start + rest.lowerBound
    guard let end = memchr(begin + searched, Int32(terminator), rest.count - searched) else {
      return nil
    }
    return UnsafeMutableRawPointer(end) - begin
  }

  private func take(
    _ length: Int, andTerminator hasTerminator: Bool
  ) -> UnsafeMutableRawBufferPointer {
    let line = memory[rest.lowerBound..<rest.lowerBound + length].rebased
    rest = rest.lowerBound + length + (hasTerminator ? 1 : 0)..<rest.upperBound
    lineNumber += 1
    overlong = skipped.take() ?? (length > lengthMax ? beginning(of: line) : nil)
    isCut = !hasTerminator && overlong == nil
    if overlong != nil {
      noLine[0] = 0
      return noLine
    }
    return lineNumber == 1 && skipsMark && line.starts(with: [0xEF, 0xBB, 0xBF])
      ? line.dropFirst(3).rebased : line
  }

  private func beginning(of line: UnsafeMutableRawBufferPointer) -> [UInt8] {
    Array(line.prefix(ManifestReader.shownBytes))
  }

  /// Reads more bytes after those in memory, or instead of them if the line is too long already.
  func readAhead() throws(Errno) {
    if rest.count > lengthMax && findEnd(from: 0) == nil {
      skipped = skipped ?? beginning(of: memory[rest].rebased)
      rest = 0..<0
    }
    makeRoom()
    let room = memory[rest.upperBound...].rebased
    let count = try retryingOnInterrupt {
      position.map { pread(descriptor.rawValue, room.baseAddress, room.count, $0) }
        ?? read(descriptor.rawValue, room.baseAddress, room.count)
    }
    try digest?.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
    position = position.map { $0 + off_t(count) }
    isAtEnd = count == 0
    rest = rest.lowerBound..<rest.upperBound + count
  }

  /// Moves the bytes to the front of the memory, and doubles the memory if it is full.
  private func makeRoom() {
    if !rest.isEmpty && rest.lowerBound > 0 {
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[rest]))
    }
    rest = 0..<rest.count
    if rest.count == memory.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: memory.count * 2, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(memory))
      memory.deallocate()
      memory = larger
    }
  }
}
