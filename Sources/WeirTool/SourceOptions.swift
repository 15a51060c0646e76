// What verbs take that walk trees and read lists.

#if Tool
  internal import ArgumentParser
  internal import Glibc
  internal import SystemPackage
  internal import Weir

  /// Options on which files are read. Those whose order counts are here for help
  /// and completion alone; Operands has what was given.
  struct SourceOptions: ParsableArguments {
    @Argument(
      help: ArgumentHelp("Files and directories; - is standard input.", valueName: "path"),
      completion: .file())
    var paths: [RawArgument] = []

    @Option(
      help: ArgumentHelp("Names from a file, one a line.", valueName: "file"),
      completion: .file())
    var filesFrom: [RawArgument] = []

    @Option(
      name: .customLong("files0-from"),
      help: ArgumentHelp("Names from a file, each ended by NUL.", valueName: "file"),
      completion: .file())
    var files0From: [RawArgument] = []

    @Option(help: ArgumentHelp("Pass over what a walk meets by that name.", valueName: "glob"))
    var exclude: [RawArgument] = []

    @Option(help: ArgumentHelp("Take what a walk meets by that name.", valueName: "glob"))
    var include: [RawArgument] = []

    @Option(help: ArgumentHelp("How deep a walk goes; 1 is one directory.", valueName: "n"))
    var maxDepth: Int?

    @Flag(help: "Do not walk into other file systems.")
    var oneFileSystem = false

    @Flag(help: "Follow symbolic links that are met in directories.")
    var follow = false

    @Flag(help: "Write as completed, not in the order of the files.")
    var unordered = false

    static let table = OptionTable(
      values: [
        "--files-from": .name, "--files0-from": .name, "--exclude": .name, "--include": .name,
        "--max-depth": .number(1...Int.max),
      ],
      flags: ["--one-file-system", "--follow", "--unordered"])

    /// As it stands in --help.
    static let help = """
      Which files (without any PATH and list: standard input)
        PATH                   a file, a directory, which is walked, or -, which
                               is standard input
            --files-from FILE  paths from FILE, one a line; - is standard input
            --files0-from FILE the same, each ended by a NUL
            --exclude GLOB     pass over what a walk meets by that name; a / at the
                               end means directories alone, one before a path
                               from where the walk begins; ** spans directories
            --include GLOB     take it all the same; the last one that fits decides
            --max-depth N      how deep a walk goes; 1 is one directory
            --one-file-system  do not walk into other file systems
            --follow           follow symbolic links that a walk meets
            --unordered        write as completed, not in the order of the files
      """

    /// Adds them to what the processor is told.
    func apply(to options: inout FileProcessorOptions, _ operands: Operands) {
      options.followsSymbolicLinks = follow
      options.staysOnFileSystem = oneFileSystem
      options.order = unordered ? .completion : .input
      options.maximumDepth = maxDepth
      options.filters = operands.filters.map { filter in
        filter.isInclude ? .include(bytes: filter.pattern) : .exclude(bytes: filter.pattern)
      }
    }
  }

  extension StoragePlan {
    /// Of what a command line names. Files that lists name are taken to lie where
    /// the working directory does.
    init(_ operands: Operands, jobs: Int?) {
      let paths = operands.names.filter { operands.opened[$0.bytes] == nil }
      self.init(
        paths, includesHere: operands.inputs.count > operands.names.count, jobs: jobs)
    }
  }

  extension Operands {
    /// What to read. A list is opened when its turn comes; that it is there is
    /// looked at here, before anything is read.
    func sources(_ plan: StoragePlan) throws(FileTrouble) -> [FileSource] {
      if inputs.isEmpty { return [.descriptor(.standardInput, name: "-".utf8)] }
      var sources: [FileSource] = []
      sources.reserveCapacity(inputs.count)
      for input in inputs {
        switch input {
        case .path(let name):
          if let descriptor = opened[name.bytes] {
            sources.append(.descriptor(descriptor, name: name.bytes))
          } else {
            let source = FileSource.path(bytes: name.bytes)
            sources.append(plan.storage(of: name).map { source.on($0) } ?? source)
          }
        case .list(let name, let separator):
          if let descriptor = opened[name.bytes] {
            if descriptor.rawValue < 0 { throw FileTrouble(name, Errno.badFileDescriptor) }
            sources.append(.list(descriptor, separator: separator, name: name.bytes))
          } else {
            try Operands.expectReadable(name)
            sources.append(.list(bytes: name.bytes, separator: separator))
          }
        }
      }
      return sources
    }

    private static func expectReadable(_ name: RawArgument) throws(FileTrouble) {
      let status = FilePath(bytes: name.bytes).withPlatformString { access($0, R_OK) }
      if status != 0 { throw FileTrouble(name, Errno(rawValue: errno)) }
    }
  }
#endif
