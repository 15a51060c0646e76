// Items and their notes, lists of names, and filters.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FileItemTests {
  @Test("items are delivered in order, with their notes, in the job and after it")
  func items() async throws {
    var random = SeededGenerator(for: "items")
    let directory = try TemporaryDirectory()
    var given: [Given] = []
    for number in 0..<500 {
      let name = "f\(number % 40)"
      if number < 40 { try directory.write(name, to: name) }
      let path = directory.path(name)
      let note = random.bytes(number % 3 == 0 ? 0 : number % 29)
      switch number % 11 {
      case 5: given.append(Given(.note, [], note, "noted"))
      case 6: given.append(Given(.failure, path, note, "failed(\(Errno.ioError))"))
      case 7:
        given.append(Given(.file, path + [0x7E], note, "failed(\(Errno.noSuchFileOrDirectory))"))
      default: given.append(Given(number % 2 == 0 ? .path : .file, path, note, "done"))
      }
    }
    let wanted = given
    let noter = try FileProcessor { (file) throws(Errno) -> [UInt8] in
      try file.write(file.note)
      return file.note
    }
    var came: [Given] = []
    for try await file in noter.results(of: supply(wanted)) {
      let kind = wanted[came.count].kind
      came.append(Given(kind, file.pathBytes, file.note, name(file.outcome)))
      if case .done = file.outcome { #expect(file.value == file.note && file.output == file.note) }
    }
    #expect(difference(came, wanted) == nil)
    let statistics = noter.statistics
    #expect(statistics.found == wanted.count { $0.kind != .note } && !statistics.isFeeding)
  }

  @Test("filters and a depth bound a walk and a processor alike")
  func filters() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "a/b", ".git"] { try directory.makeDirectory(name) }
    for name in ["x.c", "x.h", "a/y.c", "a/b/z.c", ".git/g.c"] {
      try directory.write("x", to: name)
    }
    let filters: [FileFilter] = [
      .include("*.c"), .exclude(".git/"), .exclude(bytes: Array("y.?".utf8)),
      .include(bytes: "none".utf8),
    ]
    for (depth, expected) in [(nil, ["a/b/z.c", "x.c"]), (2, ["x.c"]), (1, ["x.c"])] {
      let paths = expected.map { directory.path($0) }
      try await onThread {
        var walked: [[UInt8]] = []
        var walk = FileWalk(bytes: directory.path, filters: filters, maximumDepth: depth)
          .makeIterator()
        while let entry = walk.next() {
          if entry.type == .file { walked.append(entry.pathBytes) }
        }
        #expect(walked == paths && walk.filteredCount == (depth == 1 ? 2 : 3))
      }
      let copier = try makeCopier {
        $0.filters = filters
        $0.maximumDepth = depth
      }
      let run = try await copier.collecting([.path(bytes: directory.path)])
      #expect(run.paths == paths)
      #expect(run.statistics.filtered == (depth == 1 ? 2 : 3))
    }
    #expect(throws: Errno.invalidArgument) { try makeCopier { $0.maximumDepth = 0 } }
  }
}

/// An item, or its result.
private struct Given: Equatable, Sendable {
  enum Kind { case path, file, note, failure }
  var kind: Kind
  var path: [UInt8]
  var note: [UInt8]
  var outcome: String

  init(_ kind: Kind, _ path: [UInt8], _ note: [UInt8], _ outcome: String) {
    (self.kind, self.path, self.note, self.outcome) = (kind, path, note, outcome)
  }
}

/// Supplies items whose bytes come from one piece of memory, which is overwritten before the
/// processor sees the item.
private func supply(_ items: [Given]) -> FileSource {
  let turn = Shared(0)
  let memory = Memory(1 << 16)
  return .items {
    let number = turn.next() - 1
    guard number < items.count else { return nil }
    let item = items[number]
    memory.bytes.copyBytes(from: item.path + item.note)
    defer { _ = memory.bytes.initializeMemory(as: UInt8.self, repeating: 0x7E) }
    let all = UnsafeRawBufferPointer(memory.bytes)
    let path = Array(all[..<item.path.count])
    let note = Array(all[item.path.count...].prefix(item.note.count))
    switch item.kind {
    case .path: return FileItem(path: path, note: note)
    case .file: return FileItem(path: path, note: note, isWalked: false)
    case .note: return .note(note)
    case .failure: return .failure(.ioError, path: path, note: note)
    }
  }
}

/// @unchecked Sendable: one thread at a time asks for items.
private final class Memory: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer
  init(_ count: Int) { bytes = .allocate(byteCount: count, alignment: 1) }
  deinit { bytes.deallocate() }
}

/// The name of an outcome, with its error but without its value.
private func name(_ outcome: FileOutcome<[UInt8]>) -> String {
  if case .done = outcome { "done" } else { "\(outcome)" }
}
