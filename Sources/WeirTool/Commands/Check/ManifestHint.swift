// Hints on a manifest that is probably of another kind than the user assumes.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage

/// The probable reason why no line of a manifest could be verified, from its first line.
enum ManifestHint {
  private static let beginningSize = 4096

  /// Returns the advice for a manifest without any line of a checksum tool; `nil` for none.
  static func forNoLines(in manifest: CheckOutput.Manifest) -> String? {
    let text = beginning(of: manifest)
    if text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) {
      return "it is UTF-16; iconv -f UTF-16 -t UTF-8 converts it"
    }
    guard text.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "{")
    else { return nil }
    return "it is JSON; check reads the formats text and mtree of weir hash"
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

  /// The beginning of a regular file; empty for anything else.
  private static func beginning(of manifest: CheckOutput.Manifest) -> [UInt8] {
    if manifest.argument.openDescriptor != nil { return [] }
    let descriptor = FilePath(bytes: manifest.argument.bytes).withPlatformString {
      openat(manifest.base, $0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    guard descriptor >= 0 else { return [] }
    let file = FileDescriptor(rawValue: descriptor)
    defer { try? file.close() }
    var bytes: [UInt8] = []
    guard (try? stat(of: file))?.isRegularFile == true,
      (try? file.read(appendingTo: &bytes, count: beginningSize)) == true
    else { return [] }
    return bytes
  }
}
