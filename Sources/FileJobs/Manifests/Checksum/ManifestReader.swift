// Reading a manifest line by line.

internal import Glibc
public import SystemPackage

/// The lines of what comes out of a descriptor, in memory that does not grow
/// with their number.
///
/// It is for one thread at a time.
public final class ManifestReader {
  let descriptor: FileDescriptor
  private let terminator: UInt8
  private let lengthMax: Int
  private var memory: UnsafeMutableRawBufferPointer
  /// What of the memory has been read and not handed out.
  private var rest = 0..<0
  private var isAtEnd = false
  /// Where to read, of a file; `nil` for where the descriptor stands.
  private var position: off_t?
  private let noLine = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
  /// How many lines have been handed out: the number of the last one.
  public private(set) var lineNumber = 0

  /// Reads from where the descriptor stands.
  ///
  /// - Parameters:
  ///   - descriptor: It is not closed.
  ///   - terminator: What ends a line.
  ///   - lengthMax: The most bytes a line may have. In the place of one that has
  ///     more, a line comes out that is malformed to any parser.
  public init(
    _ descriptor: FileDescriptor, terminator: UInt8 = UInt8(ascii: "\n"),
    lengthMax: Int = 1 << 20
  ) {
    self.descriptor = descriptor
    self.terminator = terminator
    self.lengthMax = lengthMax
    memory = .allocate(byteCount: 1 << 16, alignment: 16)
  }

  /// Reads a file from a place in it, whatever else is done with the descriptor.
  package convenience init(
    _ descriptor: FileDescriptor, from position: Int64, terminator: UInt8 = UInt8(ascii: "\n")
  ) {
    self.init(descriptor, terminator: terminator)
    self.position = off_t(position)
  }

  deinit {
    memory.deallocate()
    noLine.deallocate()
  }

  /// Whether the next line, or the end, is there without reading any more.
  public var hasNext: Bool { isAtEnd || findEnd(from: 0) != nil }

  /// The next line, without what ended it; `nil` at the end. It may be written
  /// over, and is of use until the next one is asked for.
  ///
  /// Blocks: as the descriptor does.
  ///
  /// - Throws: What `read(2)` said, `EINTR` aside.
  public func next() throws(Errno) -> UnsafeMutableRawBufferPointer? {
    var searched = 0
    while true {
      if let length = findEnd(from: searched) {
        return take(length, andTerminator: true)
      }
      searched = rest.count
      if searched > lengthMax { return try takeOverlong() }
      if isAtEnd { return rest.isEmpty ? nil : take(rest.count, andTerminator: false) }
      try fill()
    }
  }

  /// How many bytes stand before the next terminator, if one is there.
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
    let begin = rest.lowerBound
    rest = begin + length + (hasTerminator ? 1 : 0)..<rest.upperBound
    lineNumber += 1
    return UnsafeMutableRawBufferPointer(rebasing: memory[begin..<begin + length])
  }

  /// Passes over a line that is too long, and hands out one that is no line of
  /// any tool.
  private func takeOverlong() throws(Errno) -> UnsafeMutableRawBufferPointer {
    while !isAtEnd && findEnd(from: 0) == nil {
      rest = 0..<0
      try fill()
    }
    rest = findEnd(from: 0).map { rest.lowerBound + $0 + 1..<rest.upperBound } ?? 0..<0
    lineNumber += 1
    noLine.initializeMemory(as: UInt8.self, repeating: 0)
    return noLine
  }

  /// Reads more, behind what there is.
  private func fill() throws(Errno) {
    makeRoom()
    let room = UnsafeMutableRawBufferPointer(rebasing: memory[rest.upperBound...])
    while true {
      let count =
        position.map { pread(descriptor.rawValue, room.baseAddress, room.count, $0) }
        ?? read(descriptor.rawValue, room.baseAddress, room.count)
      if count >= 0 {
        position = position.map { $0 + off_t(count) }
        isAtEnd = count == 0
        rest = rest.lowerBound..<rest.upperBound + count
        return
      }
      if errno != EINTR { throw Errno(rawValue: errno) }
    }
  }

  /// Moves what there is to the front, and takes more memory where that is
  /// full.
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
