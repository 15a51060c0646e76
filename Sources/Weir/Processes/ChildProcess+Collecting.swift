// Reading the output of a child to its end.
//
// DESIGN. One poll watches both pipes, on the caller's thread: a caller that read one pipe
// after the other would wait forever for a child that fills the second. The end of the pipes
// is nearly always followed by the end of the child. The other cases (a child that closes its
// output and runs on, a process that outlives the child and holds its pipes, a deadline) need
// a descriptor of the child. It is created only for a child that has run for a while, or that
// has closed its pipes and runs on: it would be a third of the system calls of a short child.
// (To check the child from time to time instead was rejected: on a busy machine the moment
// between the end of the pipes and the end of the child is always met, and each short child
// would then take as long as the time between two checks.)

internal import CWeir
package import Dispatch
public import SystemPackage
internal import WeirLibC

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
  /// Pieces are in the order of reading: the output of one stream is in order, and that of both
  /// streams is roughly in order of time. To collect all output at once use
  /// `run(_:_:input:timeout:)`.
  ///
  /// If the child has ended and another process holds its pipes open, that output is read until
  /// there is none for a second.
  ///
  /// - Parameters:
  ///   - timeout: The duration after which to give up; `nil` for none.
  ///   - output: Called with each piece of standard output, valid during the call.
  ///   - error: Called with each piece of standard error, valid during the call.
  /// - Returns: The ending of the child; `nil` if the time was over first, also for a child that
  ///   has ended while another process holds its pipes. The method can then be called again, and
  ///   `wait()` returns the ending of such a child at once.
  /// - Throws: The error of a read, or `Errno.noChildProcess` if other code has waited for the
  ///   child.
  /// - Complexity: O(*n*) in bytes.
  ///
  /// Blocks: yes, until the child ends.
  ///
  /// There is no corresponding C function.
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

  /// Reads the output of both pipes until their end, and waits for the end of the child; on a
  /// thread of Weir, which also calls the closures. Otherwise like the blocking form.
  ///
  ///     let child = try await ChildProcess(["date"], ChildProcess.Options(output: .pipe))
  ///     let status = try await child.collect { bytes in print(bytes.count) }
  ///     print(status?.isSuccess ?? false)
  ///
  /// Cancelling the task ends neither the method nor the child; ``send(_:)`` ends the child. A
  /// child runs in real time, so no other clock can measure the time-out.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  nonisolated(nonsending)
    public func collect(
      timeout: Duration? = nil, output: @escaping @Sendable (UnsafeRawBufferPointer) -> Void,
      error: @escaping @Sendable (UnsafeRawBufferPointer) -> Void = { _ in }
    ) async throws(Errno) -> TerminationStatus?
  {
    try await onOwnThread("weir.child") {
      Result { () throws(Errno) in
        try self.collect(until: DispatchTime(after: timeout)) { stream, bytes in
          if stream == .output { output(bytes) } else { error(bytes) }
        }
      }
    }.get()
  }

  /// Collects until a time, like the public forms.
  package func collect(
    until deadline: DispatchTime, _ take: (Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> TerminationStatus? {
    guard beginCollecting() else {
      misuse(
        "two callers read child \(processIdentifier) at once; collect is for one caller at a time")
    }
    return try read(until: deadline, take) ? try taken() : nil
  }

  /// Returns false if another caller reads the pipes.
  func beginCollecting() -> Bool {
    state.with { state in
      defer { state.isCollecting = true }
      return !state.isCollecting
    }
  }

  /// Reads, for the caller that began to collect. Returns false if the deadline came first.
  func read(
    until deadline: DispatchTime, _ take: (Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> Bool {
    defer { state.with { $0.isCollecting = false } }
    var collection = ChildCollection(self, deadline)
    defer { collection.finish() }
    return try collection.run(take)
  }
}

/// One call of `collect`.
private struct ChildCollection {
  private let child: ChildProcess
  private let deadline: UInt64
  /// The descriptor of the child, once it is needed; -2 if there can be none.
  private var ownDescriptor: Int32 = -1
  /// The time to wait for the pipes before checking the child itself.
  private var patience = ChildCollection.patienceMax
  /// The time at which the child had ended, or of the last output after that.
  private var silentSince: UInt64?

  private static let pieceBytes = 65536
  private static let patienceMax: UInt64 = 50_000_000
  private static let patienceMin: UInt64 = 500_000
  /// The time to wait for other processes that hold the pipes of an ended child.
  private static let silence: UInt64 = 1_000_000_000

  init(_ child: ChildProcess, _ deadline: DispatchTime) {
    self.child = child
    self.deadline = deadline.uptimeNanoseconds
  }

  mutating func finish() {
    if ownDescriptor >= 0 { close(ownDescriptor) }
  }

  private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Reads until the child has ended and all output is read; false if the deadline came first.
  mutating func run(
    _ take: (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> Bool {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: ChildCollection.pieceBytes, alignment: 1)
    defer { memory.deallocate() }
    while true {
      let (output, error, isOver) = child.state.with { ($0.output, $0.error, $0.isOutputUnwanted) }
      if output < 0 && error < 0 { return try waitForEnd() }
      if isOver && child.hasEnded {
        child.state.with { $0.closePipes() }
        continue
      }
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
        child.state.with { $0.closePipes() }
      } else if now >= deadline {
        return false
      }
    }
  }

  // MARK: - Waiting

  /// Waits until there is output to read, or nothing more to wait for.
  private mutating func wait(
    for output: Int32, _ error: Int32
  ) throws(Errno) -> (output: Bool, error: Bool) {
    let watched = silentSince == nil ? ownDescriptor : -1
    // poll ignores negative descriptors.
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
    if !isReady.0 && !isReady.1 && silentSince == nil { checkChild() }
    return isReady
  }

  /// The time-out of poll in milliseconds; -1 for none.
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

  /// Checks the child after a pause in its output, or after its descriptor reported its end.
  private mutating func checkChild() {
    if child.hasEnded {
      silentSince = now
    } else {
      openDescriptor()
    }
  }

  private mutating func openDescriptor() {
    guard ownDescriptor == -1 else { return }
    ownDescriptor = weir_spawn_descriptor(child.processIdentifier)
    // Then the child is checked from time to time.
    if ownDescriptor < 0 { ownDescriptor = -2 }
  }

  /// Waits for the child after the end of its pipes. Returns false if the deadline came first.
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

  /// Reads once; returns true if there were bytes.
  private func read(
    _ stream: ChildProcess.Stream, _ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer,
    _ take: (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> Bool {
    let count = WeirLibC.read(descriptor, memory.baseAddress, memory.count)
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
}
