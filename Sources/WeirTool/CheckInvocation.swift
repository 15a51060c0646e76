// The command that a user typed, for those that are advised.

#if Tool
  internal import Glibc

  /// What an advised command repeats of the one that was typed, so that it reads
  /// the manifests as that one does and can be typed in the same place.
  struct CheckInvocation: Sendable {
    /// What stands behind `-C`, if it was given.
    let directory: [UInt8]?
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
      let words = manifests.map { argument($0.argument, in: place) }
      return command(in: fromOutside(place), words.map { QuotedName.bytes(of: $0) })
    }

    /// A command that reads a manifest through standard input.
    func command(reading manifest: CheckOutput.Manifest) -> [UInt8] {
      // The shell opens it where the user stands.
      command(in: directory, [Array("-".utf8), Array("<".utf8)])
        + CheckInvocation.blank + QuotedName.bytes(of: fromOutside(manifest.argument.bytes))
    }

    private func command(in directory: [UInt8]?, _ words: [[UInt8]]) -> [UInt8] {
      var all = [Array("weir".utf8), Array("check".utf8)]
      if let directory { all += [Array("-C".utf8), QuotedName.bytes(of: directory)] }
      all += options.map { Array($0.utf8) } + words
      return Array(all.joined(separator: CheckInvocation.blank))
    }

    /// The name that a file has where the user stands, before `-C`.
    func fromOutside(_ path: [UInt8]) -> [UInt8] {
      guard let directory, path.first != CheckInvocation.slash else { return path }
      return directory + (directory.last == CheckInvocation.slash ? [] : [CheckInvocation.slash])
        + path
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
#endif
