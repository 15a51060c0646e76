// The command line of a verb, parsed by its table.
//
// DESIGN. Names are bytes, and a command line may have a hundred thousand of them. Options may
// stand among them, in any order, joined to their values or not. The order of PATHs and lists
// matters, so both are kept here and not by the verb. A mistake is reported where it stands:
// what comes before it was examined, what comes after it was not. A long option cannot be
// abbreviated: a prefix that is unique today need not be tomorrow.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage

/// The words after a verb, without the values that its request holds.
struct Operands {
  enum Input: Equatable {
    case path(RawArgument)
    /// A file that lists names, or `-`.
    case list(RawArgument, separator: UInt8)
  }

  /// Open descriptors by name: an array, since the runtime takes longer to find that bytes are
  /// hashable, once, than to read a small file; and a command line names few descriptors.
  struct Opened {
    fileprivate var all: [(name: [UInt8], descriptor: FileDescriptor)] = []

    subscript(name: [UInt8]) -> FileDescriptor? { all.first { $0.name == name }?.descriptor }
  }

  /// The PATHs and lists, in the order given.
  private(set) var inputs: [Input] = []
  /// The open descriptors among the inputs, by name: recorded before the program opens
  /// any file itself.
  private(set) var opened = Opened()
  /// The words after `--` for a verb that takes a command; `nil` if there is no `--`.
  private(set) var command: [RawArgument]?
  /// The options in the order given, each with the words that stand for it in the parts of
  /// shards: `--zero`, `--algorithm=md5`.
  private(set) var given: [(option: OptionText, word: [UInt8])] = []
  /// The answer that an option requests instead of a run. Later words do not matter, even if they
  /// are mistakes.
  var answer: Answer?

  private var verb = ""

  /// The words after the option with the answer.
  private(set) var rest: [RawArgument] = []

  var allNames: [RawArgument] {
    inputs.map { input in
      switch input {
      case .path(let name), .list(let name, _): name
      }
    }
  }

  var names: [RawArgument] {
    inputs.compactMap { input in
      guard case .path(let name) = input else { return nil }
      return name
    }
  }

  /// The names of the inputs that are terminals, with `-` for standard input if no input is
  /// given; `nil` if none is. A verb without inputs may read other files instead.
  var terminals: Set<[UInt8]>? {
    if inputs.isEmpty { return TerminalStream.input.isTerminal ? [Array("-".utf8)] : nil }
    let names = opened.all.filter { isatty($0.descriptor.rawValue) == 1 }.map(\.name)
    return names.isEmpty ? nil : Set(names)
  }

  /// Removes the PATHs that stand there twice, and the files among them that lie below another one: a
  /// walk finds each by the name that it has below the other one.
  ///
  /// - Parameter areLinks: True to remove links too.
  mutating func removeCoveredFiles(followsLinks: Bool, areLinks: Bool = false) {
    let all = Set(names.filter { opened[$0.bytes] == nil }.map { canonicalPath($0.bytes) })
    var seen: Set<[UInt8]> = []
    inputs.removeAll { [opened] input in
      guard case .path(let name) = input, opened[name.bytes] == nil else { return false }
      let path = canonicalPath(name.bytes)
      return !seen.insert(path).inserted
        || Operands.isCovered(path, by: all, followsLinks: followsLinks, areLinks: areLinks)
    }
  }

  private static func isCovered(
    _ path: [UInt8], by all: Set<[UInt8]>, followsLinks: Bool, areLinks: Bool
  ) -> Bool {
    func type(_ path: some Sequence<UInt8>, followsLinks: Bool) -> mode_t? {
      (try? LongPath.status(Array(path) + [0], followsLinks: followsLinks)).map {
        $0.st_mode & S_IFMT
      }
    }
    let own = type(path, followsLinks: false)
    if own != S_IFREG && !(areLinks && own == S_IFLNK) { return false }
    // It may lead out of a link.
    let leaves = path.split(separator: .slash).contains { $0.elementsEqual("..".utf8) }
    if path.isEmpty || leaves { return false }
    var end = path.count
    while end > 0,
      followsLinks || end == path.count || type(path[..<end], followsLinks: false) != S_IFLNK
    {
      let start = path[..<end].lastIndex(of: .slash)
      let parent = start == 0 ? [.slash] : Array(path[..<(start ?? 0)])
      let name = parent.isEmpty ? [UInt8(ascii: ".")] : parent
      if all.contains(parent) && parent != path && type(name, followsLinks: true) == S_IFDIR {
        return true
      }
      end = start ?? 0
    }
    return false
  }

  mutating func append(list name: RawArgument, separator: UInt8) {
    append(.list(name, separator: separator), name)
  }

  private mutating func append(path name: RawArgument) { append(.path(name), name) }

  private mutating func append(_ input: Input, _ name: RawArgument) {
    inputs.append(input)
    guard opened[name.bytes] == nil, let descriptor = name.openDescriptor else { return }
    opened.all.append((name.bytes, descriptor))
  }

  /// The filters of a walk, in the order given: `exclude` or `include`, and the pattern.
  var filters: [(name: String, pattern: ArraySlice<UInt8>)] {
    given.filter { [WalkOptions.excludeName, WalkOptions.includeName].contains($0.option.name) }
      .map { (String($0.option.name.dropFirst(2)), $0.word[($0.option.name.utf8.count + 1)...]) }
  }

  /// Returns the last value of an option; `nil` if it is not given.
  func value(of name: String) -> RawArgument? {
    given.last { $0.option.name == name }
      .map { RawArgument(bytes: Array($0.word.dropFirst(name.utf8.count + 1))) }
  }

  // MARK: Parsing

  /// Takes an option: the value, or the word itself for an option without a value. Returns the
  /// words that stand for the value.
  typealias Take =
    (_ option: Int, inout Operands, _ value: RawArgument) throws(UsageError) -> [String]

  init() {}

  /// Parses the words after a verb. The options are asked for at the first one only.
  init(
    _ words: [RawArgument], of verb: String, takesCommand: Bool, takesManifests: Bool,
    options: () -> [OptionText], take: Take
  ) throws(UsageError) {
    self.verb = verb
    func operand(_ name: RawArgument) -> RawArgument {
      takesManifests ? StartDirectory.path(ofManifestOrTree: name) : name
    }
    var iterator = words.makeIterator()
    while answer == nil, let word = iterator.next() {
      if word.bytes == Array("--".utf8) && takesCommand {
        command = Array(IteratorSequence(iterator))
        return
      } else if word.bytes == Array("--".utf8) {
        while let name = iterator.next() { append(path: operand(name)) }
      } else if word.bytes.starts(with: "--".utf8) {
        try takeLong(word, options(), &iterator, take)
      } else if word.bytes.first == UInt8(ascii: "-") && word.bytes.count > 1 {
        try takeLetters(word, options(), &iterator, take)
      } else {
        append(path: operand(word))
      }
    }
    rest = Array(IteratorSequence(iterator))
  }

  private mutating func takeLong(
    _ word: RawArgument, _ options: [OptionText],
    _ iterator: inout some IteratorProtocol<RawArgument>, _ take: Take
  ) throws(UsageError) {
    let end = word.bytes.firstIndex(of: UInt8(ascii: "=")) ?? word.bytes.count
    let name = RawArgument(bytes: Array(word.bytes[..<end]))
    let joined =
      end < word.bytes.count ? RawArgument(bytes: Array(word.bytes[(end + 1)...])) : nil
    guard let index = options.firstIndex(where: { $0.name == name.text }) else {
      throw UsageError(unknownOption: name, of: verb, among: options.map(\.name))
    }
    if options[index].isFlag && joined != nil {
      throw UsageError("option \(name.text) takes no value")
    }
    try takeValue(of: options, index, as: name, joined, &iterator, take)
  }

  /// Takes letters after one dash; the last letter may be joined to its value.
  private mutating func takeLetters(
    _ word: RawArgument, _ options: [OptionText],
    _ iterator: inout some IteratorProtocol<RawArgument>, _ take: Take
  ) throws(UsageError) {
    var letters = word.bytes.dropFirst()
    while answer == nil, let letter = letters.first {
      guard let index = options.firstIndex(where: { $0.letter == letter }) else {
        // A whole character, if the bytes are one.
        let rest = String(decoding: letters, as: UTF8.self).unicodeScalars.first.map(String.init)
        let character = rest.map { Array($0.utf8) } ?? []
        let shown = letters.starts(with: character) ? character : [letter]
        throw UsageError(
          unknownOption: RawArgument(bytes: [UInt8(ascii: "-")] + shown),
          of: verb, among: options.map(\.name))
      }
      letters = letters.dropFirst()
      let spelling = RawArgument(bytes: [UInt8(ascii: "-"), letter])
      let isFlag = options[index].isFlag
      let joined = isFlag || letters.isEmpty ? nil : RawArgument(bytes: Array(letters))
      try takeValue(of: options, index, as: spelling, joined, &iterator, take)
      if !isFlag { return }
    }
  }

  private mutating func takeValue(
    of options: [OptionText], _ index: Int, as spelling: RawArgument, _ joined: RawArgument?,
    _ iterator: inout some IteratorProtocol<RawArgument>, _ take: Take
  ) throws(UsageError) {
    let option = options[index]
    guard let value = option.isFlag ? spelling : joined ?? iterator.next() else {
      throw UsageError("option \(spelling.text) needs a value")
    }
    let words = try take(index, &self, value)
    let name = Array(option.name.utf8)
    if option.isFlag { return given.append((option, name)) }
    let equals = [UInt8(ascii: "=")]
    // A name keeps its bytes.
    if words == [value.text] { return given.append((option, name + equals + value.bytes)) }
    given += words.map { (option, name + equals + Array($0.utf8)) }
  }
}

/// An answer that an option requests instead of a run.
enum Answer: Equatable {
  enum Shell: String, CaseIterable {
    case bash, fish, zsh
  }

  case briefHelp
  case help
  case version
  case completionScript(Shell)
  case manualPage(RawArgument)
  case reference
}
