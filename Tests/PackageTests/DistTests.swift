// The archive of `make dist`, in a root directory without a library, a shell or
// /proc. It needs a release build of its own, so `make test` skips these tests;
// `make test-dist` makes the archive and runs them.

import Foundation
import TestSupport
import Testing

private let isAsked = ProcessInfo.processInfo.environment["WEIR_TEST_DIST"] != nil

@Suite(
  "The archive of make dist", .enabled(if: isAsked, "make test-dist runs it"), .serialized,
  .timeLimit(.minutes(30)))
struct DistTests {
  private let place: TemporaryDirectory
  private let name: String
  private let archive: URL
  /// The unpacked archive, which is the root directory of the programs.
  private var top: URL { place.url.appending(component: name) }

  init() async throws {
    place = try TemporaryDirectory()
    let machine = try await Command(words: ["uname", "-m"], directory: place.url).text()
    name =
      "weir-\(try Repository.version())-linux-"
      + machine.trimmingCharacters(in: .whitespacesAndNewlines)
    archive = Repository.root.appending(path: ".build/dist/\(name).tar.gz")
    _ = try await Command(words: ["tar", "xzf", archive.path], directory: place.url).text()
  }

  private func shell(_ script: String, limit: Double = 60) async throws -> Outcome {
    try await Command(
      words: ["LC_ALL=C", "sh", "-uc", script], directory: top, timeLimit: limit
    ).run()
  }

  /// Runs a program in that root directory. Its output can go to a file in it,
  /// because names need not be UTF-8.
  private func alone(_ words: String..., into file: String = "/dev/stdout") async throws
    -> Outcome
  {
    let enter = geteuid() == 0 ? [] : ["unshare", "--map-root-user"]
    let redirected = ["sh", "-c", "exec \"$@\" > '\(file)'", "sh"]
    return try await Command(
      words: ["LC_ALL=C.UTF-8"] + redirected + enter + ["chroot", top.path] + words,
      directory: top, timeLimit: 60
    ).run()
  }

  @Test("needs no interpreter and no library, and is position-independent")
  func linking() async throws {
    let header = try await shell("readelf -hlW bin/weir").outputText
    #expect(header.contains("DYN (") && !header.contains("INTERP"))
    #expect(try await shell("readelf -dW bin/weir").outputText.contains("(NEEDED)") == false)
    #expect(try await shell("readelf -SW bin/weir").outputText.contains(".symtab") == false)
    let paths = try await shell("grep -ac -e '\(Repository.root.path)' -e /tmp/weir-dist bin/weir")
    #expect(paths.outputText == "0\n", "it contains the path of the build")
  }

  @Test("verifies its own files")
  func sums() async throws {
    let outcome = try await alone("/bin/weir", "check", "--strict", "SHA256SUMS")
    #expect(outcome.status == 0 && outcome.errorText.isEmpty, "\(outcome)")
    let listed = outcome.outputText.split(separator: "\n").map { $0.dropLast(": OK".count) }
    let files = try Installation.files(below: top).filter { $0 != "SHA256SUMS" }
    #expect(listed.map(String.init).sorted() == files)
  }

  @Test("hashes and checks a tree, and finds a difference")
  func tree() async throws {
    let made = try await shell(
      #"""
      mkdir -p tree/a tree/empty && cd tree && head -c 3000000 /dev/urandom > large &&
      for i in 1 2 3 4 5 6 7 8 9; do head -c ${i}000 /dev/urandom > a/$i; done &&
      : > none && echo x > "$(printf 'new\nline')" && echo y > 'back\slash' &&
      echo z > "$(printf 'no\377utf8')" && echo w > "$(printf 'caf\303\251')"
      """#)
    try #require(made.status == 0, "\(made)")
    let algorithms = "sha256,md5,sha1,sha512,blake2b,xxh64,xxh3,xxh128"
    for algorithm in algorithms.split(separator: ",").map(String.init) + [algorithms] {
      let hashed = try await alone(
        "/bin/weir", "hash", "--tag", "-a", algorithm, "tree", into: "manifest")
      #expect(hashed.status == 0 && hashed.errorText.isEmpty, "\(algorithm): \(hashed)")
      let checked = try await alone("/bin/weir", "check", "--quiet", "manifest")
      #expect(checked.status == 0 && checked.outputText.isEmpty, "\(algorithm): \(checked)")
    }
    let oracle = try await shell("bin/weir hash tree > m && sha256sum -c --strict --quiet m")
    #expect(oracle.status == 0, "\(oracle)")
    _ = try await shell("printf x | dd of=tree/a/5 bs=1 seek=17 conv=notrunc")
    let differing = try await alone("/bin/weir", "check", "--quiet", "m")
    #expect(differing.status == 1 && differing.outputText == "tree/a/5: FAILED\n", "\(differing)")
  }

  @Test("replaces sha256sum through the links of its script")
  func dropIns() async throws {
    let links = try await shell("DESTDIR='\(top.path)' BINDIR=/bin ./dropins install /usr/bin")
    try #require(links.status == 0, "\(links)")
    let tools = [
      "b2sum", "cksum", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum",
      "wc",
    ]
    for tool in tools {
      let ours = try await alone("/usr/bin/\(tool)", "LICENSE", "nothing", "bin/weir")
      let theirs = try await shell("\(tool) LICENSE nothing bin/weir")
      #expect(ours.status == theirs.status && ours.outputText == theirs.outputText)
      #expect(ours.errorText == "/usr/bin/" + theirs.errorText)
    }
    // The default tool is the one beside the script.
    let beside = try await shell("./dropins install '\(place.url.path)/links'")
    #expect(beside.status == 0, "\(beside)")
    let sum = try await shell("'\(place.url.path)/links/sha256sum' LICENSE")
    #expect(try await shell("sha256sum LICENSE").outputText == sum.outputText)
    #expect(try await shell("./dropins uninstall '\(place.url.path)/links'").status == 0)
    #expect(try await shell("ls '\(place.url.path)/links'").outputText.isEmpty)
  }

  @Test("contains pages, completions and every license, without owners")
  func contents() async throws {
    for page in try Repository.pagesOfTool() {
      let path = "share/man/man1/\(page)"
      let shown = try await shell("mandoc -Tutf8 -Wwarning \(path) | col -b")
      #expect(shown.outputText.contains("SYNOPSIS") && shown.errorText.isEmpty, "\(page): \(shown)")
    }
    let files = Set(try Installation.files(below: top))
    for file in [
      "bash-completion/completions/weir", "zsh/site-functions/_weir",
      "fish/vendor_completions.d/weir.fish", "doc/weir/cli.md", "doc/weir/options.md",
    ] {
      #expect(files.contains("share/\(file)"))
    }
    let inside = try String(
      contentsOf: top.appending(path: "share/doc/weir/licenses/README"), encoding: .utf8)
    let named = inside.matches(of: /[A-Za-z0-9.-]+\.txt/).map { String($0.output) }
    let licenses = files.filter { $0.hasPrefix("share/doc/weir/licenses/") && $0.hasSuffix(".txt") }
    #expect(Set(named) == Set(licenses.map { String($0.split(separator: "/").last ?? "") }))
    #expect(named.count >= 7 && !inside.contains("unknown"), "\(inside)")
    for file in files {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: top.appending(path: file).path)
      let mode = attributes[.posixPermissions] as? Int
      #expect(mode == 0o644 || mode == 0o755, "\(file)")
    }
    let listing = try await shell("tar tvzf '\(archive.path)' | awk '{print $2, $4, $5}' | sort -u")
    #expect(listing.outputText.split(separator: "\n").count == 1, "\(listing)")
    #expect(listing.outputText.hasPrefix("0/0 "))
  }

  @Test("names every library inside, with its version and license, for programs")
  func billOfMaterials() throws {
    let text = try Data(contentsOf: top.appending(path: "share/doc/weir/weir.spdx.json"))
    let bill = try JSONDecoder().decode(BillOfMaterials.self, from: text)
    #expect(bill.spdxVersion == "SPDX-2.3")
    let inside = Set(bill.packages.map(\.SPDXID)).subtracting(["SPDXRef-weir"])
    let linked = bill.relationships.filter { $0.relationshipType == "STATIC_LINK" }
    #expect(inside == Set(linked.map(\.relatedSpdxElement)) && inside.count == 7)
    for package in bill.packages {
      #expect(!package.versionInfo.isEmpty && package.versionInfo != "unknown", "\(package)")
    }
    #expect(bill.packages.first?.versionInfo == (try Repository.version()))
  }

  @Test("is the same from a directory with a longer path, another language and umask")
  func again() async throws {
    let before = try Data(contentsOf: archive)
    let copy = place.url.appending(path: "a checkout/with another path")
    let made = try await shell(
      """
      git clone -q '\(Repository.root.path)' '\(copy.path)' && cd '\(copy.path)' && umask 077 &&
      LC_ALL=C.UTF-8 TZ=Asia/Tokyo make dist
      """, limit: 1800)
    try #require(made.status == 0, "\(made)")
    let second = copy.appending(path: ".build/dist/\(name).tar.gz")
    #expect(try Data(contentsOf: second) == before)
  }
}

/// The members of an SPDX document that the test reads.
private struct BillOfMaterials: Decodable {
  struct Package: Decodable {
    let SPDXID: String
    let versionInfo: String
  }
  struct Relationship: Decodable {
    let relationshipType: String
    let relatedSpdxElement: String
  }
  let spdxVersion: String
  let packages: [Package]
  let relationships: [Relationship]
}
