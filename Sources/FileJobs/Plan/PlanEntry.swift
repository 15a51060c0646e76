internal import WeirLibC
package import SystemPackage
package import Weir

/// A record of a plan, in memory of its reader, valid until the next record is read.
///
/// ```text
/// SHARD TAB SIZE TAB MTIME TAB PATH NUL
/// ```
///
/// SIZE is the size of a regular file, or a word for any other kind.
package struct PlanEntry {
  package enum Kind: Equatable, Sendable {
    /// A regular file: its size decided on its shard.
    case file
    /// A name that was given and is no regular file, or has no status. Its shard tries to read it.
    case named
    case directory
    /// A symbolic link that the walk did not follow; the record has its target.
    case link
    case special(FileWalk.EntryType)
    /// An entry of a walk that could not be read.
    case unreadable(Errno)
  }

  package let kind: Kind
  /// The shard, counted from 0; `nil` for an entry that no shard reads.
  package var shard: Int?
  /// The size of a regular file.
  package var size: UInt64 = 0
  /// The time of the last change of a regular file, in nanoseconds since 1970.
  package var modified: Int64 = 0
  /// The name as `weir hash` writes it.
  package let path: UnsafeRawBufferPointer
  /// The target of a link.
  package var target = UnsafeRawBufferPointer(start: nil, count: 0)

  /// True if a shard reads the entry.
  var hasShard: Bool { kind == .file || kind == .named }

  // MARK: Words

  private static let tab = UInt8(ascii: "\t")
  private static let dash = UInt8(ascii: "-")
  private static let errorWord = "error="

  private static let words: [(kind: Kind, word: String)] = [
    (.named, "-"), (.directory, "dir"), (.link, "link"), (.special(.fifo), "fifo"),
    (.special(.socket), "socket"), (.special(.characterDevice), "char"),
    (.special(.blockDevice), "block"), (.special(.unknown), "unknown"),
  ]

  private var word: String {
    switch kind {
    case .file: String(size)
    case .unreadable(let error): "\(PlanEntry.errorWord)\(error.rawValue)"
    default: PlanEntry.words.first { $0.kind == kind }?.word ?? "unknown"
    }
  }

  private static func kind(of word: UnsafeRawBufferPointer) -> Kind? {
    if let known = words.first(where: { $0.word.utf8.elementsEqual(word) }) { return known.kind }
    guard word.starts(with: errorWord.utf8),
      let error = number(word[errorWord.utf8.count...].rebased),
      let value = Int32(exactly: error), value > 0
    else { return nil }
    return .unreadable(Errno(rawValue: value))
  }

  // MARK: Writing

  var capacity: Int { path.count + target.count + 80 }

  func write(to memory: UnsafeMutableRawBufferPointer) -> Int {
    var line = LineWriter(memory)
    if let shard { line.append(UInt64(shard)) } else { line.append(PlanEntry.dash) }
    line.append(PlanEntry.tab)
    if kind == .file { line.append(size) } else { line.append(Array(word.utf8)) }
    line.append(PlanEntry.tab)
    if kind == .file {
      if modified < 0 { line.append(PlanEntry.dash) }
      line.append(modified.magnitude)
    } else {
      line.append(PlanEntry.dash)
    }
    line.append(PlanEntry.tab)
    line.append(path)
    line.append(UInt8(0))
    if kind == .link {
      line.append(target)
      line.append(UInt8(0))
    }
    return line.count
  }
}

// MARK: - Reading

extension PlanEntry {
  /// Reads a record without its NUL, a link without its target; `nil` if it is malformed.
  init?(_ line: UnsafeRawBufferPointer) {
    guard let first = line.offset(of: PlanEntry.tab, from: 0),
      let second = line.offset(of: PlanEntry.tab, from: first + 1),
      let third = line.offset(of: PlanEntry.tab, from: second + 1),
      let shard = PlanEntry.dashOrNumber(line.part(0, first))
    else { return nil }
    let word = line.part(first + 1, second)
    let time = line.part(second + 1, third)
    let path = line.part(third + 1, line.count)
    if let size = PlanEntry.number(word) {
      guard let modified = PlanEntry.time(time) else { return nil }
      self.init(kind: .file, shard: shard.value, size: size, modified: modified, path: path)
    } else {
      guard let kind = PlanEntry.kind(of: word), time.elementsEqual([PlanEntry.dash]) else {
        return nil
      }
      self.init(kind: kind, shard: shard.value, path: path)
    }
  }

  /// A number, or nothing for a dash; `nil` for anything else.
  private static func dashOrNumber(_ text: UnsafeRawBufferPointer) -> (value: Int?, Void)? {
    if text.count == 1 && text[0] == dash { return (nil, ()) }
    guard let number = number(text), let value = Int(exactly: number) else { return nil }
    return (value, ())
  }

  /// A number without a leading zero.
  private static func number(_ text: UnsafeRawBufferPointer) -> UInt64? {
    text.count > 1 && text[0] == UInt8(ascii: "0") ? nil : UInt64(decimal: text)
  }

  private static func time(_ text: UnsafeRawBufferPointer) -> Int64? {
    guard text.first == dash else { return number(text).flatMap { Int64(exactly: $0) } }
    guard let value = number(text.part(1, text.count)), value > 0 else { return nil }
    return value == Int64.min.magnitude ? .min : Int64(exactly: value).map { -$0 }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func part(_ begin: Int, _ end: Int) -> UnsafeRawBufferPointer {
    self[begin..<end].rebased
  }

  fileprivate func offset(of byte: UInt8, from begin: Int) -> Int? {
    guard let start = baseAddress, begin < count,
      let found = memchr(start + begin, Int32(byte), count - begin)
    else { return nil }
    return UnsafeRawPointer(found) - start
  }
}
