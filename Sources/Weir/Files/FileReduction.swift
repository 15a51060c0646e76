// The reduction of the values of a run to one.
//
// DESIGN. The processor knows only after a job if the file changed while it was read, and most
// results cannot undo the work of a job. So the lane adds the value to its partial result when the
// file is done.

extension FileProcessor {
  /// Accumulates the values of all files into one result: on the lanes while they process files,
  /// and at the end from lane to lane.
  ///
  ///     let words = try FileProcessor { file in
  ///       var text: [UInt8] = []
  ///       while let piece = try file.read() {
  ///         for index in piece.indices { text.append(piece[index]) }
  ///       }
  ///       return Set(text.split(separator: UInt8(ascii: " ")).map { Array($0) })
  ///     }
  ///     let files: [[UInt8]: Int] = try await words.reduce(into: [:], of: [.tree("/srv")]) {
  ///       files, words in
  ///       for word in words { files[word, default: 0] += 1 }
  ///     } combine: { files, others in
  ///       files.merge(others, uniquingKeysWith: +)
  ///     }
  ///     print(files.count)
  ///
  /// Failed files and files that changed while they were read are not in the result, only in
  /// ``statistics``.
  ///
  /// - Parameters:
  ///   - identity: The initial value of a partial result, which changes nothing when combined.
  ///   - accumulate: Adds the value of a file to the partial result of its lane. Called by several
  ///     threads at once, each with its own partial result, in any order of the files.
  ///   - combine: Adds the partial result of a lane to the result. Called by one thread, after the
  ///     run, in any order of the lanes.
  /// - Throws: The errors of ``results(of:)-(FileSource...)``, or the first error of a closure,
  ///   which ends the run.
  /// - Complexity: O(*n*) in files and bytes. Memory grows with the partial results only.
  ///
  /// Blocks: no. The method returns when the run is over, even after a cancellation. The
  /// corresponding C field is `done` in `weir_files_options_t`.
  nonisolated(nonsending)
    public func reduce<Partial: Sendable>(
      into identity: Partial, of sources: [FileSource],
      _ accumulate: @escaping @Sendable (inout Partial, Value) throws -> Void,
      combine: (inout Partial, Partial) throws -> Void
    ) async throws -> Partial
  {
    let reduction = FileReduction(identity, accumulate)
    try await run(sources, receiver: reduction.receiver) { _ in }
    return try reduction.result(combine)
  }

  /// Accumulates the values of all files into one result; like the form for an array of sources.
  /// Blocks: no. The corresponding C field is `done` in `weir_files_options_t`.
  nonisolated(nonsending)
    public func reduce<Partial: Sendable>(
      into identity: Partial, of sources: FileSource...,
      accumulate: @escaping @Sendable (inout Partial, Value) throws -> Void,
      combine: (inout Partial, Partial) throws -> Void
    ) async throws -> Partial
  {
    try await reduce(into: identity, of: sources, accumulate, combine: combine)
  }

  /// Accumulates the values of all files into one result. Like the form that suspends, but the walk
  /// is on the caller's thread. Blocks: yes, until the run ends. The corresponding C field is
  /// `done` in `weir_files_options_t`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func reduce<Partial: Sendable>(
    into identity: Partial, of sources: [FileSource],
    _ accumulate: @escaping @Sendable (inout Partial, Value) throws -> Void,
    combine: (inout Partial, Partial) throws -> Void
  ) throws -> Partial {
    let reduction = FileReduction(identity, accumulate)
    _ = try core.run(sources, deliver: { _ in }, receiver: reduction.receiver)
    return try reduction.result(combine)
  }
}

/// The partial results of one run.
private final class FileReduction<Value: Sendable, Partial: Sendable>: Sendable {
  // @unchecked: the lane of the partial result uses it, and the caller after the run.
  private final class LanePartial: @unchecked Sendable {
    var value: Partial

    init(_ identity: Partial) {
      value = identity
    }
  }

  private let identity: Partial
  private let accumulate: @Sendable (inout Partial, Value) throws -> Void
  private let lanes = Locked<[UnsafeRawPointer: LanePartial]>([:])

  init(
    _ identity: Partial, _ accumulate: @escaping @Sendable (inout Partial, Value) throws -> Void
  ) {
    self.identity = identity
    self.accumulate = accumulate
  }

  var receiver: FileRun.Receiver {
    FileRun.Receiver(keepsValues: true, done: { lane, value in try self.add(lane, value) })
  }

  private func add(_ lane: UnsafeRawPointer, _ value: UnsafeRawPointer?) throws {
    let partial = lanes.with { lanes in
      let partial = lanes[lane] ?? LanePartial(identity)
      lanes[lane] = partial
      return partial
    }
    try accumulate(&partial.value, valueOfJob(value))
  }

  func result(_ combine: (inout Partial, Partial) throws -> Void) throws -> Partial {
    var result = identity
    for partial in lanes.with({ Array($0.values) }) { try combine(&result, partial.value) }
    return result
  }
}
