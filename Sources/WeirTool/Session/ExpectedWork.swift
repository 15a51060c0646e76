// The amount of work that a run is going to have, for the percentage and the time left.
//
// DESIGN. A thread beside the run reads ahead what the run reads anyway: the names of the
// trees, the lines of the lists and manifests. It begins with the first progress line, so a
// run without progress, or of less than half a second, pays nothing. It never stats a file:
// the sizes of files that are not opened yet count as the mean of those that are. A walk
// ahead costs the getdents calls and the sorting of the names a second time, about one
// second of one core for a million names; the run then finds the directories in the cache.
// Rotating disks are not walked ahead, since the heads would go to and fro.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The amount of work of a run: known, found out by the run, or found by a thread of its own so
/// that the run does not wait for it.
final class ExpectedWork: Sendable {
  /// A search for the amount. It ends soon after `isOver` returns true.
  typealias Search = @Sendable (_ isOver: () -> Bool) -> WorkAmount?

  private struct State {
    var search: Search?
    var amount: WorkAmount?
    var isOver = false
  }

  private let state: Locked<State>

  init(_ search: @escaping Search) {
    state = Locked(State(search: search))
  }

  /// - Parameter amount: The amount; `nil` if the run sets it.
  init(_ amount: WorkAmount? = nil) {
    state = Locked(State(amount: amount))
  }

  func set(_ amount: WorkAmount) { state.with { $0.amount = amount } }

  /// The amount; `nil` if it is unknown or not known yet. The first use starts the search.
  var amount: WorkAmount? {
    let (amount, search) = state.with { ($0.amount, $0.search.take()) }
    if let search {
      // Nothing joins the thread: a file system that does not answer must not hold up the
      // end of the run.
      _ = SideThread.start { [self] in
        let found = search { state.with { $0.isOver } }
        if let found { set(found) }
      }
    }
    return amount
  }

  func finish() {
    state.with {
      $0.isOver = true
      $0.search = nil
    }
  }
}

// MARK: - Files

/// A count of files without opening or examining them.
struct FileCount {
  /// The limit on descriptors below which nothing is counted: the run needs all of them.
  private static let leastDescriptors = 64
  /// The number of files between two looks at the end of the run.
  private static let interval: UInt64 = 1024

  var files: UInt64 = 0

  /// True if the process has descriptors to spare for a count.
  static var isAffordable: Bool { DescriptorBudget.limit >= leastDescriptors }

  /// Adds the files of a walk. Returns false if the run ended first.
  mutating func add(_ walk: FileWalk, until isOver: () -> Bool) -> Bool {
    var count: UInt64 = 0
    defer { files += count }
    for entry in walk where entry.error != nil || entry.type == .file {
      count += 1
      if count % FileCount.interval == 0 && isOver() { return false }
    }
    return true
  }

  /// Adds the names of a list. Returns false if the number cannot be known ahead, or if the
  /// run ended first.
  mutating func add(list: [UInt8], separator: UInt8, until isOver: () -> Bool) -> Bool {
    guard let status = stat.of(list), status.isRegularFile,
      let descriptor = try? openFile(list, O_RDONLY)
    else { return false }
    defer { try? descriptor.close() }
    let names = ManifestReader(descriptor, terminator: separator)
    while (try? names.next()) != nil {
      if files % FileCount.interval == 0 && isOver() { return false }
      files += 1
    }
    return true
  }
}

extension Operands {
  /// A search for the number of files, in `paths` if no PATH is given; `nil` if the number cannot
  /// be known ahead, as for a list that comes through a pipe.
  func countOfFiles(
    orIn paths: [RawArgument] = [], _ walk: @escaping @Sendable (RawArgument) -> FileWalk
  ) -> ExpectedWork.Search? {
    guard FileCount.isAffordable else { return nil }
    let inputs = inputs.isEmpty ? paths.map { .path($0) } : inputs
    let isKnown = inputs.allSatisfy { input in
      if case .list(let name, _) = input { opened[name.bytes] == nil } else { true }
    }
    guard isKnown, !inputs.isEmpty else { return nil }
    return { [self] isOver in
      var count = FileCount()
      for input in inputs {
        switch input {
        case .path(let name) where opened[name.bytes] != nil: count.files += 1
        case .path(let name):
          guard count.add(walk(name), until: isOver) else { return nil }
        case .list(let name, let separator):
          guard count.add(list: name.bytes, separator: separator, until: isOver) else { return nil }
        }
      }
      return WorkAmount(files: count.files)
    }
  }
}
