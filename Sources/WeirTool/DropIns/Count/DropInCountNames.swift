// The names that wc counts: its operands, or the names in the list of --files0-from.

internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// Returns the names one after the other, on one thread. A list that is a regular file of
/// limited size is read at once, since the width of the columns depends on its names; any
/// other list is read as its names are needed.
final class DropInCountNames: @unchecked Sendable {
  // @unchecked: only the feeder's thread uses it until the run is over.
  private enum Source {
    case operands
    /// A list in memory.
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
  /// The memory of a message.
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// The number of names so far, valid and invalid.
  private(set) var count = 0
  /// True if all names so far are valid.
  private(set) var areValid = true
  /// True if standard input is among the names so far.
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
      list == DropInOptionParser.standardInput
      ? STDIN_FILENO : list.withUnsafeBytes { standard.open($0) }
    guard descriptor >= 0 else {
      let error = errno
      let name = QuotedName.always(list)
      streams.report(
        Array("cannot open ".utf8) + name + Array(" for reading".utf8), error: error)
      streams.end(status: 1)
    }
    guard let status = CountWidth.status(of: descriptor), status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= CountWidth.listMax
    else {
      self.standard = standard
      source = .reader(
        ManifestReader(
          FileDescriptor(rawValue: descriptor), terminator: 0, lengthMax: Int.max))
      return
    }
    guard let names = DropInCountNames.contents(of: descriptor) else {
      let name = QuotedName.always(list)
      streams.report(Array("cannot read file names from ".utf8) + name)
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

  deinit {
    memory.deallocate()
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
    case .operands: options.operands.count <= 1
    case .memory(let names): names.dropLast().firstIndex(of: 0) == nil
    case .reader: false
    }
  }

  // MARK: Items

  /// Returns the next item; `nil` after the last one.
  func nextItem() -> DropInItem? {
    if isAtEnd { return nil }
    switch source {
    case .operands:
      if options.operands.isEmpty {
        isAtEnd = true
        hasStandardInput = true
        return .file(name: options.name(at: 0), note: .empty)
      }
      guard next < options.operands.count else { return nil }
      defer { next += 1 }
      return item(options.name(at: next))
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
      let list = options.list ?? []
      return message(QuotedName.bytes(of: list) + Array(": read error".utf8), error.rawValue)
    }
  }

  private func nextName(in names: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard next < names.count else { return nil }
    let end = names[next...].firstIndex(of: 0) ?? names.count
    defer { next = end + 1 }
    return UnsafeRawBufferPointer(rebasing: names[next..<end])
  }

  /// Returns the item of a name: the file, or a message if the name is invalid.
  private func item(_ name: UnsafeRawBufferPointer) -> DropInItem {
    count += 1
    let isInput = name.elementsEqual(DropInOptionParser.standardInput)
    if isInput && options.list == DropInOptionParser.standardInput {
      areValid = false
      return message(
        Array("when reading file names from stdin, no file name of '-' allowed".utf8))
    }
    if name.isEmpty {
      areValid = false
      let text = Array("invalid zero-length file name".utf8)
      guard let list = options.list else { return message(text) }
      return message(QuotedName.bytes(of: list) + Array(":\(count): ".utf8) + text)
    }
    if isInput { hasStandardInput = true }
    return .file(name: name, note: .empty)
  }

  private func message(_ text: [UInt8], _ error: Int32 = 0) -> DropInItem {
    let note = withUnsafeBytes(of: error) { Array($0) } + text
    memory.deallocate()
    memory = .allocate(byteCount: note.count, alignment: 8)
    memory.copyBytes(from: note)
    return .note(UnsafeRawBufferPointer(memory))
  }

  // MARK: Width

  /// The width of the columns.
  var width: Int {
    var width = CountWidth()
    var count = 0
    func add(_ name: UnsafeRawBufferPointer) {
      count += 1
      let isInput = name.elementsEqual(DropInOptionParser.standardInput)
      width.add(isInput ? standard.inputStatus : standard.status(of: name))
    }
    switch source {
    case .operands:
      if options.operands.count <= 1 && options.columns.count == 1 { return 1 }
      for index in 0..<max(1, options.operands.count) { add(options.name(at: index)) }
    case .memory(let names):
      while let name = nextName(in: names) { add(name) }
      next = 0
      if count == 1 && options.columns.count == 1 { return 1 }
    case .reader:
      return 1
    }
    return width.value
  }
}

extension StandardDescriptors {
  /// The status of standard input; `nil` if it was closed.
  fileprivate var inputStatus: stat? {
    isInputClosed ? nil : CountWidth.status(of: STDIN_FILENO)
  }

  /// Returns the status of a path while the placeholders are closed; `nil` if it does not exist.
  fileprivate func status(of path: UnsafeRawBufferPointer) -> stat? {
    withoutPlaceholders { CountWidth.status(of: path) }
  }
}
