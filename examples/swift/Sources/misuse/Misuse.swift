// The sentences of programmer's errors: `misuse NAME` makes the error of that name.
import Weir

@main struct Misuse {
  static func main() async throws {
    let gate = Gate(label: "connections", permits: 1)
    let lanes = Lanes(label: "jobs", width: 1)
    switch CommandLine.arguments.dropFirst().first {
    case "nested-task":
      try await gate.withPermit { try await gate.withPermit { print("never") } }
    case "nested-thread":
      nest(gate)
    case "nested-job":
      try await lanes.run { nest(gate) }
    case "wait-on-own-lane":
      try await lanes.run { _ = lanes.wait() }
    case "negative":
      _ = Gate(label: "negative", permits: -1)
    default:
      print("usage: misuse nested-task | nested-thread | nested-job | wait-on-own-lane | negative")
    }
  }

  static func nest(_ gate: Gate) {
    gate.withPermit { gate.withPermit { print("never") } }
  }
}
