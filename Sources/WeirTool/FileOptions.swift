// What every verb that reads files takes.

#if Tool
  internal import ArgumentParser
  internal import Glibc
  internal import SystemPackage
  internal import Weir

  /// Options on which files are read, and how.
  struct FileOptions: ParsableArguments {
    @Argument(
      help: ArgumentHelp(
        "Files and directories; - is standard input, as is none.", valueName: "path"))
    var paths: [RawArgument] = []

    @Option(
      name: [.customShort("j", allowingJoined: true), .long],
      help: ArgumentHelp(
        "How many files are read at once, 1 to \(Lanes.widthMax). (default: one a core)",
        valueName: "n"))
    var jobs: Int?

    @Option(
      help: ArgumentHelp(
        "How many descriptors those may have open. (default: half of the limit, less those open)",
        valueName: "n"))
    var descriptors: Int?

    @Flag(help: "Follow symbolic links that are met in directories. (default: pass them over)")
    var follow = false

    @Flag(help: "Write as completed, not in the order of the files.")
    var unordered = false

    @Option(
      help: ArgumentHelp(
        "Show progress on standard error; auto is: on a terminal.", valueName: "when"))
    var progress = ProgressWhen.auto

    @Flag(help: "Say at the end, on standard error, what was done.")
    var summary = false

    /// Those above whose value is the next word.
    static let valueOptions: Set = ["-j", "--jobs", "--descriptors", "--progress"]

    func validate() throws {
      if let jobs, !(1...Lanes.widthMax).contains(jobs) {
        throw ValidationError("--jobs takes a number from 1 to \(Lanes.widthMax), not \(jobs).")
      }
      if let descriptors, descriptors < 1 {
        throw ValidationError("--descriptors takes a number from 1 on, not \(descriptors).")
      }
    }

    /// The same for the processor.
    var processorOptions: FileProcessorOptions {
      var options = FileProcessorOptions()
      options.jobs = jobs
      options.descriptors = descriptors
      options.followsSymbolicLinks = follow
      options.order = unordered ? .completion : .input
      options.excluded = [.standardOutput]
      return options
    }

    /// What to read. To be asked for before anything is opened: which descriptors
    /// are open is looked up here.
    var sources: [FileSource] {
      paths.isEmpty ? [.standardInput(name: "-".utf8)] : paths.map { FileSource($0) }
    }
  }

  extension FileSource {
    fileprivate static func standardInput(name: some Sequence<UInt8>) -> FileSource {
      .descriptor(.standardInput, name: name)
    }

    /// What a PATH stands for: `-`, `/dev/stdin` and `/dev/fd/N` are descriptors
    /// that are open already, of any kind.
    fileprivate init(_ argument: RawArgument) {
      let name = argument.bytes
      if name == Array("-".utf8) || name == Array("/dev/stdin".utf8) {
        self = .standardInput(name: name)
      } else if let descriptor = FileSource.descriptorNumber(name) {
        self = .descriptor(FileSource.ifOpen(descriptor), name: name)
      } else {
        self = .path(bytes: name)
      }
    }

    private static func descriptorNumber(_ name: [UInt8]) -> Int32? {
      let prefix = Array("/dev/fd/".utf8)
      guard name.starts(with: prefix) else { return nil }
      let digits = name.dropFirst(prefix.count)
      guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
        return nil
      }
      return Int32(String(decoding: digits, as: UTF8.self))
    }

    /// The descriptor, or one that never is. A number that is free now is given
    /// to the first file that is opened, and would be read in its place.
    private static func ifOpen(_ descriptor: Int32) -> FileDescriptor {
      FileDescriptor(rawValue: fcntl(descriptor, F_GETFD) == -1 ? -1 : descriptor)
    }
  }
#endif
