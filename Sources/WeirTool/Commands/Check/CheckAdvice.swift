// The advice of weir check: the command or the option to use instead.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage

struct CheckAdvice: Sendable {
  /// The directory of `-C`.
  let directory: [UInt8]?
  let audit: [UInt8]?
  let here: CheckDirectories
  let names: NameRules
  let isZeroTerminated: Bool

  private static let stripMax = 16

  /// Returns a sentence if most of the missing files exist elsewhere or in another spelling.
  func relocation(of samples: CheckSamples, _ manifests: [CheckOutput.Manifest]) -> Message? {
    if samples.names.isEmpty { return nil }
    // What leads to these files would lead away from those that were found.
    let place = samples.hasFound ? nil : elsewhere(samples.names, manifests)
    return place ?? (names == NameRules() ? respelled(samples) : nil)
  }

  /// Returns a sentence if no file exists here, but most exist elsewhere.
  ///
  /// DESIGN. The usual reason is a check in the wrong directory. So a few of the names are searched
  /// where a reader would look first: beside the manifest, and in the directory of the run that wrote
  /// its ledger; for an audit, where its names and those of its manifests are the same, in the user's
  /// directory. (Rejected: to search the directories above and below too. The first that has the
  /// names may be another copy of the tree.)
  private func elsewhere(_ names: [[UInt8]], _ manifests: [CheckOutput.Manifest]) -> Message? {
    let places =
      audit == nil
      ? manifests.compactMap(CheckAdvice.directory)
        + manifests.compactMap(CheckAdvice.recordedDirectory)
      : directory == nil ? [Array(".".utf8)] : []
    guard let place = places.first(where: { holds($0, names) }) else { return nil }
    let root: Message = (audit ?? directory).map { "in \($0)" } ?? "here"
    return "none of the listed files exists \(root); with -C \(place) most do"
  }

  private func respelled(_ samples: CheckSamples) -> Message? {
    var rules = NameRules()
    let areOfWindows = samples.names.contains { $0.contains(UInt8(ascii: "\\")) }
    var equivalents = EquivalentNames(ignoresCase: areOfWindows)
    rules.areOfWindows = areOfWindows
    for count in 0...(samples.hasFound ? 0 : CheckAdvice.stripMax) {
      rules.stripped = count
      let found = samples.names.count { name in
        rules.apply(name).flatMap { equivalents.find($0) }.map { $0 != name } ?? false
      }
      if found * 2 <= samples.names.count { continue }
      let options = [
        areOfWindows ? CheckVerb.windowsName : nil,
        count > 0 ? "\(CheckVerb.stripName) \(count)" : nil,
      ].compactMap { $0 }
      if options.isEmpty { return CheckAdvice.otherForm(samples.names) }
      return "most of the missing files exist with \(options.joined(separator: " "))"
    }
    return nil
  }

  private static func otherForm(_ names: [[UInt8]]) -> Message {
    let areDecomposed = names.contains { name in
      String(decoding: name, as: UTF8.self).unicodeScalars.contains {
        $0.properties.canonicalCombiningClass != .notReordered
      }
    }
    let (form, other) = areDecomposed ? ("NFD", "nfc") : ("NFC", "nfd")
    return """
      the missing files exist under names in another form of Unicode; the list has \(form), to convert \
      it use: uconv -x any-\(other)
      """
  }

  private static func directory(of manifest: CheckOutput.Manifest) -> [UInt8]? {
    let path = manifest.argument.bytes
    guard !manifest.isStandardInput, let end = path.lastIndex(of: UInt8(ascii: "/")), end > 0 else {
      return nil
    }
    return Array(path[..<end])
  }

  /// The directory of the run that wrote a ledger, or the one beside a manifest.
  private static func recordedDirectory(of manifest: CheckOutput.Manifest) -> [UInt8]? {
    for end in [".mtree", ""] {
      let line = beginning(of: manifest, end).prefix { $0 != UInt8(ascii: "\n") }
      if let header = LedgerHeader(line: line + [UInt8(ascii: "\n")]), !header.directory.isEmpty {
        return header.directory
      }
    }
    return nil
  }

  private func holds(_ place: [UInt8], _ names: [[UInt8]]) -> Bool {
    let found = names.count { name in
      name.first != UInt8(ascii: "/")
        && withPath(place + [UInt8(ascii: "/")] + name) { faccessat(here.base, $0, F_OK, 0) } == 0
    }
    return found * 2 > names.count
  }

  /// Returns the advice for a manifest whose lines all differ; `nil` for none. Two algorithms
  /// have digests of the same length, and an untagged line names none.
  static func forMismatch(in manifest: CheckOutput.Manifest) -> String? {
    let line = beginning(of: manifest).drop { $0 == UInt8(ascii: "\\") }
    let digits = line.prefix { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
    guard line.dropFirst(digits.count).first == UInt8(ascii: " ") else { return nil }
    let names = [32: ("md5", "xxh128"), 128: ("sha512", "blake2b")][digits.count]
    return names.map {
      """
      no line matched as \($0); if the digests are of \($1), use -a \($1), if of b3sum -l, \
      use -a blake3
      """
    }
  }

  /// Returns the reason why a manifest has no line that can be verified; empty if it is unknown.
  func forNoLine(of manifest: CheckedManifest, in file: CheckOutput.Manifest) -> String {
    if manifest.lines == 0 { return ": it is empty" }
    let begin = CheckAdvice.beginning(of: file)
    let first = begin.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }
    // A digest and a name, and no file of another kind.
    let isLine = first.prefix { UInt8(ascii: "0")...UInt8(ascii: "f") ~= $0 }.count >= 32
    if !isZeroTerminated && isLine && begin.dropFirst(first.count).first == 0 {
      return "; its lines end in NUL: add --zero"
    }
    if names.stripped == 0 { return "" }
    let option = "\(CheckVerb.stripName) \(names.stripped)"
    return "; \(option) leaves nothing of a name with fewer components"
  }

  /// The first 4 KiB of a regular file, whose name is that of the manifest and `end`.
  private static func beginning(of manifest: CheckOutput.Manifest, _ end: String = "") -> [UInt8] {
    if manifest.argument.openDescriptor != nil { return [] }
    let number = withPath(manifest.argument.bytes + Array(end.utf8)) {
      openat(manifest.base, $0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    guard number >= 0 else { return [] }
    let file = FileDescriptor(rawValue: number)
    defer { try? file.close() }
    guard (try? stat(of: file))?.isRegularFile == true else { return [] }
    return (try? file.bytes(at: 0, count: 4096)) ?? []
  }
}
