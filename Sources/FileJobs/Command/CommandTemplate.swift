// A command with places for what it is run for.

/// Something that a command is run for: a file that a walk has found, or a name as
/// it was given.
public struct CommandItem: Sendable, Hashable {
  /// Its bytes, without a NUL.
  public let bytes: [UInt8]
  /// Whether a walk has found it.
  public let isWalked: Bool

  /// An item.
  public init(_ bytes: [UInt8], isWalked: Bool = false) {
    self.bytes = bytes
    self.isWalked = isWalked
  }
}

/// The words of a command, in which `{}` and its like stand for items.
///
///     let template = CommandTemplate([Array("gzip".utf8), Array("{}".utf8)])
///     template.arguments(for: [CommandItem(Array("a.txt".utf8))], number: 1)
///
/// `{}` is the item, `{/}` its last component, `{//}` what stands before that or
/// `.`, `{.}` and `{/.}` the first two without their extension, `{#}` the number of
/// the command. Where no word has any of them, `{}` is appended. With several items
/// a word that has a place for one is there for each of them.
public struct CommandTemplate: Sendable {
  enum Part {
    case text([UInt8])
    case number
    case item(CommandPlaceholder)
  }

  struct Word {
    var parts: [Part] = []
    /// Whether it is there for each item.
    var isOfItems: Bool {
      parts.contains { part in
        if case .item = part { true } else { false }
      }
    }
  }

  let words: [Word]

  /// A command.
  ///
  /// - Parameter words: The program and its arguments, at least one.
  public init(_ words: [[UInt8]]) {
    var parsed = words.map { CommandTemplate.parse($0) }
    let hasPlace = parsed.contains { word in
      word.parts.contains { part in
        if case .text = part { false } else { true }
      }
    }
    if !hasPlace { parsed.append(Word(parts: [.item(.whole)])) }
    self.words = parsed
  }

  /// Whether the program itself depends on the items.
  public var programIsOfItems: Bool { words.first?.isOfItems ?? false }

  /// The arguments of one command, the program first.
  public func arguments(for items: [CommandItem], number: UInt64) -> [[UInt8]] {
    var arguments: [[UInt8]] = []
    for word in words {
      if word.isOfItems {
        for item in items { arguments.append(CommandTemplate.expand(word, item, number)) }
      } else {
        arguments.append(CommandTemplate.expand(word, nil, number))
      }
    }
    return arguments
  }

  /// At most how many bytes of the system's room for arguments an item takes, of so
  /// many bytes; without one, how many the words take that are there in any case.
  func cost(of itemCount: Int?) -> Int {
    var cost = 0
    for word in words where word.isOfItems == (itemCount != nil) {
      cost += CommandTemplate.overhead
      for part in word.parts {
        switch part {
        case .text(let text): cost += text.count
        case .number: cost += 20
        // A walked one may get `./`.
        case .item: cost += (itemCount ?? 0) + 2
        }
      }
    }
    return cost
  }

  /// A NUL and a pointer.
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
        // Else a file called -rf would be an option.
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
      } else if let place = CommandPlaceholder.allCases.first(where: {
        rest.starts(with: $0.rawValue.utf8)
      }) {
        take(.item(place), place.rawValue.utf8.count)
      } else {
        text.append(byte)
        rest = rest.dropFirst()
      }
    }
    if !text.isEmpty || result.parts.isEmpty { result.parts.append(.text(text)) }
    return result
  }
}

/// What can stand for an item.
enum CommandPlaceholder: String, CaseIterable {
  case whole = "{}"
  case last = "{/}"
  case directory = "{//}"
  case stem = "{.}"
  case lastStem = "{/.}"

  private static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")

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
    // The root stays.
    return end.map { name[..<$0] } ?? name.prefix(1)
  }

  /// As basename(1) has it.
  private static func last(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = withoutSlashes(name)
    guard name.count > 1, let place = name.lastIndex(of: slash) else { return name }
    return name[(place + 1)...]
  }

  /// As dirname(1) has it.
  private static func directory(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = withoutSlashes(name)
    guard let place = name.lastIndex(of: slash) else { return [dot] }
    return withoutSlashes(name[...place])
  }

  /// Without what follows the last dot of the last component, unless it begins with
  /// that.
  private static func stem(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let place = name.lastIndex(of: dot), place > name.startIndex,
      name[place - 1] != slash, !name[place...].contains(slash)
    else { return name }
    return name[..<place]
  }
}
