// A walk for async code: a thread of its own walks, some hundreds of entries
// ahead of who consumes them.

internal import Dispatch

extension FileWalk {
  /// The entries for `async` code: reading directories blocks, and is done on a
  /// thread of the walk's own.
  ///
  ///     for try await entry in FileWalk("/usr/share/doc").entries {
  ///       print(entry.depth, entry.path)
  ///     }
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// There is no corresponding C function.
  public var entries: Entries { Entries(walk: self) }

  /// The entries of a walk, read ahead.
  ///
  ///     var directories = 0
  ///     for try await entry in FileWalk("/srv").entries where entry.type == .directory {
  ///       directories += 1
  ///     }
  ///
  /// Each iteration is a walk, which begins when the first element is asked for.
  /// It is some hundreds of entries ahead of the consumer, and then waits.
  /// Leaving the loop ends it; cancelling the task does too, and is an error: a
  /// sequence that ends without one is whole.
  ///
  /// There is no corresponding C type.
  public struct Entries: AsyncSequence, Sendable {
    /// Something that the walk has found.
    public typealias Element = Entry
    /// That the task was cancelled; all else is an ``FileWalk/Entry/error``.
    public typealias Failure = CancellationError

    fileprivate let walk: FileWalk

    /// A walk that begins when the first element is asked for.
    ///
    /// Blocks: no.
    ///
    /// There is no corresponding C function.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(walk)
    }

    /// Goes through the entries. When it is gone, so is the walk, soon.
    ///
    /// There is no corresponding C type.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let walk: FileWalk
      private var reader: WalkReader?
      private var pieces: [[Entry]] = []
      private var piece = 0  // in pieces
      private var index = 0  // in that piece
      private var hasEnded = false

      fileprivate init(_ walk: FileWalk) {
        self.walk = walk
      }

      /// The next entry; `nil` behind the last one.
      ///
      /// - Throws: `CancellationError` where the task is cancelled.
      /// - Complexity: O(1); the walk itself is another thread's.
      ///
      /// Blocks: no. It suspends where the walk is behind.
      ///
      /// The corresponding C function is `weir_walk_next`.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(CancellationError) -> Entry? {
        if hasEnded { return nil }
        if Task.isCancelled { throw cancelled() }
        while true {
          if piece < pieces.count {
            if index < pieces[piece].count {
              defer { index += 1 }
              return pieces[piece][index]
            }
            piece += 1
            index = 0
          } else if !(try await fetch(isolation: actor)) {
            return nil
          }
        }
      }

      /// Fetches what there is. Whether there is anything.
      private mutating func fetch(
        isolation: isolated (any Actor)?
      ) async throws(CancellationError) -> Bool {
        pieces = []
        piece = 0
        let reader = self.reader ?? WalkReader(walk)
        self.reader = reader
        switch await reader.handover.receive(isolation: isolation) {
        case .pieces(let received):
          pieces = received
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
        pieces = []
        reader = nil
        return CancellationError()
      }
    }
  }
}

/// A thread that walks, for as long as somebody goes through what it finds.
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
    // The first entries come at once, and later more at a time.
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

/// How many bytes may be ahead of the consumer: about 500 entries.
private let readAhead = 1 << 16

/// What an entry weighs besides its path.
private let costOfEntry = 80

/// How many entries are handed over together.
private let largestPiece = 128
