// What verbs take that walk trees and read lists.

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

  @OptionGroup var walk: WalkOptions

  @Flag(help: "Write as completed, not in the order of the files.")
  var unordered = false

  static let table =
    OptionTable(
      values: ["--files-from": .name, "--files0-from": .name], flags: ["--unordered"])
    + WalkOptions.table

  /// As it stands in --help.
  static let help = """
    Which files (without any PATH and list: standard input)
      PATH                   a file, a directory, which is walked, or -, which
                             is standard input
    \(listHelp)
          --unordered        write as completed, not in the order of the files
    """

  /// The part of it that is the same for all.
  static let listHelp = """
          --files-from FILE  paths from FILE, one a line; - is standard input
          --files0-from FILE the same, each ended by a NUL
    \(WalkOptions.help)
    """

  /// Adds them to what the processor is told.
  func apply(to options: inout FileProcessorOptions, _ operands: Operands) {
    options.order = unordered ? .completion : .input
    walk.apply(to: &options, operands)
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
  func sources(_ plan: StoragePlan) throws(FileError) -> [FileSource] {
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
          if descriptor.rawValue < 0 { throw FileError(name, Errno.badFileDescriptor) }
          sources.append(.list(descriptor, separator: separator, name: name.bytes))
        } else {
          try Operands.expectReadable(name)
          sources.append(.list(bytes: name.bytes, separator: separator))
        }
      }
    }
    return sources
  }

  static func expectReadable(_ name: RawArgument) throws(FileError) {
    let status = FilePath(bytes: name.bytes).withPlatformString { access($0, R_OK) }
    if status != 0 { throw FileError(name, Errno(rawValue: errno)) }
  }
}
