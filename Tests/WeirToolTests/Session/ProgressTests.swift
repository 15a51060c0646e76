// The progress line: its parts at every width of a terminal, and the part that is done.

@testable import FileJobs
import Glibc
import TestSupport
import Testing

@testable import Weir
@testable import WeirTool

@Suite(.timeLimit(.minutes(10)))
struct ProgressTests {
  /// The parts in the order of the line.
  private static let whole: [Progress.Part] = [
    .init(kind: .elapsed, text: "1:05"), .init(kind: .bar, text: "[####------]"),
    .init(kind: .percentage, text: "47 %"), .init(kind: .timeLeft, text: "3:05 min left"),
    .init(kind: .files, text: "12,345 files"), .init(kind: .bytes, text: "461.5 MB"),
    .init(kind: .rate, text: "99.9 MB/s"), .init(kind: .errors, text: "3 errors"),
    .init(kind: .busy, text: "big.iso for 5 s"),
  ]

  private func joined(_ parts: [Progress.Part]) -> String {
    Progress.fitting(parts, columns: .max)
  }

  @Test("the line fits every width, no part is cut, and the least important parts are left out")
  func widths() {
    let kinds = Progress.Kind.allCases
    for lacking in [[], [.errors], [.percentage, .timeLeft, .bar], [.timeLeft]]
      as [[Progress.Kind]]
    {
      let parts = Self.whole.filter { !lacking.contains($0.kind) }
      let ranked = kinds.filter { kind in parts.contains { $0.kind == kind } }
      /// The line of the most important parts.
      func line(_ count: Int) -> String {
        joined(parts.filter { ranked.prefix(count).contains($0.kind) })
      }
      for columns in 0...130 {
        let most = (0...ranked.count).last { line($0).count <= columns } ?? 0
        // The parts are left out one by one, so a shorter line never comes back.
        let found = Progress.fitting(parts, columns: columns)
        #expect(found.count <= columns && found == line(most), "\(columns): \(found)")
      }
    }
  }

  @Test("narrow terminals show the percentage and the time left")
  func narrow() {
    #expect(
      Progress.fitting(Self.whole, columns: 43) == "47 %, 3:05 min left, 12,345 files, 3 errors")
    #expect(Progress.fitting(Self.whole, columns: 19) == "47 %, 3:05 min left")
    #expect(joined(Self.whole).hasPrefix("1:05 [####------] 47 %, 3:05 min left, 12,345"))
    #expect(Progress.fitting([], columns: 10) == "")
  }

  @Test("the line fits, and names are cut at their beginning")
  func fits() {
    let name = "a/very/long/path/to/a/directory/with/日本語/and/a/file.iso"
    var statistics = FileStatistics.none
    (statistics.files, statistics.found, statistics.bytes) = (3, 9, 5_000_000)
    let busy = BusyFile(lane: 0, path: Array(name.utf8), nanoseconds: 5_000_000_000)
    let moment = Progress.Moment(
      statistics: statistics, fraction: 0.5, seconds: 65, secondsLeft: 65, busy: busy)
    for columns in 1...200 {
      let line = Progress.line(moment, columns: columns)
      #expect(TextWidth.columns(of: line) <= columns)
      if columns >= 79 { #expect(line.contains("/file.iso") && line.contains("[#####")) }
    }
    #expect(Progress.line(moment, columns: 200).contains("1:05 [#####-----] 50 %, 65 s"))
    #expect(TextWidth.end(of: "abcdefgh", columns: 6) == "...fgh")
    #expect(TextWidth.lines(of: "one two  three", columns: 8) == ["one two ", "  three"])
    #expect(TextWidth.lines(of: "read in 12.5 s", columns: 12) == ["read in", "  12.5 s"])
    #expect(TextWidth.lines(of: "  a b c", columns: 6, indent: 4) == ["  a b", "    c"])
  }

  @Test("one big file shows its percentage and no count of files")
  func oneFile() {
    var statistics = FileStatistics.none
    (statistics.found, statistics.opened) = (1, 1)
    (statistics.bytes, statistics.bytesExpected) = (2_100_000_000, 6_000_000_000)
    let moment = Progress.Moment(
      statistics: statistics, fraction: Progress.fraction(of: statistics, nil), seconds: 21,
      secondsLeft: 39)
    #expect(
      Progress.line(moment, columns: 79) == "0:21 [###-------] 35 %, 39 s left, 2.1 GB, "
        + "100.0 MB/s")
    #expect(Progress.message(moment).hasPrefix("0 files, 2.1 GB, 100.0 MB/s, 35 %, 39 s left, "))
  }

  @Test("a rate is never 0 while something is done")
  func rates() {
    let rates = [0.02: "1.2/min", 0.2: "12.0/min", 1: "1.0/s", 2.54: "2.5/s", 1234.5: "1,234/s"]
    for (value, text) in rates { #expect(Quantities.rate(value) == text) }
  }

  @Test("the part that is done follows from the bytes, the names ahead or the files")
  func fractions() throws {
    var statistics = FileStatistics.none
    statistics.isFeeding = true
    (statistics.found, statistics.opened, statistics.files) = (60, 50, 50)
    (statistics.bytes, statistics.bytesExpected) = (5000, 5000)
    // While files are being found, only a count ahead tells how many there are.
    #expect(Progress.fraction(of: statistics, nil) == nil)
    #expect(Progress.fraction(of: statistics, WorkAmount(files: 200)) == 0.25)
    #expect(Progress.fraction(of: statistics, WorkAmount(bytes: 10_000)) == 0.5)
    // More than was counted: files have been added since.
    #expect(Progress.fraction(of: statistics, WorkAmount(files: 20)) == 50.0 / 60)
    // Files that need not be read have no bytes.
    (statistics.unread, statistics.files) = (30, 80)
    (statistics.found, statistics.isFeeding) = (160, false)
    #expect(Progress.fraction(of: statistics, nil) == 0.5)
    #expect(Progress.fraction(of: FileStatistics.none, nil) == nil)
  }

  @Test("the time left follows from the speed of the last half minute")
  func timeLeft() throws {
    var estimate = TimeLeft()
    // A resumed run passes over the first half in a second, and then needs 100 s for the rest.
    let first = estimate.estimate(0.5, seconds: 1)
    #expect(try #require(first) < 10)
    var left: Double?
    for second in 2...50 {
      left = estimate.estimate(0.5 + Double(second - 1) * 0.005, seconds: Double(second))
    }
    #expect((45...60).contains(try #require(left)))
  }

  @Test("files are counted ahead in trees and lists, as the run finds them")
  func ahead() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.makeDirectory("t/d")
    for name in ["t/a", "t/b.o", "t/d/c", "t/d/d.o", "one"] { try directory.write("x", to: name) }
    #expect(symlink("a", directory.text + "/t/link") == 0)
    try directory.write("one\ntwo\nthree", to: "list")
    try directory.write("one\0two\0", to: "list0")
    func count(_ words: [String], maximumDepth: Int? = nil, isOver: Bool = false) throws -> UInt64?
    {
      let operands = try HashVerb.parse(words.map { RawArgument($0) }).operands
      let search = operands.countOfFiles { FileWalk(bytes: $0.bytes, maximumDepth: maximumDepth) }
      return search?({ isOver })?.files
    }
    let (tree, list) = ("\(directory.text)/t", "\(directory.text)/list")
    #expect(try count([tree, "\(directory.text)/one"]) == 5)
    #expect(try count([tree], maximumDepth: 1) == 2)
    #expect(try count(["--files-from", list, "--files0-from", "\(list)0"]) == 5)
    #expect(try count(["--files-from", list], isOver: true) == nil)
    // A pipe, or a file that does not exist, tells nothing ahead.
    #expect(try count(["--files-from", "-"]) == nil && count(["--files-from", tree]) == nil)
    #expect(try count([]) == nil)
  }
}
