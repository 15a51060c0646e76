// The tokens and their file.

import FlyingFox
import Foundation
import Testing

@testable import BoardServer

@Suite struct TokenTests {
  private func path() throws -> String {
    try TestServer.temporaryFolder().path + "/state/board/tokens"
  }

  @Test func tokensAreRandom() {
    let all = (0..<100).map { _ in Tokens() }
    #expect(Set(all.map(\.presenter)).count == 100)
    #expect(all.allSatisfy { $0.presenter.wholeMatch(of: /[0-9a-f]{32}/) != nil })
    #expect(Set(all.map(\.follower)).count >= 99)
    #expect(all.allSatisfy { $0.follower.wholeMatch(of: /[A-HJ-NP-Z]{6}/) != nil })
  }

  @Test func aFileKeepsThePresentersAlone() throws {
    let path = try path()
    let tokens = try Tokens.stored(at: path)
    let again = try Tokens.stored(at: path)
    #expect(again.presenter == tokens.presenter && again.follower != tokens.follower)
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains(tokens.follower))
    let renewed = try Tokens.stored(at: path, isRenewed: true)
    #expect(renewed.presenter != tokens.presenter)
    #expect(try Tokens.stored(at: path).presenter == renewed.presenter)
  }

  @Test func aFileOfBeforeHasTwoLines() throws {
    let path = try path()
    let tokens = try Tokens.stored(at: path)
    let other = String(repeating: "a", count: 32)
    try Data("\(tokens.presenter)\n\(other)\n".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try Tokens.stored(at: path).presenter == tokens.presenter)
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

  @Test func nobodyElseReadsThem() throws {
    let path = try path()
    _ = try Tokens.stored(at: path)
    func mode(_ path: String) throws -> Int {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }
    #expect(try mode(path) == 0o600)
    #expect(try mode((path as NSString).deletingLastPathComponent) == 0o700)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let error = #expect(throws: TokenFileError.self) { try Tokens.stored(at: path) }
    #expect(error?.description.contains("chmod 600") == true)
  }

  @Test func anotherFileIsNotReplaced() throws {
    let path = try path()
    _ = try Tokens.stored(at: path)
    try Data("something else\n".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(throws: TokenFileError.self) { try Tokens.stored(at: path) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "something else\n")
  }

  @Test func comparison() {
    #expect("abc".isEqualInConstantTime(to: "abc"))
    #expect(!"abc".isEqualInConstantTime(to: "abd"))
    #expect(!"abc".isEqualInConstantTime(to: "ab"))
    #expect(!"".isEqualInConstantTime(to: "a"))
  }
}
