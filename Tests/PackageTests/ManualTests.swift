// The manual pages from the headers' comments.

import Foundation
import TestSupport
import Testing

@Suite("The manual pages", .timeLimit(.minutes(5)))
struct ManualTests {
  private func directory() async throws -> URL { try await Manual.directory() }
  private func text(of page: String) async throws -> String { try await Manual.text(of: page) }
  private func whole() async throws -> [URL] { try await Manual.wholePages() }

  private func names(in section: String) async throws -> Set<String> {
    let directory = try await directory().appending(component: section)
    return Set(try FileManager.default.contentsOfDirectory(atPath: directory.path))
  }

  @Test("exist for each header and each function")
  func complete() async throws {
    let names = try await names(in: "man3")
    for header in try FileManager.default.contentsOfDirectory(
      atPath: Repository.root.appending(path: "include/weir").path)
    where header != "libdispatch.h" {
      let page = "weir_\(header.dropLast(2)).3"
      #expect(names.contains(page))
      #expect(try await !text(of: page).hasPrefix(".so"))
    }
    let functions = try declaredFunctions().all
    for function in functions {
      #expect(names.contains("\(function).3"))
    }
    for name in names {
      let page = try await text(of: name)
      guard let link = page.firstMatch(of: /^\.so man3\/(\S+)\n$/) else { continue }
      let target = try await text(of: String(link.1))
      #expect(target.contains(name.dropLast(2)), "\(name) leads to \(link.1)")
    }
  }

  @Test("show the parameters and the result of each function")
  func content() async throws {
    let page = try await text(of: "weir_gate.3")
    let begin = try #require(page.range(of: ".SS weir_gate_wait\n"))
    let rest = page[begin.upperBound...]
    let section = rest[..<(rest.range(of: "\n.SS ")?.lowerBound ?? rest.endIndex)]
    for piece in [
      "int weir_gate_wait(weir_gate_t gate, size_t count,", ".TP\n.B timeout\n",
      "Return value:", "ETIMEDOUT",
    ] {
      #expect(section.contains(piece), "\(piece) is missing in: \(section)")
    }
    for page in try await whole() {
      let text = try String(contentsOf: page, encoding: .utf8)
      let macros = text.matches(of: /WEIR_(EXPORT|NULLABLE|NONNULL|NOESCAPE|WARN_RESULT)/)
      #expect(macros.isEmpty && !text.contains("__attribute__"), "\(page.lastPathComponent)")
      #expect(text.matches(of: /(^|\s)@[a-z]+/).isEmpty, "\(page.lastPathComponent)")
    }
  }

  @Test("refer to existing pages")
  func references() async throws {
    let three = try await names(in: "man3")
    let seven = try await names(in: "man7")
    var count = 0
    for page in try await whole() {
      let text = try String(contentsOf: page, encoding: .utf8)
      for reference in text.matches(of: /(weir[a-z0-9_]*)(\\fR)? ?\(([37])\)/) {
        let name = "\(reference.1).\(reference.3)"
        count += 1
        #expect(
          (reference.3 == "3" ? three : seven).contains(name),
          "\(page.lastPathComponent) refers to \(name)")
      }
    }
    #expect(count > 50)
  }

  @Test("weir(7) refers to the page of every header")
  func overview() async throws {
    let overview = try await text(of: "weir.7")
    for page in try await whole() where page.pathExtension == "3" {
      let name = page.deletingPathExtension().lastPathComponent
      #expect(overview.contains("\\fB\(name)\\fR(3)"))
    }
    #expect(try overview.contains("Weir \(Repository.version())"))
  }

  @Test(
    "pass mandoc's lint", .enabled(if: isInstalled("mandoc")))
  func mandoc() async throws {
    let pages = try await whole().map(\.path)
    _ = try await Command(
      words: ["mandoc", "-T", "lint", "-W", "warning"] + pages, directory: Repository.root,
      timeLimit: 60
    ).text()
  }

  @Test(
    "pass groff without a warning, and fit into 80 columns",
    .enabled(if: isInstalled("man") && isInstalled("groff"), "man-db or groff is not installed"))
  func groff() async throws {
    for page in try await whole() {
      let text = try await Manual.shown(page)
      #expect(text.contains("DESCRIPTION"))
      for line in text.split(separator: "\n") {
        // "<standard input>:12: warning: ..."; a page may have the word itself.
        #expect(!line.contains(/:[0-9]+: warning/), "\(page.lastPathComponent)")
        #expect(line.count <= 80, "\(page.lastPathComponent): \(line)")
      }
    }
  }
}
