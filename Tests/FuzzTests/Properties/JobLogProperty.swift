// Job logs: words are read back by a parser of shell words, and a written line is parsed.

import SystemPackage

@testable import FileJobs
@testable import Weir

enum JobLogProperty {
  static func check(_ input: inout FuzzInput) throws {
    let choice = input.byte()
    switch choice & 3 {
    case 0: try checkWords(input.all())
    case 1: try checkLog(input.all(), choice)
    case 2: try checkTemplate(&input)
    default: try checkLine(&input, choice)
    }
  }

  private static func checkWords(_ text: [UInt8]) throws {
    guard let words = SecondShell.words(text) else { return }
    let line = ShellWords.line(of: words)
    try expect(line.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control byte in a line")
    try expect(SecondShell.words(line) == words, "other words are read back")
  }

  private static func checkLog(_ text: [UInt8], _ choice: UInt8) throws {
    let file = FuzzFile(text)
    let resumption: JobLog.Resumption = choice & 4 == 0 ? .all : .successes
    do {
      let log = try JobLog(file.path, resumption)
      let bytes = file.bytes
      try expect(
        bytes.starts(with: JobLogLine.header) || text.count > JobLogLine.header.count,
        "a log without its header")
      try expect(
        text.starts(with: bytes) || bytes.elementsEqual(JobLogLine.header), "the log changed")
      _ = log.find([Array("echo".utf8), Array("a".utf8)])
    } catch {
      try expect(file.bytes == text, "a refused log has changed")
    }
  }

  /// The words of a template with an item cost what it says, and `{/}` and `{//}` are basename and
  /// dirname.
  private static func checkTemplate(_ input: inout FuzzInput) throws {
    let item = input.field()
    var words: [[UInt8]] = []
    while !input.rest.isEmpty && words.count < 6 { words.append(input.field()) }
    if words.isEmpty { words = [Array("x".utf8)] }
    let template = CommandTemplate(words)
    let arguments = template.arguments(for: [CommandItem(item)], number: 7)
    let size = arguments.reduce(0) { $0 + $1.count + 9 }
    let cost = template.cost(of: nil) + template.cost(of: item.count)
    try expect(size <= cost, "a command costs \(size), not \(cost)")
    if item.isEmpty { return }
    for (placeholder, tool) in [(CommandPlaceholder.last, last(item)), (.directory, parent(item))] {
      try expect(Array(placeholder.value(of: item[...])) == tool, "\(placeholder) of \(item)")
    }
  }

  private static func last(_ name: [UInt8]) -> [UInt8] {
    let parts = name.split(separator: 0x2F)
    return parts.last.map(Array.init) ?? [0x2F]
  }

  private static func parent(_ name: [UInt8]) -> [UInt8] {
    var name = name
    while name.count > 1 && name.last == 0x2F { name.removeLast() }
    guard let slash = name.lastIndex(of: 0x2F) else { return [0x2E] }
    name = Array(name[...slash])
    while name.count > 1 && name.last == 0x2F { name.removeLast() }
    return name
  }

  private static func checkLine(_ input: inout FuzzInput, _ choice: UInt8) throws {
    var bits: UInt64 = 0
    for _ in 0..<8 { bits = bits << 8 | UInt64(input.byte()) }
    let seconds = Double(bitPattern: bits)
    let number = 1 + UInt64(input.byte())
    let outcome: CommandOutcome = choice & 4 == 0 ? .ended(.exited(Int32(choice))) : .lost(5)
    var arguments: [[UInt8]] = []
    while !input.rest.isEmpty { arguments.append(input.field()) }
    let result = CommandResult(
      number: number, items: [], arguments: arguments, outcome: outcome, attempts: 1,
      start: seconds, seconds: seconds, output: nil)
    let line = JobLogLine.bytes(of: result)
    try expect(line.last == 0x0A && !line.dropLast().contains(0x0A), "a line is several")
    guard let entry = JobLogLine.parse(line.dropLast()) else {
      throw Finding("a written line is refused")
    }
    try expect(entry.number == number, "another number")
    try expect(entry.isSuccess == outcome.isSuccess, "another status")
    let words = arguments.isEmpty ? [[]] : arguments
    try expect(SecondShell.words(Array(entry.command)) == words, "other words")
  }
}

/// The words of one line, as a shell has them: a machine of states, byte by byte.
enum SecondShell {
  private enum State { case plain, single, ansi, backslash, ansiBackslash, dollar }

  static func words(_ text: [UInt8]) -> [[UInt8]]? {
    var words: [[UInt8]] = [[]]
    var state = State.plain
    var at = 0
    func add(_ byte: UInt8) { words[words.count - 1].append(byte) }
    while at < text.count {
      let byte = text[at]
      at += 1
      switch state {
      case .plain, .dollar:
        if state == .dollar {
          state = .plain
          if byte == 0x27 {
            state = .ansi
            continue
          }
          add(0x24)
        }
        switch byte {
        case 0x20: words.append([])
        case 0x27: state = .single
        case 0x24: state = .dollar
        case 0x5C: state = .backslash
        default: add(byte)
        }
      case .single:
        if byte == 0x27 { state = .plain } else { add(byte) }
      case .backslash:
        add(byte)
        state = .plain
      case .ansi:
        switch byte {
        case 0x27: state = .plain
        case 0x5C: state = .ansiBackslash
        default: add(byte)
        }
      case .ansiBackslash:
        state = .ansi
        // Three octal digits of a byte; any other byte stands for itself.
        let digits = text[(at - 1)...].prefix(3)
        let value = digits.reduce(0) { $0 * 8 + Int($1) - 0x30 }
        if digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }), value < 256 {
          add(UInt8(value))
          at += 2
        } else {
          add(byte)
        }
      }
    }
    switch state {
    case .plain: return words
    case .dollar:
      add(0x24)
      return words
    default: return nil
    }
  }
}
