// The order of a drop-in tool's output if a file or a list makes it wait, and very many names.

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: hasGNU91), .serialized, .timeLimit(.minutes(10)))
struct DropInOrderTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["a", "b", "c"] { try directory.write("\(name)\n", to: name) }
    try directory.link("sha256sum", to: String(decoding: weirPath, as: UTF8.self))
  }

  /// The path of the link to weir.
  private var tool: String { directory.text + "/sha256sum" }

  /// Runs a script with weir and with GNU's tools. Expects the same output.
  private func compare(_ script: String, _ location: SourceLocation = #_sourceLocation)
    async throws
  {
    let tools = [directory.text, "/usr/bin"]
    let outcomes = try await tools.asyncMap { place in
      try await other("sh", words("-c", "PATH=$0:$PATH; \(script)", place), in: directory).run()
    }
    let texts = outcomes.map { "\($0.status ?? -1) \($0.outputText)\n\($0.errorText)" }
    #expect(texts[0] == texts[1], sourceLocation: location)
  }

  @Test("the lines before a FIFO are written before the tool waits for the FIFO")
  func fifo() async throws {
    try directory.makeFIFO("fifo")
    let command = other(tool, words("a", "gone", "fifo", "b"), in: directory)
    let fifo = directory.path("fifo")
    let outcome = try await onThread {
      let child = try Child(command)
      #expect(child.collect(limit: 40) { output, errors in !output.isEmpty && !errors.isEmpty })
      let writer = open(terminated(fifo), O_WRONLY)  // waits until it is read
      try writeAll(Array("c\n".utf8), to: writer)
      close(writer)
      return try child.finish(limit: 40)
    }
    let names = outcome.lines.map { String(decoding: $0.dropFirst(66), as: UTF8.self) }
    #expect(names == ["a", "fifo", "b"] && outcome.status == 1)
    try await compare(
      "mkfifo second; cat a >fifo & cat b >second & sha256sum a fifo - second b <c; wait; rm second"
    )
  }

  @Test("the line of a manifest in a pipe is verified before the next line arrives")
  func slowManifest() async throws {
    let digests = try await other("/usr/bin/sha256sum", words("a", "b"), in: directory).run()
    var command = other(tool, words("-c"), in: directory)
    command.input = .bytes(digests.output)
    let given = command
    let outcome = try await onThread {
      let child = try Child(given, holdsInput: true)
      #expect(child.collect(limit: 40) { output, _ in output.count == "a: OK\nb: OK\n".utf8.count })
      return try child.finish(limit: 40)
    }
    #expect(outcome.outputText == "a: OK\nb: OK\n" && outcome.status == 0)
  }

  @Test("a manifest that is a FIFO, among others")
  func manifests() async throws {
    try directory.makeFIFO("fifo")
    try await compare(
      "sha256sum a b >m; sha256sum c >fifo & sha256sum -c m fifo m gone 2>&1; wait")
  }

  @Test("the tool reads its own output file with the lines written so far")
  func ownOutput() async throws {
    for options in ["", "-z", "--tag"] {
      try await compare("sha256sum \(options) a gone b o c o >o 2>&1; cat o; rm o")
      try await compare("sha256sum \(options) a gone b e c 2>e; cat e; rm e")
    }
    try await compare(
      "sha256sum a /dev/null >m; echo '\(hash)  o' >>m; sha256sum -c m >o; cat o; rm o")
  }

  private let hash = String(repeating: "0", count: 64)

  @Test("thirty thousand names, half of them missing, and a long manifest")
  func manyNames() async throws {
    try await compare(
      """
      names=$(seq -f 'a gone%g' 15000)
      sha256sum $names >o 2>e; echo $?; sha256sum <o; sed 's/^[^:]*//' e | sha256sum; rm o e
      """)
    try await compare(
      """
      line=$(sha256sum a); other=$(sha256sum b | sed 's/b$/a/')
      { yes "$line" | head -n 20000; echo "$other"; echo x; yes "$line" | head -n 20000; } >m
      sha256sum -wc m >o 2>e; echo $?; sha256sum <o; sed 's/^[^:]*//' e; sha256sum --status -c m; echo $?
      rm o e m
      """)
  }

  @Test("a broken pipe, with SIGPIPE and with SIGPIPE ignored")
  func brokenPipe() async throws {
    try directory.makeFIFO("p")
    for trap in ["", "trap '' PIPE; "] {
      // 4 is the write end of a pipe without a reader.
      try await compare(
        trap + "exec 3<>p 4>p 3>&-; sha256sum a gone b >&4 2>e; echo $?; cat e; rm e")
    }
  }

  @Test("the last component of argument 0 decides the tool")
  func names() async throws {
    let weir = String(decoding: weirPath, as: UTF8.self)
    for name in ["sha256sum", "./sha256sum", "x/md5sum", "b2sum", "x/cksum"] {
      let outcome = try await other(
        "bash", words("-c", "exec -a \"$0\" '\(weir)' --version", name), in: directory
      ).run()
      #expect(outcome.outputText.hasPrefix("\(name.split(separator: "/").last ?? "") (Weir) "))
    }
    for name in ["weir", "sha256sum/", "sha256", "b1sum", "sum", "Sha256sum", ""] {
      let outcome = try await other(
        "bash", words("-c", "exec -a \"$0\" '\(weir)' --version", name), in: directory
      ).run()
      #expect(outcome.outputText.hasPrefix("weir "), "\(name)")
    }
  }
}

extension Sequence {
  /// Transforms the elements one after the other.
  fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
    var results: [T] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}
