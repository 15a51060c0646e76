// Conversions between FilePath, the bytes of a path, and C strings.

internal import SystemPackage

extension FilePath {
  /// The path that the bytes name. FilePath normalizes it: `a//b/` becomes `a/b`.
  init(bytes: UnsafeRawBufferPointer) {
    self = withUnsafeTemporaryAllocation(of: CInterop.PlatformChar.self, capacity: bytes.count + 1)
    {
      memory in
      for index in bytes.indices {
        memory.initializeElement(at: index, to: CInterop.PlatformChar(bitPattern: bytes[index]))
      }
      memory.initializeElement(at: bytes.count, to: 0)
      guard let start = memory.baseAddress else { return FilePath() }
      return FilePath(platformString: start)
    }
  }
}

/// Returns the bytes before the first NUL, with a NUL appended.
func terminated(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  var name = Array(bytes)
  if let end = name.firstIndex(of: 0) { name.removeSubrange(end...) }
  name.append(0)
  return name
}

/// Returns the bytes of a path, with a NUL appended.
func terminated(_ path: FilePath) -> [UInt8] {
  path.withPlatformString { start in
    var end = start
    while end.pointee != 0 { end += 1 }
    return UnsafeBufferPointer(start: start, count: end - start + 1)
      .map { UInt8(bitPattern: $0) }
  }
}

/// Calls `body` with strings as exec takes them: pointers to bytes that end in NUL, then a null
/// pointer. All are in one piece of memory.
func withCStrings<R>(
  _ strings: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  var memory: [UInt8] = []
  for string in strings { memory += string + [0] }
  // No array of pointers: its type would be made at the start of each program.
  let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
    capacity: strings.count + 1)
  defer { pointers.deallocate() }
  return memory.withUnsafeMutableBytes { memory in
    var next = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
    for (place, string) in strings.enumerated() {
      (pointers + place).initialize(to: next)
      next = next.map { $0 + string.count + 1 }
    }
    (pointers + strings.count).initialize(to: nil)
    return body(pointers)
  }
}

extension UnsafeRawBufferPointer {
  /// An empty buffer.
  package static var empty: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: nil, count: 0)
  }
}
