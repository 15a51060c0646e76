// The run of commands: its items, its children, and its results in order.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.serialized, .timeLimit(.minutes(2)))
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
    let start = { try children.start { () throws(Errno) in try ChildProcess(["true"]) } }
    var isReused = false
    // Another process may take the id.
    for _ in 0..<1000 where !isReused {
      let old = try start()
      _ = try old.wait()
      #expect(setNextProcess(old.id))
      let new = try start()
      isReused = new.id == old.id
      _ = children.remove(old)
      #expect(children.areRunning)
      _ = try new.wait()
      _ = children.remove(new)
      #expect(!children.areRunning)
    }
    #expect(isReused)
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
