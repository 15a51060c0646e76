// A walk for async code.

internal import Dispatch

extension FileWalk {
  /// The entries for `async` code. A thread of its own reads the directories, which blocks.
  ///
  ///     for try await entry in FileWalk("/usr/share/doc").entries {
  ///       print(entry.depth, entry.path)
  ///     }
  ///
  /// Each iteration is a walk, which begins with the request for the first element, and runs some
  /// hundreds of entries ahead of the consumer. Leaving the loop ends the walk. Cancelling the task
  /// also does, with an error: a sequence that ends without an error is complete.
  ///
  /// Blocks: no. A step suspends if no entry is ready. There is no corresponding C function.
  public var entries: some AsyncSequence<Entry, CancellationError> & Sendable {
    Entries(walk: self)
  }

  /// The entries of a walk, read ahead.
  private struct Entries: AsyncSequence, Sendable {
    let walk: FileWalk

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(walk) }

    /// The iterator over the entries. Destroying it ends the walk soon.
    struct AsyncIterator: AsyncIteratorProtocol {
      private let walk: FileWalk
      private var reader: WalkReader?
      private var ready = [[Entry]]().joined().makeIterator()
      private var hasEnded = false

      fileprivate init(_ walk: FileWalk) {
        self.walk = walk
      }

      mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(CancellationError) -> Entry? {
        if hasEnded { return nil }
        if Task.isCancelled { throw cancelled() }
        repeat {
          if let entry = ready.next() { return entry }
        } while try await fetch(isolation: actor)
        return nil
      }

      /// Fetches the entries that are ready, and waits if there are none. Returns false at the end.
      private mutating func fetch(
        isolation: isolated (any Actor)?
      ) async throws(CancellationError) -> Bool {
        let reader = self.reader ?? WalkReader(walk)
        self.reader = reader
        switch await reader.handover.receive(isolation: isolation) {
        case .pieces(let pieces):
          ready = pieces.joined().makeIterator()
          return true
        case .end:
          hasEnded = true
          return false
        case .closed:
          throw cancelled()
        }
      }

      private mutating func cancelled() -> CancellationError {
        hasEnded = true
        ready = [].joined().makeIterator()
        reader = nil
        return CancellationError()
      }
    }
  }
}

/// A thread that walks as long as an iterator exists.
private final class WalkReader: Sendable {
  let handover = Handover<[FileWalk.Entry]>(capacity: readAhead)

  init(_ walk: FileWalk) {
    let handover = handover
    // Not a global queue: libdispatch would open three descriptors.
    DispatchQueue(label: "weir.walk").async {
      WalkReader.walk(walk, into: handover)
    }
  }

  deinit {
    handover.close()
  }

  private static func walk(_ walk: FileWalk, into handover: Handover<[FileWalk.Entry]>) {
    var piece: [FileWalk.Entry] = []
    var weight = 0
    // The first entry is passed on at once, later ones in growing pieces.
    var wanted = 1
    for entry in walk {
      piece.append(entry)
      weight += entry.pathBytes.count + costOfEntry
      if piece.count >= wanted || weight >= readAhead {
        guard handover.send(piece, weight: weight), handover.waitForRoom() else { return }
        wanted = min(wanted * 2, largestPiece)
        piece = []
        piece.reserveCapacity(wanted)
        weight = 0
      }
    }
    if !piece.isEmpty {
      _ = handover.send(piece, weight: weight)
    }
    handover.finish(nil)
  }
}

/// The number of bytes that may be ahead of the consumer: about 500 entries.
private let readAhead = 1 << 16

/// The weight of an entry in addition to its path.
private let costOfEntry = 80

/// The maximum number of entries in a piece.
private let largestPiece = 128
