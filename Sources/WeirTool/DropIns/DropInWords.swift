// The command line of a drop-in name, as getopt_long cuts it: abbreviations,
// permutation and messages are its own.

internal import CFileKernels
internal import Glibc

/// A long option: its name, what it is called here, and whether it has a value.
struct DropInOptionName {
  let name: StaticString
  let value: Int32
  var takesValue = false

  init(_ name: StaticString, _ value: Int32, takesValue: Bool = false) {
    self.name = name
    self.value = value
    self.takesValue = takesValue
  }
}

/// The words of this process.
enum DropInWords {
  /// What the two options are called that every tool has.
  static let (help, version): (Int32, Int32) = (512, 513)

  /// What a letter is called.
  static func letter(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

  /// Takes one option after the other. Ends the program where one is wrong, and
  /// behind --help and --version.
  ///
  /// - Parameters:
  ///   - letters: As getopt has them.
  ///   - names: In GNU's order, which shows where an abbreviation could mean
  ///     several; without --help and --version, which are its last.
  ///   - take: Takes one. Whether there is such a one.
  /// - Returns: Where in argv the operands are.
  static func options(
    _ letters: StaticString, _ names: [DropInOptionName], for dropIn: DropIn,
    _ streams: DropInStreams, take: (Int32) -> Bool
  ) -> Range<Int> {
    let all = names + [DropInOptionName("help", help), DropInOptionName("version", version)]
    let table = all.map { entry in
      kernel_option_t(
        name: characters(entry.name), value: entry.value, has_argument: entry.takesValue)
    }
    let words = Arguments.all
    while true {
      let value = kernel_option_next(
        words.count, words.vector, characters(letters), table, Int32(table.count))
      switch value {
      case -1: return Int(kernel_option_operands())..<Int(words.count)
      case help: end(streams, with: dropIn.help)
      case version: end(streams, with: dropIn.version)
      default: if !take(value) { streams.endWithUsage() }
      }
    }
  }

  /// The bytes of a word of argv. They stay for good.
  static func word(at index: Int) -> UnsafeRawBufferPointer {
    guard let word = Arguments.all.vector[index] else {
      fatalError("argument \(index) of the command line is gone")
    }
    return UnsafeRawBufferPointer(start: word, count: strlen(word))
  }

  private static func characters(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private static func end(_ streams: DropInStreams, with text: String) -> Never {
    streams.write(Array(text.utf8))
    streams.finishLines()
    streams.end(status: 0)
  }
}
