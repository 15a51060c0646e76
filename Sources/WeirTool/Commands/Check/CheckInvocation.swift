// The command that a user typed, for those that are advised.

internal import Glibc

/// What an advised command repeats of the one that was typed, so that it reads
/// the manifests as that one does and can be typed in the same place.
struct CheckInvocation: Sendable {
  /// What stands behind `-C`, if it was given.
  let directory: [UInt8]?
  /// What stands behind `--audit`, if it was given.
  var audit: [UInt8]?
  /// The options that belong to it, given where files are from one place or
  /// another.
  var auditWords: @Sendable ((RawArgument) -> [UInt8]) -> [[UInt8]] = { _ in [] }
  /// The options that decide how manifests are read and what is said, each as a
  /// word a shell reads as it is.
  let options: [String]

  private static let slash = UInt8(ascii: "/")
  private static let blank = [UInt8(ascii: " ")]

  /// A command that verifies in another place.
  ///
  /// - Parameter place: A directory, by its name from where the run is: behind
  ///   `-C`, if that was given.
  func command(in place: [UInt8], _ manifests: [CheckOutput.Manifest]) -> [UInt8] {
    if audit != nil && directory == nil {
      // Manifests and lists are named from where the user stands in any case.
      let words = manifests.map { QuotedName.bytes(of: $0.argument.bytes) }
      return command(in: nil, audit: fromOutside(place), auditWords { $0.bytes } + words)
    }
    let words = manifests.map { QuotedName.bytes(of: argument($0.argument, in: place)) }
    return command(
      in: fromOutside(place), audit: audit.map { tree($0, in: place) },
      auditWords { argument($0, in: place) } + words)
  }

  /// A command that reads a manifest through standard input.
  func command(reading manifest: CheckOutput.Manifest) -> [UInt8] {
    // The shell opens it where the user stands.
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

  /// The name that a file has where the user stands, before `-C`.
  func fromOutside(_ path: [UInt8]) -> [UInt8] {
    guard let directory = directory ?? audit, path.first != CheckInvocation.slash else {
      return path
    }
    return directory + (directory.last == CheckInvocation.slash ? [] : [CheckInvocation.slash])
      + path
  }

  /// The name that a manifest has where the user stands.
  private func fromShell(_ path: [UInt8]) -> [UInt8] {
    directory == nil ? path : fromOutside(path)
  }

  /// A tree as it is called from a place: what is above it stays what it is.
  private func tree(_ path: [UInt8], in place: [UInt8]) -> [UInt8] {
    let here = Array(".".utf8)
    return path == here || path == place ? here : argument(RawArgument(bytes: path), in: place)
  }

  /// The manifest as it is called from a place.
  private func argument(_ manifest: RawArgument, in place: [UInt8]) -> [UInt8] {
    let path = manifest.bytes
    if path.first == CheckInvocation.slash || manifest.openDescriptor != nil { return path }
    if path.starts(with: place + [CheckInvocation.slash]) {
      let rest = Array(path[place.count...].drop { $0 == CheckInvocation.slash })
      return rest.first == UInt8(ascii: "-") ? Array("./".utf8) + rest : rest
    }
    guard let here = getcwd(nil, 0) else { return path }
    defer { free(here) }
    let directory = Array(UnsafeRawBufferPointer(start: here, count: strlen(here)))
    return directory + [CheckInvocation.slash] + path
  }
}
