// weir run: a slow command holds back neither the other commands nor their lines in the log, its
// output comes as it is written, and a stop reaches it.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct RunTurnTests {
  /// Returns the state of a process, such as `T` for a stopped one.
  private func state(of process: Int32) -> Substring {
    // The name contains no blank.
    let line = contents(ofFile: Array("/proc/\(process)/stat".utf8)) ?? []
    return String(decoding: line, as: UTF8.self).split(separator: " ").dropFirst(2).first ?? ""
  }

  private func lines(_ name: String, _ directory: TemporaryDirectory) -> Int {
    text(of: name, in: directory).utf8.count { $0 == 0x0A }
  }

  @Test(
    "all commands end and are logged while the first one runs, and their output is in order",
    arguments: [2, 16])
  func slowFirst(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeFIFO("end")
    let count = jobs == 2 ? 300 : getenv("WEIR_TEST_RUN") == nil ? 1000 : 10_000
    try writeNumbers(count, to: "N", in: directory)
    let script = "[ $1 = 1 ] && read x < end; echo out $1"
    let command = weirRun(
      ["-j\(jobs)", "--joblog", "L", "--files-from", "N"], script, in: directory)
    let result = try await onThread {
      let child = try Child(command)
      // The first command ends when all others have their lines.
      #expect(eventuallyBlocking { lines("L", directory) == count })
      #expect(child.collect(limit: 0) { output, _ in !output.isEmpty } == false)
      try directory.write("", to: "begin")
      let end = open(directory.text + "/end", O_WRONLY | O_CLOEXEC)
      close(end)
      return try child.finish(limit: 40)
    }
    #expect(result.status == 0)
    #expect(result.outputText == (1...count).map { "out \($0)\n" }.joined())
    #expect(lines("L", directory) == count + 1)
    #expect(directory.content("L.waiting") == nil)
  }

  @Test("the command whose turn it is writes its output as it comes, the others later")
  func live() async throws {
    let directory = try TemporaryDirectory()
    for name in ["1", "2"] { try directory.makeFIFO(name) }
    let command = weirRun(
      ["-j3", "1", "2", "3"],
      "echo begin $1; echo error $1 >&2; : > begun$1; [ $1 = 3 ] || read x < $1; echo end $1",
      in: directory)
    let result = try await onThread {
      let child = try Child(command)
      func next(_ lines: String..., errors: String) {
        let whole = lines.map { $0 + "\n" }.joined()
        #expect(
          child.collect(limit: 40) { output, error in
            String(decoding: output, as: UTF8.self) == whole
              && String(decoding: error, as: UTF8.self) == errors
          }, "\(whole)")
      }
      #expect(
        eventuallyBlocking {
          ["begun1", "begun2", "begun3"].allSatisfy { directory.content($0) != nil }
        })
      next("begin 1", errors: "error 1\n")
      close(open(directory.text + "/1", O_WRONLY | O_CLOEXEC))
      // What the second command has written comes with its turn, before its end.
      next("begin 1", "end 1", "begin 2", errors: "error 1\nerror 2\n")
      close(open(directory.text + "/2", O_WRONLY | O_CLOEXEC))
      return try child.finish(limit: 40)
    }
    #expect(
      result.outputText == (1...3).map { "begin \($0)\nend \($0)\n" }.joined())
    #expect(result.errorText == "error 1\nerror 2\nerror 3\n")
  }

  @Test("--retries passes on the output of a command as it comes in its last attempt alone")
  func liveRetries() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeFIFO("f")
    let script = "echo x >> n; echo try $(wc -l < n); [ $(wc -l < n) = 3 ] && read x < f; exit 1"
    let result = try await onThread {
      let child = try Child(weirRun(["--retries", "2", "a"], script, in: directory))
      #expect(
        child.collect(limit: 40) { output, _ in
          String(decoding: output, as: UTF8.self) == "try 3\n"
        })
      close(open(directory.text + "/f", O_WRONLY | O_CLOEXEC))
      return try child.finish(limit: 40)
    }
    #expect(result.outputText == "try 3\n" && result.status == 1)
  }

  @Test("the output of logged commands outlives a kill, and comes first in the run that resumes")
  func killed() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeFIFO("end")
    let script = """
      echo $1 >> ran; [ $1 = 1 ] && [ ! -e again ] && read x < end
      [ $1 = 4 ] && seq 100000; echo out $1; [ $1 != 5 ]
      """
    let options = ["-j2", "--joblog", "L", "1", "2", "3", "4", "5"]
    let command = weirRun(options, script, in: directory)
    let killed = try await onThread {
      let child = try Child(command)
      #expect(eventuallyBlocking { lines("L", directory) == 5 })
      kill(child.pid, SIGKILL)
      // The first command outlives weir.
      close(open(directory.text + "/end", O_WRONLY | O_CLOEXEC))
      return try child.finish(limit: 40)
    }
    #expect(killed.output.isEmpty)
    try directory.write("", to: "again")
    let resumed = try await weirRun(options + ["--resume"], script, in: directory).run()
    let long = (1...100_000).map { "\($0)\n" }.joined()
    #expect(
      difference(
        resumed.output, ("out 2\nout 3\n" + long + "out 4\nout 5\nout 1\n").utf8) == nil)
    #expect(
      resumed.errorLines == [
        "weir: 5: sh ended with status 1", "weir: 1 command run, 4 done before, 1 of these failed",
      ])
    #expect(numbers(in: "ran", of: directory).sorted() == [1, 1, 2, 3, 4, 5])
    #expect(directory.content("L.waiting") == nil)
  }

  @Test("output that a lost reader has not taken comes with --resume")
  func lostReader() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeFIFO("end")
    let script = "[ $1 = 1 ] && [ ! -e again ] && read x < end; echo out $1"
    let options = ["-j2", "--joblog", "L", "1", "2", "3"]
    let lost = try await onThread {
      var command = weirRun(options, script, in: directory)
      command.output = .noReader
      let child = try Child(command)
      #expect(eventuallyBlocking { lines("L", directory) == 3 })
      close(open(directory.text + "/end", O_WRONLY | O_CLOEXEC))
      return try child.finish(limit: 40)
    }
    #expect(lost.signal == SIGPIPE, "\(lost.errorText)")
    try directory.write("", to: "again")
    let resumed = try await weirRun(options + ["--resume"], script, in: directory).run()
    #expect(resumed.outputText == "out 2\nout 3\nout 1\n")
    #expect(directory.content("L.waiting") == nil)
  }

  @Test("a file of somebody else beside the log stays as it is")
  func foreignFile() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("mine\n", to: "L.waiting")
    let result = try await weirRun(["--joblog", "L", "a"], "echo", in: directory).run()
    #expect(result.status == 2)
    #expect(
      result.errorText == "weir: L.waiting: cannot hold the output of commands: File exists\n")
    #expect(text(of: "L.waiting", in: directory) == "mine\n")
  }

  @Test("SIGTSTP stops the commands too, and their time; SIGCONT continues them")
  func stopped() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.makeFIFO(name) }
    // A command that is not stopped reads the word, and ends.
    let script = "echo $$ > id$1; read x < $1; echo $1 $x; : > end$1"
    let command = weirRun(["-j2", "--timeout", "2", "a", "b"], script, in: directory)
    let result = try await onThread {
      let child = try Child(command)
      var (ids, ends): ([Int32], [Int32]) = ([], [])
      defer { ends.forEach { close($0) } }
      #expect(
        eventuallyBlocking {
          ids = ["ida", "idb"].flatMap { numbers(in: $0, of: directory) }.map { Int32($0) }
          return ids.count == 2 && ids.allSatisfy { state(of: $0) == "S" }
        })
      kill(child.pid, SIGTSTP)
      #expect(eventuallyBlocking { (ids + [child.pid]).allSatisfy { state(of: $0) == "T" } })
      for name in ["a", "b"] {
        let end = open(directory.text + "/" + name, O_RDWR | O_CLOEXEC)
        _ = write(end, "\(name)\n", 2)
        // Longer than the time-out.
        if name == "b" { usleep(2_500_000) }
        #expect(directory.content("end" + name) == nil)
        ends.append(end)
      }
      kill(child.pid, SIGCONT)
      return try child.finish(limit: 40)
    }
    #expect(result.status == 0 && result.outputText == "a a\nb b\n", "\(result.errorText)")
  }
}
