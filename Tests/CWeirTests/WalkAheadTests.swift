// Listings ahead of a walk: the same entries in the same order whatever the limits, within their
// memory and the descriptor budget, and nothing left after the end.
// swift-format-ignore-file: NeverForceUnwrap
import CTestSupport
import CWeir
import Glibc
import TestSupport
import Testing

/// `struct ahead_limits`.
private struct Limits {
  var window = 64
  var threads = 16
  var bytes = 4 << 20
  var listingBytes = 128 << 10
  /// A bool in C, with the padding after it, which a copy of the struct reads.
  var isConstant = 1

  init() {}

  /// Limits of a few directories and bytes as well as generous ones.
  init(_ random: inout Random) {
    window = 1 + random.below([1, 4, 100][random.below(3)])
    threads = 1 + random.below(16)
    listingBytes = 600 + random.below(20_000)
    bytes = listingBytes * (1 + random.below(3)) + random.below(1 << [12, 16, 22][random.below(3)])
  }
}

/* The library's own way to begin at once, which no header declares. */
@_silgen_name("weir__ahead_begin")
private func begin(_ walk: weir_walk_t, _ limits: UnsafeRawPointer?)

@_silgen_name("weir__walk_attach")
private func attach(_ walk: weir_walk_t, _ stop: UnsafeRawPointer, _ gate: weir_gate_t?)

/// `struct pace_sample`.
private struct Sample {
  var begun: UInt64 = 0
  var time: UInt64 = 0
  var waited: UInt64 = 0
  var waits = 0
  var ran: UInt64 = 0
  var isPrecise = 0
}

@_silgen_name("weir__pace_begin")
private func begin(_ sample: UnsafeMutableRawPointer, precise: Bool)

@_silgen_name("weir__pace_end")
private func end(_ sample: UnsafeMutableRawPointer)

/// Returns the sample of some work on a thread of its own.
private func sample(_ work: @escaping @Sendable () -> Void) async throws -> Sample {
  try await onThread {
    var sample = Sample()
    withUnsafeMutableBytes(of: &sample) { begin($0.baseAddress!, precise: true) }
    work()
    withUnsafeMutableBytes(of: &sample) { end($0.baseAddress!) }
    return sample
  }
}

private func processorNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

private struct Choices {
  var flags: UInt32 = 0
  var filters: [Filter] = []
  var maxDepth = 0
  var skips: UInt64?  // the seed of the choice of the directories to skip
  var atMost = Int.max
}

private struct Ending {
  var lines: [String] = []
  var filtered: UInt64 = 0
  var ahead: UInt64 = 0
  var peak = 0  // of the heap, less what was in use before
}

/// Walks with listings ahead, which begin after the root, or without.
private func entries(_ root: Path, _ plan: Choices, ahead limits: Limits?) -> Ending {
  let before = test_bytes_in_use()
  let flags = limits == nil ? WEIR_WALK_ONE_THREAD.rawValue : 0
  let walk: weir_walk_t = plan.filters.c { filters, count in
    var options = weir_walk_options_t()
    options.flags = plan.flags | flags
    options.max_depth = plan.maxDepth
    options.filters = filters
    options.filter_count = count
    return root.c { weir_walk_create_with($0, &options) }!
  }
  defer { weir_walk_destroy(walk) }
  let entry = UnsafeMutablePointer<weir_walk_entry_t>.allocate(capacity: 1)
  defer { entry.deallocate() }
  var found = Ending(), random = plan.skips.map { Random("skips \($0)") }
  while found.lines.count < plan.atMost, weir_walk_next(walk, entry) {
    if found.lines.isEmpty, var limits { begin(walk, &limits) }
    found.lines.append(line(entry.pointee))
    found.peak = max(found.peak, test_bytes_in_use() - min(before, test_bytes_in_use()))
    if random?.below(5) == 0 { weir_walk_skip(walk) }
  }
  found.filtered = weir_walk_filtered(walk)
  found.ahead = weir_walk_listed_ahead(walk)
  return found
}

private func line(_ raw: weir_walk_entry_t) -> String {
  let entry = Walked.Entry(raw)
  return """
    \(entry.path.shown) \(entry.nameOffset) \(entry.depth) \(entry.type.rawValue) \(entry.error) \
    \(entry.directory) \(entry.inode)
    """
}

/// Waits until no listing is in progress: each has permits until it ends.
private func waitForListings() {
  let gate = weir_descriptor_gate()
  while true {
    let budget = weir_descriptor_budget()
    if weir_gate_wait(gate, budget, UInt64.max) == 0 {
      weir_gate_signal(gate, budget)
      return
    }
  }
}

extension CWeirIndependentTests {
  @Suite(.serialized) struct WalkAheadTests {
    @Test(arguments: Array(0..<12).sampled(oneIn: 3, for: "walks ahead"))
    func anyLimitsGiveTheEntriesOfOneThread(round: Int) {
      var random = Random("walk ahead \(round)")
      let tree = Tree()
      tree.fill(&random, entries: 50 + random.below(1500))
      if round % 2 == 0 { tangle(tree) }
      for _ in 0..<12 {
        let filters: [Filter] = [.exclude("*1*"), .include("n*"), .exclude("name??/")]
        let plan = Choices(
          flags: UInt32(random.below(4)),
          filters: random.below(2) == 0 ? [] : [filters[random.below(3)]],
          maxDepth: random.below(3) == 0 ? 1 + random.below(4) : 0,
          skips: random.below(2) == 0 ? nil : UInt64(random.below(1000)))
        let limits = Limits(&random)
        let expected = entries(tree.root, plan, ahead: nil)
        let found = entries(tree.root, plan, ahead: limits)
        #expect(found.lines == expected.lines, "\(plan) \(limits)")
        #expect(found.filtered == expected.filtered && expected.ahead == 0)
      }
    }

    /// Links up, across and to themselves.
    private func tangle(_ tree: Tree) {
      for name in ["!a", "!b", "!b/c"] { tree.directory(name) }
      tree.link("!a/up", to: "..")
      tree.link("!a/across", to: "../!b")
      tree.link("!b/c/top", to: tree.root.shown)
      tree.link("!b/c/me", to: "me")
      tree.link("!b/back", to: "../!a")
    }

    @Test func errorsAreInTheirPlace() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree()
        for name in ["a", "b", "c"] {
          for number in 0..<50 {
            if number == 0 { tree.directory(name) }
            tree.directory("\(name)/\(number)")
            tree.file("\(name)/\(number)/f")
          }
        }
        // Below the first level every open fails.
        #expect(test_refuse_calls(test_call_openat2, EACCES) == 0)
        let expected = entries(tree.root, Choices(), ahead: nil)
        let found = entries(tree.root, Choices(), ahead: Limits())
        #expect(found.lines == expected.lines)
        #expect(found.lines.filter { $0.contains(" 2 2 \(EACCES) ") }.count == 150)
      }
    }

    /// The listing is older than its place, and its links lead nowhere.
    @Test func aReplacedDirectoryIsNotFollowed() {
      let tree = Tree(), elsewhere = Tree()
      elsewhere.directory("sub")
      elsewhere.file("sub/secret")
      for number in 100..<200 {
        tree.directory("d\(number)")
        tree.directory("d\(number)/sub")
      }
      let walk: weir_walk_t = tree.root.c { weir_walk_create($0, 0) }!
      defer { weir_walk_destroy(walk) }
      let entry = UnsafeMutablePointer<weir_walk_entry_t>.allocate(capacity: 1)
      defer { entry.deallocate() }
      var count = 0, paths: [String] = []
      while weir_walk_next(walk, entry) {
        count += 1
        paths.append(Walked.Entry(entry.pointee).path.shown)
        if count == 1 {
          var limits = Limits()
          begin(walk, &limits)
        }
        guard count == 2 else { continue }
        for number in 101..<200 {
          let path = tree.root / "d\(number)"
          _ = path.c { from in (tree.root / "moved\(number)").c { rename(from, $0) } }
          tree.link(path, to: elsewhere.root)
        }
      }
      #expect(paths.count >= 102 && !paths.contains { $0.hasSuffix("secret") })
    }

    @Test func memoryIsBounded() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree()
        let name = String(repeating: "n", count: 200)
        for number in 0..<200 {
          tree.directory("d\(number)")
          for file in 0..<30 { tree.file("d\(number)/\(name)\(file)") }
        }
        var limits = Limits()
        limits.window = 200
        limits.bytes = 400_000
        limits.listingBytes = 20_000
        _ = entries(tree.root, Choices(), ahead: nil)
        let plain = entries(tree.root, Choices(), ahead: nil)
        let found = entries(tree.root, Choices(), ahead: limits)
        #expect(found.lines == plain.lines && found.ahead > 50, "\(found.ahead)")
        // The buffers and queues of 16 threads.
        let more = 16 * 40_000
        let atMost = plain.peak + limits.bytes + more
        #expect(found.peak <= atMost, "\(found.peak) bytes, \(plain.peak) without")
        // All listings together would have been more.
        #expect(200 * 30 * 230 > limits.bytes + more)
      }
    }

    @Test func nothingIsLeftAfterAnEarlyEnd() async {
      await #expect(processExitsWith: .success) {
        var random = Random("early end")
        let tree = Tree()
        tree.fill(&random, entries: 2000)
        _ = entries(tree.root, Choices(), ahead: Limits())
        waitForListings()
        let before = openDescriptors()
        for length in 1..<100 {
          var plan = Choices()
          plan.atMost = length
          _ = entries(tree.root, plan, ahead: Limits(&random))
        }
        waitForListings()
        #expect(openDescriptors() == before)
        var stats = weir_gate_stats_t()
        weir_gate_stats(weir_descriptor_gate(), &stats, MemoryLayout.size(ofValue: stats))
        #expect(stats.in_use == 0)
      }
    }

    /// As on a dead server.
    @Test func aStopDoesNotWaitForAListing() async {
      // Of this process: the other one can list nothing in the end, nor remove it.
      let tree = Tree()
      for number in 0..<500 { tree.directory("d\(number)") }
      await #expect(processExitsWith: .success) { [root = tree.root as Path] in
        let stop = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        stop.initialize(to: 0)
        let walk: weir_walk_t = root.c { weir_walk_create($0, 0) }!
        attach(walk, stop, nil)
        let entry = UnsafeMutablePointer<weir_walk_entry_t>.allocate(capacity: 1)
        var limits = Limits()
        limits.window = 16
        var count = 0
        while weir_walk_next(walk, entry) {
          count += 1
          if count == 1 { begin(walk, &limits) }
          if count == 20 {
            #expect(test_hold_calls(test_call_getdents) == 0)
            stop.pointee = ECANCELED
          }
        }
        // Those in the window had been listed or are held; the rest was not begun.
        #expect((20...40).contains(count), "\(count)")
        weir_walk_destroy(walk)
        _exit(count <= 40 ? 0 : 1)
      }
    }

    @Test(arguments: [1, 2, 3, 5])
    func aSmallBudgetIsNotExceeded(budget: Int) async {
      await #expect(processExitsWith: .success) { [budget] in
        var random = Random("small budget")
        let tree = Tree()
        tree.fill(&random, entries: 1000)
        #expect(weir_descriptor_set_budget(budget) == 0)
        let expected = entries(tree.root, Choices(), ahead: nil)
        let found = entries(tree.root, Choices(), ahead: Limits())
        #expect(found.lines == expected.lines)
        #expect((found.ahead > 0) == (budget > 1))
        var stats = weir_gate_stats_t()
        weir_gate_stats(weir_descriptor_gate(), &stats, MemoryLayout.size(ofValue: stats))
        #expect(stats.peak <= budget)
      }
    }

    @Test func withoutThreadsTheWalkListsItself() async {
      await #expect(processExitsWith: .success) {
        var random = Random("no threads")
        let tree = Tree()
        tree.fill(&random, entries: 1000)
        let expected = entries(tree.root, Choices(), ahead: nil)
        #expect(test_refuse_calls(test_call_clone3, EAGAIN) == 0)
        // libdispatch sleeps a second for each thread that it cannot make.
        var limits = Limits()
        limits.threads = 2
        let found = entries(tree.root, Choices(), ahead: limits)
        // A thread that the pool has already may list ahead.
        #expect(found.lines == expected.lines)
        // No shell can remove the tree.
        tree.root.c { test_remove_tree($0) }
        _exit(found.lines == expected.lines ? 0 : 1)
      }
    }

    /// Listings in memory never wait, so no thread begins.
    /// The sleeps are the waits that are measured; nothing depends on their length.
    @Test func aListingHasWaitedAsLongAsItWasNotRunning() async throws {
      let busy = 20_000_000
      let worked = try await sample {
        usleep(1)
        let begun = processorNanoseconds()
        while processorNanoseconds() < begun + busy {}
      }
      #expect(worked.waited + UInt64(busy / 4 * 3) < worked.time, "\(worked)")
      let waited = try await sample { usleep(20_000) }
      #expect(waited.waited > waited.time / 2, "\(waited)")
    }

    @Test func aTreeInMemoryIsWalkedByOneThread() async {
      await #expect(processExitsWith: .success) {
        var random = Random("one thread")
        let tree = Tree()
        tree.fill(&random, entries: 3000)
        _ = entries(tree.root, Choices(), ahead: nil)
        // Another process may have the pages evicted or a lock: not five times.
        let isPlain = (0..<5).contains { _ in
          let walk: weir_walk_t = tree.root.c { weir_walk_create($0, 0) }!
          defer { weir_walk_destroy(walk) }
          let entry = UnsafeMutablePointer<weir_walk_entry_t>.allocate(capacity: 1)
          defer { entry.deallocate() }
          while weir_walk_next(walk, entry) {}
          return weir_walk_listed_ahead(walk) == 0
        }
        #expect(isPlain)
      }
    }
  }
}
