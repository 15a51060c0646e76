// The tokens and their file.

import Foundation
import Testing

@testable import BoardServer

@Suite struct TokenTests {
  private func path() throws -> String {
    try TestServer.temporaryFolder().path + "/state/board/tokens"
  }

  @Test func tokensAreRandom() {
    let all = (0..<100).flatMap { _ in
      let tokens = Tokens()
      return [tokens.presenter, tokens.follower]
    }
    #expect(Set(all).count == 200)
    #expect(all.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil })
  }

  @Test func aFileKeepsThem() throws {
    let path = try path()
    let tokens = try Tokens.stored(at: path)
    #expect(try Tokens.stored(at: path) == tokens)
    let renewed = try Tokens.stored(at: path, isRenewed: true)
    #expect(renewed.presenter != tokens.presenter && renewed.follower != tokens.follower)
    #expect(try Tokens.stored(at: path) == renewed)
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
