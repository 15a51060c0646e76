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
struct RunPlan: Sendable {
  let demo: Demo
  let values: KnobValues

  /// Checks a request.
  ///
  /// - Throws: `Refusal`, with a sentence for the page.
  init(_ request: RunRequest) throws(Refusal) {
    guard (0.0001...1000).contains(request.actualSpeed) else {
      throw RunPlan.refusal("The speed is a number from 0.0001 to 1000.")
    }
    guard let demo = Demo.named(request.demo) else {
      throw RunPlan.refusal("There is no demo of that name.")
    }
    for (name, text) in request.given.sorted(by: { $0.key < $1.key }) {
      guard let knob = demo.knobs.first(where: { $0.name == name }) else {
        throw RunPlan.refusal("The demo \(demo.name) has no knob of that name.")
      }
      if let complaint = knob.complaint(about: text) {
        throw RunPlan.refusal("\(name) \(complaint).")
      }
    }
    let predicted = (request.prediction ?? []).compactMap { $0?.text }
    guard predicted.allSatisfy({ $0.isEmpty || Double(decimal: $0) != nil }) else {
      throw RunPlan.refusal("A prediction is a number.")
    }
    let values = KnobValues(demo.knobs, given: request.given)
    if let complaint = demo.complaint(values) { throw RunPlan.refusal(complaint) }
    if let predictions = request.predictions, predictions.count != demo.questions.count {
      throw RunPlan.refusal("The demo \(demo.name) asks \(demo.questions.count) questions.")
    }
    (self.demo, self.values) = (demo, values)
  }

  /// Describes the run, for its first message.
  func description(_ number: Int, _ request: RunRequest) -> RunDescription {
    var run = RunDescription(
      demo, values, speed: request.actualSpeed, isSimulated: request.isVirtual,
      cores: request.isVirtual ? 2 : Lanes.defaultWidth)
    run.run = number
    return run
  }

  private static func refusal(_ message: String) -> Refusal { Refusal(.badRequest, message) }
}
