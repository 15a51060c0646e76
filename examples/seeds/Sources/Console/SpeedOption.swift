// An option that all programs have.

import ArgumentParser

package struct SpeedOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: """
      How many times as fast as the tutorial: above 0, at most 1000. (default: 15 in images, \
      20 in gallery)
      """)
  package var speed: Double?

  package init() {}

  package mutating func validate() throws {
    if let speed, !(speed > 0 && speed <= 1000) {
      throw ValidationError("The speed is above 0 and at most 1000.")
    }
  }
}
