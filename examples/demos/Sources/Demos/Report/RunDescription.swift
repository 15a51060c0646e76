// A run before it begins, in words: for the board's first message, and for the page of a run.

/// Everything about a run that is known before it begins.
public struct RunDescription: Encodable, Sendable {
  /// The number of the run.
  public var run = 0
  /// The name of the demo; empty for another program.
  public var demo = ""
  /// The values of the knobs.
  public var knobs: [String: String] = [:]
  /// The seconds of the demo in a second.
  public var speed = 1.0
  /// True if threads and time are simulated.
  public var virtual = false
  /// The machine's cores.
  public var cores = 0
  /// The run in a sentence.
  public var introduction = ""
  /// The code that runs.
  public var code: [Listing] = []

  init() {}

  /// Describes a run of a demo.
  public init(
    _ demo: Demo, _ values: KnobValues, speed: Double = 1, isSimulated: Bool, cores: Int
  ) {
    self.demo = demo.name
    knobs = Dictionary(uniqueKeysWithValues: demo.knobs.map { ($0.name, values[$0.name]) })
    (self.speed, virtual, self.cores) = (speed, isSimulated, cores)
    introduction = demo.opening(values)
    code = demo.code(values)
  }
}
