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

/// The state that a lane computes from one file after the other, and the line of each.
protocol DropInContent: AnyObject, SendableMetatype {
  func compute(_ file: borrowing OpenFile) throws(Errno)

  /// Reads a descriptor to its end, on the calling thread, for an item with a note.
  func compute(_ descriptor: FileDescriptor, _ note: UnsafeRawBufferPointer) throws(Errno)

  /// Returns the maximum number of bytes in the line of a name.
  func capacity(_ name: UnsafeRawBufferPointer) -> Int

  /// Writes the line. Returns the number of bytes.
  ///
  /// - Throws: An error that becomes the result of the file.
  func write(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer,
    to memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int
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
    var options = FileProcessorOptions()
    options.isInline = isSingle || !ThreadSupply.sufficesForDropIn
    options.isLiteral = true
    self.make = make
    self.streams = streams
    self.standard = standard
    do throws(Errno) {
      processor = try FileProcessor(
        options,
        context: make,
        job: { (file, content) throws(Errno) in
          try content.compute(file)
          try file.write(content)
        })
    } catch {
      streams.end(after: error)
    }
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

  /// Reads the items of `next`; returns when all are delivered.
  ///
  /// - Parameter deliver: Called with each result, in order, one at a time.
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
  private func feed(_ next: () -> DropInItem?, _ deliver: Deliver) -> FileItem? {
    if let (name, note) = barrier.wait() {
      deliver(read(name, note))
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

  /// Reads a file on the calling thread.
  private func read(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer
  ) -> DropInResult {
    do throws(Errno) {
      let content = try make()
      let isInput = isStandardInput(name)
      let descriptor = isInput ? STDIN_FILENO : standard.open(name)
      guard descriptor >= 0 else { throw Errno(rawValue: errno) }
      defer { if !isInput { close(descriptor) } }
      try content.compute(FileDescriptor(rawValue: descriptor), note)
      return .line(
        name: name,
        try barrier.withMemory(content.capacity(name)) { memory throws(Errno) in
          try content.write(name, note, to: memory)
        })
    } catch {
      return .failed(name: name, note: note, error)
    }
  }
}

extension OpenFile {
  /// Appends the line of the file to its output.
  fileprivate borrowing func write(_ content: some DropInContent) throws(Errno) {
    let (name, note) = (path, lentNote)
    var failure: Errno?
    try write(capacity: content.capacity(name)) { memory in
      do throws(Errno) {
        return try content.write(name, note, to: memory)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
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
