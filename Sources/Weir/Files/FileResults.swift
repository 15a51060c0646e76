// The files of a run as an asynchronous sequence.
//
// DESIGN. A run pushes: its lanes call a delivery. A sequence pulls. A Handover connects them: the
// lane that delivers copies a batch into Swift's memory. If the consumer is too far behind, the
// walk waits for it before it takes permits for more files. A lane never waits for the consumer:
// the batches after it would hold descriptors that the consumer's loop may need. AsyncStream
// buffers without bound or drops.

/// The files of a run; each iteration is a run.
struct FileResults<Value: Sendable>: AsyncSequence, Sendable {
  private let core: FileProcessorCore
  private let sources: [FileSource]

  init(_ core: FileProcessorCore, _ sources: [FileSource]) {
    self.core = core
    self.sources = sources
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(core, sources) }

  /// The iterator over the files of one run. Destroying it ends the run soon.
  struct AsyncIterator: AsyncIteratorProtocol {
    private let core: FileProcessorCore
    private let sources: [FileSource]
    private var consumer: FileConsumer<Value>?
    private var batches: [ProcessedBatch<Value>] = []
    private var batch = 0  // in batches
    private var index = 0  // in that batch
    private var hasEnded = false

    fileprivate init(_ core: FileProcessorCore, _ sources: [FileSource]) {
      self.core = core
      self.sources = sources
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> ProcessedFile<Value>? {
      if hasEnded { return nil }
      if Task.isCancelled { throw end(CancellationError()) }
      while true {
        if batch < batches.count {
          let current = batches[batch]
          if index < current.entries.count {
            defer { index += 1 }
            return ProcessedFile(current, index)
          }
          batch += 1
          index = 0
        } else if !(try await fetch(isolation: actor)) {
          return nil
        }
      }
    }

    /// Fetches the batches that are ready, and waits if there are none. Returns false at the end.
    private mutating func fetch(isolation: isolated (any Actor)?) async throws -> Bool {
      batches = []
      batch = 0
      let consumer = try self.consumer ?? begin()
      switch await consumer.handover.receive(isolation: isolation) {
      case .pieces(let pieces):
        batches = pieces
        return true
      case .end(nil):
        hasEnded = true
        return false
      case .end(let error?):
        throw end(error)
      case .closed:
        throw end(CancellationError())
      }
    }

    private mutating func begin() throws -> FileConsumer<Value> {
      do {
        let made = try FileConsumer<Value>(core, sources)
        consumer = made
        return made
      } catch {
        throw end(error)
      }
    }

    private mutating func end(_ error: any Error) -> any Error {
      hasEnded = true
      batches = []
      consumer = nil
      return error
    }
  }
}

/// The owner of a run, as long as an iterator exists.
private final class FileConsumer<Value: Sendable>: Sendable {
  let handover = Handover<ProcessedBatch<Value>>(capacity: readAhead)
  private let run: FileRun

  init(_ core: FileProcessorCore, _ sources: [FileSource]) throws(FileProcessorError) {
    let handover = handover
    let receiver = FileRun.Receiver(
      admits: { handover.waitForRoom() },
      stopped: { handover.makeRoom() },
      ended: { outcome in
        if case .failure(let error) = outcome { return handover.finish(error) }
        handover.finish(nil)
      }, keepsValues: true)
    let deliver: FileRun.Deliver = { batch in
      let copy = ProcessedBatch<Value>(batch, of: sources)
      guard handover.send(copy, weight: copy.byteCount + copy.entries.count * costOfFile) else {
        throw CancellationError()
      }
    }
    run = try core.start(sources, deliver: deliver, receiver: receiver)
  }

  deinit {
    handover.close()
    run.stop()
  }
}

/// The number of bytes that may be ahead of the consumer before the walk waits: about 500
/// typical files, or one batch if its output is larger.
private let readAhead = 1 << 16

/// The weight of a file in addition to its path and output.
private let costOfFile = 64
