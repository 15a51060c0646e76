// The events of a watched run as they arrive, and the decision that nothing will come any more.

public import SystemPackage
public import Weir

/// The events of a run as they arrive, with the decision that nothing will come any more.
public struct PitfallWatch: Sendable {
  /// The steps, in the order of their arrival.
  public private(set) var steps: [PitfallEvent] = []
  /// The number of heartbeats of the process since the last step.
  private var beats = 0
  /// The number of heartbeats of the main queue since the last step.
  private var mainBeats = 0
  private var lastMainBeat: Int?
  private var lastTime = 0
  /// The number of heartbeats of the process without a step after which a run counts as silent.
  private static let quietBeats = 12
  private var partialLine: [UInt8] = []

  /// Creates a watch of a run that has not reported anything.
  public init() {}

  /// Follows the process of a run to its end, to a silence that is the symptom, or to the limit.
  ///
  /// Blocks: until then. The process may be alive afterwards.
  ///
  /// - Parameter limit: The milliseconds after which the run is over.
  public mutating func follow(
    _ child: ChildProcess, _ pitfall: Pitfall, _ version: PitfallVersion, limit: Int
  ) throws(Errno) -> PitfallOutcome {
    let begin = ContinuousClock.now
    while true {
      let ending = try child.collect(timeout: .milliseconds(50)) { bytes in
        take(bytes, at: Int((ContinuousClock.now - begin) / .milliseconds(1)))
      }
      switch ending {
      case .exited(0): return end(of: pitfall, version)
      case .exited(let status): return .exit(status)
      case .signaled(let signal): return .signal(signal)
      case nil: break
      }
      // A version that is not to be silent has all the time there is.
      if version == .broken && pitfall.symptom == .silence && isSilent(for: Self.quietBeats) {
        return silence
      }
      let milliseconds = Int((ContinuousClock.now - begin) / .milliseconds(1))
      if milliseconds >= limit { return .timeLimit(milliseconds) }
    }
  }

  /// Takes a piece of the output of a run, which arrives at a time in milliseconds.
  public mutating func take(_ bytes: some Sequence<UInt8>, at milliseconds: Int) {
    for byte in bytes {
      if byte != UInt8(ascii: "\n") {
        partialLine.append(byte)
        continue
      }
      take(
        PitfallEvent(
          milliseconds: milliseconds, line: String(decoding: partialLine, as: UTF8.self)))
      partialLine.removeAll(keepingCapacity: true)
    }
  }

  private mutating func take(_ event: PitfallEvent) {
    lastTime = max(lastTime, event.milliseconds)
    switch event.kind {
    case .step:
      steps.append(event)
      (beats, mainBeats) = (0, 0)
    case .processBeat: beats += 1
    case .mainBeat:
      mainBeats += 1
      lastMainBeat = event.milliseconds
    }
  }

  /// True if the process was alive for a number of heartbeats and reported no step.
  ///
  /// DESIGN. Heartbeats are counted, not seconds: on a busy machine, where a process stands
  /// still for a second, its heartbeats stand still too.
  public func isSilent(for beats: Int) -> Bool { self.beats >= beats }

  /// The outcome of a run that was ended because it was silent or its time was over.
  public var silence: PitfallOutcome {
    .silence(
      since: steps.last?.milliseconds ?? 0, until: lastTime,
      // The last beat may have been asked for before the last step.
      mainBeat: mainBeats > 1 ? nil : lastMainBeat ?? 0)
  }

  /// The outcome of a process that exited with status 0.
  public func end(of pitfall: Pitfall, _ version: PitfallVersion) -> PitfallOutcome {
    let text = steps.last?.text ?? ""
    guard text == pitfall.rightEnd else { return .end(.wrong, text) }
    return .end(version == .broken && pitfall.dependsOnChance ? .hidden : .right, text)
  }
}
