// Reading what a child writes, to its end.
//
// DESIGN. One poll for both pipes, on the caller's thread: read one after the other,
// a child that fills the second while the first is waited for never ends. The end of
// the pipes is nearly always the end of the child, a moment later. What else there
// is (a child that closes its output and runs on, a process that it leaves behind
// with the pipes in its hands, a deadline) is seen to with a descriptor of the
// child, which is made only for a child that has run for a while, or has closed its
// pipes and runs on: it would be a third of the calls that a short one costs.
// (To look at the child from time to time, there too, was rejected: on a busy machine
// the moment between the end of the pipes and that of the child is always seen, and
// each short child then takes as long as the time between two looks.)

internal import CWeir
public import Dispatch
internal import Glibc
public import SystemPackage

extension ChildProcess {
  /// Which of its outputs.
  ///
  /// There is no corresponding C type.
  public enum Stream: Sendable {
    /// Standard output.
    case output
    /// Standard error.
    case error
  }

  /// Reads what it writes to its pipes, both at once, until their end, and waits for
  /// its own.
  ///
  ///     let options = ChildProcess.Options(input: .null, output: .pipe, error: .pipe)
  ///     let child = try ChildProcess(["make"], options)
  ///     if try child.collect(until: .now() + 60, { _, bytes in print(bytes.count) }) == nil {
  ///       child.send(15)  // SIGTERM
  ///       _ = try child.collect { _, _ in }
  ///     }
  ///
  /// The pieces come in the order in which they could be read: what was written to
  /// one stream comes in its order, and to both about in the order of time.
  ///
  /// Where the child has ended and another process holds its pipes open, that is
  /// read for as long as it writes, and for a second of silence.
  ///
  /// - Parameters:
  ///   - deadline: When to give up.
  ///   - take: Called with each piece, which is lent.
  /// - Returns: How it ended; `nil` where the deadline came first, and this can be
  ///   called again.
  /// - Throws: What reading says, or `Errno.noChildProcess` where somebody else has
  ///   waited for it.
  /// - Complexity: O(*n*) in bytes.
  ///
  /// Blocks: yes, as long as it takes.
  ///
  /// There is no corresponding C function.
  @available(
    *, noasync,
    message:
      "use the async form: try await child.collect { }; at the top level: in an async function"
  )
  @_disfavoredOverload
  public func collect(
    until deadline: DispatchTime = .distantFuture,
    _ take: (Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> Ending? {
    try collecting(deadline, take)
  }

  /// Reads what it writes to its pipes, both at once, until their end, and waits for
  /// its own.
  ///
  ///     let child = try ChildProcess(["date"], ChildProcess.Options(output: .pipe))
  ///     let ending = try await child.collect { _, bytes in print(bytes.count) }
  ///     print(ending?.isSuccess ?? false)
  ///
  /// Cancelling the task does not end it, nor the child; ``send(_:)`` does.
  ///
  /// - Parameters:
  ///   - deadline: When to give up.
  ///   - take: Called with each piece, which is lent, on a thread of Weir's own.
  /// - Returns: How it ended; `nil` where the deadline came first, and this can be
  ///   called again.
  /// - Throws: What reading says, or `Errno.noChildProcess` where somebody else has
  ///   waited for it.
  /// - Complexity: O(*n*) in bytes, and a thread.
  ///
  /// Blocks: no, it suspends.
  ///
  /// There is no corresponding C function.
  nonisolated(nonsending)
    public func collect(
      until deadline: DispatchTime = .distantFuture,
      _ take: @escaping @Sendable (Stream, UnsafeRawBufferPointer) -> Void
    ) async throws(Errno) -> Ending?
  {
    try await onOwnThread { () throws(Errno) in try self.collecting(deadline, take) }
  }

  private func collecting(
    _ deadline: DispatchTime, _ take: (Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> Ending? {
    let isTaken = state.with { state in
      defer { state.isCollecting = true }
      return state.isCollecting
    }
    guard !isTaken else {
      misuse("child \(id) is read by two at once: collect is for one at a time")
    }
    defer { state.with { $0.isCollecting = false } }
    var collection = ChildCollection(self, deadline)
    defer { collection.finish() }
    return try collection.run(take) ? try taken() : nil
  }
}

/// One call of `collect(until:_:)`.
private struct ChildCollection {
  private let child: ChildProcess
  private let deadline: UInt64
  /// The child's own descriptor, once it is worth it; -2 where there can be none.
  private var ownDescriptor: Int32 = -1
  /// How long is waited for the pipes before the child itself is looked at.
  private var patience = ChildCollection.patienceMax
  /// When the child was seen to have ended, or something was read behind that.
  private var silentSince: UInt64?

  private static let pieceBytes = 65536
  private static let patienceMax: UInt64 = 50_000_000
  private static let patienceMin: UInt64 = 500_000
  /// How long for those who hold the pipes of a child that has ended.
  private static let silence: UInt64 = 1_000_000_000

  init(_ child: ChildProcess, _ deadline: DispatchTime) {
    self.child = child
    self.deadline = deadline.uptimeNanoseconds
  }

  mutating func finish() {
    if ownDescriptor >= 0 { close(ownDescriptor) }
  }

  private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Whether the child has ended and all is read; false where the time is over.
  mutating func run(
    _ take: (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> Bool {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: ChildCollection.pieceBytes, alignment: 1)
    defer { memory.deallocate() }
    while true {
      let (output, error) = child.state.with { ($0.output, $0.error) }
      if output < 0 && error < 0 { return try waitForEnd() }
      let isReady = try wait(for: output, error)
      var hasRead = false
      if isReady.output { hasRead = try read(.output, output, memory, take) || hasRead }
      if isReady.error { hasRead = try read(.error, error, memory, take) || hasRead }
      if isReady.output || isReady.error {
        if hasRead, silentSince != nil { silentSince = now }
        if deadline != .max && now >= deadline { return false }
        continue
      }
      if let since = silentSince, now >= since &+ ChildCollection.silence {
        closeBoth()
      } else if now >= deadline {
        return false
      }
    }
  }

  // MARK: - Waiting

  /// Waits until there is something to be read, or nothing more is to be waited for.
  private mutating func wait(
    for output: Int32, _ error: Int32
  ) throws(Errno) -> (output: Bool, error: Bool) {
    let watched = silentSince == nil ? ownDescriptor : -1
    // poll passes over what is negative.
    var polled = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: error, events: Int16(POLLIN), revents: 0),
      pollfd(fd: watched, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&polled, 3, timeout())
    if count < 0 {
      if errno == EINTR { return (false, false) }
      throw Errno(rawValue: errno)
    }
    let isReady = (polled[0].revents != 0, polled[1].revents != 0)
    if !isReady.0 && !isReady.1 && silentSince == nil { lookAtChild() }
    return isReady
  }

  /// In milliseconds, -1 for as long as it takes.
  private func timeout() -> Int32 {
    var end = deadline
    if let silentSince {
      end = min(end, silentSince &+ ChildCollection.silence)
    } else if ownDescriptor < 0 {
      end = min(end, now &+ patience)
    }
    if end == .max { return -1 }
    let now = now
    guard end > now else { return 0 }
    return Int32(clamping: (end - now + 999_999) / 1_000_000)
  }

  /// Nothing has come for a while, or the child has said that it has ended.
  private mutating func lookAtChild() {
    if child.hasEnded {
      silentSince = now
    } else {
      openDescriptor()
    }
  }

  private mutating func openDescriptor() {
    guard ownDescriptor == -1 else { return }
    ownDescriptor = weir_spawn_descriptor(child.id)
    // Then it is looked at from time to time.
    if ownDescriptor < 0 { ownDescriptor = -2 }
  }

  /// Behind the end of its pipes. False where the time is over.
  private mutating func waitForEnd() throws(Errno) -> Bool {
    if deadline == .max {
      try child.awaitEnd()
      return true
    }
    patience = ChildCollection.patienceMin
    while !child.hasEnded {
      if now >= deadline { return false }
      openDescriptor()
      _ = try wait(for: -1, -1)
      patience = min(patience * 2, ChildCollection.patienceMax)
    }
    return true
  }

  // MARK: - Reading

  /// Whether anything was read.
  private func read(
    _ stream: ChildProcess.Stream, _ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer,
    _ take: (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> Bool {
    let count = Glibc.read(descriptor, memory.baseAddress, memory.count)
    if count > 0 {
      take(stream, UnsafeRawBufferPointer(rebasing: memory[..<count]))
      return true
    }
    if count < 0 {
      if errno == EINTR || errno == EAGAIN { return false }
      throw Errno(rawValue: errno)
    }
    close(descriptor)
    child.state.with { state -> Void in
      if stream == .output { state.output = -1 } else { state.error = -1 }
    }
    return false
  }

  private func closeBoth() {
    child.state.with { state -> Void in
      if state.output >= 0 { close(state.output) }
      if state.error >= 0 { close(state.error) }
      (state.output, state.error) = (-1, -1)
    }
  }
}
