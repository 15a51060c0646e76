// Arguments that name descriptors.

internal import Glibc
internal import SystemPackage

extension RawArgument {
  /// The descriptor that an argument names, open already and of any kind: `-`,
  /// `/dev/stdin` and `/dev/fd/N`; `nil` where it is the name of a file. To be
  /// asked for before other files are opened: which are open is looked up here.
  var openDescriptor: FileDescriptor? {
    if bytes == Array("-".utf8) || bytes == Array("/dev/stdin".utf8) { return .standardInput }
    let prefix = Array("/dev/fd/".utf8)
    guard bytes.starts(with: prefix) else { return nil }
    let digits = bytes.dropFirst(prefix.count)
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int32(String(decoding: digits, as: UTF8.self))
    else { return nil }
    // Or one that never is. A number that is free now is given to the first file
    // that is opened, and would be read in its place.
    return FileDescriptor(rawValue: fcntl(number, F_GETFD) == -1 ? -1 : number)
  }
}
