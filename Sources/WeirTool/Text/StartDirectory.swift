// The working directory from which weir was started, for the files of the tool.
//
// DESIGN. `-C DIR` is for the names of the data, as tar's is: operands that are read, names in lists
// and manifests, walks. Manifests, outputs, lists, states, reports, logs, plans and parts are files
// of the tool: relative to the directory from which weir was started. The process enters DIR, so the
// parser makes the names of these files absolute: the start directory, `/./`, and the name as given.
// Everything else opens an absolute path, and messages drop what ends in `/./`, so that a name is
// shown as the user gave it. Without `-C` no name is changed.
// (Rejected: descriptors of the directory in every call that opens a file. Half of them are below
// FileJobs, which knows one kind of path.)

internal import FileJobs
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The directory from which the process leaves for that of `-C`.
enum StartDirectory {
  private struct State {
    /// The directory of `-C`; `nil` if the process stays.
    var destination: RawArgument?
    /// The beginning of absolute names of files of the tool: the start directory and `/./`.
    var prefix: [UInt8] = []
    /// The first file of the tool that lies in the directory of `-C` only.
    var misplaced: (name: RawArgument, use: Use)?
  }

  /// The use of a file of the tool.
  enum Use {
    case input, output
    /// An output that no run reads back, and that is replaced as a whole.
    case replaced
  }

  private static let state = Locked(State())
  private static let slash = UInt8(ascii: "/")

  /// Declares the directory of `-C` before the names of files are parsed.
  static func declare(_ destination: RawArgument) throws(UsageError) {
    guard let start = workingDirectory() else {
      throw UsageError("-C needs a working directory that has a path: \(Errno(rawValue: errno))")
    }
    let prefix = (start == [slash] ? [] : start) + "/./".utf8
    state.with { $0 = State(destination: destination, prefix: prefix) }
  }

  /// Enters the directory of `-C`, if there is one.
  ///
  /// - Throws: Its error, or that of a file of the tool that is there, and not in the start
  ///   directory: until 0.16 it was meant.
  static func leave() throws(FileError) {
    let state = state.with { $0 }
    guard let destination = state.destination else { return }
    if let (name, use) = state.misplaced {
      let wayOut: Message =
        use == .input ? "" : ", or, for a new one here, \(joined(RawArgument("."), name))"
      throw FileError(
        """
        \(name): \(Errno.noSuchFileOrDirectory); it is in \(destination), but files of the tool are \
        relative to the working directory since 0.17: \(joined(destination, name))\(wayOut)
        """)
    }
    if withPath(destination.bytes, { chdir($0) }) != 0 {
      throw FileError(destination, Errno(rawValue: errno))
    }
  }

  /// Returns the path of a file of the tool, which stays valid in the directory of `-C`.
  ///
  static func path(of name: RawArgument, for use: Use) -> RawArgument {
    state.with { state in
      guard let destination = state.destination, isRelative(name) else { return name }
      let path = RawArgument(bytes: state.prefix + name.bytes)
      let isHere = use == .replaced || name.bytes.starts(with: "./".utf8)
      if !isHere, state.misplaced == nil, stat.of(path.bytes) == nil,
        stat.of(joined(destination, name).bytes) != nil
      {
        state.misplaced = (name, use)
      }
      return path
    }
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
    if path.starts(with: prefix) { return UnsafeRawBufferPointer(rebasing: path[prefix.count...]) }
    let isDirectory = path.elementsEqual(prefix.dropLast())
    return isDirectory ? UnsafeRawBufferPointer(rebasing: path.suffix(1)) : path
  }

  private static func isRelative(_ name: RawArgument) -> Bool {
    !name.bytes.isEmpty && name.bytes.first != slash && name.bytes != Array("-".utf8)
  }

  private static func joined(_ directory: RawArgument, _ name: RawArgument) -> RawArgument {
    let isJoined = directory.bytes.last == slash
    return RawArgument(bytes: directory.bytes + (isJoined ? [] : [slash]) + name.bytes)
  }
}

extension RawArgument {
  /// The name as the user gave it.
  var shown: [UInt8] { bytes.withUnsafeBytes { Array(StartDirectory.shown($0)) } }
}
