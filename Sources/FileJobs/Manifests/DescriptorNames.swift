internal import SystemPackage
internal import Weir

/// The names in a manifest that mean descriptors: `-`, `/dev/stdin` and `/dev/fd/N`.
struct DescriptorNames: Sendable {
  /// The descriptors that names may mean; `nil` for any.
  let open: Set<Int32>?

  private static let standardInput = Array("/dev/stdin".utf8)
  private static let prefix = Array("/dev/fd/".utf8)

  /// Returns the descriptor that a name means; `nil` if the name is a file's. If the name
  /// means a descriptor outside the set, the result is -1, which is never open.
  func descriptor(of name: UnsafeRawBufferPointer) -> FileDescriptor? {
    // The first byte rules out most names.
    guard let first = name.first, first == UInt8(ascii: "-") || first == .slash
    else { return nil }
    if name.count == 1 { return first == UInt8(ascii: "-") ? allowed(0) : nil }
    if name.elementsEqual(DescriptorNames.standardInput) { return allowed(0) }
    let digits = name.dropFirst(DescriptorNames.prefix.count)
    guard !digits.isEmpty, name.starts(with: DescriptorNames.prefix),
      digits.allSatisfy(\.isDigit)
    else { return nil }
    return allowed(Int32(String(decoding: digits, as: UTF8.self)) ?? -1)
  }

  /// Returns false if a path cannot mean an open descriptor, which has an offset and may be a
  /// pipe. Paths that begin with `-`, `/dev/std` or `/dev/fd/` are not examined further.
  static func mayContain(_ path: UnsafeRawBufferPointer) -> Bool {
    path.first == UInt8(ascii: "-") || path.starts(with: standardStreams)
      || path.starts(with: prefix)
  }

  private static let standardStreams = Array("/dev/std".utf8)

  private func allowed(_ number: Int32) -> FileDescriptor {
    FileDescriptor(rawValue: open?.contains(number) ?? true ? number : -1)
  }
}

/// A file that is called `-`, as in a list, which takes names literally. In a manifest `-` is
/// standard input to every reader, so a manifest names the file `./-`.
enum DashFile {
  private static let path = StaticString("./-")

  /// `./-`, with static lifetime.
  static var name: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: path.utf8Start, count: path.utf8CodeUnitCount)
  }

  static func isDash(_ name: UnsafeRawBufferPointer) -> Bool {
    name.count == 1 && name[0] == UInt8(ascii: "-")
  }
}

extension OpenFile {
  var isDashFile: Bool {
    DashFile.isDash(path) && descriptor != .standardInput
  }
}
