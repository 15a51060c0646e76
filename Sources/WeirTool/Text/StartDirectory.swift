// The working directory from which weir was started, for the files of the tool.
//
// DESIGN. `-C DIR` is for the names of the data, as tar's is: operands that are read, names in lists
// and manifests, walks. Manifests, outputs, lists, states, reports, logs, plans and parts are files
// of the tool, relative to the directory from which weir was started. The process enters DIR, so the
// parser makes the names of these files absolute: the start directory, `/./`, and the name as
// given. All that opens them gets an absolute path, and messages drop what ends in `/./`, so that a
// name is shown as the user gave it. Without `-C` no name is changed.
// (Rejected: descriptors of the directory in every call that opens a file. Half of them are below
// FileJobs, which knows one kind of path.)

internal import FileJobs
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The directory from which the process leaves for that of `-C`.
enum StartDirectory {
  enum Use {
    case input, output
    /// An output that no run reads back, and that is replaced as a whole.
    case replaced
  }

  private struct State {
    /// The directory of `-C`; `nil` if the process stays.
    var destination: RawArgument?
    /// The beginning of absolute names of files of the tool: the start directory and `/./`. Empty
    /// if the start directory has no path.
    var prefix: [UInt8] = []
    /// The reason why the first file of the tool that has one cannot be used.
    var failure: FileError?
  }

  private static let state = Locked(State())

  /// Declares the directory of `-C` before the names of files are parsed.
  static func declare(_ destination: RawArgument) {
    let prefix = workingDirectory().map { ($0 == [.slash] ? [] : $0) + "/./".utf8 }
    state.with { $0 = State(destination: destination, prefix: prefix ?? []) }
  }

  /// Enters the directory of `-C`, if there is one.
  ///
  /// - Throws: Its error, or that of a file of the tool.
  static func leave() throws(FileError) {
    let state = state.with { $0 }
    if let failure = state.failure { throw failure }
    guard let destination = state.destination else { return }
    if withPath(destination.bytes, { chdir($0) }) != 0 {
      throw FileError(destination, Errno(rawValue: errno))
    }
  }

  static func path(of name: RawArgument, for use: Use) -> RawArgument {
    let now = state.with { $0 }
    guard let destination = now.destination, isRelative(name) else { return name }
    let path = RawArgument(bytes: now.prefix + name.bytes)
    if now.failure == nil, let failure = failure(of: name, at: path, use, destination) {
      state.with { $0.failure = failure }
    }
    return path
  }

  /// Returns the reason why a file of the tool cannot be used: it is in the directory of `-C` only,
  /// where it was meant to be until 0.16.
  private static func failure(
    of name: RawArgument, at path: RawArgument, _ use: Use, _ destination: RawArgument
  ) -> FileError? {
    if path.bytes.first != .slash {
      return FileError("\(name): is relative to a working directory that has no path")
    }
    let former = joined(destination, name)
    if use == .replaced || name.bytes.starts(with: "./".utf8) || stat.of(path.bytes) != nil
      || stat.of(former.bytes)?.isRegularFile != true
    {
      return nil
    }
    let wayOut: Message =
      use == .input ? "" : ", or, for a new one here, \(joined(RawArgument("."), name))"
    return FileError(
      """
      \(name): \(Errno.noSuchFileOrDirectory); it is in \(destination), but files of the tool are \
      relative to the working directory since 0.17: \(former)\(wayOut)
      """)
  }

  /// Returns the path of an operand that is a manifest, or a directory of data: a bag, or a tree. A
  /// directory is relative to that of `-C`.
  static func path(ofManifestOrTree name: RawArgument) -> RawArgument {
    guard let destination = state.with({ $0.destination }), isRelative(name) else { return name }
    let isTree = { (name: RawArgument) in
      stat.of(name.bytes).map { $0.st_mode & S_IFMT == S_IFDIR }
    }
    let here = isTree(name)
    return here != false && (here == true || isTree(joined(destination, name)) == true)
      ? name : path(of: name, for: .input)
  }

  /// Returns a path as the user gave it, if it is that of a file of the tool, or of its directory.
  static func shown(_ path: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let prefix = state.with { $0.prefix }
    if prefix.isEmpty { return path }
    if path.starts(with: prefix) { return path[prefix.count...].rebased }
    let isDirectory = path.elementsEqual(prefix.dropLast())
    return isDirectory ? path.suffix(1).rebased : path
  }

  private static func isRelative(_ name: RawArgument) -> Bool {
    !name.bytes.isEmpty && name.bytes.first != .slash && name.bytes != Array("-".utf8)
  }

  private static func joined(_ directory: RawArgument, _ name: RawArgument) -> RawArgument {
    let isJoined = directory.bytes.last == .slash
    return RawArgument(bytes: directory.bytes + (isJoined ? [] : [.slash]) + name.bytes)
  }
}

extension RawArgument {
  var shown: [UInt8] { bytes.withUnsafeBytes { Array(StartDirectory.shown($0)) } }
}
