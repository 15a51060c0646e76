// One reading of a child's output, from event to event, until the child has ended.
//
// DESIGN. Both pipes are watched at once: a caller that read one after the other would wait forever
// for a child that fills the second. The end of the pipes is nearly always followed by the end of
// the child. The other cases (a child that closes its output and runs on, a process that outlives
// the child and holds its pipes, a deadline) need a descriptor of the child, which would be a third
// of the system calls of a short child: it is created for one that has run for a while, or that has
// closed its pipes and runs on. (To check the child from time to time was rejected: each short
// child would take as long as the time between two checks.) Without such a descriptor, on Linux
// before 5.3, the child is checked from time to time.
//
// A caller that blocks waits with `poll`, and for tasks `ChildWatcher` waits for all children.

internal import CWeir
internal import Dispatch
internal import SystemPackage
internal import WeirLibC

struct ChildCollection {
  /// The events that a collection waits for: descriptors, -1 for none, and a time.
  struct Wait {
    var descriptors: (output: Int32, error: Int32, child: Int32)
    var end: UInt64

    /// The descriptors that exist, for `poll`.
    var polled: [pollfd] {
      [descriptors.output, descriptors.error, descriptors.child].filter { $0 >= 0 }
        .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }
  }

  enum Step {
    case wait(Wait)
    /// False if the deadline came first.
    case over(hasEnded: Bool)
  }

  typealias Take = (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void

  let child: ChildProcess
  private let deadline: UInt64
  private let readsPipes: Bool
  private let mayBlock: Bool
  /// The descriptor of the child, once it is needed; -2 if there can be none.
  private var ownDescriptor: Int32 = -1
  /// The time to the next check of a child that has closed its pipes and has no descriptor.
  private var pause = ChildCollection.pauseMin
  /// The time at which the child had ended, or of the last output after that.
  private var silentSince: UInt64?

  static let pieceBytes = 65536
  /// The time to wait for the pipes before checking the child itself.
  private static let patience: UInt64 = 50_000_000
  private static let pauseMin: UInt64 = 500_000
  /// The time to wait for other processes that hold the pipes of an ended child.
  private static let silence: UInt64 = 1_000_000_000

  /// - Parameters:
  ///   - readsPipes: False to wait for the end alone, while another caller reads the pipes.
  ///   - mayBlock: True to wait in a system call for the end of a child without pipes.
  init(
    _ child: ChildProcess, until deadline: DispatchTime, readsPipes: Bool = true,
    mayBlock: Bool = false
  ) {
    self.child = child
    self.deadline = deadline.uptimeNanoseconds
    self.readsPipes = readsPipes
    self.mayBlock = mayBlock
  }

  mutating func finish() {
    if ownDescriptor >= 0 { close(ownDescriptor) }
    ownDescriptor = -1
  }

  static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  // MARK: - Steps

  /// Returns what to wait for, or that nothing is left to wait for.
  mutating func next() throws(Errno) -> Step {
    let (output, error, isUnwanted) = child.state.with {
      ($0.output, $0.error, $0.isOutputUnwanted)
    }
    guard readsPipes, output >= 0 || error >= 0 else { return try nextOfEnd() }
    if isUnwanted && child.hasEnded {
      child.state.with { $0.closePipes() }
      return try nextOfEnd()
    }
    if let silentSince {
      return .wait(
        Wait(
          descriptors: (output, error, -1), end: min(deadline, silentSince &+ Self.silence)))
    }
    return .wait(
      Wait(
        descriptors: (output, error, max(ownDescriptor, -1)),
        end: ownDescriptor < 0 ? min(deadline, Self.now &+ Self.patience) : deadline))
  }

  /// The same after the end of the pipes.
  private mutating func nextOfEnd() throws(Errno) -> Step {
    if mayBlock && deadline == .max {
      try child.awaitEnd()
      return .over(hasEnded: true)
    }
    if child.hasEnded { return .over(hasEnded: true) }
    if Self.now >= deadline { return .over(hasEnded: false) }
    openDescriptor()
    var end = deadline
    if ownDescriptor < 0 {
      end = min(end, Self.now &+ pause)
      pause = min(pause * 2, Self.patience)
    }
    return .wait(Wait(descriptors: (-1, -1, max(ownDescriptor, -1)), end: end))
  }

  /// Handles the events after a wait: reads the pipes that are ready, once each, or checks the
  /// child.
  mutating func step(
    _ isReady: (output: Bool, error: Bool), _ memory: UnsafeMutableRawBufferPointer, _ take: Take
  ) throws(Errno) -> Step {
    let (output, error) = child.state.with { ($0.output, $0.error) }
    guard readsPipes, output >= 0 || error >= 0 else { return try next() }
    if isReady.output || isReady.error {
      var hasRead = false
      if isReady.output { hasRead = try read(.output, output, memory, take) }
      if isReady.error { hasRead = try read(.error, error, memory, take) || hasRead }
      if hasRead, silentSince != nil { silentSince = Self.now }
      return Self.now >= deadline ? .over(hasEnded: false) : try next()
    }
    if silentSince == nil { checkChild() }
    if let silentSince, Self.now >= silentSince &+ Self.silence {
      child.state.with { $0.closePipes() }
    } else if Self.now >= deadline {
      return .over(hasEnded: false)
    }
    return try next()
  }

  /// Checks the child after a pause in its output, or after its descriptor reported its end.
  private mutating func checkChild() {
    if child.hasEnded {
      silentSince = Self.now
    } else {
      openDescriptor()
    }
  }

  private mutating func openDescriptor() {
    guard ownDescriptor == -1 else { return }
    ownDescriptor = weir_spawn_descriptor(child.processIdentifier)
    if ownDescriptor < 0 { ownDescriptor = -2 }
  }

  /// Reads once; returns true if there were bytes.
  private func read(
    _ stream: ChildProcess.Stream, _ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer,
    _ take: Take
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

extension ChildCollection.Wait {
  /// Returns which pipes have output or have ended, by the descriptors that `poll` has filled in.
  func ready(_ polled: ArraySlice<pollfd>) -> (output: Bool, error: Bool) {
    var (output, error) = (false, false)
    for entry in polled where entry.revents != 0 {
      if entry.fd == descriptors.output { output = true }
      if entry.fd == descriptors.error { error = true }
    }
    return (output, error)
  }
}

/// Waits for descriptors with `poll`, until a time. A signal ends the wait with none ready.
func poll(_ polled: inout [pollfd], until end: UInt64) throws(Errno) {
  let now = ChildCollection.now
  let wait = end > now ? (end - now + 999_999) / 1_000_000 : 0
  let count = poll(&polled, nfds_t(polled.count), end == .max ? -1 : Int32(clamping: wait))
  if count < 0 && errno != EINTR { throw Errno(rawValue: errno) }
}
