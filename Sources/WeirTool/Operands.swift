// The PATHs of a command line, past the parser.

#if Tool
  internal import ArgumentParser

  /// The operands of a verb that reads files, and the rest of the command line.
  ///
  /// A command line can have a hundred thousand names, and the parser takes the
  /// square of their number in time (20,000 took nine seconds). So it is given
  /// the options alone, with one operand to stand for all where there is any, and
  /// the names go round it, as bytes.
  struct Operands {
    /// The names, in order.
    let names: [RawArgument]
    /// What is left for the parser.
    let rest: [RawArgument]

    private static let standIn = RawArgument(bytes: Array(".".utf8))
    private static let endOfOptions = RawArgument(bytes: Array("--".utf8))

    /// Takes the operands out of the words behind a verb.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - valueOptions: The options whose value is the next word.
    init(in words: [RawArgument], valueOptions: Set<String>) {
      var names: [RawArgument] = []
      var rest: [RawArgument] = []
      var iterator = words.makeIterator()
      while let word = iterator.next() {
        if word == Operands.endOfOptions {
          while let name = iterator.next() { names.append(name) }
        } else if !word.isOption {
          names.append(word)
        } else {
          rest.append(word)
          if valueOptions.contains(word.text), let value = iterator.next() { rest.append(value) }
        }
      }
      if !names.isEmpty { rest.append(Operands.standIn) }
      self.names = names
      self.rest = rest
    }
  }

  extension RawArgument {
    /// Whether it begins with a dash and is not the name of standard input.
    fileprivate var isOption: Bool {
      bytes.first == UInt8(ascii: "-") && bytes.count > 1
    }
  }

  /// A verb that takes operands round the parser.
  protocol TakesOperands: ParsableCommand {
    /// Its options whose value is the next word.
    static var valueOptions: Set<String> { get }
    /// Where the operands go.
    var files: FileOptions { get set }
  }
#endif
