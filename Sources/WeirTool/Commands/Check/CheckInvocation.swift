// The command line of a check, for the command that it advises.

/// The command line of a check. An advised command repeats its options, so that it reads
/// the manifests in the same way and can be typed in the same directory.
struct CheckInvocation: Sendable {
  /// The directory of `-C`.
  let directory: [UInt8]?
  /// The directory of `--audit`.
  var audit: [UInt8]?
  /// The options of the audit.
  var auditWords: [[UInt8]] = []
  /// The options on manifests and output, each as a word that needs no quotes.
  let options: [String]

  /// Returns a command that reads a manifest through standard input.
  func command(reading manifest: CheckOutput.Manifest) -> [UInt8] {
    let blank = [UInt8(ascii: " ")]
    var all = [Array("weir".utf8), Array("check".utf8)]
    if let directory { all += [Array("-C".utf8), QuotedName.bytes(of: directory)] }
    if let audit { all += [Array("--audit".utf8), QuotedName.bytes(of: audit)] }
    all += options.map { Array($0.utf8) } + auditWords + [Array("-".utf8), Array("<".utf8)]
    // The shell opens the manifest in the user's directory.
    all.append(QuotedName.bytes(of: fromOutside(manifest.argument.bytes)))
    return Array(all.joined(separator: blank))
  }

  /// Returns a path relative to the user's directory, where `-C` has no effect yet.
  func fromOutside(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    guard let directory, path.first != slash else { return path }
    return directory + (directory.last == slash ? [] : [slash]) + path
  }
}
