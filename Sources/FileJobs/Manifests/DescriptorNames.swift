// Names that mean descriptors.

internal import SystemPackage

/// The names in a manifest that mean descriptors: `-`, `/dev/stdin` and
/// `/dev/fd/N`.
struct DescriptorNames: Sendable {
  /// Those that may be meant; `nil` for any.
  let open: Set<Int32>?

  private static let standardInput = Array("/dev/stdin".utf8)
  private static let prefix = Array("/dev/fd/".utf8)

  /// The descriptor that a name means; one that never is open where it means
  /// one of others; `nil` where it is the name of a file.
  func descriptor(of name: UnsafeRawBufferPointer) -> FileDescriptor? {
    // Most names are told by their first byte.
    guard let first = name.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "/")
    else { return nil }
    if name.count == 1 { return first == UInt8(ascii: "-") ? given(0) : nil }
    if name.elementsEqual(DescriptorNames.standardInput) { return given(0) }
    let digits = name.dropFirst(DescriptorNames.prefix.count)
    guard !digits.isEmpty, name.starts(with: DescriptorNames.prefix),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return given(Int32(String(decoding: digits, as: UTF8.self)) ?? -1)
  }

  private func given(_ number: Int32) -> FileDescriptor {
    FileDescriptor(rawValue: open?.contains(number) ?? true ? number : -1)
  }
}
