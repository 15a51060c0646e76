/// The words of a command, with placeholders such as `{}` for items.
///
///     let template = CommandTemplate([Array("gzip".utf8), Array("{}".utf8)])
///     let job = try CommandJob(template)
///
/// `{}` is the item, `{/}` its last component, `{//}` its directory or `.`, `{.}` and
/// `{/.}` the first two without their extension, `{#}` the number of the command. If no
/// word has a placeholder, `{}` is appended. A word with a placeholder for an item is
/// repeated for each item. Another text than `{}` can stand for the item; its halves then
/// enclose the others, as in `[]` and `[/]`.
public struct CommandTemplate: Sendable {
  enum Part {
    case text([UInt8])
    case number
    case item(CommandPlaceholder)
  }

  struct Word {
    var parts: [Part] = []
    var isPerItem: Bool {
      parts.contains { part in
        if case .item = part { true } else { false }
      }
    }
  }

  let words: [Word]

  /// Makes a template of a program and its arguments, with a text that stands for the item.
  public init(_ words: [[UInt8]], placeholder: [UInt8] = Array("{}".utf8)) {
    let parts = CommandTemplate.parts(placeholder)
    var parsed = words.map { CommandTemplate.parse($0, parts) }
    let hasPlaceholder = parsed.contains { word in
      word.parts.contains { part in
        if case .text = part { false } else { true }
      }
    }
    if !hasPlaceholder { parsed.append(Word(parts: [.item(.whole)])) }
    self.words = parsed
  }

  package var programDependsOnItems: Bool { words.first?.isPerItem ?? false }

  /// Returns the arguments of one command, the program first.
  package func arguments(for items: [CommandItem], number: UInt64) -> [[UInt8]] {
    var arguments: [[UInt8]] = []
    for word in words {
      if word.isPerItem {
        for item in items { arguments.append(CommandTemplate.expand(word, item, number)) }
      } else {
        arguments.append(CommandTemplate.expand(word, nil, number))
      }
    }
    return arguments
  }

  /// Returns the number of bytes that an item of a size adds to the arguments, at most;
  /// with `nil`, the number of bytes that the words without items take.
  func cost(of itemCount: Int?) -> Int {
    var cost = 0
    for word in words where word.isPerItem == (itemCount != nil) {
      cost += CommandTemplate.overhead
      for part in word.parts {
        switch part {
        case .text(let text): cost += text.count
        case .number: cost += 20
        // An item of a walk may get `./`.
        case .item: cost += (itemCount ?? 0) + 2
        }
      }
    }
    return cost
  }

  /// The NUL and the pointer of each argument.
  private static let overhead = 1 + MemoryLayout<UnsafeRawPointer>.size

  private static func expand(_ word: Word, _ item: CommandItem?, _ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in word.parts {
      switch part {
      case .text(let text): bytes += text
      case .number: bytes += String(number).utf8
      case .item(let placeholder):
        guard let item else { continue }
        let value = placeholder.value(of: item.bytes[...])
        // A file with the name -rf must not become an option.
        if item.isWalked && bytes.isEmpty && value.first == UInt8(ascii: "-") {
          bytes += "./".utf8
        }
        bytes += value
      }
    }
    return bytes
  }

  private static func parts(_ placeholder: [UInt8]) -> [(text: [UInt8], part: Part)] {
    if placeholder.count % 2 == 1 { return [(placeholder, .item(.whole))] }
    let half = placeholder.count / 2
    func text(_ inner: String) -> [UInt8] {
      Array(placeholder[..<half] + inner.utf8 + placeholder[half...])
    }
    return [(text("#"), .number)]
      + CommandPlaceholder.allCases.map { (text($0.rawValue), .item($0)) }
  }

  private static func parse(_ word: [UInt8], _ parts: [(text: [UInt8], part: Part)]) -> Word {
    var result = Word()
    var text: [UInt8] = []
    var rest = word[...]
    while let byte = rest.first {
      if let found = parts.first(where: { rest.starts(with: $0.text) }) {
        if !text.isEmpty { result.parts.append(.text(text)) }
        text = []
        result.parts.append(found.part)
        rest = rest.dropFirst(found.text.count)
      } else {
        text.append(byte)
        rest = rest.dropFirst()
      }
    }
    if !text.isEmpty || result.parts.isEmpty { result.parts.append(.text(text)) }
    return result
  }
}
