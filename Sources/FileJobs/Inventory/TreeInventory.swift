// The records of a tree, in the order of its walk: the lanes read the status of each file.

internal import SystemPackage
internal import Weir

/// A walk that makes an inventory.
struct TreeInventory {
  private let processor: FileProcessor<Void, Void>
  private let readsRights: Bool

  /// Files of `excluded` have no entry. `readsRights` is for owners and permissions.
  init(
    _ options: FileProcessorOptions, excluding excluded: Set<FileIdentity> = [],
    readsRights: Bool = false
  ) throws(Errno) {
    self.readsRights = readsRights
    processor = try TreeInventory.makeProcessor(options) { status in
      let identity = FileIdentity(device: status.device, inode: status.inode)
      guard status.type == .file, !excluded.contains(identity) else { return nil }
      var entry = InventoryEntry(of: status)
      if readsRights { entry.rights = status.rights }
      return entry
    }
  }

  /// Makes the processor of a walk, whose outputs are entries.
  static func makeProcessor(
    _ options: FileProcessorOptions, select: FileSelector? = nil,
    _ entry: @escaping @Sendable (FileStatus) -> InventoryEntry?
  ) throws(Errno) -> FileProcessor<Void, Void> {
    var options = options
    (options.order, options.deliversWholeTree, options.opensLate) = (.input, true, true)
    return try FileProcessor(
      options, select: select, context: { () throws(Errno) in () },
      job: { (file, _: inout Void) throws(Errno) -> Void in
        if let entry = entry(try file.pathStatus()) { try file.write(entry) }
      })
  }

  var control: JobControl { JobControl(processor) }

  /// Walks a tree, and appends the record of each name to sorted runs.
  ///
  /// - Parameters:
  ///   - root: The number of bytes of each path that are not part of its name.
  ///   - nameless: Called with each entry whose name loses all its components; `nil` to keep them.
  func run(
    _ source: FileSource, root: Int = 0, _ keys: KeyWriter, to runs: SortedRuns,
    nameless: (@Sendable (InventoryEntry) -> Void)? = nil,
    report: @escaping @Sendable (FileResult) throws -> Void = { _ in }
  ) throws {
    // One delivery comes at a time, and nothing else uses these meanwhile.
    nonisolated(unsafe) let (record, keys) = (EntryBuffer(), keys)
    try processor.run([source]) { batch in
      for index in 0..<batch.count {
        let result = batch[index]
        try report(result)
        guard var entry = InventoryEntry(result) else { continue }
        let name = result.path.dropFirst(root).drop { root > 0 && $0 == UInt8(ascii: "/") }.rebased
        if keys.strips && !entry.isOther { entry.text = name }
        if readsRights && entry.isOther {
          let status = try? LongPath.status(Array(result.path) + [0], followsLinks: result.isNamed)
          entry.rights = status.map { FileStatus($0).rights }
        }
        if !keys.write(name) { continue }
        if keys.key.isEmpty, let nameless {
          nameless(entry)
        } else {
          record.put(keys.key, entry)
          try runs.append(record.bytes)
        }
      }
    }
    try runs.finish()
  }
}

extension InventoryEntry {
  /// Makes the entry of a file, or of a block device, which has its content alone.
  init(of status: FileStatus) {
    self.init(.file)
    size = status.size
    if status.type == .file { time = status.modified }
  }

  /// Makes the entry of a result of a walk; `nil` if it has none.
  init?(_ result: FileResult) {
    switch result.outcome {
    case .noted: return nil
    case .directory: self.init(.directory)
    case .link:
      self.init(.symbolicLink)
      text = result.output
    case .special where result.isNamed: return nil
    case .special: self.init(result.type == .unknown ? nil : result.type)
    case .done:
      if result.output.isEmpty { return nil }
      self.init(result.output)
    case .failed, .changed:
      self.init(result.type == .unknown ? nil : result.type)
      failure = FileFailure(result)
    }
  }
}

extension FileFailure {
  init?(_ result: FileResult) {
    switch result.outcome {
    case .failed(let error): self = .failed(Errno(of: error))
    case .changed(let error): self = error.map { .failed($0) } ?? .changed
    default: return nil
    }
  }
}
