// Trees before and after an update, and the report that the update owes: a plain reimplementation
// of the rules in docs/cli.md.

import TestSupport
import Testing

/// A tree as a test knows it: the content of each file and its time in nanoseconds.
struct MoveTree {
  struct File: Equatable {
    var content: String
    var time: Int
  }

  var files: [String: File] = [:]

  static let contents = ["", "a", "b", "c", "aa", "bb", "abc"]
  /// Times with a fraction of a second and without.
  private static let times = [1_000_000_000_000, 1_000_500_000_000, 2_000_250_000_001]
  private static let directories = ["", "d/", "e/", "d/x/", "e/x/", "d/y/", "e/y/", "f g/x/"]
  private static let names = ["a", "b", "c d", "x'y", "é", "-", "new\nline", "back\\slash"]

  private static func name(_ random: inout SeededGenerator) -> String {
    random.pick(directories) + random.pick(names)
  }

  private static func file(_ random: inout SeededGenerator) -> File {
    File(
      content: random.pick(contents), time: random.pick(times))
  }

  static func random(_ random: inout SeededGenerator) -> MoveTree {
    var tree = MoveTree()
    for _ in 0..<Int.random(in: 3...14, using: &random) {
      tree.files[name(&random)] = file(&random)
    }
    return tree
  }

  /// Changes the tree as users do, several times.
  mutating func change(_ random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      guard let old = files.keys.sorted().randomElement(using: &random), let file = files[old]
      else { return }
      let base = old.split(separator: "/").last.map(String.init) ?? old
      let new =
        Bool.random(using: &random)
        ? random.pick(MoveTree.directories) + base : MoveTree.name(&random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1: move(old, to: new)
      case 2: move(old, to: new, as: MoveTree.file(&random))
      case 3:
        let others = MoveTree.contents.filter { $0.count == file.content.count }
        move(
          old, to: new, as: File(content: random.pick(others), time: file.time))
      case 4:
        let other = random.pick(files.keys.sorted())
        (files[old], files[other]) = (files[other], files[old])
      case 5: files[new] = file
      case 6:
        move(old, to: new)
        files[random.pick(MoveTree.directories) + base] = file
      case 7, 8, 9:
        moveDirectory(
          random.pick(MoveTree.directories),
          to: random.pick(MoveTree.directories))
      case 10: files[old] = nil
      default: files[MoveTree.name(&random)] = MoveTree.file(&random)
      }
    }
  }

  private mutating func move(_ old: String, to new: String, as changed: File? = nil) {
    guard let file = files.removeValue(forKey: old) else { return }
    files[new] = changed ?? file
  }

  private mutating func moveDirectory(_ old: String, to new: String) {
    if old.isEmpty || new.hasPrefix(old) { return }
    for name in files.keys.sorted() where name.hasPrefix(old) {
      move(name, to: new + name.dropFirst(old.count))
    }
  }

  /// Makes the tree on disk, in place of an earlier one.
  func write(to root: String, in directory: TemporaryDirectory) async throws {
    try await shell("rm -rf \(root); mkdir \(root)", in: directory).run().expectSilence()
    let folders = files.keys.map { "\(root)/\($0)".split(separator: "/").dropLast() }
    for folder in Set(folders.flatMap { path in (1...path.count).map { path.prefix($0) } })
      .sorted(by: { $0.count < $1.count }).dropFirst()
    {
      try directory.makeDirectory(folder.joined(separator: "/"))
    }
    for (name, file) in files {
      try directory.write(file.content, to: "\(root)/\(name)")
      try directory.setTime("\(root)/\(name)", file.time)
    }
  }

  /// The names in the order of a walk.
  var order: [String] { files.keys.sorted(by: MoveTree.precedes) }

  static func precedes(_ left: String, _ right: String) -> Bool {
    let (left, right) = (components(left), components(right))
    return left.lexicographicallyPrecedes(right) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  static func components(_ name: String) -> [String] {
    name.split(separator: "/").map(String.init)
  }
}

extension SeededGenerator {
  /// Returns an element of an array that is not empty.
  fileprivate mutating func pick<Element>(_ all: [Element]) -> Element {
    all[Int.random(in: 0..<all.count, using: &self)]
  }
}

/// What an update owes: the lines of its report, the content that the manifest has for each file,
/// and how many files it reads.
struct UpdateOracle {
  struct Line: Equatable, CustomStringConvertible {
    let name: String
    let status: String
    var from: String?

    var description: String { "\(name.debugDescription) \(status) \(from ?? "")" }
  }

  private(set) var lines: [Line] = []
  private(set) var manifest: [String: String] = [:]
  private(set) var read = 0
  /// True if a record tells a file with other content, and later another file with its own.
  private(set) var isRefused = false

  private let before: MoveTree
  private let after: MoveTree
  /// True if records tell nothing: every file is read.
  private let readsAll: Bool
  private let acceptsRot: Bool
  private var gone: [String] = []

  /// A new file with the records that it may have had.
  private struct New {
    let name: String
    let former: [String]
    let isTold: Bool
    let isRotten: Bool
    var record: String?
  }

  init(before: MoveTree, after: MoveTree, readsAll: Bool, acceptsRot: Bool, inStep: Bool) {
    (self.before, self.after) = (before, after)
    (self.readsAll, self.acceptsRot) = (readsAll, acceptsRot)
    gone = before.order.filter { after.files[$0] == nil }
    for name in after.order where before.files[name] != nil { compare(name) }
    let found = news()
    let moved = Set(found.compactMap(\.record))
    for new in found {
      let status = new.record == nil ? "new" : new.isRotten ? "rot" : "moved"
      lines.append(Line(name: new.name, status: status, from: new.record))
    }
    sort(gone.filter { !moved.contains($0) }, inStep: inStep)
  }

  /// Brings the lines into the order of the run. A record that is gone comes before the next file
  /// that has a record, or last if the records are in another order.
  private mutating func sort(_ lost: [String], inStep: Bool) {
    let changed = Dictionary(uniqueKeysWithValues: lines.map { ($0.name, $0) })
    var lost = lost[...]
    lines = []
    for name in after.order {
      if inStep && before.files[name] != nil {
        while let first = lost.first, MoveTree.precedes(first, name) {
          lines.append(Line(name: lost.removeFirst(), status: "gone"))
        }
      }
      if let line = changed[name] { lines.append(line) }
    }
    lines += lost.map { Line(name: $0, status: "gone") }
  }

  /// A file of the same name.
  private mutating func compare(_ name: String) {
    guard let old = before.files[name], let new = after.files[name] else { return }
    manifest[name] = new.content
    let isUntouched = old.time == new.time && old.content.utf8.count == new.content.utf8.count
    if isUntouched && !readsAll {
      manifest[name] = old.content
      return
    }
    read += 1
    let isSame = old.content == new.content
    if isSame && isUntouched { return }
    if isUntouched && !acceptsRot { manifest[name] = old.content }
    lines.append(
      Line(name: name, status: isSame ? "touched" : isUntouched ? "rot" : "edited"))
  }

  private mutating func news() -> [New] {
    // The content of the file that each record tells first.
    var told: [String: String] = [:]
    var found: [New] = []
    for name in after.order where before.files[name] == nil {
      guard let file = after.files[name] else { continue }
      manifest[name] = file.content
      let alike = gone.filter {
        before.files[$0]?.time == file.time
          && before.files[$0]?.content.utf8.count == file.content.utf8.count
      }
      if let record = teller(name, file, alike), let old = before.files[record] {
        let first = told[record]
        told[record] = first ?? file.content
        let isKnown = first == nil && !readsAll
        if let first, !readsAll, file.content == old.content, first != old.content {
          isRefused = true
        }
        if !isKnown { read += 1 }
        let isRotten = !isKnown && old.content != file.content
        if isKnown || isRotten && !acceptsRot { manifest[name] = old.content }
        found.append(New(name: name, former: [record], isTold: true, isRotten: isRotten))
      } else {
        read += 1
        let same = alike.filter { before.files[$0]?.content == file.content }
          .sorted { shared($0, name) > shared($1, name) }
        found.append(New(name: name, former: same, isTold: false, isRotten: false))
      }
    }
    return assign(found)
  }

  /// Returns the record that tells a file without its content.
  private func teller(_ name: String, _ file: MoveTree.File, _ alike: [String]) -> String? {
    if file.time % 1_000_000_000 == 0 { return nil }
    let named = alike.filter { shared($0, name) > 0 }
    let contents = before.files.filter {
      shared($0.key, name) > 0 && $0.value.time == file.time
        && $0.value.content.utf8.count == file.content.utf8.count
    }
    if Set(contents.values.map(\.content)).count > 1 { return nil }
    return named.count == 1 ? named[0] : nil
  }

  /// Gives each record to one file: first those that records tell, then the others.
  private func assign(_ found: [New]) -> [New] {
    var found = found
    var free = Set(gone)
    for isTold in [true, false] {
      for index in found.indices where found[index].isTold == isTold {
        let record = found[index].former.first(where: free.contains)
        if let record { free.remove(record) }
        found[index].record = record
      }
    }
    for index in found.indices where found[index].isRotten && found[index].record == nil {
      found[index].record = found[index].former.first
    }
    return found
  }

  private func shared(_ left: String, _ right: String) -> Int {
    zip(MoveTree.components(left).reversed(), MoveTree.components(right).reversed())
      .prefix { $0 == $1 }.count
  }
}
