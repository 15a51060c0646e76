// The token and the code.

import FlyingFox
import Foundation
import Testing

@testable import BoardServer

@Suite struct TokenTests {
  @Test func tokensAreRandom() {
    let all = (0..<100).map { _ in Tokens() }
    #expect(Set(all.map(\.presenter)).count == 100)
    #expect(all.allSatisfy { $0.presenter.wholeMatch(of: /[0-9a-f]{32}/) != nil })
    #expect(Set(all.map(\.follower)).count >= 99)
    #expect(all.allSatisfy { $0.follower.wholeMatch(of: /[A-HJ-NP-Z]{6}/) != nil })
  }

  @Test func wrongCodesAreLimited() {
    let codes = CodeGuard()
    let now = ContinuousClock.now
    func allows(_ address: String, _ isRight: Bool, after seconds: Int = 0) -> Bool {
      codes.allows(.ip4(address, port: 1), isRight: isRight, now: now + .seconds(seconds))
    }
    for _ in 0..<CodeGuard.mostOfAddress { #expect(allows("10.0.0.1", false)) }
    // Nor does the right code help before the minute is over.
    #expect(!allows("10.0.0.1", false) && !allows("10.0.0.1", true, after: 59))
    #expect(allows("10.0.0.2", true))
    #expect(allows("10.0.0.1", true, after: 61))
    // All addresses together; those that had the right code are not limited.
    for number in 0..<CodeGuard.most { #expect(allows("10.1.0.\(number)", false, after: 62)) }
    #expect(!allows("10.2.0.1", true, after: 63))
    #expect(allows("10.0.0.2", true, after: 63))
  }

  @Test func comparison() {
    #expect("abc".isEqualInConstantTime(to: "abc"))
    #expect(!"abc".isEqualInConstantTime(to: "abd"))
    #expect(!"abc".isEqualInConstantTime(to: "ab"))
    #expect(!"".isEqualInConstantTime(to: "a"))
  }
}
