// Paths between the bytes that the system has and swift-system's FilePath.

internal import SystemPackage

extension FilePath {
  /// The path that some bytes name. It normalises them: `a//b/` becomes `a/b`.
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

/// Bytes up to the first NUL, and a NUL behind them.
func terminated(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  var name = Array(bytes.prefix { $0 != 0 })
  name.append(0)
  return name
}

/// The bytes of a path as the system takes it, with the NUL.
func terminated(_ path: FilePath) -> [UInt8] {
  path.withPlatformString { start in
    var end = start
    while end.pointee != 0 { end += 1 }
    return UnsafeBufferPointer(start: start, count: end - start + 1)
      .map { UInt8(bitPattern: $0) }
  }
}
