// The drop-in names: called as sha256sum, wc or one of the others, the program is that tool.
//
// The behaviour is that of GNU coreutils 9.1, byte for byte: options as getopt_long parses
// them, the contents and the order of standard output and standard error, the exit status,
// and the files that are opened and how. Only the texts of --help and --version differ, and
// the use of all cores. The drop-in names bypass the argument parser, which would cost more than a
// small file.

internal import CFileKernels
internal import FileJobs
internal import WeirLibC
internal import Weir

struct DropIn: Sendable {
  let name: String
  let work: Work
  /// The prefix of messages: argument 0, with its directories.
  let calledAs: [UInt8]

  /// The kind of work that a tool does.
  enum Work: Sendable {
    /// One digest: md5sum and its like.
    case digest(String)
    /// BLAKE2b of any length.
    case b2sum
    /// The algorithm of the option --algorithm.
    case cksum
    case wc
  }

  private static let tools: [(name: String, work: Work)] =
    ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"].map { ("\($0)sum", .digest($0)) }
    + [("b2sum", .b2sum), ("cksum", .cksum), ("wc", .wc)]

  /// Returns `nil` if the name is not a drop-in name.
  ///
  /// - Parameter calledAs: Argument 0; its last component is the name.
  init?(calledAs: [UInt8]) {
    let base = calledAs.lastComponent
    if base.elementsEqual("weir".utf8) { return nil }  // the table takes 30,000 instructions
    guard let tool = DropIn.tools.first(where: { $0.name.utf8.elementsEqual(base) }) else {
      return nil
    }
    (name, work) = tool
    // GNU's messages omit the directory in which libtool keeps programs before installation.
    let isUninstalled = calledAs.dropLast(base.count).suffix(7).elementsEqual("/.libs/".utf8)
    self.calledAs = isUninstalled ? Array(base) : calledAs
  }

  /// Runs the tool and ends the program if it was called by a drop-in name. Called first in the
  /// program, since the standard descriptors closed at the start are part of the tool's behaviour.
  static func takeOver() {
    guard let word = Arguments.all.vector[0],
      let dropIn = DropIn(calledAs: [UInt8](cString: word))
    else { return }
    // LC_CTYPE only: the other categories would cost more than a small file. GNU's tools count the
    // characters that reorder text as printable.
    kernel_take_locale(false)
    dropIn.run()
  }

  private func run() -> Never {
    let standard = StandardDescriptors()
    let streams = DropInStreams(calledAs: calledAs, standard: standard)
    if case .wc = work { DropInCount(self, streams).run(standard) }
    let options = DropInHashOptions.parse(for: self, streams)
    streams.endsInNewline = !options.isZeroTerminated
    let outcome =
      options.isCheck
      ? DropInCheck(tool: self, options: options, streams: streams).run(standard)
      : DropInHash(options: options, streams: streams).run(standard)
    if outcome.hasReadStandardInput && standard.isInputClosed {
      streams.report("standard input", error: EBADF)
      streams.end(status: 1)
    }
    streams.end(status: outcome.isSuccess ? 0 : 1)
  }
}

struct DropInOutcome {
  let isSuccess: Bool
  let hasReadStandardInput: Bool
}

extension DropIn {
  var version: String {
    """
    \(name) (Weir) \(WeirVersion.description)
    Equivalent to \(name) of GNU coreutils 9.1, but uses all cores.

    """
  }

  /// - Parameter options: The spellings of the options, each as a word: `-c, --check`.
  func help(_ options: [String]) -> String {
    let list = options.map { "  \($0)" }.joined(separator: "\n")
    return """
      Usage: \(String(decoding: calledAs, as: UTF8.self)) [OPTION]... [FILE]...
      This is Weir as \(name): the same on all cores. Without FILE, or if FILE is -, it reads
      standard input.

      \(list)

      Options, output, messages and exit status are those of GNU coreutils 9.1; see \(name)(1).

      """
  }
}
