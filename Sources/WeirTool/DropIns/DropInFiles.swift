// The files of a drop-in tool: read by all lanes, delivered in order.
//
// DESIGN. GNU's tools read one file after the other. So a file that is not a regular file is
// read alone: it is opened after all files before it are written, and no later file is opened
// before it is read. Two names of one pipe then share its bytes as they do for GNU's tools,
// and a process that feeds a FIFO may wait for the lines of the files before it. The file
// processor handles such files by itself. The others that need a barrier are read here, on
// the feeder's thread, which would be idle: standard input, the files that the tool itself
// writes to, and a path that may lead to a closed standard descriptor.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The next item of a drop-in tool. Its pointers are valid until the next item is requested.
enum DropInItem {
  case file(name: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer)
  case note(UnsafeRawBufferPointer)
  case flush
  /// The next item must not be requested before all items before it are written.
  case barrier
}

/// The result of an item.
enum DropInResult {
  /// The line of a file that was read.
  case line(name: UnsafeRawBufferPointer, UnsafeRawBufferPointer)
  case failed(name: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer, Errno)
  case note(UnsafeRawBufferPointer)
}

/// The state that a lane computes from one file after the other.
protocol DropInContent: AnyObject, SendableMetatype {
  /// Reads a file, and writes its line to its output.
  ///
  /// - Throws: An error that becomes the result of the file.
  func read(_ file: borrowing OpenFile) throws(Errno)
}

/// Reads files, opened as GNU's tools open them.
final class DropInFiles<Content: DropInContent>: Sendable {
  typealias Deliver = @Sendable (DropInResult) -> Void
  typealias Make = @Sendable () throws(Errno) -> Content

  private let make: Make
  private let streams: DropInStreams
  private let standard: StandardDescriptors
  private let processor: FileProcessor<Content, Void>
  private let outputs = DropInOutputFiles()
  private let barrier = DropInBarrier()

  /// - Parameters:
  ///   - isSingle: True if there is only one file, which is read without the threads of lanes.
  ///   - make: Makes the content of a lane.
  init(
    _ streams: DropInStreams, _ standard: StandardDescriptors, isSingle: Bool,
    make: @escaping Make
  ) {
    self.make = make
    self.streams = streams
    self.standard = standard
    do throws(Errno) {
      processor = try DropInFiles.makeProcessor(
        isInline: isSingle || !ThreadSupply.sufficesForDropIn, make)
    } catch {
      streams.end(after: error)
    }
  }

  private static func makeProcessor(
    isInline: Bool, _ make: @escaping Make
  ) throws(Errno) -> FileProcessor<Content, Void> {
    var options = FileProcessorOptions()
    (options.isInline, options.isLiteral) = (isInline, true)
    return try FileProcessor(
      options, context: make, job: { (file, content) throws(Errno) in try content.read(file) })
  }

  /// Reads the files of a command line; returns when all are delivered.
  ///
  /// - Parameter deliver: Called with each result, in order, one at a time.
  func run(_ names: DropInOperands, deliver: @escaping Deliver) {
    let next = Locked(0)
    run(
      {
        let index = next.with { next in
          defer { next += 1 }
          return next
        }
        return index < names.count ? .file(name: names[index], note: .empty) : nil
      }, deliver: deliver)
  }

  /// Reads the items of `next`; returns when all are delivered. Calls `deliver` with each result,
  /// in order, one at a time.
  func run(_ next: @escaping @Sendable () -> DropInItem?, deliver: @escaping Deliver) {
    let source = FileSource.items { [self] in feed(next, deliver) }
    do {
      try processor.run([source]) { [streams, barrier] batch in
        for index in 0..<batch.count {
          deliver(DropInResult(batch[index]))
        }
        streams.flushLines()
        barrier.addDelivered(batch.count)
      }
    } catch {
      streams.end(after: error as? Errno ?? .noMemory)
    }
  }

  /// Returns the next item for the lanes. Reads a file that needs a barrier here.
  private func feed(_ next: () -> DropInItem?, _ deliver: @escaping Deliver) -> FileItem? {
    if let (name, note) = barrier.wait() {
      read(name, note, deliver)
      streams.flushLines()
    }
    switch next() {
    case nil: return nil
    case .flush: return .flush
    case .barrier:
      barrier.request()
      return .flush
    case .note(let note):
      barrier.addSubmitted()
      return .note(lent: note)
    case .file(let name, let note):
      if needsBarrier(name) {
        barrier.request(before: name, note)
        return .flush
      }
      barrier.addSubmitted()
      if name.count >= PATH_MAX {
        return .failure(.fileNameTooLong, path: Array(name), note: Array(note))
      }
      return FileItem(lent: name, note: note, isWalked: false)
    }
  }

  private func needsBarrier(_ name: UnsafeRawBufferPointer) -> Bool {
    if isStandardInput(name) { return true }
    if outputs.isEmpty && standard.areOpen { return false }
    guard let status = stat.of(name) else { return false }
    let isSpecial = ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    return isSpecial ? !standard.areOpen : outputs.contains(status)
  }

  private func isStandardInput(_ name: UnsafeRawBufferPointer) -> Bool {
    name.elementsEqual(DropInOperands.standardInput)
  }

  /// Reads a file on the calling thread, from a descriptor that the processor does not open itself.
  private func read(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer, _ deliver: @escaping Deliver
  ) {
    let isInput = isStandardInput(name)
    let number = isInput ? STDIN_FILENO : standard.open(name)
    if number < 0 { return deliver(.failed(name: name, note: note, Errno(rawValue: errno))) }
    defer { if !isInput { close(number) } }
    let item = FileItem.descriptor(
      FileDescriptor(rawValue: number), lent: name, note: note)
    let isTaken = Locked(false)
    let source = FileSource.items {
      isTaken.with { isTaken in
        defer { isTaken = true }
        return isTaken ? nil : item
      }
    }
    do {
      try DropInFiles.makeProcessor(isInline: true, make).run([source]) { batch in
        for index in 0..<batch.count { deliver(DropInResult(batch[index])) }
      }
    } catch {
      streams.end(after: error as? Errno ?? .noMemory)
    }
  }
}

extension DropInResult {
  fileprivate init(_ result: FileResult) {
    switch result.outcome {
    case .done: self = .line(name: result.path, result.output)
    case .failed(let error):
      self = .failed(name: result.path, note: result.note, Errno(of: error))
    case .noted: self = .note(result.note)
    // Literal mode never has these outcomes.
    case .changed(let error):
      self = .failed(name: result.path, note: result.note, error ?? .ioError)
    case .special, .directory, .link:
      self = .failed(name: result.path, note: result.note, .noSuchAddressOrDevice)
    }
  }
}

/// The regular files that are standard output and standard error. GNU's tools, if they read
/// such a file, find the lines written so far.
private struct DropInOutputFiles: Sendable {
  private let identities: [FileIdentity]

  init() {
    identities = [STDOUT_FILENO, STDERR_FILENO]
      .compactMap { stat.of(descriptor: $0) }
      .filter(\.isRegularFile)
      .map { FileIdentity($0) }
  }

  var isEmpty: Bool { identities.isEmpty }

  func contains(_ status: stat) -> Bool { identities.contains(FileIdentity(status)) }
}
