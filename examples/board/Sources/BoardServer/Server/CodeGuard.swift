// The limit of guesses at the code of a class.
//
// DESIGN. Six of 24 letters are 191 million codes. At 300 guesses a minute, three hours find one
// with a chance of 1 in 3,500. An address that gave the right code is not limited any more: a
// guesser cannot lock out a class that has begun.

import FlyingFox
import Synchronization

/// Counts the wrong codes of the last minute.
final class CodeGuard: Sendable {
  static let mostOfAddress = 20
  static let most = 300
  private static let mostKnown = 2000

  private struct State {
    var begin = ContinuousClock.now
    var wrong: [String: Int] = [:]
    var count = 0
    var known: Set<String> = []
  }

  private let state = Mutex(State())

  /// Returns false if a code is refused, right or wrong, because too many wrong ones came before.
  func allows(
    _ address: HTTPRequest.Address?, isRight: Bool, now: ContinuousClock.Instant = .now
  ) -> Bool {
    let name =
      switch address {
      case .ip4(let number, _), .ip6(let number, _): number
      case .unix, nil: ""
      }
    return state.withLock { state in
      if state.known.contains(name) { return true }
      if now - state.begin >= .seconds(60) {
        (state.begin, state.wrong, state.count) = (now, [:], 0)
      }
      guard state.wrong[name, default: 0] < CodeGuard.mostOfAddress, state.count < CodeGuard.most
      else { return false }
      if isRight {
        if state.known.count < CodeGuard.mostKnown { state.known.insert(name) }
      } else {
        state.wrong[name, default: 0] += 1
        state.count += 1
      }
      return true
    }
  }
}
