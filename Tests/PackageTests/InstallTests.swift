// The C library as its users get it: installed, found by pkg-config, and linked in
// every way by every compiler.

import Foundation
import TestSupport
import Testing

@Suite(
  "The C library, installed", .timeLimit(.minutes(10)),
  .enabled(if: isInstalled("pkg-config"), "pkg-config is not installed"))
struct InstallTests {
  /// The compilers, each with its flags.
  private static let compilers =
    [
      "gcc -std=c11 -Wpedantic", "g++ -std=c++17 -Wpedantic", "clang -std=c11 -fblocks",
      "clang++ -std=c++17 -fblocks", systemClang.map { "\($0) -std=c11 -fblocks" },
    ].compactMap { $0 }.filter { isInstalled(String($0.prefix { $0 != " " })) }

  /// The toolchain's clangs and that of the system have blocks.
  @Test("works with each compiler and every kind of linking", arguments: compilers)
  func compiler(flags: String) async throws {
    let weir = try await Installation.get()
    let output = flags.contains("-fblocks") ? plainOutput + blocksOutput : plainOutput
    for linking in Linking.allCases.sampled(oneIn: 3, for: flags) {
      let program = try await weir.build(
        everything, suffix: flags.contains("++ ") ? "cpp" : "c", with: flags, linking)
      let text = try await Command(
        words: [program.path], directory: weir.sources
      ).text()
      #expect(text == output, "\(linking)")
      let within = ["libweir", "libdispatch", "libBlocksRuntime"]
      let needed = try await weir.needed(by: program)
      let outside = needed.filter { name in within.contains { name.hasPrefix($0) } }
      #expect(outside.isEmpty == (linking != .shared), "\(linking): \(outside)")
      #expect(needed.isEmpty == (linking == .static), "\(linking): \(needed)")
    }
  }

  @Test("is found by a Makefile with pkg-config, and can be moved")
  func makefile() async throws {
    let installation = try await Installation(compiler: "clang", below: "first")
    let weir = try installation.moved(to: "second")
    let place = try TemporaryDirectory()
    let makefile = """
      CFLAGS = -std=c11 -Wall $(shell pkg-config --cflags weir)
      LDLIBS = $(shell pkg-config --libs weir)
      program: program.c
      """
    try (makefile + "\n").write(
      to: place.url.appending(component: "Makefile"), atomically: false, encoding: .utf8)
    try everything.write(
      to: place.url.appending(component: "program.c"), atomically: false, encoding: .utf8)
    let text = try await weir.shell("make -s && ./program", in: place.url)
    #expect(text == plainOutput)
    let first = weir.prefix.deletingLastPathComponent().appending(component: "first").path
    #expect(try await !weir.shell("readelf -d program", in: place.url).contains(first))
  }

  @Test("exports the functions that the headers declare, and no other name")
  func exports() async throws {
    let weir = try await Installation.get()
    let declared = try declaredFunctions()
    #expect(declared.all.count > 70 && declared.withBlocks.count > 5)
    #expect(try await weir.names("-D", in: "libweir.so") == declared.all)
    let inArchive = try await weir.names("-g", in: "libweir.a")
    #expect(inArchive.count > 70 && inArchive.allSatisfy { $0.hasPrefix("weir_") })
  }

  @Test("has its version in the soname")
  func soname() async throws {
    let weir = try await Installation.get()
    let version = try Repository.version()
    let parts = version.split(separator: ".")
    let soname = "libweir.so." + (parts[0] == "0" ? "0.\(parts[1])" : "\(parts[0])")
    #expect(
      try await weir.shell("readelf -d '\(weir.prefix.path)/lib/libweir.so'")
        .contains(try Regex("SONAME.*\\[\(soname)\\]")))
    let program = try await weir.build(everything, with: "clang", .shared)
    #expect(try await weir.needed(by: program).contains(soname))
    #expect(try await weir.pkgConfig("--modversion") == version)
    let links = try ["libweir.so", soname].map {
      try FileManager.default.destinationOfSymbolicLink(
        atPath: weir.prefix.appending(path: "lib/\($0)").path)
    }
    #expect(links == [soname, "libweir.so.\(version)"])
  }

  @Test(
    "is built by gcc without the block forms, and reports that",
    .enabled(if: isInstalled("gcc"), "gcc is not installed"))
  func withoutBlocks() async throws {
    let weir = try await Installation(compiler: "gcc", below: "prefix")
    #expect(weir.report.contains("without the block forms"))
    #expect(try await Installation.get().report.contains("with the block forms"))
    #expect(try await weir.pkgConfig("--variable=blocks") == "no")
    #expect(try await Installation.get().pkgConfig("--variable=blocks") == "yes")
    let declared = try declaredFunctions()
    #expect(
      try await weir.names("-D", in: "libweir.so") == declared.all.subtracting(declared.withBlocks))
    for compiler in ["gcc", "clang -std=c11 -fblocks"] {
      // A compiler with blocks sees no block forms either, which the library lacks.
      let program = try await weir.build(everything, with: compiler, .static)
      #expect(try await weir.shell("'\(program.path)'") == plainOutput)
    }
  }

  @Test(
    "is installed without Swift, and removed again",
    .enabled(if: path(ofProgram: "/usr/bin/swift") == nil, "the system has a Swift of its own"))
  func withoutSwift() async throws {
    let place = try TemporaryDirectory()
    let sources = try await Repository.clone(into: place.url)
    let stage = place.url.appending(component: "stage")
    let libraries = try await libdispatch()
    // As packagers do: below a directory that no installed file names.
    let arguments = ["PREFIX=/usr", "LIBDIR=/usr/lib/some-linux-gnu", "DESTDIR=\(stage.path)"]
    func make(_ target: String) async throws -> String {
      try await Command(
        words: [
          "-u", "MAKEFLAGS", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
          "WEIR_DISPATCH_SHARED=\(libraries)", "make",
          target,
        ] + arguments, directory: sources
      ).text()
    }
    #expect(try await make("install").contains("swift is not in PATH"))
    let files = try Installation.files(below: stage)
    let headers = files.filter { $0.hasPrefix("usr/include/") && $0.hasSuffix(".h") }
    #expect(headers.count > 12)
    for name in ["libweir.a", "libweir.so", "pkgconfig/weir.pc"] {
      #expect(files.contains("usr/lib/some-linux-gnu/\(name)"))
    }
    #expect(files.contains("usr/share/man/man3/weir_gate_wait.3"))
    #expect(files.contains("usr/share/man/man7/weir.7"))
    let text = try String(
      contentsOf: stage.appending(path: "usr/lib/some-linux-gnu/pkgconfig/weir.pc"),
      encoding: .utf8)
    #expect(text.contains("prefix=/usr\n") && !text.contains(stage.path))
    _ = try await make("uninstall")
    #expect(try Installation.files(below: stage) == [])
  }

  @Test("the tool is installed with its pages and completions, and removed again")
  func tool() async throws {
    let directory = try TemporaryDirectory()
    let sources = try await Repository.clone(into: directory.url)
    let tool = Repository.products.appending(component: "weir").path
    let stage = directory.url.appending(component: "a stage").path
    func shell(_ script: String) async throws {
      _ = try await Command(
        words: ["DESTDIR=\(stage)", "PREFIX=/usr", "sh", "-euc", script, tool],
        directory: sources
      ).text()
    }
    try await shell(
      """
      sh support/man.sh
      sh support/tool-files.sh "$0"
      sh support/install.sh tool "$0"
      """)
    let files = [
      "usr/bin/weir", "usr/share/bash-completion/completions/weir",
      "usr/share/fish/vendor_completions.d/weir.fish", "usr/share/zsh/site-functions/_weir",
    ]
    let pages = try Repository.pagesOfTool().map { "usr/share/man/man1/\($0)" }
    #expect(try Installation.files(below: URL(filePath: stage)) == (files + pages).sorted())
    try await shell("bash -n \(stage.debugDescription)/usr/share/bash-completion/completions/weir")
    try await shell("sh support/install.sh uninstall")
    #expect(try Installation.files(below: URL(filePath: stage)) == [])
  }

  /// Returns the toolchain's directory of the shared libdispatch.
  private func libdispatch() async throws -> String {
    let text = try await Command(
      words: ["sh", "support/dispatch.sh"], directory: Repository.root
    ).text()
    return try #require(text.firstMatch(of: /dispatch_shared='(.+)'/).map { String($0.1) })
  }
}

/// Returns the functions that the headers declare, and those that take blocks.
func declaredFunctions() throws -> (all: Set<String>, withBlocks: Set<String>) {
  var all: Set<String> = []
  var withBlocks: Set<String> = []
  let directory = Repository.root.appending(path: "include/weir")
  for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
    let text = try Repository.text(of: "include/weir/\(name)")
    let parts = text.split(separator: "#ifdef WEIR_BLOCKS", omittingEmptySubsequences: false)
    for (number, part) in parts.enumerated() {
      let end = part.range(of: "#endif")?.lowerBound ?? part.endIndex
      for declaration in part.matches(of: /WEIR_EXPORT[^;]*?(weir_[a-z0-9_]+)\(/) {
        let function = String(declaration.1)
        all.insert(function)
        if number > 0 && declaration.range.lowerBound < end { withBlocks.insert(function) }
      }
    }
  }
  return (all, withBlocks)
}

private let plainOutput = "apply 4950 lanes 10 gate 3\n"
private let blocksOutput = "blocks: apply 4950 lanes 10 copied 5\n"

/// A program in the common subset of C11 and C++17.
private let everything = """
  #include <stdio.h>
  #include <weir.h>
  #ifndef WEIR_HAS_DISPATCH_HEADERS
  #error libdispatch has headers here, and pkg-config says where
  #endif
  #ifdef __BLOCKS__
  #if __has_include(<Block.h>)
  #include <Block.h>
  #else
  #include <Block/Block.h>
  #endif
  #endif

  static size_t sum, jobs;

  static void add(size_t *to, size_t value) {
      __atomic_fetch_add(to, value, __ATOMIC_SEQ_CST);
  }
  static size_t taken(size_t *from) {
      return __atomic_exchange_n(from, (size_t)0, __ATOMIC_SEQ_CST);
  }
  static void body(void *context, size_t begin, size_t end) {
      (void)context;
      for (size_t i = begin; i < end; i++) add(&sum, i);
  }
  static void job(void *context, void *lane) {
      (void)lane;
      add((size_t *)context, 1);
  }

  int main(void) {
      weir_apply_f(100, 7, NULL, NULL, body);
      weir_lanes_t lanes = weir_lanes_create(NULL);
      for (int i = 0; i < 10; i++) if (weir_lanes_async_f(lanes, &jobs, job)) return 1;
      weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
      weir_gate_t gate = weir_gate_create("gate", 3);
      if (weir_gate_wait(gate, 3, DISPATCH_TIME_FOREVER)) return 1;
      weir_gate_stats_t stats;
      weir_gate_stats(gate, &stats, sizeof stats);
      weir_gate_signal(gate, 3);
      weir_gate_release(gate);
      printf("apply %zu lanes %zu gate %zu\\n", taken(&sum), taken(&jobs), stats.in_use);
  #ifdef WEIR_BLOCKS
      weir_apply(100, 7, NULL, ^(size_t begin, size_t end) {
        body(NULL, begin, end);
      });
      for (int i = 0; i < 10; i++) {
          if (weir_lanes_async(lanes, ^(void *lane) { job(&jobs, lane); })) return 1;
      }
      weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
      int five = 5;
      int (^copied)(void) = Block_copy(^{ return five; });
      printf("blocks: apply %zu lanes %zu copied %d\\n", taken(&sum), taken(&jobs), copied());
      Block_release(copied);
  #endif
      weir_lanes_release(lanes);
      return 0;
  }

  """
