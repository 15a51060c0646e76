// A file named `-`, in lists and manifests, as opposed to standard input.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct DashNameTests {
  private func directory() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for name in ["-", "a", "z"] { try directory.write("of \(name)", to: name) }
    try directory.write("a\0-\0z\0", to: "list")
    return directory
  }

  @Test(
    "- in a list is the file, and its line verifies the file",
    arguments: [
      "--format mtree", "-a md5,sha1", "--tag", "-z", "-a xxh3", "--format mtree -a md5,sha1",
      "--format mtree -o M", "-o M", "-o M -z",
    ])
  func listed(options: String) async throws {
    let directory = try directory()
    let script = """
      "$0" hash \(options) --files0-from list > m && if [ -e M ]; then mv M m; fi
      "$0" check \(options.contains("-z") ? "-z" : "") m < /dev/null
      """
    let result = try await shell(script, in: directory).run()
    result.expectSilence()
    let count = options.contains(",") && !options.contains("mtree") ? 2 : 1
    let expected = ["a", "./-", "z"].flatMap { Array(repeating: "\($0): OK\n", count: count) }
    #expect(result.outputText == expected.joined())
  }

  @Test("standard input next to the file is still standard input")
  func standardInput() async throws {
    let directory = try directory()
    let script = """
      printf x | "$0" hash --format mtree - --files0-from list > m; printf x | "$0" check m
      printf x | "$0" hash - --files0-from list > s; printf x | "$0" check s
      """
    let result = try await shell(script, in: directory).run()
    result.expectSilence()
    let lines = "-: OK\na: OK\n./-: OK\nz: OK\n"
    #expect(result.outputText == lines + lines)
  }

  @Test("- in a manifest of another tool is the file")
  func foreign() async throws {
    let directory = try directory()
    let digest = "md5=8397c0bf7e8312d4437852e1be832a9b"
    try directory.write("#mtree\n- type=file size=4 \(digest)\n", to: "m")
    try directory.write("#mtree\n/set type=file\n. type=dir\n  - size=4\n  a size=4\n..\n", to: "n")
    var command = weir("check", "m", "n", in: directory)
    command.input = .bytes([])
    let result = try await command.run()
    #expect(result.outputText == "-: OK\n./-: OK\n./a: OK\n", "\(result.errorText)")
    #expect(result.status == 0)
  }
}
