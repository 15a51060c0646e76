// The advice of weir check: the command or the option to use instead.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage

struct CheckAdvice: Sendable {
  /// The directory of `-C`.
  let directory: [UInt8]?
  /// The directory of `--audit`.
  let audit: [UInt8]?
  let here: CheckDirectories

  /// Returns a sentence if no file exists here, but most exist elsewhere.
  ///
  /// DESIGN. The usual reason is a check in the wrong directory. So a few of the names are searched
  /// where a reader would look first: beside the manifest; for an audit, where its names and those
  /// of its manifests are the same, in the user's directory. (Rejected: to search the directories
  /// above and below too. The first that has the names may be another copy of the tree.)
  func relocation(of samples: CheckSamples, _ manifests: [CheckOutput.Manifest]) -> Message? {
    let places =
      audit == nil
      ? manifests.compactMap(CheckAdvice.directory) : directory == nil ? [Array(".".utf8)] : []
    guard let place = places.first(where: { holds($0, samples.names) }) else { return nil }
    let root: Message = (audit ?? directory).map { "in \($0)" } ?? "here"
    return "none of the listed files exists \(root); with -C \(place) most do"
  }

  /// Returns the directory of a manifest; `nil` if its name has none.
  private static func directory(of manifest: CheckOutput.Manifest) -> [UInt8]? {
    let path = manifest.argument.bytes
    guard !manifest.isStandardInput, let end = path.lastIndex(of: UInt8(ascii: "/")), end > 0 else {
      return nil
    }
    return Array(path[..<end])
  }

  /// Returns true if a directory contains most of the names.
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
    switch digits.count {
    case 32: return advice(taken: "md5", other: "xxh128")
    case 128: return advice(taken: "sha512", other: "blake2b")
    default: return nil
    }
  }

  private static func advice(taken: String, other: String) -> String {
    "no line matched as \(taken); if the digests are of \(other), use -a \(other)"
  }

  /// The first 4 KiB of a regular file; empty for anything else.
  private static func beginning(of manifest: CheckOutput.Manifest) -> [UInt8] {
    if manifest.argument.openDescriptor != nil { return [] }
    let name = manifest.argument.bytes.map(CChar.init(bitPattern:)) + [0]
    let descriptor = openat(manifest.base, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return [] }
    let file = FileDescriptor(rawValue: descriptor)
    defer { try? file.close() }
    var bytes: [UInt8] = []
    guard (try? stat(of: file))?.isRegularFile == true,
      (try? file.read(appendingTo: &bytes, count: 4096)) == true
    else { return [] }
    return bytes
  }
}
