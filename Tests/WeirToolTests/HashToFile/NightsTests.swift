// The nightly lines of the documentation, run as they stand over a simulated month.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NightsTests {
  /// The nightly lines of a page: an update and a check.
  struct Page: Sendable, CustomTestStringConvertible {
    let path: String
    let lines: [String]

    var testDescription: String { path }
  }

  private static func page(_ path: String) -> Page {
    let text = (try? String(contentsOfFile: "\(repositoryRoot)/\(path)", encoding: .utf8)) ?? ""
    var commands: [String] = []
    for line in text.split(separator: "\n") {
      let isContinued = commands.last?.hasSuffix("\\") == true
      if isContinued {
        commands[commands.count - 1].removeLast()
        commands[commands.count - 1] += line
      } else if let command = line.wholeMatch(of: #/    (?:\$ )?(weir .*)/#) {
        commands.append(String(command.output.1))
      }
    }
    let nightly = commands.filter { $0.contains("/var/lib/weir/srv.sums") }
    return Page(
      path: path,
      lines: [
        nightly.first { $0.contains("hash --update") }, nightly.first { $0.contains("check") },
      ]
      .compactMap(\.self))
  }

  static let pages = [page("docs/cli.md"), page("docs/fixity.md")]

  @Test("a month of nights forgets no disk, no rot, no rename and no restore", arguments: pages)
  func month(page: Page) async throws {
    #expect(page.lines.count == 2)
    let directory = try TemporaryDirectory()
    // One night: the lines with this directory in place of the root.
    let night = page.lines.map {
      $0.replacing("/var/lib/weir", with: "$PWD/var").replacing("-C /srv", with: "-C $PWD/srv")
    }
    let script = """
      weir() { "$W" "$@"; }; W=$0
      mkdir -p var srv/a srv/disk; cp /dev/null var/log
      for i in 1 2 3 4 5 6; do echo "a $i" >srv/a/$i; echo "disk $i" >srv/disk/$i; done
      find srv -type f -exec touch -d '2020-02-02 02:02:02.5' {} +
      night() { (\(night.joined(separator: "; u=$?; ")); c=$?; echo "$1: $u $c"); }
      rot() { touch -r "$1" r; tr a-z b-za <"$1" >x; cat x >"$1"; touch -r r "$1"; }
      night 1 2>/dev/null; for i in 2 3 4; do night $i; done
      mv srv/disk away; mkdir srv/disk; for i in 5 6 7; do night $i; done 2>&1 | grep -v '[0-9] files\\|WARN'
      rot away/3; rmdir srv/disk; mv away srv/disk; for i in 8 9; do night $i; done 2>&1 | grep -v '[0-9] files\\|WARN'
      rot srv/disk/3; tr b-za a-z <srv/disk/3 >x; echo "disk 3" >srv/disk/3; night 10; night 11
      mv srv/a/2 srv/a/two; night 12; rm srv/a/5; night 13 2>/dev/null
      echo "a 5" >srv/a/5; touch -d 2020-02-02 srv/a/5; for i in 14 15; do night $i; done
      cut -c67- var/srv.sums | xargs
      """
    var month = shell(script, in: directory)
    // Thirty runs.
    month.limit *= 10
    let run = try await month.run()
    #expect(run.status == 0, "\(run.errorText)")
    let lines = run.outputText.split(separator: "\n").map { line in
      // The dates of open points are those of the run.
      String(line.split(separator: " since 20")[0])
    }
    let nights = lines.filter { $0.contains(/^\d+: \d \d$/) }
    let gone = (1...6).map { "./disk/\($0): gone" }
    #expect(
      nights == [
        "1: 0 0", "2: 0 0", "3: 0 0", "4: 0 0", "5: 1 1", "6: 1 1", "7: 1 1", "8: 1 1", "9: 1 1",
        "10: 0 0", "11: 0 0", "12: 0 0", "13: 1 1", "14: 0 0", "15: 0 0",
      ], "\(run.outputText)")
    // Each night names all that is open: the six files of the disk, then the one that rotted there.
    for name in gone { #expect(lines.count { $0 == name } == 3, "\(name)") }
    #expect(lines.count { $0 == "./disk/3: rot" } == 2)
    #expect(lines.count { $0.hasPrefix("./disk/3: FAILED (rot") } == 2)
    #expect(lines.count { $0 == "./a/5: gone" } == 1)
    #expect(
      lines.last == "./a/1 ./a/3 ./a/4 ./a/5 ./a/6 ./a/two ./disk/1 ./disk/2 ./disk/3 ./disk/4 "
        + "./disk/5 ./disk/6")
  }
}
