// From the results of a recording run to the lines of its records.

#if Tool
  internal import SystemPackage
  package import Weir

  /// Makes lines of what a ``RecordJob`` delivers, and counts.
  ///
  /// @unchecked Sendable: batches are delivered one at a time.
  package final class RecordDelivery: @unchecked Sendable {
    /// What became of the files.
    package struct Counts: Sendable {
      /// Files whose record was taken over without reading them.
      package var unread: UInt64 = 0
      /// Files that were read.
      package var read: UInt64 = 0
      /// Files by how they differ from the manifest that is brought up to date.
      package var changes: [RecordChange: UInt64] = [:]
    }

    private let output: OutputFile
    private let base: RecordBase?
    private let acceptsRot: Bool
    /// Called with the name of each file that differs.
    private let tell: (UnsafeRawBufferPointer, RecordChange) throws -> Void
    private var frame = MtreeFrame()
    private var source: Int?
    private var lines: [UInt8] = []
    /// Up to where the manifest was found again.
    private var passed = RecordPlace()
    /// Where records end that were found out of their turn: they are not gone.
    private var aside: Set<Int64> = []
    /// A directory that could not be read: what is in it is not gone.
    private var unreadable: [UInt8]?
    private var figures = Counts()

    /// - Parameters:
    ///   - output: Where the lines go.
    ///   - base: The manifest that is brought up to date.
    ///   - acceptsRot: As of the job.
    ///   - tell: Called in the order of the run.
    package init(
      _ output: OutputFile, base: RecordBase?, acceptsRot: Bool,
      tell: @escaping (UnsafeRawBufferPointer, RecordChange) throws -> Void
    ) {
      self.output = output
      self.base = base
      self.acceptsRot = acceptsRot
      self.tell = tell
    }

    package var counts: Counts { figures }

    /// Records a batch: `say` is called with each result, in its place.
    package func take(_ batch: borrowing FileBatch, say: (FileResult) -> Void) throws {
      lines.removeAll(keepingCapacity: true)
      for index in 0..<batch.count {
        let result = batch[index]
        try tellGone(before: result)
        try append(result)
        say(result)
      }
      try output.append(lines)
    }

    /// Tells what is left of the manifest at the end of a run that is whole.
    package func finish() throws {
      guard let reader = base?.reader(from: passed) else { return }
      while let file = try reader.next() { try tellGone(file) }
    }

    private func append(_ result: FileResult) throws {
      switch result.outcome {
      case .done:
        let output = result.output
        guard let first = output.first else { return }
        let verdict = RecordVerdict(byte: first)
        begin(result)
        if verdict.change == .rot && !acceptsRot { lines += Array("\(RecordReader.rot)\n".utf8) }
        lines.append(contentsOf: output.dropFirst())
        if verdict.wasRead { figures.read += 1 } else { figures.unread += 1 }
        if verdict.change != .none { try tell(result, verdict.change) }
      case .directory:
        begin(result, isDirectory: true)
      case .link:
        begin(result)
        appendLink(result)
      case .failed where result.type == .directory:
        unreadable = Array(result.path)
      case .failed, .changed, .special, .noted:
        break
      }
    }

    private func begin(_ result: FileResult, isDirectory: Bool = false) {
      if result.source != source {
        source = result.source
        lines += Array("\(RecordReader.source)\(result.source)\n".utf8)
      }
      frame.append(before: result.path, isDirectory: isDirectory, to: &lines)
    }

    private func appendLink(_ result: FileResult) {
      let (name, target) = (result.path, result.output)
      let capacity = MtreeLine.capacity(linkName: name.count, targetCount: target.count)
      lines += [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
        count = MtreeLine.write(
          link: name, target: target, to: UnsafeMutableRawBufferPointer(memory))
      }
    }

    private func tell(_ result: FileResult, _ change: RecordChange) throws {
      figures.changes[change, default: 0] += 1
      try tell(result.path, change)
    }

    // MARK: What is gone

    /// Tells what the manifest has before a file and nobody has found.
    private func tellGone(before result: FileResult) throws {
      guard let base, !result.note.isEmpty, let old = RecordNotes(note: result.note).old else {
        return
      }
      if old.isAside {
        aside.insert(old.after.offset)
        return
      }
      if old.passed > 0 {
        let reader = base.reader(from: passed)
        for _ in 0..<old.passed {
          guard let file = try reader.next() else { break }
          try tellGone(file)
        }
      }
      passed = old.after
    }

    private func tellGone(_ file: FileRecord) throws {
      if aside.remove(file.after.offset) != nil { return }
      if let unreadable, isBelow(unreadable, file.entry.name) { return }
      figures.changes[.gone, default: 0] += 1
      try tell(file.entry.name, .gone)
    }

    private func isBelow(_ directory: [UInt8], _ name: UnsafeRawBufferPointer) -> Bool {
      let slash = UInt8(ascii: "/")
      return name.starts(with: directory)
        && (directory.last == slash
          || (name.count > directory.count && name[directory.count] == slash))
    }
  }
#endif
