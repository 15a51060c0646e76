// The events of a watched run as they arrive, and the decision that nothing will come any more.

public import SystemPackage
public import Weir

/// The events of a run as they arrive, with the decision that nothing will come any more.
public struct PitfallWatch: Sendable {
  /// The steps, in the order of their arrival.
  public private(set) var steps: [PitfallEvent] = []
  /// The end, if the run came to it.
  public private(set) var end: PitfallEvent?
  /// The number of heartbeats of the process since the last step.
  private var beats = 0
  /// The number of heartbeats of the main queue since the last step.
  private var mainBeats = 0
  private var lastMainBeat: Int?
  private var lastTime = 0
  private var partialLine: [UInt8] = []

  /// Creates a watch of a run that has not reported anything.
  public init() {}

  /// Follows the process of a run to its end, to a silence that is the symptom, or to the limit.
  ///
  /// Blocks: until then. The process may be alive afterwards.
  ///
  /// - Parameters:
  ///   - limit: The milliseconds after which the run is over.
  ///   - report: Called with each event.
  public mutating func follow(
    _ child: ChildProcess, _ pitfall: Pitfall, _ version: PitfallVersion, limit: Int,
    _ report: (PitfallEvent) -> Void = { _ in }
  ) throws(Errno) -> PitfallOutcome {
    let begin = ContinuousClock.now
    while true {
      let ending = try child.collect(timeout: .milliseconds(50)) { bytes in
        take(bytes, report)
      }
      switch ending {
      case .exited(let status): return outcome(signal: nil, status: status)
      case .signaled(let signal): return outcome(signal: signal, status: 0)
      case nil: break
      }
      // A version that is not to be silent has all the time there is.
      if version == .broken && pitfall.symptom == .silence && isSilent(for: pitfall.quietBeats) {
        return silence
      }
      let milliseconds = Int((ContinuousClock.now - begin) / .milliseconds(1))
      if milliseconds >= limit { return .timeLimit(milliseconds) }
    }
  }

  /// Takes a piece of the output of a run.
  public mutating func take(
    _ bytes: some Sequence<UInt8>, _ report: (PitfallEvent) -> Void = { _ in }
  ) {
    for byte in bytes {
      if byte != UInt8(ascii: "\n") {
        partialLine.append(byte)
        continue
      }
      if let event = PitfallEvent(line: String(decoding: partialLine, as: UTF8.self)) {
        take(event)
        report(event)
      }
      partialLine.removeAll(keepingCapacity: true)
    }
  }

  /// Takes an event.
  public mutating func take(_ event: PitfallEvent) {
    lastTime = max(lastTime, event.milliseconds)
    switch event.kind {
    case .step:
      steps.append(event)
      (beats, mainBeats) = (0, 0)
    case .processBeat: beats += 1
    case .mainBeat:
      mainBeats += 1
      lastMainBeat = event.milliseconds
    case .end: if end == nil { end = event }
    }
  }

  /// True if the process was alive for a number of heartbeats and reported no step.
  ///
  /// DESIGN. Heartbeats are counted, not seconds: on a busy machine, where a process stands
  /// still for a second, its heartbeats stand still too.
  public func isSilent(for beats: Int) -> Bool { end == nil && self.beats >= beats }

  /// The outcome of a run that was ended because it was silent or its time was over.
  public var silence: PitfallOutcome {
    .silence(
      since: steps.last?.milliseconds ?? 0, until: lastTime,
      // The last beat may have been asked for before the last step.
      mainBeat: mainBeats > 1 ? nil : lastMainBeat ?? 0)
  }

  /// The outcome of a process that ended.
  ///
  /// - Parameters:
  ///   - signal: The signal that ended it, if one did.
  ///   - status: Its exit status otherwise.
  public func outcome(signal: Int32?, status: Int32) -> PitfallOutcome {
    if let signal { return .signal(signal) }
    guard let end, case .end(let kind) = end.kind, status == 0 else { return .exit(status) }
    return .end(kind, end.text)
  }
}
