// The advice for a manifest whose files are all missing.
//
// DESIGN. The usual reason is a check in the wrong directory. So a few of the names are
// searched in the usual places: the directory of the manifest, the directories above and
// directly below the working directory, and the working directory with the leading
// directories of the names removed.

internal import WeirLibC
internal import SystemPackage

enum RelocationAdvice {
  /// An advice: a sentence, and the command to use; empty for none.
  struct Message {
    var text: [UInt8]
    var command: [UInt8] = []
  }

  /// Returns a message if no file exists here, but most exist elsewhere.
  ///
  /// - Parameter end: The end of the sentence.
  static func message(
    for samples: CheckSamples, _ manifests: [CheckOutput.Manifest],
    _ invocation: CheckInvocation, _ here: CheckDirectories, end: String = ""
  ) -> Message? {
    let names = samples.names.filter { $0.first != slash && !$0.isEmpty }
    let moved = samples.move.flatMap { prefix(of: $0.to, before: $0.from) }.map { [$0] } ?? []
    let places = moved + candidates(manifests, here)
    if let place = places.first(where: { holds($0, names) }) {
      return Message(
        text: Array("none of the listed files exists here, but most exist in ".utf8)
          + QuotedName.bytes(of: invocation.fromOutside(place)) + Array("\(end); use:".utf8),
        command: invocation.command(in: place, manifests))
    }
    guard let prefix = cutPrefix(samples.names) else { return nil }
    return Message(
      text: Array(
        "none of the listed files exists here, but most do without the prefix ".utf8)
        + QuotedName.bytes(of: prefix) + Array(end.utf8))
  }

  private static let slash = UInt8(ascii: "/")
  private static let maxDepth = 16
  private static let maxEntries = 1000

  /// Returns the directory of a moved file, if the rest of its new name is the old name.
  private static func prefix(of new: [UInt8], before old: [UInt8]) -> [UInt8]? {
    let (new, old) = (withoutDot(new), withoutDot(old))
    guard new.count > old.count + 1, new.suffix(old.count).elementsEqual(old) else {
      return nil
    }
    let prefix = new.dropLast(old.count)
    return prefix.last == slash ? Array(prefix.dropLast()) : nil
  }

  private static func withoutDot(_ name: [UInt8]) -> ArraySlice<UInt8> {
    name.starts(with: "./".utf8) ? name.dropFirst(2) : name[...]
  }

  /// Returns directories that may contain the names.
  private static func candidates(
    _ manifests: [CheckOutput.Manifest], _ here: CheckDirectories
  ) -> [[UInt8]] {
    let own = manifests.filter { !$0.isStandardInput }.compactMap { manifest -> [UInt8]? in
      guard let end = manifest.argument.bytes.lastIndex(of: slash), end > 0 else { return nil }
      let directory = Array(manifest.argument.bytes[..<end])
      guard let base = here.baseName, directory.first != slash else { return directory }
      return base + [slash] + directory
    }
    let above = (1...maxDepth).map { depth in
      Array(repeatElement("..", count: depth).joined(separator: "/").utf8)
    }
    return own + above + below()
  }

  /// Returns the directories in the working directory.
  private static func below() -> [[UInt8]] {
    guard let directory = opendir(".") else { return [] }
    defer { closedir(directory) }
    var names: [[UInt8]] = []
    while names.count < maxEntries, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      let mayBe = entry.pointee.d_type == DT_DIR || entry.pointee.d_type == DT_UNKNOWN
      if mayBe && name.first != UInt8(ascii: ".") { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Returns true if a directory contains most of the names.
  private static func holds(_ place: [UInt8], _ names: [[UInt8]]) -> Bool {
    isMost(names.count { exists(place + [slash] + $0) }, of: names.count)
  }

  private static func isMost(_ count: Int, of all: Int) -> Bool { count * 2 > all }

  private static func exists(_ path: [UInt8]) -> Bool {
    FilePath(bytes: path).withPlatformString { access($0, F_OK) } == 0
  }

  /// Returns the common prefix without which most of the names exist here.
  private static func cutPrefix(_ names: [[UInt8]]) -> [UInt8]? {
    guard let first = names.first else { return nil }
    for end in first.indices where first[end] == slash {
      let prefix = first[...end]
      let cut = names.filter { $0.starts(with: prefix) && $0.count > prefix.count }
      if cut.count < names.count { return nil }
      let found = cut.count { exists(Array($0[(end + 1)...])) }
      if isMost(found, of: names.count) { return Array(prefix) }
    }
    return nil
  }
}
