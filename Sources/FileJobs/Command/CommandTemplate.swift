/// An item that a command is run for: a file that a walk has found, or a name from the
/// command line or a list.
public struct CommandItem: Sendable, Hashable {
  /// The bytes of the item, without a NUL.
  public let bytes: [UInt8]
  /// True if a walk has found the item.
  public let isWalked: Bool

  /// Makes an item.
  public init(_ bytes: [UInt8], isWalked: Bool = false) {
    self.bytes = bytes
    self.isWalked = isWalked
  }
}

/// The words of a command, with placeholders such as `{}` for items.
///
///     let template = CommandTemplate([Array("gzip".utf8), Array("{}".utf8)])
///     template.arguments(for: [CommandItem(Array("a.txt".utf8))], number: 1)
///
/// `{}` is the item, `{/}` its last component, `{//}` its directory or `.`, `{.}` and
/// `{/.}` the first two without their extension, `{#}` the number of the command. If no
/// word has a placeholder, `{}` is appended. A word with a placeholder for an item is
/// repeated for each item.
public struct CommandTemplate: Sendable {
  enum Part {
    case text([UInt8])
    case number
    case item(CommandPlaceholder)
  }

  struct Word {
    var parts: [Part] = []
    /// True if the word is repeated for each item.
    var isPerItem: Bool {
      parts.contains { part in
        if case .item = part { true } else { false }
      }
    }
  }

  let words: [Word]

  /// Makes a template.
  ///
  /// - Parameter words: The program and its arguments, at least one.
  public init(_ words: [[UInt8]]) {
    var parsed = words.map { CommandTemplate.parse($0) }
    let hasPlaceholder = parsed.contains { word in
      word.parts.contains { part in
        if case .text = part { false } else { true }
      }
    }
    if !hasPlaceholder { parsed.append(Word(parts: [.item(.whole)])) }
    self.words = parsed
  }

  /// A Boolean value that indicates whether the program itself depends on the items.
  public var programDependsOnItems: Bool { words.first?.isPerItem ?? false }

  /// Returns the arguments of one command, the program first.
  public func arguments(for items: [CommandItem], number: UInt64) -> [[UInt8]] {
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

  private static func parse(_ word: [UInt8]) -> Word {
    var result = Word()
    var text: [UInt8] = []
    var rest = word[...]
    func take(_ part: Part, _ length: Int) {
      if !text.isEmpty { result.parts.append(.text(text)) }
      text = []
      result.parts.append(part)
      rest = rest.dropFirst(length)
    }
    while let byte = rest.first {
      if rest.starts(with: "{#}".utf8) {
        take(.number, 3)
      } else if let placeholder = CommandPlaceholder.allCases.first(where: {
        rest.starts(with: $0.rawValue.utf8)
      }) {
        take(.item(placeholder), placeholder.rawValue.utf8.count)
      } else {
        text.append(byte)
        rest = rest.dropFirst()
      }
    }
    if !text.isEmpty || result.parts.isEmpty { result.parts.append(.text(text)) }
    return result
  }
}

/// A placeholder for an item.
enum CommandPlaceholder: String, CaseIterable {
  case whole = "{}"
  case last = "{/}"
  case directory = "{//}"
  case stem = "{.}"
  case lastStem = "{/.}"

  private static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")

  /// Returns the text that replaces the placeholder.
  func value(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    switch self {
    case .whole: name
    case .last: CommandPlaceholder.last(of: name)
    case .directory: CommandPlaceholder.directory(of: name)
    case .stem: CommandPlaceholder.stem(of: name)
    case .lastStem: CommandPlaceholder.stem(of: CommandPlaceholder.last(of: name))
    }
  }

  private static func withoutSlashes(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let end = name.lastIndex { $0 != slash }.map { $0 + 1 }
    // For the root one slash remains.
    return end.map { name[..<$0] } ?? name.prefix(1)
  }

  /// Returns the last component by the rules of basename(1).
  private static func last(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = withoutSlashes(name)
    guard name.count > 1, let place = name.lastIndex(of: slash) else { return name }
    return name[(place + 1)...]
  }

  /// Returns the directory by the rules of dirname(1).
  private static func directory(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = withoutSlashes(name)
    guard let place = name.lastIndex(of: slash) else { return [dot] }
    return withoutSlashes(name[...place])
  }

  /// Returns a name without its extension: the last dot of the last component and the
  /// bytes after it, unless the component begins with that dot.
  private static func stem(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let place = name.lastIndex(of: dot), place > name.startIndex,
      name[place - 1] != slash, !name[place...].contains(slash)
    else { return name }
    return name[..<place]
  }
}

// MARK: - Commands of a log

// DESIGN. A job log has commands and not the items that they were made from: its columns
// are those of GNU parallel, which have no place for items. A log of another command is
// detected here, before any command is run: each command of the log must have the words
// of the template, with any text for an item or a number.

extension CommandTemplate {
  /// Returns true if there are items for which these are the arguments.
  func canProduce(_ arguments: [[UInt8]]) -> Bool {
    let perItem = words.count { $0.isPerItem }
    let others = arguments.count - (words.count - perItem)
    guard others >= perItem, perItem > 0 ? others % perItem == 0 : others == 0 else {
      return false
    }
    let items = perItem > 0 ? others / perItem : 0
    var rest = arguments[...]
    for word in words {
      let count = word.isPerItem ? items : 1
      guard rest.prefix(count).allSatisfy({ word.canProduce($0) }) else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

extension CommandTemplate.Word {
  fileprivate func canProduce(_ argument: [UInt8]) -> Bool {
    var rest = argument[...]
    // True if any text may precede the next part.
    var isAnyAllowed = false
    for (index, part) in parts.enumerated() {
      guard case .text(let text) = part else {
        isAnyAllowed = true
        continue
      }
      if isAnyAllowed && index == parts.count - 1 {
        return rest.count >= text.count && rest.suffix(text.count).elementsEqual(text)
      }
      while isAnyAllowed && !rest.isEmpty && !rest.starts(with: text) { rest = rest.dropFirst() }
      guard rest.starts(with: text) else { return false }
      rest = rest.dropFirst(text.count)
      isAnyAllowed = false
    }
    return isAnyAllowed || rest.isEmpty
  }
}
