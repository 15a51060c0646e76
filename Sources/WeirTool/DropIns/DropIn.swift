// The names by which the program is another one: sha256sum and its like.
//
// Called so, it is that tool of GNU coreutils 9.1, byte for byte: options by
// getopt_long, standard output and standard error in the order in which GNU
// writes them, exit status, what is opened and how. Only the texts of --help and
// --version are its own; and it uses all cores. Nothing of this goes through the
// argument parser, which would cost more than a small file.

internal import CFileKernels
internal import Glibc

/// The tool that the program was called as.
struct DropIn: Sendable {
  /// Its name, as "sha256sum".
  let name: String
  /// The digest's name, as users type it: "sha256"; of wc nothing.
  let algorithm: String
  /// What it calls itself in messages: how it was called, directories and all.
  let calledAs: [UInt8]

  private static let names = [
    "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "wc",
  ]

  /// The tool of a name; `nil` where the name is not one of these.
  ///
  /// - Parameter calledAs: Argument 0; its last component decides.
  init?(calledAs: [UInt8]) {
    let slash = UInt8(ascii: "/")
    let base = calledAs[(calledAs.lastIndex(of: slash).map { $0 + 1 } ?? 0)...]
    guard let name = DropIn.names.first(where: { $0.utf8.elementsEqual(base) }) else {
      return nil
    }
    self.name = name
    algorithm = name.hasSuffix("sum") ? String(name.dropLast("sum".count)) : ""
    // Where libtool keeps what is not installed yet, GNU leaves directories out.
    let isUninstalled = calledAs.dropLast(base.count).suffix(7).elementsEqual("/.libs/".utf8)
    self.calledAs = isUninstalled ? Array(base) : calledAs
  }

  /// Is the tool, where the program was called as one, and ends with it. Else
  /// it does nothing. It has to come first: which standard descriptors are
  /// closed is part of what the tool does.
  static func takeOver() {
    guard let word = Arguments.all.vector[0],
      let dropIn = DropIn(calledAs: bytes(of: word))
    else { return }
    kernel_take_locale()  // the rest would cost more than a small file
    dropIn.run()
  }

  private func run() -> Never {
    let standard = StandardDescriptors()
    let streams = DropInStreams(calledAs: calledAs, standard: standard)
    if isCounter { DropInCount(self, streams).run(standard) }
    let options = DropInOptions.parse(for: self, streams)
    streams.endsInNewline = !options.isZeroTerminated
    let outcome =
      options.isCheck
      ? DropInCheck(self, options, streams).run(standard)
      : DropInHash(self, options, streams).run(standard)
    if outcome.hasReadStandardInput && standard.isInputClosed {
      streams.say(Array("standard input".utf8), error: EBADF)
      streams.end(status: 1)
    }
    streams.end(status: outcome.isWell ? 0 : 1)
  }

  /// Whether it is wc.
  var isCounter: Bool { algorithm.isEmpty }

  /// The bytes of a string of C's.
  static func bytes(of string: UnsafePointer<CChar>) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: string, count: strlen(string)))
  }

  /// Its tag in BSD lines, and in what is said of lines: "SHA256".
  var tag: String { algorithm.uppercased() }
}

/// What became of all.
struct DropInOutcome {
  let isWell: Bool
  let hasReadStandardInput: Bool
}
