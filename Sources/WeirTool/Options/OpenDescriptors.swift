// Arguments that name open descriptors, and the descriptors open at the start.

internal import WeirLibC
internal import SystemPackage

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
  /// The number of descriptors to try if the system has no list of them.
  private static let maxTried: Int32 = 1024

  /// Returns the descriptors that are open. Call it before the program opens any itself,
  /// and before it starts a thread that may.
  static func current() -> Set<Int32> {
    guard let directory = opendir("/dev/fd") else { return tried() }
    defer { closedir(directory) }
    var numbers: Set<Int32> = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = Int32(name), number != dirfd(directory) { numbers.insert(number) }
    }
    return errno == 0 ? numbers : numbers.union(tried().subtracting([dirfd(directory)]))
  }

  /// Returns the descriptors that are open, among the first ones.
  private static func tried() -> Set<Int32> {
    Set((0..<maxTried).filter { fcntl($0, F_GETFD) != -1 })
  }
}
