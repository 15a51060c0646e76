// What weir duplicates writes, group after group.

#if Tool
  internal import FileJobs
  internal import SystemPackage
  internal import Weir

  /// Writes groups to standard output and messages to standard error; in JSON the
  /// failures stand among the groups too, as they come.
  struct DuplicatesOutput: Sendable {
    let console: Console
    private let report: FileReport
    private let format: OutputFormat
    private let isZeroTerminated: Bool
    /// Whether groups come as they are found: then nobody is to wait for them.
    private let isUnordered: Bool
    /// Groups that are not written yet: there may be many small ones.
    private let groups = Locked<[UInt8]>([])

    private static let most = 1 << 16

    init(
      _ console: Console, _ format: OutputFormat, isZeroTerminated: Bool, isUnordered: Bool
    ) {
      self.console = console
      self.format = format
      self.isZeroTerminated = isZeroTerminated
      self.isUnordered = isUnordered
      report = FileReport(console: console, verb: "duplicates", readsInput: false)
    }

    func take(_ event: DuplicatesEvent) throws {
      switch event {
      case .group(let group):
        let bytes =
          format == .json ? object(group) : isZeroTerminated ? names(group) : lines(group)
        let isEnough = groups.with { groups in
          groups += bytes
          return isUnordered || groups.count >= DuplicatesOutput.most
        }
        if isEnough { try writeGroups() }
      case .result(let result):
        let finding =
          report.finding(result)
          ?? FileReport.Finding(kind: "special", reason: "is \(FileReport.kind(result.type))")
        try tell(finding, of: Array(result.path))
      case .failed(let error, let path):
        try tell(FileReport.Finding(kind: "unreadable", reason: "\(error)"), of: path)
      case .changed(let path):
        let reason = "changed since it was found"
        try tell(FileReport.Finding(kind: "changed", reason: reason), of: path)
      case .misfit(let path):
        let reason = "its size is not that of what it holds"
        try tell(FileReport.Finding(kind: "unreadable", reason: reason), of: path)
      }
    }

    private func tell(_ finding: FileReport.Finding, of path: [UInt8]) throws {
      if format == .json {
        try writeGroups()
        var json = JSONText(isZeroTerminated: isZeroTerminated)
        path.withUnsafeBytes { json.append(finding, path: $0) }
        try console.write(json.bytes)
      }
      let reason = finding.isSkip ? "skipped: \(finding.reason)" : finding.reason
      console.say(QuotedName.bytes(of: path) + Array(": \(reason)".utf8))
    }

    // MARK: Groups

    private func writeGroups() throws {
      let bytes = groups.with { groups in
        defer { groups = [] }
        return groups
      }
      try console.write(bytes)
    }

    /// A heading, a line for each name, and an empty one.
    private func lines(_ group: DuplicatesGroup) -> [UInt8] {
      var text = Array("# \(DuplicatesOutput.heading(group))\n".utf8)
      for file in group.files {
        for (index, name) in file.names.enumerated() {
          if index > 0 { text += Array("= ".utf8) }
          DuplicatesOutput.append(name, to: &text)
          text.append(UInt8(ascii: "\n"))
        }
      }
      text.append(UInt8(ascii: "\n"))
      return text
    }

    private static func heading(_ group: DuplicatesGroup) -> String {
      let files = Figures.count(group.files.count, "file", "files")
      let size = Figures.count(group.size, "byte", "bytes")
      if group.files.count > 1 {
        let saving = Figures.count(group.saving, "byte", "bytes")
        return "\(files) of \(size): \(saving) could be saved"
      }
      return "\(files) of \(size) with \(Figures.count(group.files[0].names.count)) names"
    }

    /// A name that would be read back as another line is escaped, as GNU escapes names:
    /// a backslash before it says so.
    private static func append(_ name: [UInt8], to text: inout [UInt8]) {
      let backslash = UInt8(ascii: "\\")
      let letters: [UInt8: UInt8] = [
        backslash: backslash, UInt8(ascii: "\n"): UInt8(ascii: "n"),
        UInt8(ascii: "\r"): UInt8(ascii: "r"),
      ]
      let isAmbiguous = name.starts(with: "# ".utf8) || name.starts(with: "= ".utf8)
      if isAmbiguous || name.contains(where: { letters[$0] != nil }) { text.append(backslash) }
      for byte in name {
        if let letter = letters[byte] {
          text.append(backslash)
          text.append(letter)
        } else {
          text.append(byte)
        }
      }
    }

    /// Names ended by NUL, and another one.
    private func names(_ group: DuplicatesGroup) -> [UInt8] {
      var text: [UInt8] = []
      for name in group.files.lazy.flatMap(\.names) {
        text += name
        text.append(0)
      }
      text.append(0)
      return text
    }

    private func object(_ group: DuplicatesGroup) -> [UInt8] {
      var json = JSONText(isZeroTerminated: isZeroTerminated)
      json.begin("group")
      json.append("size", group.size)
      json.append("saving", group.saving)
      if !group.digest.isEmpty {
        json.append("xxh128", DuplicatesOutput.hexadecimal(group.digest))
      }
      json.append(
        "files",
        elements: group.files.map { file in
          let names = file.names.map { name in name.withUnsafeBytes { JSONName.bytes(of: $0) } }
          return Array("{\"paths\":[".utf8) + names.joined(separator: [UInt8(ascii: ",")])
            + Array("]}".utf8)
        })
      json.end()
      return json.bytes
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
      bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count < 2 ? "0\(digits)" : digits
      }.joined()
    }

    // MARK: The end

    /// What was found, in a few words.
    static func result(_ found: DuplicatesFigures) -> String {
      let groups = Figures.count(found.groups, "group", "groups")
      let duplicates = Figures.count(found.duplicates, "duplicate", "duplicates")
      return "\(groups) with \(duplicates), \(Figures.bytes(Double(found.saving))) could be saved"
    }

    /// The last line.
    func conclude(
      _ found: DuplicatesFigures, _ figures: FileFigures, _ ending: Session.Ending
    ) throws {
      try writeGroups()
      guard format == .json, ending.failure == nil else { return }
      var json = JSONText(isZeroTerminated: isZeroTerminated)
      json.begin("summary")
      json.append("complete", ending.isComplete)
      json.append("files", figures.files)
      json.append("read", figures.files - figures.unread)
      json.append("small", found.small)
      json.append("groups", found.groups)
      json.append("duplicates", found.duplicates)
      json.append("hardLinks", found.links)
      json.append("saving", found.saving)
      json.append(figures)
      json.append("seconds", seconds: ending.seconds)
      json.end()
      try console.write(json.bytes)
    }
  }
#endif
