// Paths as bytes, for calls that take C strings.

internal import Glibc
internal import SystemPackage

extension FilePath {
  /// The path of these bytes, up to a NUL.
  init(bytes: [UInt8]) {
    let terminated = (bytes + [0]).map { CChar(bitPattern: $0) }
    self = terminated.withUnsafeBufferPointer { characters in
      guard let start = characters.baseAddress else { return FilePath() }
      return FilePath(platformString: start)
    }
  }
}

/// Returns the path of the working directory; `nil` if it has none.
func workingDirectory() -> [UInt8]? {
  guard let path = getcwd(nil, 0) else { return nil }
  defer { free(path) }
  return Array(UnsafeRawBufferPointer(start: path, count: strlen(path)))
}
