// Many files for a drop-in tool: over all lanes, and handed out in order.
//
// What is no regular file has its turn: it is opened when all before it is
// written, and nothing behind it is before it has been read. So two names of one
// pipe share what it gives as when they are read one after the other, and who
// feeds a FIFO may wait for the lines of the files before it. The file processor
// sees to that. What it cannot know has its turn here, on the feeder's thread,
// which would have nothing else to do: standard input, the files that the tool
// itself writes to, and what may be a name of a standard descriptor that is
// closed.

internal import Glibc
internal import SystemPackage
internal import Weir

/// What comes next for a drop-in tool. What it points to is of use until the
/// next one is asked for.
enum DropInItem {
  case file(name: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer)
  /// No file, but something to say in its place.
  case note(UnsafeRawBufferPointer)
  /// The next one may take its time.
  case flush
  /// The next one is to be asked for when all before it is written.
  case turn
}

/// What became of an item.
enum DropInResult {
  /// A file was read; what is to be written for it.
  case line(UnsafeRawBufferPointer)
  case failed(name: UnsafeRawBufferPointer, Errno)
  case note(UnsafeRawBufferPointer)
}

/// What is found out about a file: a lane's, for one file after the other.
protocol DropInContent: AnyObject {
  /// Reads a file.
  ///
  /// - Throws: What becomes of the file.
  func compute(_ file: borrowing OpenFile) throws(Errno)

  /// Reads what comes out of a descriptor, here and now.
  func compute(_ descriptor: Int32) throws(Errno)
}

/// What is written for a file that was read.
protocol DropInLine: Sendable {
  associatedtype Content: DropInContent

  /// Makes what a lane reads files with.
  func makeContent() throws(Errno) -> Content

  /// The most bytes it takes for a name.
  func capacity(_ name: UnsafeRawBufferPointer) -> Int

  /// Writes it. Returns how many bytes it has.
  ///
  /// - Throws: What becomes of the file instead.
  func write(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer, _ content: Content,
    to memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int
}

/// Reads files as GNU opens them.
final class DropInFiles<Line: DropInLine>: Sendable {
  typealias Deliver = @Sendable (DropInResult) -> Void

  private let line: Line
  private let streams: DropInStreams
  private let standard: StandardDescriptors
  private let processor: FileProcessor<Line.Content, Void>
  private let own = OwnOutputs()
  private let turns = DropInTurns()

  /// - Parameter isSingle: Whether there is one file only, for which lanes are
  ///   not worth their threads.
  init(
    _ line: Line, _ streams: DropInStreams, _ standard: StandardDescriptors, isSingle: Bool
  ) {
    var options = FileProcessorOptions()
    options.isInline = isSingle
    options.isLiteral = true
    self.line = line
    self.streams = streams
    self.standard = standard
    do throws(Errno) {
      processor = try FileProcessor(
        options,
        context: { () throws(Errno) -> Line.Content in try line.makeContent() },
        job: { (file, content) throws(Errno) in
          try content.compute(file)
          try file.write(line, content)
        })
    } catch {
      streams.endWithoutMeans(error)
    }
  }

  /// Reads what `next` gives; returns when all is handed out.
  ///
  /// - Parameter deliver: Called with each result, in order, one at a time.
  func run(_ next: @escaping @Sendable () -> DropInItem?, deliver: @escaping Deliver) {
    let source = FileSource.items { [self] in feed(next, deliver) }
    do {
      try processor.run([source]) { [streams, turns] batch in
        for index in 0..<batch.count {
          deliver(DropInResult(batch[index]))
        }
        streams.finishLines()
        turns.handedOut(batch.count)
      }
    } catch {
      streams.endWithoutMeans(error as? Errno ?? .noMemory)
    }
  }

  /// The next item for the lanes. What has to have its turn is seen to here.
  private func feed(_ next: () -> DropInItem?, _ deliver: Deliver) -> FileItem? {
    if let (name, note) = turns.waitForTurn() {
      deliver(read(name, note))
      streams.finishLines()
    }
    switch next() {
    case nil: return nil
    case .flush: return .flush
    case .turn:
      turns.await()
      return .flush
    case .note(let note):
      turns.given()
      return .note(note)
    case .file(let name, let note):
      if hasItsTurn(name) {
        turns.await(name, note)
        return .flush
      }
      turns.given()
      if name.count >= PATH_MAX { return .failure(.fileNameTooLong, path: name, note: note) }
      return FileItem(path: name, note: note, isWalked: false)
    }
  }

  private func hasItsTurn(_ name: UnsafeRawBufferPointer) -> Bool {
    if name.elementsEqual(DropInOptions.standardInput) { return true }
    if own.isEmpty && standard.areOpen { return false }
    var status = stat()
    guard name.withPath({ stat($0, &status) }) == 0 else { return false }
    let isSpecial = ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    return isSpecial ? !standard.areOpen : own.contains(status)
  }

  /// Reads a file here and now.
  private func read(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer
  ) -> DropInResult {
    do throws(Errno) {
      let content = try line.makeContent()
      let isInput = name.elementsEqual(DropInOptions.standardInput)
      let descriptor = isInput ? STDIN_FILENO : standard.open(name)
      guard descriptor >= 0 else { throw Errno(rawValue: errno) }
      defer { if !isInput { close(descriptor) } }
      try content.compute(descriptor)
      return .line(
        try turns.room(line.capacity(name)) { memory throws(Errno) in
          try line.write(name, note, content, to: memory)
        })
    } catch {
      return .failed(name: name, error)
    }
  }
}

extension OpenFile {
  /// Adds a line.
  fileprivate borrowing func write<Line: DropInLine>(
    _ line: Line, _ content: Line.Content
  ) throws(Errno) {
    let (name, note) = (path, self.note)
    var failure: Errno?
    try write(capacity: line.capacity(name)) { memory in
      do throws(Errno) {
        return try line.write(name, note, content, to: memory)
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
    case .done: self = .line(result.output)
    case .failed(let error): self = .failed(name: result.path, error)
    case .noted: self = .note(result.note)
    // What is read literally ends as neither.
    case .changed(let error): self = .failed(name: result.path, error ?? .ioError)
    case .special, .directory, .link:
      self = .failed(name: result.path, .noSuchAddressOrDevice)
    }
  }
}

extension DropInStreams {
  /// Ends the program, which has no memory, or a libcrypto that lacks the
  /// digest.
  func endWithoutMeans(_ error: Errno) -> Never {
    say(error == .noMemory ? "memory exhausted" : "cannot compute digests: \(error)")
    end(status: 1)
  }
}

/// The files that standard output and standard error go to. What GNU reads from
/// them, where they are named, are the lines written so far.
private struct OwnOutputs: Sendable {
  private struct Identity: Equatable {
    let device: dev_t
    let number: ino_t
  }

  private let identities: [Identity]

  init() {
    identities = [STDOUT_FILENO, STDERR_FILENO].compactMap { descriptor in
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return nil
      }
      return Identity(device: status.st_dev, number: status.st_ino)
    }
  }

  var isEmpty: Bool { identities.isEmpty }

  func contains(_ status: stat) -> Bool {
    identities.contains(Identity(device: status.st_dev, number: status.st_ino))
  }
}
