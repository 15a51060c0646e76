// The request for a run, and its checks.

import Demos
import FlyingFox
import Foundation
import Weir

/// A value that JSON may give as text, a number or a Boolean; kept as text.
struct LooseText: Codable, Sendable, Equatable {
  let text: String

  init(_ text: String) { self.text = text }
  init(_ number: Double) { text = Int(exactly: number).map { "\($0)" } ?? "\(number)" }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self.init(text)
    } else if let flag = try? container.decode(Bool.self) {
      self.init(flag ? "yes" : "")
    } else {
      self.init(try container.decode(Double.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// The body of a request for a run. It is passed on to the worker.
struct RunRequest: Codable, Sendable {
  var demo: String
  var knobs: [String: LooseText]?
  var prediction: [LooseText?]?
  var speed: Double?
  var virtual: Bool?

  /// The seconds of the demo in a second.
  var actualSpeed: Double { speed ?? RunRequest.speed(of: demo) }
  var isVirtual: Bool { virtual ?? false }

  /// The knobs that are given. An empty text is none, and so is a flag that is off.
  var given: [String: String] {
    let flags = Set((Demo.named(demo)?.knobs ?? []).filter(\.isFlag).map(\.name))
    return (knobs ?? [:]).mapValues(\.text).filter { name, text in
      !text.isEmpty && !(flags.contains(name) && ["no", "false", "off", "0"].contains(text))
    }
  }

  /// The predictions, one for each question; `nil` for none.
  var predictions: [Double?]? {
    guard let prediction, prediction.contains(where: { $0 != nil }) else { return nil }
    return prediction.map { $0.flatMap { Double(decimal: $0.text) } }
  }

  /// The speed of a demo if none is chosen.
  static func speed(of demo: String) -> Double { Demo.named(demo)?.speed ?? 1 }
}

/// A run that can be started: a request whose values fit.
enum RunPlan: Sendable {
  case demo(Demo, KnobValues)
  case pitfall(Pitfall, PitfallSymptom?)

  /// Checks a request.
  ///
  /// - Throws: `Refusal`, with a sentence for the page.
  init(_ request: RunRequest) throws(Refusal) {
    guard (0.0001...1000).contains(request.actualSpeed) else {
      throw RunPlan.refusal("The speed is a number from 0.0001 to 1000.")
    }
    switch request.demo {
    case "pitfalls": self = try RunPlan.pitfall(request)
    default: self = try RunPlan.demo(request)
    }
  }

  /// Describes the run, for its first message.
  func description(_ number: Int, _ request: RunRequest) -> RunDescription {
    var run =
      switch self {
      case .demo(let demo, let values):
        RunDescription(
          demo, values, speed: request.actualSpeed, isSimulated: request.isVirtual,
          cores: request.isVirtual ? 2 : Lanes.defaultWidth)
      case .pitfall(let pitfall, _): RunDescription(pitfall)
      }
    run.run = number
    run.prediction = (request.prediction ?? []).map { $0?.text }
    return run
  }

  private static func demo(_ request: RunRequest) throws(Refusal) -> RunPlan {
    guard let demo = Demo.named(request.demo) else {
      throw refusal("There is no demo of that name.")
    }
    for (name, text) in request.given.sorted(by: { $0.key < $1.key }) {
      guard let knob = demo.knobs.first(where: { $0.name == name }) else {
        throw refusal("The demo \(demo.name) has no knob of that name.")
      }
      if let complaint = knob.complaint(about: text) { throw refusal("\(name) \(complaint).") }
    }
    let predicted = (request.prediction ?? []).compactMap { $0?.text }
    guard predicted.allSatisfy({ $0.isEmpty || Double(decimal: $0) != nil }) else {
      throw refusal("A prediction is a number.")
    }
    let values = KnobValues(demo.knobs, given: request.given)
    if let complaint = demo.complaint(values) { throw refusal(complaint) }
    if let predictions = request.predictions, predictions.count != demo.questions.count {
      throw refusal("The demo \(demo.name) asks \(demo.questions.count) questions.")
    }
    return .demo(demo, values)
  }

  private static func pitfall(_ request: RunRequest) throws(Refusal) -> RunPlan {
    guard let pitfall = request.given["name"].flatMap(Pitfall.named) else {
      throw refusal("There is no pitfall of that name.")
    }
    let word = request.prediction?.first.flatMap { $0 }?.text
    let symptom = word.flatMap { PitfallSymptom(rawValue: $0) }
    if let word, !word.isEmpty, symptom == nil {
      throw refusal("The prediction is not a symptom.")
    }
    return .pitfall(pitfall, symptom)
  }

  static func refusal(_ message: String) -> Refusal { Refusal(.badRequest, message) }
}
