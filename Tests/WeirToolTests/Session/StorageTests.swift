// The storage of files and the bottleneck of runs, as reported by limits, --verbose and
// SIGUSR1.

@testable import FileJobs
import Glibc
import TestSupport
import Testing

@testable import WeirTool
@testable import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct StorageTests {
  @Test("limits reports the storage of each PATH, its evidence, and the readers")
  func limits() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("a\nb")
    let command = weir(words("limits", "/proc", "a\nb", "."), in: directory)
    let result = try await command.run()
    result.expectSilence()
    let lines = result.outputText.split(separator: "\n").map(String.init)
    #expect(lines.count == 5 + 12)
    let proc = try #require(lines.firstIndex(of: "/proc"))
    #expect(lines[proc + 1] == "  file system         proc")
    #expect(lines[proc + 2] == "  storage             memory  (the file system is proc)")
    #expect(lines[proc + 3].hasPrefix("  readers             "))
    #expect(lines.contains("'a'$'\\n''b'") && lines.contains("."))
  }

  @Test("limits continues after a missing PATH, and ends with 3")
  func missing() async throws {
    let directory = try TemporaryDirectory()
    let result = try await weir("limits", "none", ".", in: directory).run()
    #expect(result.status == 3 && result.lines.count == 9)
    #expect(result.errorText == "weir: none: No such file or directory\n")
  }

  @Test("--verbose reports the readers and the bottleneck; without it nothing is printed")
  func verbose() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("a")
    try directory.makeDirectory("b")
    try directory.write("1", to: "a/1")
    try directory.write("2", to: "b/2")
    let quiet = try await weir("hash", "a", "b", in: directory).run()
    quiet.expectSilence()
    for (more, said) in [
      ([], "override with --jobs N"), (["-j", "3"], "; --jobs 3"),
      (["--files-from", "/dev/null"], ""),
    ] {
      let arguments = ["hash", "--verbose", "a", "b"] + more
      let result = try await weir(arguments.map { Array($0.utf8) }, in: directory).run()
      #expect(result.status == 0 && result.output == quiet.output)
      let lines = result.errorText.split(separator: "\n")
      // A slow run has measured its storage, and says so, unless the number is fixed.
      try #require(lines.count == 3 || (lines.count == 4 && more.first != "-j"), "\(lines)")
      #expect(lines.count == 3 || lines[3].hasPrefix("weir: chose "), "\(lines)")
      #expect(lines[0].hasPrefix("weir: a and "), "\(lines)")
      #expect(lines[0].contains(said) && lines[1].hasPrefix("weir: bound by "), "\(lines)")
      #expect(lines[2].hasPrefix("weir: used ") && lines[2].hasSuffix(" at most"), "\(lines)")
    }
    let check = weir("check", "--verbose", "-C", "/proc", "-", in: directory)
    var fed = check
    fed.input = .bytes([])
    let checked = try await fed.run()
    #expect(checked.errorText.contains("weir: .: memory (proc: the file system is proc)"))
  }

  @Test("the PATHs form one group per file system")
  func groups() throws {
    let names = ["/proc", "/sys", "/proc/self", "/nowhere", "/proc"].map { RawArgument($0) }
    let plan = StoragePlan(names, includesHere: false, jobs: nil)
    #expect(plan.groups.map { $0.names.count } == [2, 1])
    #expect(plan.storage(of: names[2])?.fileSystem == "proc")
    #expect(plan.storage(of: names[3]) == nil)
    #expect(plan.lines.count == 2)
    var options = FileProcessorOptions()
    plan.apply(to: &options)
    #expect(options.jobs == plan.groups.compactMap(\.storage.readers).max())
    #expect(options.maximumJobs == plan.groups.compactMap(\.storage.maximumReaders).max())
    #expect(options.storage == nil)
    options = FileProcessorOptions()
    let given = StoragePlan(names, includesHere: true, jobs: 7)
    given.apply(to: &options)
    #expect(options.jobs == 7 && options.maximumJobs == nil && options.storage != nil)
    #expect(given.groups.allSatisfy { $0.storage.readers == nil })
  }

  @Test("the number of readers is reported with its reason, unless it is fixed")
  func chosenReaders() {
    var statistics = FileStatistics()
    statistics.lanes = 64
    statistics.readers = 8
    #expect(SummaryLine.readers(statistics) == nil)
    statistics.readersReason = .noGain
    #expect(
      SummaryLine.readers(statistics) == "chose 8 readers (64 at most): more were not faster")
    statistics.readers = 64
    statistics.readersReason = .waiting
    #expect(
      SummaryLine.readers(statistics)
        == "chose 64 readers: they waited for the storage while cores were idle")
  }

  @Test("the bottleneck is the part with the most time")
  func binding() {
    var statistics = FileStatistics()
    statistics.nanosecondsFeeding = 1_000_000_000
    func expect(_ bound: String, seconds: Double = 1) {
      #expect(SummaryLine.bottleneck(statistics, seconds: seconds).hasPrefix("bound by \(bound)"))
    }
    expect("finding the files: 100 %")
    expect("reading", seconds: 3)
    statistics.nanosecondsForDescriptors = 600_000_000
    expect("descriptors: none was free for 60 % of the time; raise --descriptors N or ulimit -n")
    statistics.nanosecondsForReaders = 700_000_000
    expect("the storage")
    statistics.nanosecondsForDelivery = 800_000_000
    expect("the output")
    statistics.nanosecondsForLanes = 900_000_000
    expect("reading")
    for seconds in [0, 1e9] { expect("", seconds: seconds) }
  }

  @Test("the report on a busy lane quotes the name")
  func line() {
    let file = BusyFile(lane: 2, path: Array("a\u{1B}[31m".utf8), nanoseconds: 42_000_000_000)
    let line = String(decoding: RunMonitor.line(for: file).bytes, as: UTF8.self)
    #expect(line == "lane 2 has been working on 'a'$'\\033''[31m' for 42 s")
  }

  /// Standard input without data is such a file. The test waits for ten seconds.
  @Test("SIGUSR1 reports a file that takes ten seconds, and none before")
  func inquiry() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    var command = weir("hash", "a", "-", in: directory)
    command.input = .bytes(Array("hello".utf8))
    let asked = command
    let result = try await onThread {
      let child = try Child(asked, holdsInput: true)
      #expect(child.collect(limit: 40) { output, _ in output.contains(0x0A) })
      #expect(child.inquire { !$0.contains(", 1 B, ") })
      let tells = { (_: [UInt8], errors: [UInt8]) in
        String(decoding: errors, as: UTF8.self).contains(" has been working on - for ")
      }
      #expect(!child.collect(limit: 0, until: tells))
      var isTold = false
      for _ in 0..<150 where !isTold {
        kill(child.pid, SIGUSR1)
        isTold = child.collect(limit: 0.1, until: tells)
      }
      #expect(isTold)
      child.closeInput()
      return try child.finish(limit: 40)
    }
    #expect(result.status == 0 && result.lines.count == 2)
    #expect(result.errorText.contains("weir: lane "))
  }
}
