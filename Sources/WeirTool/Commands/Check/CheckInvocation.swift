// The command line of a check, for the command that it advises.

/// The command line of a check. An advised command repeats its options, so that it reads
/// the manifests in the same way and can be typed in the same directory.
struct CheckInvocation: Sendable {
  /// The directory of `-C`.
  let directory: [UInt8]?
  /// The directory of `--audit`.
  let audit: [UInt8]?
  /// The options on manifests, output and audits, each as a word.
  let options: [[UInt8]]

  /// Returns a command that reads a manifest through standard input.
  func command(reading manifest: CheckOutput.Manifest) -> [UInt8] {
    // The shell opens the manifest in the user's directory.
    let path = QuotedName.bytes(of: fromOutside(manifest.argument.bytes))
    let place = directory.map { [Array("-C".utf8), $0] } ?? []
    let words = ["weir", "check"].map { Array($0.utf8) } + place + options + [Array("-".utf8)]
    return CommandText.bytes(of: words) + Array(" < ".utf8) + path
  }

  /// Returns a path relative to the user's directory, where `-C` has no effect yet.
  func fromOutside(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    guard let directory, path.first != slash else { return path }
    return directory + (directory.last == slash ? [] : [slash]) + path
  }
}
