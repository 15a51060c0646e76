// The failure of a property, and how properties reach their input.

import Glibc
import SystemPackage

/// The failure of a property: the bytes have shown a defect.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

func expect(_ condition: Bool, _ description: @autoclosure () -> String) throws(Finding) {
  if !condition { throw Finding(description()) }
}

/// The input of a property, from which it takes choices first.
struct FuzzInput {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: UnsafeRawBufferPointer) { rest = Array(bytes)[...] }

  /// Takes a byte; 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

  /// Takes the bytes up to a separator, or all of them.
  mutating func field(_ separator: UInt8 = 0) -> [UInt8] {
    let end = rest.firstIndex(of: separator) ?? rest.endIndex
    defer { rest = end < rest.endIndex ? rest[(end + 1)...] : [] }
    return Array(rest[..<end])
  }

  mutating func all() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}

extension [UInt8] {
  /// Calls a closure with a copy of the bytes that has exactly their size, so that the address
  /// sanitizer sees every access beyond them.
  func withExactCopy<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: self)
    return try body(memory)
  }
}

/// A file in memory, which readers open by its path or read by its descriptor.
final class FuzzFile {
  let descriptor: FileDescriptor
  var path: [UInt8] { Array("/proc/self/fd/\(descriptor.rawValue)".utf8) }

  init() {
    var name = Array("/dev/shm/weir-fuzz.XXXXXX".utf8CString)
    descriptor = FileDescriptor(rawValue: mkstemp(&name))
    unlink(name)
  }

  convenience init(_ bytes: [UInt8]) {
    self.init()
    replace(bytes)
  }

  deinit { close(descriptor.rawValue) }

  /// Replaces the content. The descriptor is at the beginning then.
  func replace(_ bytes: [UInt8]) {
    ftruncate(descriptor.rawValue, 0)
    _ = bytes.withUnsafeBytes { pwrite(descriptor.rawValue, $0.baseAddress, $0.count, 0) }
    lseek(descriptor.rawValue, 0, SEEK_SET)
  }

  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor.rawValue, 0, SEEK_END)))
    _ = bytes.withUnsafeMutableBytes { pread(descriptor.rawValue, $0.baseAddress, $0.count, 0) }
    return bytes
  }
}

/// A pipe that is fed in pieces, whose reader never waits: it gets EAGAIN between two pieces.
final class FuzzPipe {
  let reader: FileDescriptor
  private var writer: Int32
  private var rest: ArraySlice<UInt8>
  private var size: UInt8

  /// Makes a pipe for some bytes, in pieces whose sizes follow from a byte.
  init(_ bytes: [UInt8], sizes: UInt8) {
    var ends: [Int32] = [0, 0]
    // A child of another test must not keep the reader from its end. Swift does not import pipe2.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    _ = socketpair(AF_UNIX, kind, 0, &ends)
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    (reader, writer) = (FileDescriptor(rawValue: ends[0]), ends[1])
    (rest, size) = (bytes[...], sizes)
  }

  deinit {
    close(reader.rawValue)
    if writer >= 0 { close(writer) }
  }

  func feed() {
    if rest.isEmpty && writer >= 0 {
      close(writer)
      writer = -1
    }
    size = size &* 5 &+ 1
    let piece = Array(rest.prefix(size > 200 ? 4096 : 1 + Int(size >> 4)))
    _ = piece.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
    rest = rest.dropFirst(piece.count)
  }
}
