// WEIR_TRACE of weir/trace.h: programs that know nothing of it are recorded, and each of their ends
// is as documented. The programs are compiled C.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct TraceEnvironmentTests {
    /// The ends of a program that write the file, with the exit status of each.
    @Test(arguments: [
      ("return", 5), ("exit", 6), ("quick", 7), ("main-queue", 8), ("finish", 9), ("close", 5),
      ("directory", 5), ("exec", 5),
    ])
    func theFileIsWritten(end: String, status: Int32) throws {
      let place = Tree()
      let outcome = try Recorded.run(end, "out.jsonl", in: place)
      #expect(outcome.status == status && outcome.errors.isEmpty, "\(outcome.errorText)")
      let kinds = try lines(of: place.root / "out.jsonl").map { $0["ev"]?.string }
      #expect(kinds.first == "acquired" && kinds.contains("signal"))
      // exec begins anew; the first program had noted "before".
      #expect(kinds.contains("note") == (end != "finish"))
      #expect(try find(place.root, ["-type", "f"]).count == 1)
    }

    /// The ends that do not, and leave nothing of an earlier recording either.
    /// A child of the program does not write the file in its place.
    @Test(
      arguments: [
        ("_exit", 4, nil), ("abort", nil, SIGABRT), ("fork-_exit", 4, nil), ("spawn-_exit", 4, nil),
      ] as [(String, Int32?, Int32?)])
    func theFileStaysEmpty(end: String, status: Int32?, signal: Int32?) throws {
      let place = Tree()
      _ = place.file("out.jsonl", Array("{\"t\":0}\n".utf8))
      let outcome = try Recorded.run(end, "out.jsonl", in: place)
      #expect(outcome.status == status && outcome.signal == signal && outcome.errors.isEmpty)
      #expect(contents(of: place.root / "out.jsonl").isEmpty)
    }

    @Test func anyOtherNameGivesTraceEvents() throws {
      let place = Tree()
      #expect(try Recorded.run("return", "out", in: place).status == 5)
      let names = try events(of: place.root / "out").map { $0["name"]?.string }
      #expect(names.contains("acquired g") && names.contains("last"))
    }

    @Test func theProcessIsPutIntoTheName() throws {
      let place = Tree()
      #expect(try Recorded.run("return", "100%%-%p.%x", in: place).status == 5)
      let names = try find(place.root, ["-type", "f"]).map { $0.path.last(after: "/") }
      #expect(names.count == 1 && names[0].contains(#/^100%-[0-9]+\.%x$/#), "\(names)")
    }

    /// A child of a fork never writes, also if it ends by exit.
    @Test(arguments: ["out.jsonl", "out-%p.jsonl"])
    func aForkDoesNotWrite(name: String) throws {
      let place = Tree()
      #expect(try Recorded.run("fork", name, in: place).status == 5)
      let files = try find(place.root, ["-type", "f"])
      #expect(files.count == 1)
      let labels = try lines(of: files[0].path).map { $0["q"]?.string }
      #expect(labels.last == "last" && labels.contains("parent") && !labels.contains("child"))
    }

    /// A program that a recorded one starts leaves its file alone, or has its own.
    @Test(arguments: [("out.jsonl", 1), ("out-%p.jsonl", 2)])
    func aProgramOfAProgramHasItsOwnFile(name: String, count: Int) throws {
      let place = Tree()
      #expect(try Recorded.run("spawn", name, in: place).status == 5)
      let files = try find(place.root, ["-type", "f"])
      #expect(files.count == count)
      for file in files {
        let labels = try lines(of: file.path).map { $0["q"]?.string }
        #expect(labels.contains("g") && labels.last == "last")
      }
      let parents = try files.filter {
        try lines(of: $0.path).contains { $0["q"]?.string == "parent" }
      }
      #expect(parents.count == 1)
    }

    /// Errors at the beginning and at the end: a line, and the program goes on.
    @Test(arguments: [
      ("none/out", "No such file or directory"), (".", "Is a directory"),
      ("/dev/full", "No space left on device"), ("fifo", "No such device or address"),
      ("mine", "is no trace and is left unchanged"),
    ])
    func aFileThatCannotBeWrittenIsReported(name: String, reason: String) throws {
      let place = Tree()
      #expect(mkfifo(terminated(place.root / "fifo"), 0o600) == 0)
      let mine = place.file("mine", Array("{mine}".utf8))
      let outcome = try Recorded.run("return", name, in: place)
      #expect(outcome.status == 5)
      #expect(outcome.errorText == "weir: \(name): \(reason)\n")
      #expect(contents(of: mine) == Array("{mine}".utf8))
    }

    /// The program's own recorder starts, and both recordings have all events.
    @Test func aRecorderOfTheProgramWorksBesideIt() throws {
      let place = Tree()
      let outcome = try Recorded.run("own", "out.jsonl", in: place)
      #expect(outcome.status == 5 && outcome.errors.isEmpty)
      let own = outcome.output.split(separator: UInt8(ascii: "\n")).count
      #expect(own == 3, "\(outcome.outputText)")
      #expect(try lines(of: place.root / "out.jsonl").count == own + 4)
    }

    @Test func theNumberOfEventsIsKept() throws {
      let place = Tree()
      #expect(try Recorded.run("many", "out.jsonl", in: place, "WEIR_TRACE_EVENTS=7").status == 5)
      #expect(try lines(of: place.root / "out.jsonl").count == 7)
      let wrong = try Recorded.run("return", "out.jsonl", in: place, "WEIR_TRACE_EVENTS=7x")
      #expect(wrong.status == 5)
      #expect(
        wrong.errorText
          == "weir: WEIR_TRACE_EVENTS is not a number above 0; the default is used\n")
      #expect(try lines(of: place.root / "out.jsonl").count == 4)
    }
  }
}

private func lines(of path: Path) throws -> [Json] {
  try contents(of: path).split(separator: UInt8(ascii: "\n")).map { try Json($0) }
}

private func events(of path: Path) throws -> [Json] {
  guard case .array(let events)? = try Json(contents(of: path))["traceEvents"] else { return [] }
  return events
}

extension Path {
  fileprivate func last(after separator: String) -> String {
    shown.split(separator: separator).last.map(String.init) ?? ""
  }
}

/// The program that is recorded.
private enum Recorded {
  private static let place = Tree()
  private static let built = Result { try build() }

  private static func build() throws -> String {
    atexit { _ = try? Shell.run(["rm", "-rf", Recorded.place.root.shown]) }
    let program = place.root / "program"
    let file = place.file("program.c", Array(source.utf8))
    let built = try Compiler("clang", "c", ["-std=c11"]).build([file], dispatch: true, to: program)
    try #require(built.status == 0, "\(built.errorText)")
    return program.shown
  }

  /// Runs it in a directory with WEIR_TRACE, perhaps as the arguments of other words.
  static func run(
    _ end: String, _ name: String, in place: Tree, _ setting: String? = nil,
    through words: [String] = []
  ) throws -> Outcome {
    let all = words + [try built.get(), end]
    var command = Command(Array(all[0].utf8), all.dropFirst().map { Array($0.utf8) })
    command.directory = place.root
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    command.environment = ["LC_ALL=C", "PATH=\(path)", "WEIR_TRACE=\(name)"]
    command.environment! += setting.map { [$0] } ?? []
    return try command.runBlocking()
  }
}

private let source = #"""
  #define _GNU_SOURCE
  #include <stdio.h>
  #include <stdlib.h>
  #include <string.h>
  #include <sys/wait.h>
  #include <unistd.h>
  #include <weir.h>

  static void last(void) { weir_trace_note("last", 0, 0); }
  static void end(void *status) { exit((int)(uintptr_t)status); }

  static void use(void) {
      weir_gate_t gate = weir_gate_create("g", 1);
      if (!gate || weir_gate_wait(gate, 1, DISPATCH_TIME_FOREVER) != 0) exit(1);
      weir_gate_signal(gate, 1);
      weir_gate_release(gate);
  }

  static int own(void) {
      weir_trace_recorder_t recorder = weir_trace_recorder_create(0);
      if (!recorder || weir_trace_recorder_start(recorder) != 0) return 1;
      use();
      weir_trace_note("own", 0, 0);
      weir_trace_recorder_stop(recorder);
      int error = weir_trace_recorder_write(recorder, 1, WEIR_TRACE_JSON_LINES);
      weir_trace_recorder_release(recorder);
      return error ? 1 : 5;
  }

  int main(int count, char **words) {
      (void)count;
      const char *how = words[1];
      if (!strcmp(how, "finish")) {
          use();
          if (weir_trace_finish() != 0) return 1;
          weir_trace_note("too late", 0, 0);
          _exit(9);
      }
      if (!strcmp(how, "exec")) {
          weir_trace_note("before", 0, 0);
          execl(words[0], words[0], "return", (char *)0);
          return 1;
      }
      atexit(last);
      if (!strncmp(how, "fork", 4) || !strncmp(how, "spawn", 5)) {
          pid_t child = fork();
          if (child == 0) {
              if (!strncmp(how, "spawn", 5))
                  execl(words[0], words[0], "return", (char *)0);
              weir_trace_note("child", 0, 0);
              exit(0);
          }
          waitpid(child, 0, 0);
          weir_trace_note("parent", 0, 0);
      }
      use();
      weir_trace_note("used", 0, 0);
      if (!strcmp(how, "own")) return own();
      if (!strcmp(how, "exit")) exit(6);
      if (!strcmp(how, "quick")) quick_exit(7);
      if (strstr(how, "_exit")) _exit(4);
      if (!strcmp(how, "abort")) abort();
      if (!strcmp(how, "directory") && chdir("/") != 0) return 1;
      if (!strcmp(how, "close")) for (int i = 3; i < 100; i++) close(i);
      if (!strcmp(how, "many")) for (int i = 0; i < 10000; i++) use();
      if (!strcmp(how, "main-queue")) {
          dispatch_async_f(dispatch_get_main_queue(), (void *)8, end);
          dispatch_main();
      }
      return 5;
  }

  """#
