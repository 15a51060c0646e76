// The advice for a manifest whose files are all missing.
//
// DESIGN. The usual reason is a check in the wrong directory. So a few of the names are searched
// where a reader would look first: beside the manifest; for an audit, where its names and those of
// its manifests are the same, in the user's directory. (Rejected: to search the directories above
// and below too. The first that has the names may be another copy of the tree.)

internal import WeirLibC
internal import SystemPackage

enum RelocationAdvice {
  /// Returns a sentence if no file exists here, but most exist elsewhere.
  ///
  /// - Parameter end: The end of the sentence.
  static func message(
    for samples: CheckSamples, _ manifests: [CheckOutput.Manifest],
    _ invocation: CheckInvocation, _ here: CheckDirectories, end: String = ""
  ) -> [UInt8]? {
    let places =
      invocation.audit == nil
      ? manifests.compactMap(directory) : invocation.directory == nil ? [Array(".".utf8)] : []
    guard let place = places.first(where: { holds($0, samples.names, from: here.base) }) else {
      return nil
    }
    let outside = invocation.audit == nil ? invocation.fromOutside(place) : place
    let root = invocation.audit.map { Array("in ".utf8) + QuotedName.bytes(of: $0) }
    return Array("none of the listed files exists ".utf8) + (root ?? Array("here".utf8))
      + Array("; with -C ".utf8) + QuotedName.bytes(of: outside) + Array(" most do\(end)".utf8)
  }

  private static let slash = UInt8(ascii: "/")

  /// Returns the directory of a manifest; `nil` if its name has none.
  private static func directory(of manifest: CheckOutput.Manifest) -> [UInt8]? {
    let path = manifest.argument.bytes
    guard !manifest.isStandardInput, let end = path.lastIndex(of: slash), end > 0 else {
      return nil
    }
    return Array(path[..<end])
  }

  /// Returns true if a directory contains most of the names.
  private static func holds(_ place: [UInt8], _ names: [[UInt8]], from base: Int32) -> Bool {
    let found = names.count { name in
      name.first != slash
        && FilePath(bytes: place + [slash] + name).withPlatformString {
          faccessat(base, $0, F_OK, 0)
        } == 0
    }
    return found * 2 > names.count
  }
}
