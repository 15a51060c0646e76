// The first message of a run: everything about it that is known before it begins.

import Demos
import Weir

/// The first message of a run.
struct RunMessage: Encodable {
  let kind = "run"
  let run: Int
  let demo: String
  let knobs: [String: String]
  let prediction: [LooseText?]
  let speed: Double
  let virtual: Bool
  let cores: Int
  let introduction: String
  let code: [Listing]

  init(_ number: Int, _ request: RunRequest, _ plan: RunPlan) {
    run = number
    demo = request.demo
    speed = request.actualSpeed
    virtual = request.isVirtual
    cores = virtual ? 2 : Lanes.defaultWidth
    prediction = request.prediction ?? []
    switch plan {
    case .demo(let demo, let values):
      knobs = Dictionary(uniqueKeysWithValues: demo.knobs.map { ($0.name, values[$0.name]) })
      introduction = demo.introduction(values)
      code = demo.code(values)
    case .pitfall(let pitfall, _):
      knobs = ["name": pitfall.name]
      introduction = pitfall.title
      code = []
    }
  }
}
