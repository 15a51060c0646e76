// The Makefile of examples/guide needs pkg-config and no other file of this
// repository: it works in a copy of the folder.
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

    /// Without Weir the Makefile stops with a message.
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

/// The library as `make install-lib` installs it.
private enum Installed {
  private static let made = Result { try make() }

  static func prefix() throws -> String { try made.get().text + "/prefix" }

  private static func make() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try sh(
      "cd '\(Repository.root)' && tar -cf - --exclude './.build*' --exclude ./.git . | "
        + "tar -C '\(place.text)' -xf - && cd '\(place.text)' && "
        + "make install-lib PREFIX='\(place.text)/prefix'")
    return place
  }
}
