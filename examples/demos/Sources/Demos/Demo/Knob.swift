// The knobs of a demo, and their values in a run.

/// An option that changes a run.
public struct Knob: Sendable {
  /// The values that a knob takes.
  package enum Kind: Sendable {
    case number(ClosedRange<Int>)
    case seconds(ClosedRange<Double>)
    case choice([String])
    /// Given or not.
    case flag
  }

  /// The name on the command line, without dashes.
  public let name: String
  package let kind: Kind
  /// The value if none is given; empty for none.
  package let defaultValue: String
  /// A verb phrase or a noun phrase on what it sets.
  package let help: String

  private init(_ name: String, _ kind: Kind, _ defaultValue: String, _ help: String) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
    self.help = help
  }

  static func number(
    _ name: String, _ range: ClosedRange<Int>, _ value: Int?, _ help: String
  ) -> Knob {
    Knob(name, .number(range), value.map { "\($0)" } ?? "", help)
  }

  static func seconds(
    _ name: String, _ range: ClosedRange<Double>, _ value: Double?, _ help: String
  ) -> Knob {
    Knob(name, .seconds(range), value.map { "\($0)" } ?? "", help)
  }

  static func choice(_ name: String, _ choices: [String], _ help: String) -> Knob {
    Knob(name, .choice(choices), choices[0], help)
  }

  static func flag(_ name: String, _ help: String) -> Knob {
    Knob(name, .flag, "", help)
  }

  /// The seed of random times, which most demos have.
  static let seed = Knob.number("seed", 0...1_000_000_000, 42, "Seed of the random times")

  var isFlag: Bool {
    if case .flag = kind { return true }
    return false
  }

  /// Explains why a value does not suit the knob; `nil` if it does.
  public func complaint(about value: String) -> String? {
    switch kind {
    case .flag: return nil
    case .number(let range):
      if let number = Int(value), range.contains(number) { return nil }
      return "takes a number from \(range.lowerBound) to \(range.upperBound)"
    case .seconds(let range):
      if let number = Double(value), range.contains(number) { return nil }
      return "takes seconds from \(range.lowerBound) to \(range.upperBound)"
    case .choice(let choices):
      return choices.contains(value) ? nil : "takes \(choices.joined(separator: ", "))"
    }
  }
}

extension Knob: Encodable {
  private enum CodingKeys: CodingKey { case name, kind, min, max, choices, `default`, help }

  /// Encodes the knob for a form: its kind by name, and the ends of its range or its choices.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    func encode(_ kind: String, _ range: ClosedRange<Double>? = nil) throws {
      try container.encode(kind, forKey: .kind)
      try container.encodeIfPresent(range?.lowerBound, forKey: .min)
      try container.encodeIfPresent(range?.upperBound, forKey: .max)
    }
    try container.encode(name, forKey: .name)
    try container.encode(defaultValue, forKey: .default)
    try container.encode(help, forKey: .help)
    switch kind {
    case .number(let range):
      try encode("number", Double(range.lowerBound)...Double(range.upperBound))
    case .seconds(let range): try encode("seconds", range)
    case .choice(let choices):
      try encode("choice")
      try container.encode(choices, forKey: .choices)
    case .flag: try encode("flag")
    }
  }
}

/// The values of a demo's knobs.
public struct KnobValues: Sendable {
  private var given: [String: String]
  private let knobs: [Knob]
  /// What was measured before the recorded run.
  var measured: [Measurement] = []

  /// Creates values.
  ///
  /// - Parameter given: The values of the knobs that are not at their default. A flag is given with
  ///   any value.
  public init(_ knobs: [Knob], given: [String: String] = [:]) {
    self.knobs = knobs
    self.given = given
  }

  /// Returns the text of a value; empty if there is none.
  subscript(name: String) -> String {
    given[name] ?? knobs.first { $0.name == name }?.defaultValue ?? ""
  }

  /// A Boolean value that indicates whether a knob is not at its default.
  func isGiven(_ name: String) -> Bool { given[name] != nil }

  func int(_ name: String) -> Int { Int(self[name]) ?? 0 }
  func seconds(_ name: String) -> Double? { Double(self[name]) }
  var seed: UInt64 { UInt64(self["seed"]) ?? 42 }
}
