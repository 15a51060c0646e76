// weir/walk.h, weir/files.h: filters follow the rules of GNU grep, the depth limit those of find;
// and the number of skipped files.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct FilterTests {
    /// Directories have no dot in their names, so that each pattern applies either to files or
    /// to directories, as in grep.
    @Test(arguments: 0..<3)
    func theLastMatchDecidesAsInGrep(round: Int) throws {
      var random = Random("filters \(round)")
      let tree = Tree()
      var directories = [tree.root]
      for number in 0..<25 {
        directories.append(
          tree.directory(directories[random.below(directories.count)] / "d\(number)"))
      }
      for directory in directories {
        let names = ["a.c", "b.c", "ab.h", ".c", "x.", "\u{e9}.c", "new\n.h"]
        for name in names where random.below(5) > 0 {
          tree.file(directory / name, Array("x\n".utf8))
        }
      }
      for _ in 0..<30 {
        var filters: [Filter] = [], words = ["grep", "-rlZ", "x"]
        for _ in 0..<(1 + random.below(4)) {
          let pattern = ["*.c", "a*.*", "?.c", "*.h", "*.", "[!a].*", ".c"][random.below(7)]
          let isInclude = random.below(2) == 0
          filters.append(isInclude ? .include(pattern) : .exclude(pattern))
          words.append("--\(isInclude ? "include" : "exclude")=\(pattern)")
        }
        for _ in 0..<random.below(3) {
          let pattern = "d\(["*1", "?", "[2-5]", "7*"][random.below(4)])"
          filters.insert(.exclude(pattern + "/"), at: random.below(filters.count + 1))
          words.append("--exclude-dir=\(pattern)")
        }
        let output = try Shell.run(words.map { Path($0.utf8) } + [tree.root]).output
        let expected = output.split(separator: 0).map { Path($0) }.sorted(by: precedes)
        let found = walk(tree.root, filters).entries.filter { $0.type == WEIR_ENTRY_FILE }
        #expect(difference(found.map(\.path), expected) == nil, "\(filters)")
      }
    }

    @Test func skippedDirectoriesAreCountedAndNotRead() {
      let tree = Tree()
      for name in ["a", "a/b", "build", "a/build", "a/build/deep"] { tree.directory(name) }
      for name in ["a/x.c", "a/b/y.c", "build/z.c", "a/build/deep/z.c", "top.h", "build.c"] {
        tree.file(name)
      }
      tree.link("link.c", to: "top.h")
      tree.fifo("fifo.c")
      let all = walk(tree.root)
      #expect(all.filtered == 0 && all.entries.count == 14)
      func names(_ filters: Filter...) -> [String] {
        let found = walk(tree.root, filters)
        #expect(Set(all.entries.map(\.path)).isSuperset(of: found.entries.map(\.path)))
        return found.entries.filter { $0.type != WEIR_ENTRY_DIRECTORY }
          .map { Path($0.path.dropFirst(tree.root.count + 1)).shown } + ["\(found.filtered)"]
      }
      #expect(
        names(.exclude("build"))
          == ["a/b/y.c", "a/x.c", "build.c", "fifo.c", "link.c", "top.h", "2"])
      #expect(
        names(.exclude("/build/"))
          == [
            "a/b/y.c", "a/build/deep/z.c", "a/x.c", "build.c", "fifo.c", "link.c", "top.h", "1",
          ])
      #expect(names(.exclude("*.c")) == ["top.h", "7"])
      #expect(names(.include("a/**/*.c")) == ["a/b/y.c", "a/build/deep/z.c", "a/x.c", "5"])
      #expect(names(.exclude("*"), .include("top.h")) == ["top.h", "5"])
      #expect(
        names(.exclude("*"), .include("*/"), .include("z.c"))
          == ["a/build/deep/z.c", "build/z.c", "6"])
      // A filter for directories does not affect files.
      #expect(names(.include("a/")).count == 9)
      #expect(names(.include("a/"), .include("*.h")) == ["top.h", "7"])
    }

    @Test func rootsAndNamedFilesAreAlwaysTaken() {
      let tree = Tree()
      tree.directory("d")
      tree.file("d/f")
      let file = tree.file("f")
      let everything: [Filter] = [.exclude("*"), .exclude("**"), .exclude("/")]
      #expect(walk(tree.root, everything).entries.map(\.path) == [tree.root])
      #expect(walk(file, everything).entries.map(\.path) == [file])
      let processor = Processor(filters: everything)
      #expect(processor.run(file, tree.root, file) == 0)
      #expect(processor.paths == [file, file] && processor.statistics.filtered == 2)
      #expect(processor.statistics.found == 2 && processor.statistics.directories == 1)
    }

    @Test(arguments: [LaneSet.inline, 2] as [UInt], [1, 2, 4])
    func theDepthLimitIsThatOfFind(jobs: UInt, depth: Int) throws {
      var random = Random("depth")
      let tree = Tree()
      tree.fill(&random, entries: 120)
      let limit = ["-maxdepth", "\(depth)"]
      let found = try find(tree.root, limit).sorted { precedes($0.path, $1.path) }
      #expect(
        difference(walk(tree.root, maxDepth: depth).entries.map(\.path), found.map(\.path)) == nil
      )
      let processor = Processor(jobs: jobs, maxDepth: depth)
      #expect(processor.run(tree.root) == 0)
      let files = try find(tree.root, limit + ["-type", "f"]).map(\.path).sorted(by: precedes)
      #expect(difference(processor.paths, files) == nil)
      let directories = try find(tree.root, ["-maxdepth", "\(depth - 1)", "-type", "d"])
      #expect(processor.statistics.directories == directories.count)
    }
  }
}
