// weir/walk.h: patterns match as fnmatch(3) does, for random patterns and names; and ** as the
// header describes it.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct GlobTests {
    @Test(arguments: 0..<4)
    func namesMatchAsInFnmatch(round: Int) {
      var random = Random("glob \(round)")
      let tree = Tree()
      let letters = Array("ab*?[]!-\\^c.:".utf8) + [0x80, 0xFF]
      let names = fill(tree, 150) {
        (0..<(1 + random.below(6))).map { _ in letters[random.below(15)] }
      }
      var matches = 0
      for index in 0..<700 {
        let pattern =
          index % 4 > 0
          ? somePattern(letters, &random)
          : blurred(names[random.below(names.count)], &random)
        let expected = names.filter { fits($0, pattern) }
        matches += expected.count
        #expect(difference(taken(tree, pattern), expected) == nil, "\(pattern.shown)")
      }
      #expect(matches > 200)
    }

    @Test func pathsMatchAsInFnmatch() {
      var random = Random("ways")
      let tree = Tree()
      let paths = directories(in: tree, &random)
      let letters = Array("ab/*?[]!".utf8)
      var matches = 0
      for _ in 0..<1500 {
        // glibc has rules of its own for an escaped slash.
        let pattern =
          random.below(2) == 0
          ? somePattern(letters, &random)
          : blurred(paths[random.below(paths.count)], &random)
        guard pattern.contains(slash), pattern.first != slash, pattern.last != slash else {
          continue
        }
        let expected = paths.filter { fits($0, pattern) }
        matches += expected.count
        #expect(difference(taken(tree, pattern), expected) == nil, "\(pattern.shown)")
      }
      #expect(matches > 100)
    }

    @Test func twoStarsMatchSlashesAndNoComponents() {
      var random = Random("two stars")
      let tree = Tree()
      let paths = directories(in: tree, &random)
      let pieces = ["**", "**/", "/**/", "/**", "*", "a", "b", "/", "?", "a*", "**b"]
      var matches = 0
      for _ in 0..<1500 {
        let pattern = Path(
          (0..<(1 + random.below(5))).map { _ in pieces[random.below(pieces.count)] }
            .joined().utf8)
        guard pattern.contains(slash), pattern.first != slash, pattern.last != slash else {
          continue
        }
        let expected = paths.filter { canMatch(pattern[...], $0[...], atStart: true) }
        matches += expected.count
        #expect(difference(taken(tree, pattern), expected) == nil, "\(pattern.shown)")
      }
      #expect(matches > 1000)
    }

    @Test(arguments: [
      ("**/x", "x", true), ("**/x", "a/b/x", true), ("**/x", "ax", false), ("a/**/x", "a/x", true),
      ("a/**/x", "a/b/c/x", true), ("a/**/x", "ab/x", false), ("a/**", "a/b/c", true),
      ("a/**", "a", false), ("a**x", "a/b/x", false), ("a**/x", "a/b/x", true), ("/x", "x", true),
      ("/x", "a/x", false), ("./x", "x", true), ("*/x", "a/b/x", false), ("x", "a/x", true),
      ("a/x", "b/a/x", false), ("**", "a/b/x", true), ("[[:digit:]]", "7", true),
      ("[[:digit:]]", "a", false), ("[![:upper:]x]", "y", true), ("[![:upper:]x]", "x", false),
      ("[[:nothing:]]", "n", false), ("\\*", "*", true), ("\\*", "a", false), ("", "x", false),
      ("*", ".hidden", true), ("?", "é", false), ("??", "é", true),
    ])
    func examples(pattern: String, path: String, matches: Bool) {
      let tree = Tree()
      var directory = tree.root
      let components = path.split(separator: "/")
      for component in components.dropLast() {
        directory = tree.directory(directory / String(component))
      }
      tree.file(directory / String(components.last ?? ""))
      #expect(taken(tree, Path(pattern.utf8)) == (matches ? [Path(path.utf8)] : []))
    }

    /// A pattern with many stars ends in a fraction of a second.
    @Test func timeIsNotExponentialInTheStars() {
      let tree = Tree()
      tree.file(tree.root / [UInt8](repeating: 0x61, count: 255))
      for star in ["*a", "**a", "a*", "*?", "*[a]"] {
        let pattern = Path((String(repeating: star, count: 80) + "b").utf8)
        #expect(taken(tree, pattern).isEmpty)
        #expect(taken(tree, Path("x/".utf8) + pattern).isEmpty)
      }
    }
  }
}

private func somePattern(_ letters: [UInt8], _ random: inout Random) -> Path {
  while true {
    let pattern = (0..<(1 + random.below(8))).map { _ in letters[random.below(letters.count)] }
    if isPortable(pattern) { return pattern }
  }
}

/// Returns true if Weir and fnmatch define a pattern alike.
private func isPortable(_ pattern: Path) -> Bool {
  let twos = zip(pattern, pattern.dropFirst()).map { [$0, $1] }
  let extensions = ["**", "[:", "[.", "[="].map { Array($0.utf8) }
  // In fnmatch an unfinished range in an unfinished set matches nothing, while every other
  // unfinished set is a bracket like any byte.
  let isCut = pattern.last == UInt8(ascii: "-") && pattern.contains(UInt8(ascii: "["))
  return !twos.contains(where: extensions.contains) && pattern.last != UInt8(ascii: "\\") && !isCut
}

/// A pattern that probably matches a path: some of its bytes replaced by wildcards.
private func blurred(_ path: Path, _ random: inout Random) -> Path {
  while true {
    var pattern = Path()
    for byte in path {
      switch byte == slash ? 9 : random.below(10) {
      case 0: pattern += Array("?".utf8)
      case 1: pattern += Array("*".utf8)
      case 2: pattern += Array("[a_".utf8) + [byte, UInt8(ascii: "]")]
      default: pattern.append(byte)
      }
    }
    if isPortable(pattern) { return pattern }
  }
}

private func fits(_ string: Path, _ pattern: Path) -> Bool {
  pattern.c { pattern in string.c { fnmatch(pattern, $0, FNM_PATHNAME) == 0 } }
}

/// A matcher that tries all ways, for `*`, `**`, `?` and plain bytes.
private func canMatch(_ pattern: ArraySlice<UInt8>, _ string: ArraySlice<UInt8>, atStart: Bool)
  -> Bool
{
  let star = UInt8(ascii: "*")
  guard let first = pattern.first else { return string.isEmpty }
  if first == star {
    let stars = pattern.prefix { $0 == star }.count
    let rest = pattern.dropFirst(stars)
    let byComponent = stars > 1 && atStart && rest.first == slash
    return (string.startIndex...string.endIndex).contains { place in
      let taken = string[..<place]
      if stars == 1 && taken.contains(slash) { return false }
      if byComponent {
        guard taken.isEmpty || taken.last == slash else { return false }
        return canMatch(rest.dropFirst(), string[place...], atStart: true)
      }
      return canMatch(rest, string[place...], atStart: false)
    }
  }
  guard let byte = string.first else { return false }
  let matches = first == UInt8(ascii: "?") ? byte != slash : first == byte
  return matches && canMatch(pattern.dropFirst(), string.dropFirst(), atStart: byte == slash)
}

/// Creates files with random names, and returns the names, sorted.
private func fill(_ tree: Tree, _ count: Int, _ name: () -> Path) -> [Path] {
  var names = Set<Path>()
  for _ in 0..<count { names.insert(name()) }
  names.subtract([Path("."), Path("..")])
  for name in names { tree.file(tree.root / name) }
  return names.sorted { $0.lexicographicallyPrecedes($1) }
}

/// Creates files in directories with short names, and returns their relative paths, in order.
private func directories(in tree: Tree, _ random: inout Random) -> [Path] {
  var directories: [Path] = [[]], paths: [Path] = []
  for name in ["a", "b", "ab", "ba", "aab"] {
    for parent in directories where parent.count < 5 {
      directories.append(parent + (parent.isEmpty ? [] : [slash]) + Path(name.utf8))
      tree.directory(tree.root / directories[directories.count - 1])
    }
    if directories.count > 40 { break }
  }
  for directory in directories {
    for name in ["a_", "b_", "abb", "x", "[a]"] where random.below(4) > 0 {
      let path = directory + (directory.isEmpty ? [] : [slash]) + Path(name.utf8)
      tree.file(tree.root / path)
      paths.append(path)
    }
  }
  return paths.sorted(by: precedes)
}

/// The relative paths of the files that an include takes.
private func taken(_ tree: Tree, _ pattern: Path) -> [Path] {
  walk(tree.root, [.include(pattern)]).entries.filter { $0.type == WEIR_ENTRY_FILE }
    .map { Path($0.path.dropFirst(tree.root.count + 1)) }
}
