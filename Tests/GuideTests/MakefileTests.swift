// The Makefile of examples/guide needs pkg-config and nothing of this
// repository: it works where the folder was copied to.
import Glibc
import TestSupport
import Testing

extension GuideTests {
  @Suite struct MakefileTests {
    @Test(arguments: [Compiler.toolchain, .gcc])
    func itWorksInACopy(compiler: Compiler) async throws {
      try await onThread {
        guard isInstalled("make"), isInstalled("pkg-config"), let program = compiler.program
        else { return }
        let copy = try TemporaryDirectory()
        let guide = copy.text + "/somewhere else"
        let environment = "PKG_CONFIG_PATH='\(try Installed.prefix())/lib/pkgconfig'"
        let outcome = try Command(
          "sh", "-c",
          """
          cp -R '\(Repository.guide)' '\(guide)' && cd '\(guide)' && make clean >/dev/null &&
          \(environment) make CC='\(program)' && ls | grep -v '\\.' &&
          \(environment) make CC='\(program)' clean
          """
        ).runBlocking()
        #expect(outcome.isFine, "\(outcome.story)")
        let expected = compiler.hasBlocks ? ProgramTests.programs : ProgramTests.plain
        #expect(Set(outcome.lines).intersection(ProgramTests.programs) == Set(expected))
      }
    }

    /// Without Weir it says so and stops.
    @Test func withoutWeirItSaysSo() async throws {
      try await onThread {
        guard isInstalled("make"), isInstalled("pkg-config") else { return }
        let copy = try TemporaryDirectory()
        let outcome = try Command(
          "sh", "-c",
          """
          cp '\(Repository.guide)/Makefile' '\(Repository.guide)/3-1-block.c' '\(copy.text)' && cd '\(copy.text)' &&
          PKG_CONFIG_LIBDIR='\(copy.text)' PKG_CONFIG_PATH= make
          """
        ).runBlocking()
        #expect(outcome.status != 0 && outcome.errorText.contains("no Weir"), "\(outcome.story)")
      }
    }
  }
}

/// The library as `make install-lib` puts it somewhere, without Swift.
private enum Installed {
  private static let made = Result { try make() }

  static func prefix() throws -> String { try made.get().text + "/prefix" }

  private static func make() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    atexit { Installed.remove() }
    try sh(
      "cd '\(Repository.root)' && tar -cf - --exclude './.build*' --exclude ./.git . | "
        + "tar -C '\(place.text)' -xf - && cd '\(place.text)' && "
        + "make install-lib PREFIX='\(place.text)/prefix'")
    return place
  }

  /// What is held by a global does not end by itself.
  private static func remove() {
    if case .success(let place) = made { try? sh("rm -rf '\(place.text)'") }
  }
}
