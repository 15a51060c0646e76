// A run before it begins, in words: for the board's first message, and for the page of a run.

/// Everything about a run that is known before it begins.
public struct RunDescription: Encodable, Sendable {
  let run: Int
  let demo: String
  let knobs: [String: String]
  /// The seconds of the demo in a second.
  let speed: Double
  /// True if threads and time are simulated.
  let virtual: Bool
  let cores: Int
  /// The run in a sentence.
  let introduction: String
  let code: [Listing]

  /// Describes a run of a demo.
  public init(
    _ demo: Demo, _ values: KnobValues, number: Int = 0, speed: Double = 1, isSimulated: Bool,
    cores: Int
  ) {
    (run, self.demo) = (number, demo.name)
    knobs = Dictionary(uniqueKeysWithValues: demo.knobs.map { ($0.name, values[$0.name]) })
    (self.speed, virtual, self.cores) = (speed, isSimulated, cores)
    introduction = demo.opening(values)
    code = demo.code(values)
  }
}
