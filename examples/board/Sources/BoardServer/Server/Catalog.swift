// The answer to /demos: everything that the page knows before a run.

import Demos
import Foundation
import Weir

/// The demos and pitfalls, as JSON.
struct Catalog: Encodable {
  struct KnobEntry: Encodable {
    let name: String
    let kind: String
    var min: Double?
    var max: Double?
    var choices: [String] = []
    let `default`: String
    let help: String
  }

  struct DemoEntry: Encodable {
    let name: String
    let abstract: String
    let knobs: [KnobEntry]
    let questions: [Question]
    let speed: Double
  }

  /// A pitfall without its symptom, which is to be predicted.
  struct PitfallEntry: Encodable {
    let name: String
    let title: String
    let expectation: String
    let explanation: String
    let remedy: String
    let symptoms: [String]
    let broken: [Pitfall.Line]
    let fixed: [Pitfall.Line]
  }

  let role: Role
  let isClass: Bool
  @Nullable var classAddress: String?
  /// The QR picture of the class's address, as SVG.
  @Nullable var classPicture: String?
  let cores = Lanes.defaultWidth
  let server: String
  let demos = Demo.all.map(Catalog.entry)
  let pitfalls = Pitfall.all.map(Catalog.entry)

  enum CodingKeys: CodingKey {
    case role, isClass, classAddress, classPicture, cores, server, demos, pitfalls
  }

  private static func entry(_ demo: Demo) -> DemoEntry {
    DemoEntry(
      name: demo.name, abstract: demo.abstract, knobs: demo.knobs.map(entry),
      questions: demo.questions, speed: demo.speed)
  }

  private static func entry(_ knob: Knob) -> KnobEntry {
    func entry(_ kind: String, _ range: ClosedRange<Double>? = nil, _ choices: [String] = [])
      -> KnobEntry
    {
      KnobEntry(
        name: knob.name, kind: kind, min: range?.lowerBound, max: range?.upperBound,
        choices: choices, default: knob.defaultValue, help: knob.help)
    }
    return switch knob.kind {
    case .number(let range): entry("number", Double(range.lowerBound)...Double(range.upperBound))
    case .seconds(let range): entry("seconds", range)
    case .choice(let choices): entry("choice", nil, choices)
    case .flag: entry("flag")
    }
  }

  private static func entry(_ pitfall: Pitfall) -> PitfallEntry {
    PitfallEntry(
      name: pitfall.name, title: pitfall.title, expectation: pitfall.expectation,
      explanation: pitfall.explanation, remedy: pitfall.remedy,
      symptoms: PitfallSymptom.allCases.map(\.rawValue),
      broken: pitfall.lines(.broken), fixed: pitfall.lines(.fixed))
  }
}
