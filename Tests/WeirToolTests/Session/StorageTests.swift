// The storage of files and the bottleneck of runs, in words.

@testable import FileJobs
import Testing

@testable import WeirTool
@testable import Weir

@Suite(.timeLimit(.minutes(10)))
struct StorageTests {
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
    statistics.readersReason = .coresBusy
    #expect(
      SummaryLine.readers(statistics)
        == "chose 8 readers (64 at most): the cores were busy, so that more would not help")
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
}
