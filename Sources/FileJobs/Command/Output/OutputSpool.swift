// The temporary file for the output of commands that waits to be delivered.
//
// DESIGN. 64 KiB of each command's output stay in memory; the rest goes to one file for
// all commands, which has no name: it takes one descriptor, however many commands there
// are, and disappears with the process, however that ends. The file is divided into slots
// of 64 KiB, which are reused, so that it is never larger than the output that waits at
// one time. A file for each command, as other tools have it, would take a descriptor or a
// name for each.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A temporary file without a name, divided into slots.
final class OutputSpool: Sendable {
  private struct State {
    var file: FileDescriptor?
    /// Slots before `end` that are not in use.
    var free: [Int] = []
    var end = 0
  }

  static let slotBytes = 65536

  private let state = Locked(State())
  let directory: [UInt8]

  /// - Parameter directory: The directory of the file, which is created on first use.
  init(directory: [UInt8]) {
    self.directory = directory
  }

  deinit {
    if let file = state.with({ $0.file }) { close(file.rawValue) }
  }

  /// Writes at most `slotBytes` bytes. Returns their slot.
  func write(_ bytes: [UInt8]) throws(Errno) -> Int {
    let (file, slot) = try state.with { state throws(Errno) in
      let file: FileDescriptor
      if let existing = state.file { file = existing } else { file = try create() }
      state.file = file
      if let slot = state.free.popLast() { return (file, slot) }
      defer { state.end += 1 }
      return (file, state.end)
    }
    do throws(Errno) {
      try file.write(all: bytes, at: slot * OutputSpool.slotBytes)
    } catch {
      release(slot)
      throw error
    }
    return slot
  }

  func read(_ slot: Int, into memory: UnsafeMutableRawBufferPointer) throws(Errno) {
    guard let file = state.with({ $0.file }) else { throw .ioError }
    let count = try file.read(filling: memory, at: slot * OutputSpool.slotBytes)
    // The file has no name, so no other process can have truncated it.
    if count < memory.count { throw .ioError }
  }

  func release(_ slot: Int) {
    state.with { state -> Void in
      state.free.append(slot)
      if state.free.count == state.end, let file = state.file {
        // All slots are free: the disk gets its space back.
        if ftruncate(file.rawValue, 0) == 0 {
          state.free = []
          state.end = 0
        }
      }
    }
  }

  private func create() throws(Errno) -> FileDescriptor {
    try DescriptorBudget.retrying { () throws(Errno) in
      try ReplacingFile.unnamed(beside: directory + Array("/weir-run".utf8))
    }
  }
}
