// weir duplicates: directories that are the same as wholes, against a plain comparison of trees.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct DuplicatesDirectoriesTests {
  /// A node of the model.
  private indirect enum Node {
    case file(inode: Int, content: [UInt8])
    case other
    case directory([(name: [UInt8], node: Node)])

    /// The whole as a value; `nil` if it is not one that can be compared.
    var value: [UInt8]? {
      switch self {
      case .file(_, let content): return [1] + Array("\(content.count) ".utf8) + content
      case .other: return nil
      case .directory(let children):
        var value: [UInt8] = [2]
        for (name, node) in children {
          guard let inner = node.value else { return nil }
          value += Array("\(name.count) ".utf8) + name + Array("\(inner.count) ".utf8) + inner
        }
        return value
      }
    }

    var inodes: [Int: Int] {
      switch self {
      case .file(let inode, let content): return [inode: content.count]
      case .other: return [:]
      case .directory(let children):
        return children.reduce(into: [:]) { $0.merge($1.node.inodes) { one, _ in one } }
      }
    }
  }

  private final class Forest {
    let directory: TemporaryDirectory
    var random: SeededGenerator
    private var inodes: [(path: [UInt8], content: [UInt8])] = []
    private let contents: [[UInt8]]

    init(_ test: String) throws {
      directory = try TemporaryDirectory()
      random = SeededGenerator(for: test)
      contents = [[], [1], [2], [3, 3, 3]]
    }

    func plant(_ path: [UInt8], depth: Int) throws -> Node {
      try directory.makeDirectory(path)
      var children: [(name: [UInt8], node: Node)] = []
      for name in ["a", "b", "c'\n"].map({ Array($0.utf8) }) where random.next() % 3 > 0 {
        children.append((name, try plantChild(path + [0x2F] + name, depth: depth)))
      }
      return .directory(children)
    }

    private func plantChild(_ path: [UInt8], depth: Int) throws -> Node {
      let text = String(decoding: path, as: UTF8.self)
      switch random.next() % 14 {
      case 0 where depth > 1:
        try directory.link(text, to: "none")
        return .other
      case 1 where !inodes.isEmpty:
        let number = Int(random.next() % UInt64(inodes.count))
        let from = terminated(directory.path(inodes[number].path))
        try #require(Glibc.link(from, terminated(directory.path(path))) == 0)
        return .file(inode: number, content: inodes[number].content)
      case 2..<7 where depth < 4: return try plant(path, depth: depth + 1)
      default:
        let content = contents[Int(random.next() % 4)]
        inodes.append((path, content))
        try directory.write(content, to: path)
        return .file(inode: inodes.count - 1, content: content)
      }
    }
  }

  /// All directories with their nodes, those above first.
  private func directories(_ node: Node, _ path: [UInt8]) -> [(path: [UInt8], node: Node)] {
    guard case .directory(let children) = node else { return [] }
    return [(path + [0x2F], node)]
      + children.flatMap { directories($0.node, path + [0x2F] + $0.name) }
  }

  @Test("the directories are those of a plain comparison", arguments: 0..<40)
  func oracle(round: Int) async throws {
    let forest = try Forest("directories \(round)")
    var roots: [(name: [UInt8], node: Node)] = []
    try forest.directory.makeDirectory("t")
    for name in ["k", "l", "m", "n"] {
      let state = forest.random
      roots.append((Array(name.utf8), try forest.plant(Array("t/\(name)".utf8), depth: 1)))
      // Sometimes the next tree is alike.
      if forest.random.next() % 2 == 0 { forest.random = state }
    }
    let all = directories(.directory(roots), Array("t".utf8))
    var classes: [[UInt8]: [(path: [UInt8], node: Node)]] = [:]
    for one in all {
      if let value = one.node.value { classes[value, default: []].append(one) }
    }
    func parent(_ path: [UInt8]) -> [UInt8] {
      Array(path[...path.dropLast().lastIndex(of: 0x2F)!])
    }
    /// The bytes that all members but one take, an inode once.
    func saving(_ members: [(path: [UInt8], node: Node)]) -> Int {
      var seen = Set(members[0].node.inodes.keys)
      return members.dropFirst().reduce(0) { sum, member in
        sum + member.node.inodes.reduce(0) { seen.insert($1.key).inserted ? $0 + $1.value : $0 }
      }
    }
    var isSaid: Set<[[UInt8]]> = []
    var expected: Set<[[UInt8]]> = []
    let several = classes.values.filter { $0.count > 1 }.sorted { left, right in
      all.firstIndex { $0.path == left[0].path }! < all.firstIndex { $0.path == right[0].path }!
    }
    for members in several {
      let (paths, parents) = (members.map { $0.path }, members.map { parent($0.path) })
      if Set(parents).count == parents.count && isSaid.contains(parents.sorted(by: precedes)) {
        isSaid.insert(paths.sorted(by: precedes))
      } else if saving(members) > 0 {
        isSaid.insert(paths.sorted(by: precedes))
        expected.insert(paths)
      }
    }
    let result = try await weir("duplicates", "--zero", "t", in: forest.directory).run()
    result.expectSilence()
    let groups = self.groups(result.output)
    let found = groups.filter { $0[0].last == 0x2F }
    #expect(Set(found) == expected && found.count == expected.count)
    // A group of files is left out exactly if directories say the same.
    let plain = try await weir("duplicates", "--zero", "--files-only", "t", in: forest.directory)
      .run()
    let files = self.groups(plain.output)
    let listed = Set(groups.filter { $0[0].last != 0x2F })
    #expect(listed.isSubset(of: Set(files)))
    for group in files where !listed.contains(group) {
      #expect(isSaid.contains(Set(group.map(parent)).sorted(by: precedes)))
    }
    for group in listed where Set(group.map(parent)).count == group.count {
      #expect(!isSaid.contains(group.map(parent).sorted(by: precedes)))
    }
  }

  private func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.lexicographicallyPrecedes(right)
  }

  private func groups(_ output: [UInt8]) -> [[[UInt8]]] {
    var groups: [[[UInt8]]] = [[]]
    for name in output.split(separator: 0, omittingEmptySubsequences: false).map(Array.init) {
      if name.isEmpty { groups.append([]) } else { groups[groups.count - 1].append(name) }
    }
    return groups.filter { !$0.isEmpty }
  }
}
