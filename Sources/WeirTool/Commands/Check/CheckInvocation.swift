// The command line of a check, for the commands that it advises.

/// The command line of a check. An advised command repeats its options, so that it reads
/// the manifests in the same way and can be typed in the same directory.
struct CheckInvocation: Sendable {
  /// The directory of `-C`.
  let directory: [UInt8]?
  /// The directory of `--audit`.
  var audit: [UInt8]?
  /// Returns the options of the audit, with the names of files mapped to another
  /// directory.
  var auditWords: @Sendable ((RawArgument) -> [UInt8]) -> [[UInt8]] = { _ in [] }
  /// The options on manifests and output, each as a word that needs no quotes.
  let options: [String]

  private static let slash = UInt8(ascii: "/")
  private static let blank = [UInt8(ascii: " ")]

  /// Returns a command that verifies in another directory.
  ///
  /// - Parameter place: The directory, relative to the working directory of the run.
  func command(in place: [UInt8], _ manifests: [CheckOutput.Manifest]) -> [UInt8] {
    if audit != nil && directory == nil {
      // Manifests and lists are relative to the user's directory in any case.
      let words = manifests.map { QuotedName.bytes(of: $0.argument.bytes) }
      return command(in: nil, audit: fromOutside(place), auditWords { $0.bytes } + words)
    }
    let words = manifests.map { QuotedName.bytes(of: argument($0.argument, in: place)) }
    return command(
      in: fromOutside(place), audit: audit.map { tree($0, in: place) },
      auditWords { argument($0, in: place) } + words)
  }

  /// Returns a command that reads a manifest through standard input.
  func command(reading manifest: CheckOutput.Manifest) -> [UInt8] {
    // The shell opens the manifest in the user's directory.
    command(
      in: directory, audit: audit,
      auditWords { $0.bytes } + [Array("-".utf8), Array("<".utf8)])
      + CheckInvocation.blank + QuotedName.bytes(of: fromShell(manifest.argument.bytes))
  }

  private func command(
    in directory: [UInt8]?, audit: [UInt8]?, _ words: [[UInt8]]
  ) -> [UInt8] {
    var all = [Array("weir".utf8), Array("check".utf8)]
    if let directory { all += [Array("-C".utf8), QuotedName.bytes(of: directory)] }
    if let audit { all += [Array("--audit".utf8), QuotedName.bytes(of: audit)] }
    all += options.map { Array($0.utf8) } + words
    return Array(all.joined(separator: CheckInvocation.blank))
  }

  /// Returns a path relative to the user's directory, where `-C` has no effect yet.
  func fromOutside(_ path: [UInt8]) -> [UInt8] {
    guard let directory = directory ?? audit, path.first != CheckInvocation.slash else {
      return path
    }
    return directory + (directory.last == CheckInvocation.slash ? [] : [CheckInvocation.slash])
      + path
  }

  /// Returns the path of a manifest relative to the user's directory.
  private func fromShell(_ path: [UInt8]) -> [UInt8] {
    directory == nil ? path : fromOutside(path)
  }

  /// Returns the root of an audit as named from a directory.
  private func tree(_ path: [UInt8], in place: [UInt8]) -> [UInt8] {
    let here = Array(".".utf8)
    return path == here || path == place ? here : argument(RawArgument(bytes: path), in: place)
  }

  /// Returns a manifest as named from a directory.
  private func argument(_ manifest: RawArgument, in place: [UInt8]) -> [UInt8] {
    let path = manifest.bytes
    if path.first == CheckInvocation.slash || manifest.openDescriptor != nil { return path }
    if path.starts(with: place + [CheckInvocation.slash]) {
      let rest = Array(path[place.count...].drop { $0 == CheckInvocation.slash })
      return rest.first == UInt8(ascii: "-") ? Array("./".utf8) + rest : rest
    }
    return workingDirectory().map { $0 + [CheckInvocation.slash] + path } ?? path
  }
}
