// The request for a run, and its checks.

import Demos
import FlyingFox
import Foundation
import Weir

/// The body of a request for a run. It is passed on to the worker.
struct RunRequest: Codable, Sendable {
  var demo: String
  var knobs: [String: String]?
  /// The predictions, one for each question; `null` for none.
  var prediction: [Double?]?
  var speed: Double?
  var virtual: Bool?
}

/// A run that can be started: a request whose values fit.
struct RunPlan: Sendable {
  let demo: Demo
  let values: KnobValues
  /// The predictions; `nil` if there is none.
  let predictions: [Double?]?
  let speed: Double
  let isSimulated: Bool

  /// Checks a request; a refusal has a sentence for the page.
  init(_ request: RunRequest) throws(Refusal) {
    guard let demo = Demo.named(request.demo) else {
      throw RunPlan.refusal("There is no demo of that name.")
    }
    let given = request.knobs ?? [:]
    for (name, text) in given.sorted(by: { $0.key < $1.key }) {
      guard let knob = demo.knobs.first(where: { $0.name == name }) else {
        throw RunPlan.refusal("The demo \(demo.name) has no knob of that name.")
      }
      if let complaint = knob.complaint(about: text) {
        throw RunPlan.refusal("\(name) \(complaint).")
      }
    }
    (self.demo, values) = (demo, KnobValues(demo.knobs, given: given))
    if let complaint = demo.complaint(values) { throw RunPlan.refusal(complaint) }
    let predictions = request.prediction ?? []
    guard predictions.isEmpty || predictions.count == demo.questions.count else {
      throw RunPlan.refusal("The demo \(demo.name) asks \(demo.questions.count) questions.")
    }
    self.predictions = predictions.contains { $0 != nil } ? predictions : nil
    (speed, isSimulated) = (request.speed ?? demo.speed, request.virtual ?? false)
    guard (0.0001...1000).contains(speed) else {
      throw RunPlan.refusal("The speed is a number from 0.0001 to 1000.")
    }
  }

  /// Describes the run, for its first message.
  func description(_ number: Int) -> RunDescription {
    RunDescription(
      demo, values, number: number, speed: speed, isSimulated: isSimulated,
      cores: isSimulated ? 2 : Lanes.defaultWidth)
  }

  private static func refusal(_ message: String) -> Refusal { Refusal(.badRequest, message) }
}
