// The tutorial on task groups: five pictures (four with `async let`), in each of
// its ways, in Foundation's and in Weir's.

import Foundation

@main
struct GalleryProgram {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let speed = arguments.first.map { Double($0) ?? 0 } ?? 20
    guard arguments.count < 2, speed > 0, speed <= 1000 else {
      print("usage: gallery [SPEED]")
      print("SPEED: seconds of the tutorial in a second, up to 1000 [default: 20]")
      exit(2)
    }
    try await GalleryProgram().run(speed)
  }

  private func run(_ speed: Double) async throws {
    let times = String(format: "%g", speed)
    print("\(Gallery.title), \(times) times as fast. Picture 4 is there first, 1 last.\n")
    print(
      "".column(28), "asked", "in flight", "    s ", "pictures".column(24),
      "what became of the rest")
    let fine = try await PictureServer(knobs(speed, faults: [:]))
    let faulty = try await PictureServer(knobs(speed, faults: [3: .status]))
    var outcomes: [Outcome] = []
    for way in Way.all {
      let outcome = await way.run((way.hasFault ? faulty : fine).source)
      outcomes.append(outcome)
      print(line(outcome))
    }
    print("\n\(verdict(outcomes))")
    await fine.stop()
    await faulty.stop()
  }

  /// A second or two for a picture, at speed 1; those that are to fail are early.
  private func knobs(_ speed: Double, faults: [Int: PictureServer.Fault]) -> PictureServer.Knobs {
    var knobs = PictureServer.Knobs()
    let seconds = [1: 2.5, 2: 1, 3: 1.5, 4: 0.5, 5: 2]
    knobs.delay = { (seconds[$0] ?? 1) / speed }
    knobs.faults = faults
    return knobs
  }

  private func line(_ outcome: Outcome) -> String {
    var rest: [String] = []
    if !outcome.failed.isEmpty { rest.append("failed: \(names(outcome.failed))") }
    if !outcome.cancelled.isEmpty { rest.append("cancelled: \(names(outcome.cancelled))") }
    if outcome.isShort { rest.append("nobody is told") }
    return [
      outcome.way.name.column(28), "\(outcome.way.asked)".atRight(5),
      "\(outcome.peak)".atRight(9), String(format: "%.2f", outcome.seconds).atRight(5), "",
      outcome.text.column(24), rest.joined(separator: "; "),
    ].joined(separator: " ")
  }

  private func names(_ ids: [Int]) -> String {
    ids.sorted().map(String.init).joined(separator: " ")
  }

  private func verdict(_ outcomes: [Outcome]) -> String {
    let short = outcomes.count { $0.isShort }
    let thrown = outcomes.count { if case .failure = $0.result { true } else { false } }
    let left = outcomes.map(\.left).reduce(0, +)
    return "\(outcomes.count) ways: \(outcomes.count - short - thrown) whole arrays, \(short) "
      + "short ones, \(thrown) errors; \(left) requests were left behind"
  }
}

extension String {
  /// The text in a column; what is too long is cut.
  fileprivate func column(_ width: Int) -> String {
    count > width
      ? prefix(width - 1) + "…" : self + String(repeating: " ", count: width - count)
  }

  /// The text at the right of a column.
  fileprivate func atRight(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
