// Where the files of a manifest are, when they are not here.
//
// DESIGN. A manifest is read in a directory that it was not made for, and all of
// it is missing. A few of its names are looked for where they usually are then:
// in the manifest's own directory, in a directory above or one below the present
// one, and under their names without the directories they begin with.

internal import Glibc
internal import SystemPackage

enum CheckPlaces {
  /// What to say where nothing was found here, and it is found elsewhere.
  static func advice(
    for samples: CheckSamples, _ manifests: [CheckOutput.Manifest],
    _ invocation: CheckInvocation, _ here: CheckPlace
  ) -> [UInt8]? {
    let names = samples.names.filter { $0.first != slash && !$0.isEmpty }
    let moved = samples.move.flatMap { prefix(of: $0.to, before: $0.from) }.map { [$0] } ?? []
    let places = moved + candidates(manifests, here)
    if let place = places.first(where: { holds($0, names) }) {
      return Array("none of the listed files is here, but they are in ".utf8)
        + QuotedName.bytes(of: invocation.fromOutside(place)) + Array(": ".utf8)
        + invocation.command(in: place, manifests)
    }
    guard let prefix = cutPrefix(samples.names) else { return nil }
    return Array("none of the listed files is here, but they are without ".utf8)
      + QuotedName.bytes(of: prefix) + Array(" before their names".utf8)
  }

  private static let slash = UInt8(ascii: "/")
  private static let depthMax = 16
  private static let entriesMax = 1000

  /// The directory in which a name is that it has now, if it is the same within it.
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

  /// Directories in which the names may be.
  private static func candidates(
    _ manifests: [CheckOutput.Manifest], _ here: CheckPlace
  ) -> [[UInt8]] {
    let own = manifests.filter { !$0.isStandardInput }.compactMap { manifest -> [UInt8]? in
      guard let end = manifest.argument.bytes.lastIndex(of: slash), end > 0 else { return nil }
      let directory = Array(manifest.argument.bytes[..<end])
      guard let base = here.baseName, directory.first != slash else { return directory }
      return base + [slash] + directory
    }
    var above: [[UInt8]] = []
    for depth in 1...depthMax {
      above.append(Array(repeatElement("..", count: depth).joined(separator: "/").utf8))
    }
    return own + above + below()
  }

  /// The directories in the present one.
  private static func below() -> [[UInt8]] {
    guard let directory = opendir(".") else { return [] }
    defer { closedir(directory) }
    var names: [[UInt8]] = []
    while names.count < entriesMax, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      let mayBe = entry.pointee.d_type == DT_DIR || entry.pointee.d_type == DT_UNKNOWN
      if mayBe && name.first != UInt8(ascii: ".") { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Whether a directory has most of the names.
  private static func holds(_ place: [UInt8], _ names: [[UInt8]]) -> Bool {
    isMost(names.count { exists(place + [slash] + $0) }, of: names.count)
  }

  private static func isMost(_ count: Int, of all: Int) -> Bool { count * 2 > all }

  private static func exists(_ path: [UInt8]) -> Bool {
    FilePath(bytes: path).withPlatformString { access($0, F_OK) } == 0
  }

  /// What all names begin with and would have to lose to be found here.
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
