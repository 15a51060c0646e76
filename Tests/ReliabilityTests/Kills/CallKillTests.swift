// kill -9 between any two system calls of a command, by strace.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60)))
struct CallKillTests {
  /// A call of a thread, counted from 1.
  private struct Moment {
    let call: String
    let number: Int
  }

  @Test(
    "between any two calls: the output is the old one or the new one, and can be made again",
    .enabled("strace has to work", straceWorks), arguments: KillCase.all)
  func everyCall(command: KillCase) async throws {
    var random = SeededGenerator(for: "calls of \(command.name)")
    let expected = try await prepared(command)
    let whole = try await weir(command.command, in: expected.directory).run()
    #expect(whole.status == command.status, "\(whole.errorText)")
    let moments = try await moments(command, &random)
    var kills = 0
    for moment in moments {
      let place = try await prepared(command)
      let old = command.outputs.map { place.content($0) }
      let options = "inject=\(moment.call):signal=SIGKILL:when=\(moment.number)"
      let traced = try await other(
        "strace", words("-f", "-o", "/dev/null", "-e", options) + [weirPath] + command.command,
        in: place.directory
      ).run()
      // A killed command of weir run fails, and weir itself ends.
      guard traced.signal == SIGKILL, !traced.wasLate else { continue }
      kills += 1
      let after = command.outputs.map { place.content($0) }
      let comment = "\(command.name) at \(moment.call) \(moment.number)"
      let keepsFormer = command.outputs.contains("M.old")
      if keepsFormer || command.outputs.contains("M.mtree"), place.content("M.partial") == nil,
        after[0] != old[0]
      {
        // The run was complete, and another one would be an update, which replaces M.old.
        if keepsFormer { #expect(place.content("M.old") == old[0], "\(comment): M.old") }
        continue
      }
      let result = try await weir(command.again, in: place.directory).run()
      #expect(result.status == command.status, "\(comment): \(result.errorText)")
      let new = command.outputs.map { place.content($0) }
      for (index, name) in command.outputs.enumerated() {
        let isSane = after[index] == old[index] || after[index] == new[index]
        #expect(isSane, "\(comment): \(name) is neither old nor whole")
        // The other outputs have the times of the files, or of the run.
        if name == "M.old" {
          #expect(new[index] == old[0], "\(comment): \(name)")
        } else if name == "L" || name == "M" && !command.name.hasSuffix("mtree") {
          #expect(new[index] == expected.content(name), "\(comment): \(name)")
        }
      }
      expectCommands(place, comment)
      let left = place.names().filter { !expected.names().contains($0) }
      #expect(
        left.allSatisfy { name in command.leftovers.contains { name.hasPrefix($0) } },
        "\(comment): \(left)")
    }
    #expect(kills > 0)
    if killsInAll != nil { print("killed \(command.name) at \(kills) calls") }
  }

  /// Makes the state before a command.
  private func prepared(_ command: KillCase) async throws -> KillPlace {
    let place = try KillPlace()
    try place.directory.makeDirectory("t")
    for name in ["a", "b", "c", "d"] { try place.directory.write(name, to: "t/\(name)") }
    try await command.prepare(place)
    return place
  }

  /// Returns the calls of a command: all that change files, and some of the others.
  private func moments(
    _ command: KillCase, _ random: inout SeededGenerator
  ) async throws -> [Moment] {
    let place = try await prepared(command)
    let traced = try await other(
      "strace", words("-f", "-o", "trace") + [weirPath] + command.command, in: place.directory
    ).run()
    #expect(traced.status == command.status, "\(traced.errorText)")
    // A line is `PID CALL(...`; the calls of each thread are counted.
    var counts: [String: [String: Int]] = [:]
    for line in place.lines("trace") {
      let fields = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard fields.count == 2, let end = fields[1].firstIndex(of: "(") else { continue }
      let call = fields[1][..<end].drop { $0 == " " }
      guard call.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { continue }
      // The commands of weir run end by it too, and would have failed.
      if call == "exit_group" && command.name.hasPrefix("run") { continue }
      counts[String(call), default: [:]][String(fields[0]), default: 0] += 1
    }
    let changing = [
      "flock", "ftruncate", "fdatasync", "fsync", "rename", "renameat2", "link", "linkat", "unlink",
      "unlinkat", "lseek", "write", "pwrite64", "mkdir", "fchmod", "dup2", "fallocate",
    ]
    var moments: (changing: [Moment], others: [Moment]) = ([], [])
    for (call, threads) in counts.sorted(by: { $0.key < $1.key }) {
      for number in 1...(threads.values.max() ?? 1) {
        let moment = Moment(call: call, number: number)
        if changing.contains(call) {
          moments.changing.append(moment)
        } else {
          moments.others.append(moment)
        }
      }
    }
    let (most, more) = killsInAll == nil ? (3, 1) : (60, 40)
    return Array(moments.changing.shuffled(using: &random).prefix(most))
      + Array(moments.others.shuffled(using: &random).prefix(more))
  }

  /// Expects that each command of the job log has run, and that it is there once.
  private func expectCommands(_ place: KillPlace, _ comment: String) {
    guard place.content("count") != nil else { return }
    let ran = place.lines("ran")
    let logged = place.lines("L").dropFirst().compactMap { $0.split(separator: " ").last }
    #expect(Set(ran) == ["t/a", "t/b", "t/c", "t/d"], "\(comment): lost: \(ran)")
    #expect(logged.sorted() == ["t/a", "t/b", "t/c", "t/d"], "\(comment): \(logged)")
    // The command that ran when weir was killed may run again.
    #expect(ran.count <= 5, "\(comment): twice: \(ran)")
  }
}
