// The width of the columns for the operands of `weir count`, or for those of a plan.

internal import FileJobs
internal import SystemPackage
internal import WeirLibC

extension CountWidth {
  /// The width for a command line.
  init(_ operands: Operands, _ columns: CountColumns) {
    if operands.inputs.isEmpty {
      self.init()
      if columns.count > 1 { add(CountWidth.status(of: STDIN_FILENO)) }
    } else {
      self.init(PlanNamedInputs(operands), columns)
    }
  }

  /// The width for the inputs of a plan.
  init(_ named: PlanNamedInputs, _ columns: CountColumns) {
    // A single number needs no width.
    let isOne = named.isSingle && columns.count == 1
    self.init(total: isOne ? 0 : named.bytes, hasOther: !isOne && named.hasOther)
  }
}

extension PlanNamedInputs {
  /// The inputs of a command line that has some.
  init(_ operands: Operands) {
    self.init()
    for input in operands.inputs {
      switch input {
      case .path(let name): add(PlanNamedInputs.status(of: name, operands))
      case .list(let name, let separator): add(listed: name, separator, operands)
      }
    }
    let isOne = operands.inputs.count == 1 && operands.names.count == 1
    let isDirectory =
      operands.names.first.map { PlanNamedInputs.isDirectory($0, operands) } ?? false
    isSingle = isOne && !isDirectory
  }

  /// Adds a file, if it exists.
  private mutating func add(_ status: stat?) {
    guard let status else { return }
    if status.isRegularFile {
      bytes &+= UInt64(max(0, status.st_size))
    } else {
      hasOther = true
    }
  }

  private static func isDirectory(_ name: RawArgument, _ operands: Operands) -> Bool {
    status(of: name, operands).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  private static func status(of name: RawArgument, _ operands: Operands) -> stat? {
    if let descriptor = operands.opened[name.bytes] {
      return CountWidth.status(of: descriptor.rawValue)
    }
    return name.bytes.withUnsafeBytes { CountWidth.status(of: $0) }
  }

  /// Adds the files of a list.
  private mutating func add(listed name: RawArgument, _ separator: UInt8, _ operands: Operands) {
    let given = operands.opened[name.bytes]?.rawValue
    let descriptor =
      given
      ?? FilePath(bytes: name.bytes).withPlatformString {
        open($0, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      }
    defer { if given == nil && descriptor >= 0 { close(descriptor) } }
    guard let status = CountWidth.status(of: descriptor),
      status.isRegularFile, status.st_size <= CountWidth.listMax
    else { return }
    // Without moving the offset of the descriptor, from which the run reads the list.
    let names = ManifestReader(
      FileDescriptor(rawValue: descriptor), from: Int64(max(0, lseek(descriptor, 0, SEEK_CUR))),
      terminator: separator)
    while let name = try? names.next() {
      // A name that is longer than any path is skipped.
      if name.isEmpty || name.count >= PATH_MAX { continue }
      add(CountWidth.status(of: UnsafeRawBufferPointer(name)))
    }
  }
}
