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
}
