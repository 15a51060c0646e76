internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The PATHs and lists of a command line, with the options on them and the storage they
/// lie on.
struct FileInput {
  private let operands: Operands
  private let options: SourceOptions
  private let walkOptions: WalkOptions
  private let plan: StoragePlan
  /// True if the working directory is read because no PATH or list is given.
  private let isWorkingDirectory: Bool
  /// True if the input is one small file, which the calling thread reads.
  let isSmallFile: Bool

  private static let here = RawArgument(".")

  /// - Parameters:
  ///   - readsWorkingDirectory: True if the working directory, instead of standard input,
  ///     is read if no PATH or list is given.
  ///   - readsSmallFileInline: True if one small file needs no lanes. The run is then not
  ///     asked for its storage either, which takes forty system calls.
  init(
    _ operands: Operands, _ options: SourceOptions, _ walkOptions: WalkOptions,
    _ common: CommonOptions, readsWorkingDirectory: Bool = false,
    readsSmallFileInline: Bool = false
  ) {
    self.operands = operands
    self.options = options
    self.walkOptions = walkOptions
    isWorkingDirectory = readsWorkingDirectory && operands.inputs.isEmpty
    isSmallFile =
      readsSmallFileInline && common.jobs == nil && !common.verbose && common.trace == nil
      && operands.isSmallFile
    if isSmallFile {
      plan = StoragePlan([], includesHere: false, jobs: nil)
      return
    }
    // The files of a list count as files below the working directory.
    plan = StoragePlan(
      operands.names.filter { operands.opened[$0.bytes] == nil },
      includesHere: isWorkingDirectory || operands.inputs.count > operands.names.count,
      jobs: common.jobs)
  }

  /// Returns the processor options of a session for these files, and reports the number
  /// of readers under `--verbose`.
  func processorOptions(_ session: Session) throws(FileError) -> FileProcessorOptions {
    var result = session.processorOptions
    result.order = options.unordered ? .completion : .input
    walkOptions.apply(to: &result)
    if isSmallFile {
      result.isInline = true
      result.jobs = 1
    } else {
      try session.apply(plan, to: &result)
    }
    return result
  }

  /// Throws the error of a list that cannot be read. A list is opened only in its turn, but checked
  /// here, before anything is read.
  func sources() throws(FileError) -> [FileSource] {
    if isWorkingDirectory { return [source(FileInput.here)] }
    if operands.inputs.isEmpty { return [.descriptor(.standardInput, name: "-".utf8)] }
    return try operands.map(
      path: { name in
        operands.opened[name.bytes].map { .descriptor($0, name: name.bytes) } ?? source(name)
      },
      listDescriptor: { .list($0, separator: $1, name: $2) },
      listFile: { .list(bytes: $0, separator: $1) })
  }

  /// The number of files, yet to be counted; `nil` if it cannot be known ahead or does not
  /// matter, or if a rotating disk has better things to do.
  var expected: ExpectedWork? {
    if isSmallFile { return nil }
    if plan.groups.contains(where: \.storage.readsByInode) { return nil }
    return operands.countOfFiles(orIn: isWorkingDirectory ? [FileInput.here] : []) {
      [walkOptions] in walkOptions.walk($0)
    }.map { ExpectedWork($0) }
  }

  private func source(_ name: RawArgument) -> FileSource {
    let source = FileSource.path(bytes: name.bytes)
    return plan.storage(of: name).map { source.on($0.forReading) } ?? source
  }
}

extension Operands {
  /// The maximum size of a file that one read takes, in bytes.
  private static let smallSize = 1 << 20

  fileprivate var isSmallFile: Bool {
    guard inputs.count == 1, case .path(let name) = inputs[0], opened[name.bytes] == nil,
      let status = stat.of(name.bytes)
    else { return false }
    return status.isRegularFile && status.st_size <= Operands.smallSize
  }

  /// Throws an error if a list is the output, or if nothing but the output would be read. Among
  /// other inputs, as the shell's `*` names it, the output is skipped, as in a walk.
  func expectInputs(otherThan isOutput: (RawArgument) -> Bool) throws(FileError) {
    let own = inputs.filter { input in
      switch input {
      case .list(let name, _), .path(let name): isOutput(name)
      }
    }
    for case .list(let name, _) in own {
      throw FileError("\(name): is an input, and --output would replace it")
    }
    if own.count == inputs.count, case .path(let name)? = own.last {
      throw FileError("\(name): is an input, and --output would replace it")
    }
  }

  /// Returns the PATH in whose tree a file lies; `nil` if there is none.
  func tree(of file: [UInt8]) -> RawArgument? {
    let trees = names.filter { opened[$0.bytes] == nil }.map { ($0, FileIdentity.of($0.bytes)) }
    var place = realPath(file.directory)
    while let directory = place {
      let identity = FileIdentity.of(directory)
      if let tree = trees.first(where: { $0.1 == identity }) { return tree.0 }
      place = directory.directory == directory ? nil : directory.directory
    }
    return nil
  }

  var lists: Set<Int> {
    Set(
      inputs.indices.filter { index in
        if case .list = inputs[index] { true } else { false }
      })
  }

  /// Throws the error of the first list that cannot be read.
  func map<Source>(
    path: (RawArgument) -> Source,
    listDescriptor: (FileDescriptor, _ separator: UInt8, _ name: [UInt8]) -> Source,
    listFile: ([UInt8], _ separator: UInt8) -> Source
  ) throws(FileError) -> [Source] {
    var sources: [Source] = []
    sources.reserveCapacity(inputs.count)
    for input in inputs {
      switch input {
      case .path(let name):
        sources.append(path(name))
      case .list(let name, let separator):
        if let descriptor = opened[name.bytes] {
          if descriptor.rawValue < 0 { throw FileError(name, Errno.badFileDescriptor) }
          sources.append(listDescriptor(descriptor, separator, name.bytes))
        } else {
          let status = withPath(name.bytes) { access($0, R_OK) }
          if status != 0 { throw FileError(name, Errno(rawValue: errno)) }
          sources.append(listFile(name.bytes, separator))
        }
      }
    }
    return sources
  }
}
