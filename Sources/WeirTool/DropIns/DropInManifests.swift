// What stands in the manifests that GNU's tools are to verify.

internal import FileJobs
internal import Glibc
internal import SystemPackage

/// Something of a manifest that is no file to verify.
enum ManifestEvent {
  /// A line that is none of a checksum tool, by its number.
  case malformed(line: Int)
  /// A manifest could not be opened.
  case unopened(Errno)
  /// A manifest could not be read to its end.
  case unread
  /// A manifest is at its end.
  case end

  /// As two numbers, which go along with the files as bytes.
  fileprivate var code: (Int, Int) {
    switch self {
    case .malformed(let line): (0, line)
    case .unopened(let error): (1, Int(error.rawValue))
    case .unread: (2, 0)
    case .end: (3, 0)
    }
  }

  /// What a note of ``DropInManifests`` says.
  init(note: UnsafeRawBufferPointer) {
    let size = MemoryLayout<Int>.size
    let value = note.loadUnaligned(fromByteOffset: size, as: Int.self)
    switch note.loadUnaligned(as: Int.self) {
    case 0: self = .malformed(line: value)
    case 1: self = .unopened(Errno(rawValue: Int32(value)))
    case 2: self = .unread
    default: self = .end
    }
  }
}

/// Reads manifests, one after the other, on one thread. A file comes with the
/// digest that it should have as its note.
final class DropInManifests: @unchecked Sendable {
  // @unchecked: all of it is the feeder's, until the run is over.
  private let names: DropInOptions
  private let standard: StandardDescriptors
  private var parser: ManifestParser
  private var reader: ManifestReader?
  private var descriptor = FileDescriptor.standardInput
  /// Which of the manifests is being read, or was read last.
  private var index = -1
  /// Whether reading may take its time, and that has not been told.
  private var mayTakeTime = false
  /// Whether standard input was read, as a manifest or as a file.
  private(set) var hasReadStandardInput = false
  /// For an event.
  private let note = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 2 * MemoryLayout<Int>.size, alignment: 8)

  init(
    _ names: DropInOptions, _ algorithm: DigestAlgorithm, _ standard: StandardDescriptors
  ) {
    self.names = names
    self.standard = standard
    // One for all of them: how the first line separates digest and name binds
    // the lines of the others too.
    parser = ManifestParser(as: algorithm)
  }

  deinit {
    note.deallocate()
  }

  /// What comes next; `nil` behind the last manifest.
  func next() -> DropInItem? {
    while true {
      guard let reader else {
        guard index + 1 < names.nameCount else { return nil }
        if let item = beginNext() { return item }
        continue
      }
      if mayTakeTime && !reader.hasNext {
        mayTakeTime = false
        return .flush
      }
      do throws(Errno) {
        guard let line = try reader.next() else { return end(.end) }
        mayTakeTime = !isRegular
        if let item = item(line, reader.lineNumber) { return item }
      } catch {
        return end(.unread)
      }
    }
  }

  private func item(_ line: UnsafeMutableRawBufferPointer, _ number: Int) -> DropInItem? {
    switch parser.parse(line) {
    case .ignored: return nil
    case .malformed: return event(.malformed(line: number))
    case .entry(let entry):
      if entry.name.elementsEqual(DropInOptions.standardInput) {
        // The manifest itself is no file of it.
        if isStandardInput { return event(.malformed(line: number)) }
        hasReadStandardInput = true
      }
      return .file(name: entry.name, note: entry.digest)
    }
  }

  private func event(_ event: ManifestEvent) -> DropInItem {
    note.storeBytes(of: event.code.0, as: Int.self)
    note.storeBytes(of: event.code.1, toByteOffset: MemoryLayout<Int>.size, as: Int.self)
    return .note(UnsafeRawBufferPointer(note))
  }

  // MARK: Opening and closing

  private var isStandardInput: Bool {
    names.name(at: index).elementsEqual(DropInOptions.standardInput)
  }

  /// Whether the present manifest is a file that never lets one wait.
  private var isRegular = false
  /// Whether all that precedes the next manifest is written.
  private var hasTurn = false

  /// Opens the next manifest. What there is to say first, if anything is.
  private func beginNext() -> DropInItem? {
    if !hasTurn && !looksRegular(index + 1) {
      hasTurn = true
      return .turn
    }
    isRegular = !hasTurn
    hasTurn = false
    index += 1
    if isStandardInput {
      hasReadStandardInput = true
      descriptor = .standardInput
    } else {
      let name = names.name(at: index)
      let number =
        isRegular ? name.withPath { open($0, O_RDONLY | O_CLOEXEC) } : standard.open(name)
      guard number >= 0 else { return event(.unopened(Errno(rawValue: errno))) }
      descriptor = FileDescriptor(rawValue: number)
    }
    mayTakeTime = !isRegular
    reader = ManifestReader(descriptor, lengthMax: Int.max)
    return nil
  }

  private func looksRegular(_ index: Int) -> Bool {
    let name = names.name(at: index)
    var status = stat()
    let error =
      name.elementsEqual(DropInOptions.standardInput)
      ? fstat(STDIN_FILENO, &status) : name.withPath { stat($0, &status) }
    return error == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private func end(_ event: ManifestEvent) -> DropInItem {
    reader = nil
    if descriptor != .standardInput { close(descriptor.rawValue) }
    return self.event(event)
  }
}
