// Reading the output of a child to its end: with a closure, or for a caller that wants none.

package import Dispatch
public import SystemPackage

extension ChildProcess {
  package enum Stream: Sendable {
    case output, error
  }

  /// Reads the output of both pipes until their end, and waits for the end of the child.
  ///
  ///     let options = ChildProcess.Options(input: nil, output: .pipe, error: .pipe)
  ///     let child = try ChildProcess(["make"], options)
  ///     if try child.collect(timeout: .seconds(60), output: { print($0.count) }) == nil {
  ///       child.send(15)  // SIGTERM
  ///       print(try child.wait())
  ///     }
  ///
  /// Pieces are in the order of reading. To collect all output at once use
  /// `run(_:_:input:timeout:outputLimit:)`. If the child has ended and another process holds its
  /// pipes open, that output is read until there is none for a second.
  ///
  /// - Parameters:
  ///   - output: Called with each piece of standard output, valid during the call.
  ///   - error: Called with each piece of standard error, valid during the call.
  /// - Returns: The ending of the child; `nil` if the time was over first, also for a child that
  ///   has ended while another process holds its pipes. The method can then be called again.
  /// - Throws: The error of a read, or `Errno.noChildProcess` if other code has waited for the
  ///   child.
  /// - Complexity: O(*n*) in bytes.
  ///
  /// Blocks: yes, until the child ends. There is no corresponding C function.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func collect(
    timeout: Duration? = nil, output: (UnsafeRawBufferPointer) -> Void,
    error: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) throws(Errno) -> TerminationStatus? {
    try collect(until: DispatchTime(after: timeout)) { stream, bytes in
      if stream == .output { output(bytes) } else { error(bytes) }
    }
  }

  /// Reads the output of both pipes until their end, and waits for the end of the child; otherwise
  /// like the blocking form. The closures are called in the calling task, on its actor. Cancelling
  /// the task ends neither the method nor the child; ``send(_:)`` ends the child.
  ///
  /// Blocks: no, it suspends, and no thread waits for the child. There is no corresponding C
  /// function.
  nonisolated(nonsending)
    public func collect(
      timeout: Duration? = nil, output: @escaping @Sendable (UnsafeRawBufferPointer) -> Void,
      error: @escaping @Sendable (UnsafeRawBufferPointer) -> Void = { _ in }
    ) async throws(Errno) -> TerminationStatus?
  {
    beginCollectingAlone()
    defer { endCollecting() }
    let pieces = Pieces()
    let watch = ChildWatch(
      ChildCollection(self, until: DispatchTime(after: timeout)),
      isPaused: { !pieces.pieces.isEmpty }, take: { pieces.pieces.append(($0, Array($1))) })
    while true {
      await watch.run()
      for (stream, bytes) in pieces.take() {
        bytes.withUnsafeBytes { stream == .output ? output($0) : error($0) }
      }
      if let result = watch.result { return try result.get() ? try taken() : nil }
    }
  }

  /// The output that waits for the closures. The watcher and the task use it in turn.
  private final class Pieces: @unchecked Sendable {
    var pieces: [(Stream, [UInt8])] = []

    func take() -> [(Stream, [UInt8])] {
      defer { pieces = [] }
      return pieces
    }
  }

  /// Collects until a time, like the public forms.
  package func collect(
    until deadline: DispatchTime, _ take: (Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> TerminationStatus? {
    beginCollectingAlone()
    return try read(until: deadline, take) ? try taken() : nil
  }

  private func beginCollectingAlone() {
    if !beginCollecting() {
      misuse(
        "two callers read child \(processIdentifier) at once; collect is for one caller at a time")
    }
  }

  /// Returns false if another caller reads the pipes.
  func beginCollecting() -> Bool {
    state.with { state in
      defer { state.isCollecting = true }
      return !state.isCollecting
    }
  }

  func endCollecting() {
    state.with { $0.isCollecting = false }
  }

  /// Reads on this thread, for the caller that began to collect. Returns false if the deadline came
  /// first.
  func read(
    until deadline: DispatchTime, _ take: (Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> Bool {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: ChildCollection.pieceBytes, alignment: 16)
    var collection = ChildCollection(self, until: deadline, mayBlock: true)
    defer {
      collection.finish()
      memory.deallocate()
      endCollecting()
    }
    var step = try collection.next()
    while true {
      switch step {
      case .over(let hasEnded):
        return hasEnded
      case .wait(let wait):
        var polled = wait.polled
        try poll(&polled, until: wait.end)
        step = try collection.step(wait.ready(polled[...]), memory, take)
      }
    }
  }
}
