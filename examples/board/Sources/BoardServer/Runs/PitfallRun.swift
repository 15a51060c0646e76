// The run of a pitfall: a worker for the broken version, and another one for the repaired version.

import Demos
import Weir

extension Run {
  /// The time limit of a version.
  private static let versionLimit = 20_000

  /// Runs both versions of a pitfall.
  ///
  /// Blocks: until the end of both.
  func pitfall(
    _ program: String, _ pitfall: Pitfall, predicted: PitfallSymptom?
  ) throws -> EndMessage {
    var outcomes: [PitfallOutcome] = []
    for version in [PitfallVersion.broken, .fixed] {
      let outcome = try run(program, pitfall, version)
      if isStopped { return end(.stopped) }
      channel.append(
        Message.encode(
          OutcomeMessage(
            version: version.rawValue, symptom: outcome.symptom?.rawValue,
            text: outcome.sentence(for: pitfall))))
      outcomes.append(outcome)
    }
    let verdict = PitfallVerdict(pitfall, broken: outcomes[0], fixed: outcomes[1])
    channel.append(Message.encode("result", RunResult(pitfall, verdict, predicted)))
    return end(.finished)
  }

  /// Runs a version.
  private func run(
    _ program: String, _ pitfall: Pitfall, _ version: PitfallVersion
  ) throws -> PitfallOutcome {
    let arguments = ["pitfall", pitfall.name, version.rawValue]
    return try withWorker(program, arguments, hasBacktrace: false) { process in
      defer {
        process.kill()
        _ = try? process.child.wait()
      }
      var watch = PitfallWatch()
      return try watch.follow(process.child, pitfall, version, limit: Run.versionLimit) { event in
        channel.append(Message.encode(StepMessage(version.rawValue, event)))
      }
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
      case .step: "step"
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
