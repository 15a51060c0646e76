internal import Weir

/// The lines and names of a manifest that could not be used.
package struct ManifestFaults: Sendable {
  /// The number of lines that are malformed, or of an algorithm that is not supported.
  package var lines: UInt64 = 0
  package var firstLine = 0
  /// The tag of its algorithm; `nil` if it is malformed.
  package var tag: String?
  /// The number of names, except of directories, that have no more components than are removed.
  package var shortNames: UInt64 = 0

  fileprivate mutating func add(line: Int, tag: String? = nil) {
    if lines == 0 { (firstLine, self.tag) = (line, tag) }
    lines += 1
  }

  mutating func addShortName(_ entry: InventoryEntry) {
    // A line of mtree(5) without type, size and digest may be that of a directory.
    if entry.type == .directory || entry.type == nil && entry.size == nil { return }
    shortNames += 1
  }
}

/// A reader of the records of a manifest, of any format that ``CheckJob`` reads.
final class ManifestInventory {
  private let name: [UInt8]
  private let lines: RecordedLines
  /// True to skip entries that mtree(5) says to ignore.
  private let skipsIgnored: Bool
  private let keys: KeyWriter
  private let digests = ByteBuffer()
  private(set) var faults = ManifestFaults()
  /// The last name of which nothing was left: a name has a line for each algorithm.
  private var shortName: [UInt8] = []

  /// - Parameter name: The name in errors; `nil` for that of the manifest. An update forgets no
  ///   entry, so it passes false for `skipsIgnored`.
  init(
    _ manifest: CheckManifest, _ name: [UInt8]? = nil, stripping stripped: Int = 0,
    untagged: [DigestAlgorithm], isZeroTerminated: Bool = false, skipsIgnored: Bool = true
  ) throws(Fault) {
    let path = if case .path(let path, _) = manifest.source { path } else { Array("-".utf8) }
    self.name = name ?? path
    self.skipsIgnored = skipsIgnored
    lines = try Fault.of(
      name ?? path,
      try RecordedLines(
        manifest, isZeroTerminated: isZeroTerminated, untagged: untagged, skipsMalformed: true))
    keys = KeyWriter(stripping: stripped)
  }

  /// True if the manifest has entries for directories, links and special files too.
  var hasTypes: Bool { lines.lines.hasTypes }

  /// Reads the next record; returns false at the end.
  func read(to record: EntryBuffer) throws(Fault) -> Bool {
    while let (name, entry) = try next() {
      if !keys.write(name) {
        addFault()
        continue
      }
      record.put(keys.key, entry)
      if !keys.key.isEmpty { return true }
      if !shortName.elementsEqual(name) {
        shortName = Array(name)
        faults.addShortName(entry)
      }
    }
    return false
  }

  /// Returns the name and the entry of the next line that has one; `nil` at the end. They are valid
  /// until the next call.
  func next() throws(Fault) -> (name: UnsafeRawBufferPointer, entry: InventoryEntry)? {
    while let line = try Fault.of(name, try lines.next()) {
      let name: UnsafeRawBufferPointer
      var entry: InventoryEntry
      switch line {
      case .checksum(let line):
        digests.count = 0
        digests.append(EntryDigest(line.algorithm, or: line.alternative, line.digest))
        (name, entry) = (line.name, InventoryEntry(.file))
        entry.digests = digests.bytes
        // Size and time say nothing of a file that is known to be rotten.
        if let record = lines.record, record.entry.open == nil {
          (entry.size, entry.time) = (record.entry.size, record.entry.time)
        }
      case .entry(let line):
        if line.isIgnored && skipsIgnored { continue }
        (name, entry) = (line.name, InventoryEntry(line))
        if line.open?.kind == .rot { (entry.size, entry.time) = (nil, nil) }
      case .malformed:
        addFault()
        continue
      case .nothing: continue
      }
      return (name, entry)
    }
    if let foreign = lines.lines.foreign {
      throw Fault(name, .refused("\(foreign.reason(of: name))"))
    }
    return nil
  }

  private func addFault() {
    let text = lines.lines
    let tag = text.hasTypes ? nil : UnsupportedLine().tag(of: text.text)
    faults.add(line: text.lineNumber, tag: tag)
  }
}

extension InventoryEntry {
  init(_ line: MtreeEntry) {
    self.init(line.type ?? (line.digests.isEmpty ? nil : .file))
    if line.isOptional { flags.insert(.optional) }
    if !isOther { (size, time) = (line.size, line.time) }
    digests = line.digests.bytes
    if line.type == .symbolicLink, let target = line.target { text = target }
  }
}
