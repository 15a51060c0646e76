// What wc is to count.

internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// The names that wc is given, one after the other, on one thread: operands, or those
/// of a list. A list that is a regular file and not too long is read at once, so that
/// the widths of columns can be told; another one as it is needed.
final class DropInCountNames: @unchecked Sendable {
  // @unchecked: all of it is the feeder's, until the run is over.
  private enum Source {
    case operands
    /// A list in memory.
    case names(UnsafeRawBufferPointer)
    /// A list that is read bit by bit.
    case stream(ManifestReader)
  }

  private let options: DropInCountOptions
  private let source: Source
  /// The standard descriptors: wc closes a list that it has read, also where that is
  /// standard input.
  let standard: StandardDescriptors
  /// Where the next name begins, in memory, or which operand is next.
  private var next = 0
  /// Whether reading may take its time, and that has not been told.
  private var mayTakeTime = true
  private var isAtEnd = false
  /// For what is to be said.
  private var note: [UInt8] = []
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// How many names there were so far, good and bad.
  private(set) var count = 0
  /// Whether all of them were names.
  private(set) var areWell = true
  /// Whether standard input was among them.
  private(set) var hasStandardInput = false

  /// Opens the list, if there is one. Ends the program where that cannot be.
  init(_ options: DropInCountOptions, _ standard: StandardDescriptors, _ streams: DropInStreams) {
    self.options = options
    guard let list = options.list else {
      source = .operands
      self.standard = standard
      return
    }
    let descriptor =
      list == DropInOptions.standardInput
      ? STDIN_FILENO : list.withUnsafeBytes { standard.open($0) }
    guard descriptor >= 0 else {
      let error = errno
      let name = QuotedName.always(list)
      streams.say(
        Array("cannot open ".utf8) + name + Array(" for reading".utf8), error: error)
      streams.end(status: 1)
    }
    guard let status = CountWidth.status(of: descriptor), status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= CountWidth.listMax
    else {
      self.standard = standard
      source = .stream(
        ManifestReader(
          FileDescriptor(rawValue: descriptor), terminator: 0, lengthMax: Int.max))
      return
    }
    guard let names = DropInCountNames.content(of: descriptor) else {
      let name = QuotedName.always(list)
      streams.say(Array("cannot read file names from ".utf8) + name)
      streams.end(status: 1)
    }
    if descriptor == STDIN_FILENO {
      self.standard = standard.closingInput()
    } else {
      close(descriptor)
      self.standard = standard
    }
    source = .names(names)
  }

  deinit {
    memory.deallocate()
  }

  /// All of a file, which stays for good; `nil` where it cannot be read.
  private static func content(of descriptor: Int32) -> UnsafeRawBufferPointer? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(memory)
  }

  /// Whether there is one name alone, or none.
  var isSingle: Bool {
    switch source {
    case .operands: options.operands.count <= 1
    case .names(let names): names.dropLast().firstIndex(of: 0) == nil
    case .stream: false
    }
  }

  // MARK: One after the other

  /// What comes next; `nil` behind the last one.
  func nextItem() -> DropInItem? {
    if isAtEnd { return nil }
    switch source {
    case .operands:
      if options.operands.isEmpty {
        isAtEnd = true
        hasStandardInput = true
        return .file(name: options.nameOfNone, note: .nothing)
      }
      guard next < options.operands.count else { return nil }
      defer { next += 1 }
      return item(options.operand(at: next))
    case .names(let names):
      return nextName(of: names).map { item($0) }
    case .stream(let reader):
      if mayTakeTime && !reader.hasNext {
        mayTakeTime = false
        return .flush
      }
      mayTakeTime = true
      return nextItem(of: reader)
    }
  }

  private func nextItem(of reader: ManifestReader) -> DropInItem? {
    do throws(Errno) {
      return try reader.next().map { item(UnsafeRawBufferPointer($0)) }
    } catch {
      isAtEnd = true
      areWell = false
      let list = options.list ?? []
      return say(QuotedName.bytes(of: list) + Array(": read error".utf8), error.rawValue)
    }
  }

  private func nextName(of names: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard next < names.count else { return nil }
    let end = names[next...].firstIndex(of: 0) ?? names.count
    defer { next = end + 1 }
    return UnsafeRawBufferPointer(rebasing: names[next..<end])
  }

  private func item(_ name: UnsafeRawBufferPointer) -> DropInItem {
    count += 1
    let isInput = name.elementsEqual(DropInOptions.standardInput)
    if isInput && options.list == DropInOptions.standardInput {
      areWell = false
      return say(
        Array("when reading file names from stdin, no file name of '-' allowed".utf8))
    }
    if name.isEmpty {
      areWell = false
      let text = Array("invalid zero-length file name".utf8)
      guard let list = options.list else { return say(text) }
      return say(QuotedName.bytes(of: list) + Array(":\(count): ".utf8) + text)
    }
    if isInput { hasStandardInput = true }
    return .file(name: name, note: .nothing)
  }

  private func say(_ text: [UInt8], _ error: Int32 = 0) -> DropInItem {
    note = withUnsafeBytes(of: error) { Array($0) } + text
    memory.deallocate()
    memory = .allocate(byteCount: note.count, alignment: 8)
    memory.copyBytes(from: note)
    return .note(UnsafeRawBufferPointer(memory))
  }

  // MARK: Widths

  /// How wide the columns are.
  var width: Int {
    var width = CountWidth()
    func add(_ name: UnsafeRawBufferPointer) {
      let isInput = name.elementsEqual(DropInOptions.standardInput)
      width.add(isInput ? standard.inputStatus : standard.status(of: name))
    }
    var names = 0
    switch source {
    case .operands:
      names = max(1, options.operands.count)
      if names == 1 && options.columns.count == 1 { return 1 }
      if options.operands.isEmpty { add(options.nameOfNone) }
      for index in 0..<options.operands.count { add(options.operand(at: index)) }
    case .names(let all):
      while let name = nextName(of: all) {
        names += 1
        add(name)
      }
      next = 0
      if names == 1 && options.columns.count == 1 { return 1 }
    case .stream:
      return 1
    }
    return width.value
  }
}

extension DropInCountOptions {
  /// What stands for standard input where nothing is named.
  var nameOfNone: UnsafeRawBufferPointer {
    let name: StaticString = "-"
    return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
  }
}

extension StandardDescriptors {
  /// What standard input is; `nil` where it was closed.
  var inputStatus: stat? { isInputClosed ? nil : CountWidth.status(of: STDIN_FILENO) }

  /// What a path leads to, as if nothing stood in for what is closed.
  func status(of path: UnsafeRawBufferPointer) -> stat? {
    withoutStandIns { CountWidth.status(of: path) }
  }
}
