// Paths as bytes for calls that take C strings, and the identities of files.

internal import FileJobs
internal import WeirLibC
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

extension FileIdentity {
  /// Returns the identity of a file, after symbolic links; `nil` if it does not exist.
  ///
  /// - Parameter base: The descriptor of the directory that the path is relative to.
  static func of(_ path: [UInt8], from base: Int32 = AT_FDCWD) -> FileIdentity? {
    stat.of(path, from: base).map { FileIdentity($0) }
  }
}

extension stat {
  /// Returns the status of a file, after symbolic links; `nil` with `errno` set if there is
  /// none.
  static func of(_ path: [UInt8], from base: Int32 = AT_FDCWD) -> stat? {
    var status = stat()
    let exists = FilePath(bytes: path).withPlatformString { fstatat(base, $0, &status, 0) } == 0
    return exists ? status : nil
  }
}

extension UnsafeRawBufferPointer {
  /// Calls `body` with the bytes as a C string on the stack: drop-in names stat many files.
  func withPath<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { memory in
      UnsafeMutableRawBufferPointer(memory).copyMemory(from: self)
      memory[count] = 0
      guard let start = memory.baseAddress else { fatalError("a path has no memory") }
      return body(start)
    }
  }
}
