// The run of commands: its items, its children, and its results in order.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CommandJobTests {
  /// Each part is in the pipe before the next call, which then waits for no more.
  @Test("an item that is too long is an error, also if it arrives in parts")
  func longItem() throws {
    let (readEnd, writeEnd) = try FileDescriptor.pipe()
    defer { try? writeEnd.close() }
    let list = CommandItemList(readEnd, separator: 0x0A, name: [], isOwned: true)
    let part = [UInt8](repeating: UInt8(ascii: "a"), count: 50_000)
    for _ in 0..<4 {
      try writeEnd.writeAll(part)
      guard case .pause = list.next() else {
        Issue.record("the list does not wait")
        return
      }
    }
    try writeEnd.writeAll("\nshort\n".utf8)
    guard case .failure(let shown, .argListTooLong) = list.next() else {
      Issue.record("the item is not an error")
      return
    }
    #expect(shown == Array(part.prefix(1024)))
    guard case .item(let item) = list.next() else {
      Issue.record("the next item is missing")
      return
    }
    #expect(item.bytes == Array("short".utf8))
  }

  @Test(
    "a child is not forgotten if it has the process id of one that was waited for",
    .enabled(if: setNextProcess(nil)))
  func reusedID() throws {
    let children = CommandChildren()
    let start = {
      try children.start { () throws(Errno) in
        try ChildProcess([Array("true".utf8)], ChildProcess.Options())
      }
    }
    var isReused = false
    // Another process may take the id.
    for _ in 0..<1000 where !isReused {
      let old = try start()
      _ = try old.wait()
      #expect(setNextProcess(old.processIdentifier))
      let new = try start()
      isReused = new.processIdentifier == old.processIdentifier
      _ = children.remove(old)
      #expect(children.areRunning)
      _ = try new.wait()
      _ = children.remove(new)
      #expect(!children.areRunning)
    }
    #expect(isReused)
  }

  @Test("a command whose status is lost has a result in its turn, and fails")
  func lostStatus() async {
    await #expect(processExitsWith: .success) {
      let events = try await onThread { try eventsOfLostCommands() }
      guard events == ["lost", "unreadable", "lost", "ended"] else { fatalError("\(events)") }
    }
  }

  @Test("what ends after a command that was ended early is delivered at the end of the run")
  func gap() async {
    await #expect(processExitsWith: .success) {
      guard let events = try await onThread({ try eventsOfHaltAfterGap() }) else { return }
      guard events == ["unreadable", "not started"] else { fatalError("\(events)") }
    }
  }
}

/// Makes the system give an id to the next process, if it may be chosen; `nil` for the id that
/// would be next.
private func setNextProcess(_ id: Int32?) -> Bool {
  let file = open("/proc/sys/kernel/ns_last_pid", O_RDWR | O_CLOEXEC)
  guard file >= 0 else { return false }
  defer { close(file) }
  var bytes = [UInt8](repeating: 0, count: 32)
  var count = pread(file, &bytes, bytes.count, 0)
  if let id {
    bytes = Array("\(id - 1)".utf8)
    count = bytes.count
  }
  return count > 0 && pwrite(file, bytes, count, 0) == count
}

/// Runs three commands. The status of the first and of the second is lost, since this process
/// ignores the ends of its children meanwhile. The first one halts the run.
private func eventsOfLostCommands() throws -> [String] {
  let directory = try TemporaryDirectory()
  let paths = ["a", "b", "c"].map { directory.text + "/" + $0 }
  for name in ["a", "b", "c"] { try directory.makeFIFO(name) }
  let script = "echo $$ > \"$1.id\"; read x < \"$1\"; exit 1"
  var options = CommandJobOptions()
  options.halt = .soon
  var processorOptions = FileProcessorOptions()
  processorOptions.jobs = 3
  let job = try CommandJob(
    CommandTemplate(["sh", "-c", script, "sh"].map { Array($0.utf8) }), options, processorOptions)
  signal(SIGCHLD, SIG_IGN)
  startThread {
    for path in paths { _ = awaitProcess(path) }
    endProcess(paths[0])
  }
  let events = Shared<[String]>([])
  var sources = paths.map { CommandSource.path(Array($0.utf8)) }
  sources.insert(.listFile(directory.path("none"), separator: 0x0A), at: 1)
  try job.run(sources) { event in
    if case .finished(let result) = event {
      let word = if case .lost = result.outcome { "lost" } else { "ended" }
      return events.change { $0.append(word) }
    }
    events.change { $0.append("unreadable") }
    endProcess(paths[1])
    signal(SIGCHLD, SIG_DFL)
    let file = open(paths[2], O_WRONLY | O_CLOEXEC)
    close(file)
    eventuallyBlocking { job.commandStatistics.isHalted }
  }
  return events.value
}

/// Runs three commands. The first and the second are ended by a cancel. The third cannot be started,
/// which the system reports after the cancel: its failure halts the run. Returns `nil` if the system
/// lends no files.
private func eventsOfHaltAfterGap() throws -> [String]? {
  let directory = try TemporaryDirectory()
  let paths = ["a", "b", "c"].map { directory.text + "/" + $0 }
  for name in ["a", "b", "c"] {
    try directory.write("#!/bin/sh\n: > \"$0.begun\"\nexec sleep 100\n", to: name)
    try directory.setMode(name, 0o755)
  }
  // A start of the third command waits for the end of the lease, and then fails, since the file
  // is open for writing.
  signal(SIGIO, SIG_IGN)
  let lease = open(paths[2], O_RDWR | O_CLOEXEC)
  defer { close(lease) }
  let (setLease, getLease) = (Int32(1024), Int32(1025))
  guard fcntl(lease, setLease, Int32(F_WRLCK)) == 0 else { return nil }
  var options = CommandJobOptions()
  options.halt = .soon
  var processorOptions = FileProcessorOptions()
  processorOptions.jobs = 3
  let job = try CommandJob(CommandTemplate([Array("{}".utf8)]), options, processorOptions)
  startThread {
    for path in paths.prefix(2) { eventuallyBlocking { access(path + ".begun", F_OK) == 0 } }
    eventuallyBlocking { fcntl(lease, getLease) != Int32(F_WRLCK) }
    job.abandon()
    _ = fcntl(lease, setLease, Int32(F_UNLCK))
  }
  let events = Shared<[String]>([])
  var sources = paths.map { CommandSource.path(Array($0.utf8)) }
  sources.insert(.listFile(directory.path("none"), separator: 0x0A), at: 1)
  // A canceled run throws.
  try? job.run(sources) { event in
    let word =
      switch event {
      case .unreadable: "unreadable"
      case .finished(let result):
        if case .notStarted = result.outcome { "not started" } else { "\(event)" }
      case .special: "\(event)"
      }
    events.change { $0.append(word) }
  }
  return events.value
}

/// Waits for the process id that a command writes.
private func awaitProcess(_ path: String) -> Int32 {
  var bytes = [UInt8](repeating: 0, count: 32)
  while true {
    let file = open(path + ".id", O_RDONLY | O_CLOEXEC)
    let count = max(0, read(file, &bytes, bytes.count))
    close(file)
    if count > 0, bytes[count - 1] == 0x0A,
      let id = Int32(String(decoding: bytes[..<(count - 1)], as: UTF8.self))
    {
      return id
    }
    usleep(200)
  }
}

/// Ends a command, and waits until the system has forgotten it.
private func endProcess(_ path: String) {
  let id = awaitProcess(path)
  kill(id, SIGKILL)
  eventuallyBlocking { kill(id, 0) != 0 }
}
