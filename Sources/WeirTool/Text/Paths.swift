// Paths as bytes for calls that take C strings, and the status of their files.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage

/// Returns the path of the working directory; `nil` if it has none.
func workingDirectory() -> [UInt8]? {
  guard let path = getcwd(nil, 0) else { return nil }
  defer { free(path) }
  return [UInt8](cString: path)
}

extension FileIdentity {
  /// Returns the identity of a file, after symbolic links; `nil` if it does not exist.
  ///
  /// - Parameter base: The descriptor of the directory that the path is relative to.
  static func of(_ path: [UInt8], from base: Int32 = AT_FDCWD) -> FileIdentity? {
    stat.of(path, from: base).map { FileIdentity($0) }
  }

  var isOutput: Bool {
    [.standardOutput, .standardError].contains { (stream: FileDescriptor) in
      (try? stat(of: stream)).map { FileIdentity($0) } == self
    }
  }
}

extension stat {
  /// Returns the status of a file, after symbolic links; `nil` with `errno` set if there is
  /// none.
  static func of(_ path: [UInt8], from base: Int32 = AT_FDCWD) -> stat? {
    var status = stat()
    let exists = withPath(path) { fstatat(base, $0, &status, 0) } == 0
    return exists ? status : nil
  }

  static func of(_ path: UnsafeRawBufferPointer) -> stat? {
    var status = stat()
    return path.withPath { stat($0, &status) } == 0 ? status : nil
  }

  static func of(descriptor: Int32) -> stat? {
    try? stat(of: FileDescriptor(rawValue: descriptor))
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

extension RawArgument {
  /// The open descriptor that an argument names: `-`, `/dev/stdin` or `/dev/fd/N`; `nil`
  /// for the name of a file. The answer holds only until the program opens a file.
  var openDescriptor: FileDescriptor? {
    if bytes == Array("-".utf8) || bytes == Array("/dev/stdin".utf8) { return .standardInput }
    let prefix = Array("/dev/fd/".utf8)
    guard bytes.starts(with: prefix) else { return nil }
    let digits = bytes.dropFirst(prefix.count)
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int32(String(decoding: digits, as: UTF8.self))
    else { return nil }
    // -1 for a number that is not open: the first file that the program opens would get
    // that number, and would be read in its place.
    return FileDescriptor(rawValue: fcntl(number, F_GETFD) == -1 ? -1 : number)
  }
}

enum OpenDescriptors {
  /// A descriptor beyond this limit counts as not open.
  private static let maxTried: Int32 = 1024

  /// Returns the descriptors that are open. Call it before the program opens any itself,
  /// and before it starts a thread that may.
  static func current() -> Set<Int32> {
    Set((0..<maxTried).filter { fcntl($0, F_GETFD) != -1 })
  }
}
