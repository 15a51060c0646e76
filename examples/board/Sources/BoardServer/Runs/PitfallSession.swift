// The run of a pitfall: a worker for the broken version, and another one for the repaired version.

import Demos
import Dispatch
import Foundation
import Glibc
import Synchronization
import Weir

/// A run of both versions of a pitfall.
final class PitfallSession: ActiveRun {
  /// The seconds of a version.
  private static let timeLimit = 20.0

  let number: Int
  private let channel: Channel
  private let state = Mutex(State())

  private struct State {
    var process: WorkerProcess?
    var isStopped = false
  }

  init(_ number: Int, channel: Channel) {
    self.number = number
    self.channel = channel
  }

  func kill() {
    state.withLock { state in
      state.isStopped = true
      state.process?.kill()
    }
  }

  func send(_ name: String, _ value: Int) {}

  private var isStopped: Bool { state.withLock(\.isStopped) }

  /// Runs both versions.
  ///
  /// Blocks: until the end of both.
  func perform(
    _ program: String, _ pitfall: Pitfall, predicted: PitfallSymptom?
  ) -> EndMessage {
    do {
      let broken = try run(program, pitfall, .broken)
      if isStopped { return EndMessage(run: number, reason: .stopped) }
      report(broken, of: pitfall, .broken)
      let fixed = try run(program, pitfall, .fixed)
      if isStopped { return EndMessage(run: number, reason: .stopped) }
      report(fixed, of: pitfall, .fixed)
      let verdict = PitfallVerdict(pitfall, broken: broken, fixed: fixed)
      channel.append(Message.encode(PitfallResult(pitfall, verdict, predicted)))
      return EndMessage(run: number, reason: .finished)
    } catch {
      return EndMessage(
        run: number, reason: .failed,
        message: "The run has no process, or its output cannot be read: \(error).")
    }
  }

  private func report(_ outcome: PitfallOutcome, of pitfall: Pitfall, _ version: PitfallVersion) {
    channel.append(
      Message.encode(
        OutcomeMessage(
          version: version.rawValue, symptom: outcome.symptom?.rawValue,
          text: outcome.sentence(for: pitfall))))
  }

  /// Runs a version. No process is left when the method returns.
  private func run(
    _ program: String, _ pitfall: Pitfall, _ version: PitfallVersion
  ) throws -> PitfallOutcome {
    let process = try WorkerProcess(
      program, ["pitfall", pitfall.name, version.rawValue], hasBacktrace: false)
    let begin = DispatchTime.now().uptimeNanoseconds
    let wasStopped = state.withLock { state in
      state.process = process
      return state.isStopped
    }
    if wasStopped { process.kill() }
    defer { state.withLock { $0.process = nil } }
    var (watch, lines) = (PitfallWatch(), LineSplitter())
    var ending: ChildProcess.Ending?
    var (isSilent, isLate) = (false, false)
    func milliseconds() -> Int { Int((DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000) }
    while ending == nil && !isSilent && !isLate {
      do {
        ending = try process.child.collect(until: .now() + .milliseconds(50)) { _, bytes in
          lines.take(bytes) { line in
            guard let event = PitfallEvent(line: line) else { return }
            watch.take(event)
            channel.append(Message.encode(StepMessage(version.rawValue, event)))
          }
        }
      } catch {
        process.kill()
        _ = try? process.child.wait()
        throw error
      }
      isSilent =
        version == .broken && pitfall.symptom == .silence
        && watch.isSilent(for: pitfall.quietBeats)
      isLate = Double(milliseconds()) >= PitfallSession.timeLimit * 1000
    }
    switch ending {
    case .exited(let status): return watch.outcome(signal: nil, status: status)
    case .signaled(let signal): return watch.outcome(signal: signal, status: 0)
    case nil:
      process.kill()
      _ = try process.child.wait()
      return isSilent ? watch.silence : .timeLimit(milliseconds())
    }
  }
}

/// Splits output into lines.
struct LineSplitter {
  private var line: [UInt8] = []

  mutating func take(_ piece: UnsafeRawBufferPointer, _ report: (String) -> Void) {
    for byte in piece {
      if byte != UInt8(ascii: "\n") {
        line.append(byte)
        continue
      }
      report(String(decoding: line, as: UTF8.self))
      line.removeAll(keepingCapacity: true)
    }
  }
}

/// A step or a heartbeat of a pitfall.
private struct StepMessage: Encodable {
  let kind = "step"
  let version: String
  let t: Int
  let type: String
  let text: String

  init(_ version: String, _ event: PitfallEvent) {
    self.version = version
    t = event.milliseconds * 1_000_000
    text = event.text
    type =
      switch event.kind {
      case .processBeat: "beat"
      case .mainBeat: "main"
      case .step, .end: "step"
      }
  }
}

/// The outcome of a version.
private struct OutcomeMessage: Encodable {
  let kind = "outcome"
  let version: String
  /// `null` if the outcome is none of the symptoms.
  @Nullable var symptom: String?
  let text: String
}

/// The result of both versions.
private struct PitfallResult: Encodable {
  struct Answer: Encodable {
    let name = "symptom"
    @Nullable var actual: String?
    @Nullable var predicted: String?
    @Nullable var right: Bool?
  }

  struct Check: Encodable {
    let text: String
    let holds: Bool
  }

  let kind = "result"
  let answers: [Answer]
  let checks: [Check]
  let verdict: String
  let next = ""
  let sound: Bool
  let stuck = false
  let deadlocked = false
  let lost = 0
  let remarks: [String]

  init(_ pitfall: Pitfall, _ verdict: PitfallVerdict, _ predicted: PitfallSymptom?) {
    answers = [
      Answer(
        actual: verdict.result == .hidden ? nil : verdict.broken.symptom?.rawValue,
        predicted: predicted?.rawValue, right: predicted.flatMap { verdict.agrees(with: $0) })
    ]
    sound = verdict.result != .unexpected
    checks = [Check(text: "the versions behave as described", holds: sound)]
    self.verdict = verdict.sentence(predicted: predicted)
    remarks = [pitfall.explanation, pitfall.remedy]
  }
}
