// weir check --state over many nights: files come, go and change, and runs are killed.

import Glibc
import TestSupport
import Testing

extension KillTests {
  @Test("check --oldest-first: every file is proved once a round, nothing is forgotten")
  func nights() async throws {
    var archive = try await Archive()
    var series = KillSeries("check --state", share: 200, sample: 6)
    _ = try await series.measure(archive.check)
    archive.place.remove(beginningWith: "ST")
    for night in 0..<max(series.goal, 10) {
      try await archive.change(night, using: &series.random)
      archive.ageState()
      if !series.isDone {
        let before = archive.state
        let begin = UInt32(time(nil))
        _ = try await series.stop(archive.check)
        archive.expectSound(after: before, begin: begin)
        // Times are of a second, and two runs in one are not as in life.
        archive.ageState()
      }
      try await archive.completeNight()
    }
    archive.expectRounds()
  }
}

/// The times of a line of a state.
private struct Times: Equatable {
  var proved: UInt32 = 0
  var failed: UInt32 = 0
  var read: UInt32 { max(proved, failed) }
}

/// A tree with a manifest, and the model of its state.
private struct Archive {
  let place: KillPlace
  /// The content of the manifest's files, and their lines, by name. Some have another content now.
  private var files: [String: [UInt8]] = [:]
  private var keys: [String: String] = [:]
  private var damaged: Set<String> = []
  /// The number of proofs of the files that never change.
  private var proofs: [String: Int] = [:]
  private static let budget = 20_000

  init() async throws {
    place = try KillPlace()
    var random = SeededGenerator(for: "archive")
    try place.directory.makeDirectory("t")
    for number in 0..<60 { try add("t/f\(number)", using: &random) }
    for number in 0..<20 { proofs["t/f\(number)"] = 0 }
    try await writeManifest()
  }

  var check: Command {
    weir(
      "check", "--state", "ST", "--oldest-first", "--max-bytes", "\(Archive.budget)", "--summary",
      "S", in: place.directory)
  }

  private mutating func add(_ name: String, using random: inout SeededGenerator) throws {
    let size = Int.random(in: 0...3, using: &random) * Int.random(in: 0...900, using: &random)
    // A new file with the content of one that is gone would have its proof.
    let content = Array(name.utf8) + random.bytes(size)
    try place.set(name, to: content)
    files[name] = content
    keys[name] = nil
    damaged.remove(name)
  }

  private mutating func writeManifest() async throws {
    let new = files.keys.filter { keys[$0] == nil }.map { Array($0.utf8) }
    if !new.isEmpty {
      let sums = try await other("sha256sum", new, in: place.directory).run().outputText
      for line in sums.split(separator: "\n") { keys[String(line.dropFirst(66))] = String(line) }
    }
    let lines = files.keys.sorted().compactMap { keys[$0] }
    try place.directory.write(lines.map { $0 + "\n" }.joined(), to: "S")
  }

  /// Adds, removes, edits, damages and restores files.
  mutating func change(_ night: Int, using random: inout SeededGenerator) async throws {
    let changing = files.keys.filter { proofs[$0] == nil }.sorted().shuffled(using: &random)
    for number in 0..<Int.random(in: 0...3, using: &random) {
      try add("t/n\(night)-\(number)", using: &random)
    }
    for (index, name) in changing.prefix(5).enumerated() {
      switch index {
      case 0:
        (files[name], keys[name]) = (nil, nil)
        damaged.remove(name)
        try place.set(name, to: nil)
      case 1: try add(name, using: &random)
      case 2:
        try place.set(name, to: [1] + (files[name] ?? []))
        damaged.insert(name)
      case 3:
        try place.set(name, to: nil)
        damaged.insert(name)
      default:
        guard damaged.contains(name) else { continue }
        try place.set(name, to: files[name])
        damaged.remove(name)
      }
    }
    try await writeManifest()
  }

  // MARK: The state

  /// The latest times of each key.
  var state: [String: Times] {
    var times: [String: Times] = [:]
    for line in place.lines("ST") where line.first != "#" {
      let (bytes, key) = (Array(line.utf8), String(line.dropFirst(42)))
      let found = Times(proved: seconds(bytes[..<20]), failed: seconds(bytes[21..<41]))
      if times[key].map({ $0.read <= found.read }) ?? true { times[key] = found }
    }
    return times
  }

  /// Sets all times back by a day.
  func ageState() {
    guard let content = place.content("ST") else { return }
    var bytes = content
    for begin in bytes.indices.dropLast(19) where bytes[begin + 19] | 0x20 == UInt8(ascii: "z") {
      let time = seconds(bytes[begin..<begin + 20])
      if time > 0 { bytes.replaceSubrange(begin..<begin + 20, with: text(time - 86400).utf8) }
    }
    try? place.directory.write(bytes, to: "ST".utf8)
  }

  /// Expects that a run which was stopped has forgotten nothing, and proved nothing that differs.
  mutating func expectSound(after before: [String: Times], begin: UInt32) {
    let (after, now) = (state, UInt32(time(nil)))
    for (name, key) in keys where files[name] != nil {
      let (old, new) = (before[key] ?? Times(), after[key] ?? Times())
      #expect(new.read >= old.read && new.proved >= old.proved, "\(key) was forgotten")
      if new.proved == old.proved { continue }
      if let count = proofs[name] { proofs[name] = count + 1 }
      #expect(!damaged.contains(name), "\(key) is damaged")
      #expect((begin - 60...now).contains(new.proved), "\(key) was not proved at that time")
    }
    place.remove(beginningWith: "ST.tmp")
  }

  /// Runs a check to its end, and compares it with the model.
  mutating func completeNight() async throws {
    let before = state
    let names = files.keys.sorted()
    func times(_ name: String) -> Times { before[keys[name] ?? ""] ?? Times() }
    let queue = names.enumerated().sorted {
      (times($0.element).failed == 0 ? 1 : 0, times($0.element).read, $0.offset)
        < (times($1.element).failed == 0 ? 1 : 0, times($1.element).read, $1.offset)
    }
    // What is known to fail comes first, and gets half.
    let known = Set(names.filter { times($0).failed > 0 })
    var (chosen, all, others): (Set<String>, Int, Int) = ([], 0, 0)
    for (_, name) in queue {
      let size = place.content(name)?.count ?? 0
      let isKnown = known.contains(name)
      if (isKnown ? all : others) > 0 && all + size > Archive.budget / (isKnown ? 2 : 1) {
        if isKnown { continue } else { break }
      }
      all += size
      others += isKnown ? 0 : size
      chosen.insert(name)
    }
    let begin = UInt32(time(nil))
    let run = try await check.run()
    let named = chosen.union(known)
    let verdicts = queue.map(\.element).filter(named.contains).map { name in
      if !chosen.contains(name) {
        return "\(name): FAILED (as of \(text(times(name).failed).prefix(10)))"
      }
      let missing = damaged.contains(name) && place.content(name) == nil
      return "\(name): "
        + (missing ? "FAILED open or read" : damaged.contains(name) ? "FAILED" : "OK")
    }
    let lines = run.outputText.split(separator: "\n").map(String.init)
    #expect(lines == verdicts)
    let isRight = damaged.isDisjoint(with: chosen) && known.isSubset(of: chosen)
    #expect(run.status == (isRight ? 0 : 1), "\(run.errorText)")
    try expectState(names, chosen, before: before, begin: begin, summary: run.errorText)
    for name in chosen where proofs[name] != nil { proofs[name, default: 0] += 1 }
  }

  /// Expects the state after a run: the lines of the manifest alone, with the right times.
  private func expectState(
    _ names: [String], _ chosen: Set<String>, before: [String: Times], begin: UInt32,
    summary: String
  ) throws {
    let (after, now) = (state, UInt32(time(nil)))
    let listed = place.lines("ST").filter { $0.first != "#" }.map { String($0.dropFirst(42)) }
    #expect(listed == names.compactMap { keys[$0] })
    for name in names {
      let key = try #require(keys[name])
      let (old, new) = (before[key] ?? Times(), try #require(after[key]))
      if !chosen.contains(name) {
        #expect(new == old, "\(key)")
      } else if damaged.contains(name) {
        #expect(new.proved == old.proved && (begin - 60...now).contains(new.failed), "\(key)")
      } else {
        #expect(new.failed == 0 && (begin - 60...now).contains(new.proved), "\(key)")
      }
    }
    let never = after.values.count { $0.proved == 0 }
    #expect(summary.contains(" never proved") == (never > 0))
    if never > 0 { #expect(summary.contains(" \(never) line"), "\(never): \(summary)") }
    if let oldest = after.values.map(\.proved).filter({ $0 > 0 }).min() {
      #expect(summary.contains("the oldest proof is of \(text(oldest)),"), "\(summary)")
    }
  }

  /// Expects that each file that never changed was proved as often as any other, or once more.
  func expectRounds() {
    let (least, most) = (proofs.values.min() ?? 0, proofs.values.max() ?? 0)
    #expect(least > 0 && most - least <= 1, "\(proofs)")
    print("nights: each file was proved \(least) to \(most) times")
  }

  private func text(_ seconds: UInt32) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      let count = strftime(buffer.baseAddress, 32, "%Y-%m-%dT%H:%M:%SZ", &parts)
      return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  private func seconds(_ text: ArraySlice<UInt8>) -> UInt32 {
    let numbers = text.split { !(0x30...0x39).contains($0) }
      .compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == 6, text.last.map({ $0 | 0x20 }) == UInt8(ascii: "z")
    else { return 0 }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
    return UInt32(timegm(&parts))
  }
}
