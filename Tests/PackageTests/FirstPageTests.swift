// The first page of README.md: what a newcomer sees before scrolling.

import Foundation
import TestSupport
import Testing

@Suite("The first page of README.md", .timeLimit(.minutes(1)))
struct FirstPageTests {
  private func lines() throws -> [String] {
    try Repository.text(of: "README.md").split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  @Test("begins with commands and a picture, and not with the engine")
  func beginning() throws {
    let beginning = try lines().prefix(15).joined(separator: "\n")
    for command in ["hash", "check", "count", "duplicates", "run"] {
      #expect(beginning.contains("    $ weir \(command) "), "\(command)")
    }
    #expect(beginning.contains(/!\[[^\]]+\]\(docs\/images\//))
    #expect(!beginning.contains(/dispatch|Dispatch|GCD|descriptor/))
  }

  @Test("tells how to install, with targets that exist and no address to be filled in")
  func installation() throws {
    let page = try lines().prefix(30).joined(separator: "\n")
    let makefile = try Repository.text(of: "Makefile")
    for target in ["run", "install", "install-dropins"] {
      #expect(page.contains(try Regex("\n    make \(target) ")), "\(target)")
      #expect(makefile.contains(try Regex("(?m)^\(target):")), "\(target)")
    }
    #expect(!(try lines().joined(separator: "\n").contains(/URL OF|YOUR[ _]|example\.org\/weir/)))
  }

  @Test("compares with other programs by a factor that is greater than one")
  func factors() throws {
    let rows = try lines().prefix(50).filter { $0.hasPrefix("  | ") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let column = try #require(rows.first?.firstIndex(of: "times as fast"))
    let factors = rows.dropFirst(2).map { Double($0[column]) ?? 0 }
    #expect(factors.count >= 5 && factors.allSatisfy { $0 > 1 }, "\(factors)")
    for program in ["rhash", "sha256sum", "openssl", "jdupes", "wc"] {
      #expect(rows.contains { $0.joined().contains(program) }, "\(program)")
    }
  }
}
