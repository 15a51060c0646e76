// The files of a run as a sequence.
//
// A run is a push: its lanes call a delivery. The sequence is a pull. Between
// them stands a Handover: the lane that delivers copies a batch into Swift's
// memory. Where the consumer is behind by too much, the walk waits for him before
// it takes descriptors for more. The lanes finish the strides there were, 64 at
// most, and wait for nobody: a lane that waited for the consumer would let the
// strides behind it hold the descriptors that he may ask for in his loop.
// AsyncStream was rejected: it buffers without bound or drops.

internal import SystemPackage

/// The files of a run of a ``FileProcessor``, each with what its job made of it.
///
///     let counter = try FileProcessor { (file) throws(Errno) -> Int in
///       var lines = 0
///       while let piece = try file.read() {
///         for byte in piece where byte == UInt8(ascii: "\n") { lines += 1 }
///       }
///       return lines
///     }
///     var lines = 0
///     for try await file in counter.results(of: .tree("/usr/share/doc")) {
///       lines += file.value ?? 0
///     }
///
/// Each iteration is a run, on threads of the processor's own. It begins when
/// the first element is asked for. A consumer that is slow slows the lanes: no
/// more than some thousands of files are ahead of it, however many there are.
///
/// Leaving the loop, or cancelling the task, ends the run: what is open is
/// finished, and no more is opened. ``FileProcessor/wait()`` waits for that. That
/// a file failed is its ``ProcessedFile/outcome``, and no error of the sequence;
/// one that ends without an error is whole. What it throws:
///
/// - `CancellationError` where the task was cancelled;
/// - `Errno.canceled` after ``FileProcessor/cancel()``, behind a beginning of the
///   files;
/// - `Errno.resourceBusy`, at the first element, where a run of the same processor
///   is under way that nobody has ended;
/// - `Errno.noMemory`.
///
/// The corresponding C function is `weir_files_run`.
public struct FileResults<Value: Sendable>: AsyncSequence, Sendable {
  /// A file and what its job made of it.
  public typealias Element = ProcessedFile<Value>

  private let core: FileProcessorCore
  private let sources: [FileSource]

  init(_ core: FileProcessorCore, _ sources: [FileSource]) {
    self.core = core
    self.sources = sources
  }

  /// A run that begins when the first element is asked for.
  ///
  /// Blocks: no.
  ///
  /// There is no corresponding C function.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(core, sources)
  }

  /// Goes through the files of one run. When it is gone, so is the run, soon.
  ///
  /// There is no corresponding C type.
  public struct AsyncIterator: AsyncIteratorProtocol {
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

    /// The next file; `nil` behind the last one.
    ///
    /// - Throws: See ``FileResults``.
    /// - Complexity: O(1); what a batch's files are made of was copied when it was
    ///   delivered.
    ///
    /// Blocks: no. It suspends where the lanes are behind.
    ///
    /// There is no corresponding C function.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Element? {
      if hasEnded { return nil }
      if Task.isCancelled { throw end(CancellationError()) }
      while true {
        if batch < batches.count {
          let current = batches[batch]
          if index < current.count {
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

    /// Fetches what there is. Whether there is anything.
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

/// Holds a run for as long as somebody goes through it.
private final class FileConsumer<Value: Sendable>: Sendable {
  let handover = Handover<ProcessedBatch<Value>>(capacity: readAhead)
  private let run: FileRun

  init(_ core: FileProcessorCore, _ sources: [FileSource]) throws(Errno) {
    let handover = handover
    let receiver = FileRun.Receiver(
      admits: { handover.waitForRoom() },
      stopped: { handover.makeRoom() },
      ended: { outcome in
        if case .failure(let error) = outcome {
          handover.finish(error)
        } else {
          handover.finish(nil)
        }
      })
    let deliver: FileRun.Deliver = { batch in
      let copy = ProcessedBatch<Value>(batch)
      guard handover.send(copy, weight: copy.byteCount + copy.count * costOfFile) else {
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

/// How many bytes may be ahead of the consumer before the walk waits: about 500
/// files of the usual kind, or one batch where its output is larger.
private let readAhead = 1 << 16

/// What a file weighs besides its path and output.
private let costOfFile = 64
