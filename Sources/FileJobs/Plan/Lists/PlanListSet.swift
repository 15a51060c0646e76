// The lists of all workers of one walk, merged in its order.

internal import WeirLibC
internal import SystemPackage

/// The lists of all workers in a directory.
package final class PlanListSet {
  /// The reasons why the lists are not one walk.
  package struct Faults {
    package fileprivate(set) var missing: [PlanError] = []
    /// Lists of other arguments.
    package fileprivate(set) var others: [PlanError] = []
    package fileprivate(set) var damaged: [PlanError] = []

    package var isEmpty: Bool { missing.isEmpty && others.isEmpty && damaged.isEmpty }
  }

  private var readers: [PlanListReader] = []
  package private(set) var faults = Faults()

  /// Opens the lists in a directory. What is not as it should be is in ``faults``.
  package init(in directory: [UInt8]) throws(PlanError) {
    let names = try PlanError.attributing(to: directory) { () throws(Errno) in
      try PartDirectory.names(in: directory)
    }
    let found = names.compactMap { PlanListFile(name: $0) }
      .sorted { ($0.workers, $0.worker) < ($1.workers, $1.worker) }
    guard let first = found.first else {
      throw PlanError(directory, .refused("has no lists of weir plan --shard"))
    }
    for file in found where file.workers != first.workers {
      faults.others.append(
        PlanError(
          file.path(in: directory),
          .refused("is one of \(file.workers) lists, and others are of \(first.workers)")))
    }
    for worker in 0..<first.workers {
      let file = PlanListFile(worker: worker, of: first.workers)
      guard found.contains(file) else {
        let missing = PlanError(file.path(in: directory), .system(.noSuchFileOrDirectory))
        faults.missing.append(missing)
        continue
      }
      open(file, in: directory)
    }
  }

  private func open(_ file: PlanListFile, in directory: [UInt8]) {
    let path = file.path(in: directory)
    do throws(PlanError) {
      let reader = try PlanListReader(path)
      if reader.header.file != file {
        let (worker, workers) = (reader.header.file.worker, reader.header.file.workers)
        throw PlanError(path, .refused("is the list of worker \(worker) of \(workers)"))
      }
      if let other = readers.first,
        let difference = reader.header.difference(from: other.header)
      {
        throw PlanError(path, .refused(difference))
      }
      readers.append(reader)
    } catch {
      if case .refused = error.reason {
        faults.others.append(error)
      } else {
        faults.damaged.append(error)
      }
    }
  }

  /// The header of the first list; the others have the same arguments.
  package var header: PlanListHeader? { readers.first?.header }

  /// True if a worker could not read something.
  package var isIncomplete: Bool { readers.contains { $0.header.isIncomplete } }

  /// The number of entries that filters have excluded.
  package var filtered: UInt64 {
    readers.reduce(header?.filteredByAll ?? 0) { sum, reader in
      let own = reader.header.filtered - min(reader.header.filtered, reader.header.filteredByAll)
      return sum.addingClamped(own)
    }
  }

  // MARK: Merging

  /// The next record of a list.
  private struct Head {
    let list: Int
    let record: PlanRecord

    var source: Int { record.shard ?? 0 }

    /// Compares two heads by their PATHs, and then as the walk orders names.
    static func compare(_ left: Head, _ right: Head) -> Int {
      left.source == right.source
        ? WalkOrder.compare(left.record.path, right.record.path) : left.source - right.source
    }

    static func precedes(_ left: Head, _ right: Head) -> Bool { compare(left, right) < 0 }
  }

  /// Calls `add` with all records in the order of one walk.
  ///
  /// - Throws: A `PlanError` if a list is damaged, or an entry is in two lists.
  package func merge(_ add: (PlanRecord) throws -> Void) throws {
    var heads: [Head] = []
    for index in readers.indices {
      if let record = try readers[index].next() { heads.append(Head(list: index, record: record)) }
    }
    heads.heapify(Head.precedes)
    while let head = heads.first {
      let order = 1..<min(3, heads.count)
      if let same = order.first(where: { Head.compare(heads[$0], head) == 0 }) {
        throw PlanError(
          readers[heads[same].list].name,
          .damaged("it has an entry that another list has: the tree changed meanwhile"))
      }
      try add(head.record)
      let path = Array(head.record.path)
      if let next = try readers[head.list].next() {
        heads[0] = Head(list: head.list, record: next)
        let isInOrder = path.withUnsafeBytes { path in
          next.shard == head.source
            ? WalkOrder.compare(path, next.path) < 0 : head.source < heads[0].source
        }
        if !isInOrder {
          throw PlanError(readers[head.list].name, .damaged("its records are not in order"))
        }
      } else {
        heads[0] = heads[heads.count - 1]
        heads.removeLast()
      }
      heads.siftDown(0, end: heads.count, Head.precedes)
    }
  }
}
