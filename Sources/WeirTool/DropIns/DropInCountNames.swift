// The names that wc counts: its operands, or the names in the list of --files0-from.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// Returns the names one after the other, on one thread. A list that is a regular file of
/// limited size is read at once, since the width of the columns depends on its names; any
/// other list is read as its names are needed.
final class DropInCountNames: @unchecked Sendable {
  // @unchecked: only the feeder's thread uses it until the run is over.
  private enum Source {
    case operands
    case memory(UnsafeRawBufferPointer)
    /// A list that is read as its names are needed.
    case reader(ManifestReader)
  }

  private let options: DropInCountOptions
  private let source: Source
  /// The standard descriptors: wc closes a list that it has read, even if the list is standard
  /// input.
  let standard: StandardDescriptors
  /// The offset of the next name in memory, or the index of the next operand.
  private var next = 0
  /// True if the next read may block for long and no flush has announced it.
  private var needsFlush = true
  private var isAtEnd = false
  private let memory = ByteBuffer()

  private(set) var count = 0
  private(set) var areValid = true
  private(set) var hasStandardInput = false

  /// Opens the list, if there is one. Ends the program if that fails.
  init(_ options: DropInCountOptions, _ standard: StandardDescriptors, _ streams: DropInStreams) {
    self.options = options
    guard let list = options.list else {
      source = .operands
      self.standard = standard
      return
    }
    let descriptor =
      list == DropInOperands.standardInput
      ? STDIN_FILENO : list.withUnsafeBytes { standard.open($0) }
    guard descriptor >= 0 else {
      let error = errno
      streams.report("cannot open \(always: list) for reading", error: error)
      streams.end(status: 1)
    }
    guard let status = stat.of(descriptor: descriptor), status.isRegularFile,
      status.st_size <= PlanNamedInputs.listMax
    else {
      self.standard = standard
      source = .reader(
        ManifestReader(
          FileDescriptor(rawValue: descriptor), terminator: 0, lengthMax: Int.max))
      return
    }
    guard let names = DropInCountNames.contents(of: descriptor) else {
      streams.report("cannot read file names from \(always: list)")
      streams.end(status: 1)
    }
    if descriptor == STDIN_FILENO {
      self.standard = standard.closingInput()
    } else {
      close(descriptor)
      self.standard = standard
    }
    source = .memory(names)
  }

  /// Returns the contents of a file, valid for the life of the process; `nil` if a read fails.
  private static func contents(of descriptor: Int32) -> UnsafeRawBufferPointer? {
    var bytes: [UInt8] = []
    do throws(Errno) {
      while try FileDescriptor(rawValue: descriptor).read(appendingTo: &bytes, count: 1 << 16) {}
    } catch {
      return nil
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(memory)
  }

  /// A Boolean value that indicates whether there is at most one name, as far as that is known
  /// beforehand.
  var isSingle: Bool {
    switch source {
    case .operands: options.operands.count == 1
    case .memory(let names): names.dropLast().firstIndex(of: 0) == nil
    case .reader: false
    }
  }

  // MARK: Items

  func nextItem() -> DropInItem? {
    if isAtEnd { return nil }
    switch source {
    case .operands:
      guard next < options.operands.count else { return nil }
      defer { next += 1 }
      return item(options.operands[next])
    case .memory(let names):
      return nextName(in: names).map { item($0) }
    case .reader(let reader):
      if needsFlush && !reader.hasNext {
        needsFlush = false
        return .flush
      }
      needsFlush = true
      return nextItem(of: reader)
    }
  }

  private func nextItem(of reader: ManifestReader) -> DropInItem? {
    do throws(Errno) {
      return try reader.next().map { item(UnsafeRawBufferPointer($0)) }
    } catch {
      isAtEnd = true
      areValid = false
      return message("\(options.list ?? []): read error", error.rawValue)
    }
  }

  private func nextName(in names: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard next < names.count else { return nil }
    let end = names[next...].firstIndex(of: 0) ?? names.count
    defer { next = end + 1 }
    return names[next..<end].rebased
  }

  private func item(_ name: UnsafeRawBufferPointer) -> DropInItem {
    count += 1
    let isInput = name.elementsEqual(DropInOperands.standardInput)
    if isInput && options.list == DropInOperands.standardInput {
      areValid = false
      return message("when reading file names from stdin, no file name of '-' allowed")
    }
    if name.isEmpty {
      areValid = false
      let text: Message = "invalid zero-length file name"
      return message(options.list.map { "\($0):\(count): \(text)" } ?? text)
    }
    if isInput { hasStandardInput = true }
    return .file(name: name, note: .empty)
  }

  private func message(_ text: Message, _ error: Int32 = 0) -> DropInItem {
    .note(memory.hold(withUnsafeBytes(of: error) { Array($0) } + text.bytes))
  }

  // MARK: Width

  var width: Int {
    var inputs = PlanNamedInputs()
    func add(_ name: UnsafeRawBufferPointer) {
      let isInput = name.elementsEqual(DropInOperands.standardInput)
      inputs.add(isInput ? standard.inputStatus : standard.status(of: name))
    }
    switch source {
    case .operands:
      inputs.isSingle = isSingle
      for index in 0..<options.operands.count { add(options.operands[index]) }
    case .memory(let names):
      var count = 0
      while let name = nextName(in: names) {
        count += 1
        add(name)
      }
      next = 0
      inputs.isSingle = count == 1
    case .reader:
      return 1
    }
    return inputs.width(of: options.columns)
  }
}

extension StandardDescriptors {
  fileprivate var inputStatus: stat? {
    isInputClosed ? nil : stat.of(descriptor: STDIN_FILENO)
  }

  /// Returns the status of a path while the placeholders are closed; `nil` if it does not exist.
  fileprivate func status(of path: UnsafeRawBufferPointer) -> stat? {
    withoutPlaceholders { stat.of(path) }
  }
}
