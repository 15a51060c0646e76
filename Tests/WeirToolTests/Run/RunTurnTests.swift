// weir run: a stop reaches its commands.

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
