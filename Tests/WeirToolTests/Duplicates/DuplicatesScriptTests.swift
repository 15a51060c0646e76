// weir duplicates --action: the scripts, run on random trees with hostile names. An oracle counts
// the contents of the tree before and after: none may be lost, whatever changes meanwhile.
//
// `make test-random` runs a sample; WEIR_TEST_TABLES=all runs all rounds.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct DuplicatesScriptTests {
  /// A tree `t` of few contents under many names.
  private final class Forest {
    let directory: TemporaryDirectory
    var random: SeededGenerator
    /// The names of each file, in the order of a walk; the files by their first names.
    private(set) var files: [(names: [[UInt8]], content: [UInt8], time: Int)] = []

    init(_ test: String, count: Int = 30) throws {
      directory = try TemporaryDirectory()
      random = SeededGenerator(for: test)
      for folder in ["t", "t/d", "t/d/deep", "t/e", "t/keep"] {
        try directory.makeDirectory(folder)
      }
      let contents = (0..<6).map { random.bytes([1, 50, 50, 4096, 70_000, 300][$0]) }
      var taken: Set<[UInt8]> = []
      func newName() -> [UInt8] {
        while true {
          let folder = ["", "d/", "d/deep/", "e/", "keep/"][Int(random.next() % 5)]
          let base = random.next() % 6 == 0 ? Array("-rf".utf8) : random.name()
          let name = Array("t/\(folder)".utf8) + base
          let isFree = access(terminated(directory.path(name)), F_OK) != 0
          if isFree && taken.insert(name).inserted { return name }
        }
      }
      for _ in 0..<count {
        let content = contents[Int(random.next() % 6)]
        var names = [newName()]
        try directory.write(content, to: names[0])
        while random.next() % 5 == 0 {
          let name = newName()
          names.append(name)
          let (from, to) = (terminated(directory.path(names[0])), terminated(directory.path(name)))
          try #require(Glibc.link(from, to) == 0)
        }
        let time = 1_000_000 + Int(random.next() % 20)
        let times = [timespec(tv_sec: time, tv_nsec: 0), timespec(tv_sec: time, tv_nsec: 0)]
        try #require(utimensat(AT_FDCWD, terminated(directory.path(names[0])), times, 0) == 0)
        files.append((names.sorted(by: precedesInWalk), content, time))
      }
      files.sort { precedesInWalk($0.names[0], $1.names[0]) }
    }

    func print(_ arguments: [String]) async throws -> [UInt8] {
      let script = try await weir(["duplicates", "-C", "t"] + arguments, in: directory).run()
      script.expectSilence()
      return script.output
    }

    /// Runs a script, with the programs of a directory before those of the system.
    func run(_ script: [UInt8], hooks: String? = nil) async throws -> Outcome {
      try directory.write(script, to: "script".utf8)
      var command = other("sh", words("script"), in: directory)
      if let hooks {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        command.environment = ["PATH=\(directory.text)/\(hooks):\(path)", "LC_ALL=C"]
      }
      return try await command.run()
    }

    /// Returns the names of the regular files in the tree, without the script's own.
    func names() throws -> [[UInt8]] {
      try other("find", words("t", "-type", "f", "-print0"), in: directory).runBlocking()
        .output.split(separator: 0).map(Array.init)
    }

    /// Returns the contents of the tree.
    func contents() throws -> Set<[UInt8]> {
      Set(try names().compactMap { contents(ofFile: directory.path($0)) })
    }

    private func contents(ofFile path: [UInt8]) -> [UInt8]? { TestSupport.contents(ofFile: path) }

    func inode(_ name: [UInt8]) -> UInt64? {
      var status = stat()
      return lstat(terminated(directory.path(name)), &status) == 0 ? UInt64(status.st_ino) : nil
    }
  }

  private static let actions = ["delete", "link", "reflink"]
  private static let keeps: [[String]] = [
    [], ["first"], ["last"], ["oldest"], ["newest"], ["keep"], ["./d/", "newest"], ["keep", "e"],
  ]

  private static let cases = actions.flatMap { action in
    keeps.indices.map { (action, $0) }
  }.sampled(oneIn: 6, for: "duplicates scripts")

  private func options(_ action: String, _ keep: [String]) -> [String] {
    ["--action", action] + keep.flatMap { ["--keep", $0] }
  }

  /// Returns the files that stay of one content, by a plain reading of the documentation.
  private func kept(
    _ files: [(names: [[UInt8]], content: [UInt8], time: Int)], _ keep: [String]
  ) -> [[[UInt8]]] {
    let rule = keep.first { ["first", "last", "oldest", "newest"].contains($0) }
    let folders = keep.filter { $0 != rule }.map { $0.replacingOccurrences(of: "./", with: "") }
      .map { Array("t/\($0)".utf8) + ($0.hasSuffix("/") ? [] : [UInt8(ascii: "/")]) }
    let protected = files.filter { file in
      file.names.contains { name in folders.contains { name.starts(with: $0) } }
    }
    if !protected.isEmpty { return protected.map { $0.names } }
    if !folders.isEmpty && rule == nil { return files.map { $0.names } }
    switch rule {
    case "last": return [files[files.count - 1].names]
    case "oldest":
      let time = files.map { $0.time }.min()
      return files.first { $0.time == time }.map { [$0.names] } ?? []
    case "newest":
      let time = files.map { $0.time }.max()
      return files.first { $0.time == time }.map { [$0.names] } ?? []
    default: return [files[0].names]
    }
  }

  /// A directory with a cp that copies where no blocks can be shared.
  private func makeCopies(_ forest: Forest) throws {
    try forest.directory.makeDirectory("copies")
    try forest.directory.write(
      """
      #!/bin/sh
      case $1 in --reflink=always) shift; exec /bin/cp "$@" ;; esac
      exec /bin/cp "$@"

      """, to: "copies/cp")
    try forest.directory.setMode("copies/cp", 0o755)
  }

  @Test("on a tree at rest, what was promised is done, once", arguments: cases)
  func atRest(_ action: String, _ index: Int) async throws {
    let keep = Self.keeps[index]
    let forest = try Forest("script \(action) \(keep)")
    try makeCopies(forest)
    let before = try forest.contents()
    let script = try await forest.print(options(action, keep))
    let inodes = Dictionary(uniqueKeysWithValues: try forest.names().map { ($0, forest.inode($0)) })
    for round in 0..<2 {
      let result = try await forest.run(script, hooks: "copies")
      result.expectSilence()
      #expect(try forest.contents() == before)
      let names = Set(try forest.names())
      for (_, files) in Dictionary(grouping: forest.files, by: { $0.content }) {
        let stay = kept(files, keep)
        for file in files {
          let stays = stay.contains(file.names)
          for name in file.names {
            switch action {
            case "delete": #expect(names.contains(name) == stays)
            case "link" where !stays:
              #expect(forest.inode(name) == forest.inode(stay[0][0]) || stay.count > 1)
            // Later the number of a removed file may come again.
            case "reflink" where !stays && round == 0: #expect(forest.inode(name) != inodes[name]!)
            default: break
            }
            if stays { #expect(forest.inode(name) == inodes[name]!) }
            if action == "reflink" { #expect(forest.inode(name) == forest.inode(file.names[0])) }
          }
        }
      }
      let left = try forest.names().filter {
        $0.split(separator: 0x2F).last!.starts(with: ".weir".utf8)
      }
      #expect(left.isEmpty)
    }
  }

  /// Changes a few files of a tree in a way that takes no content's last copy.
  private func disturb(_ forest: Forest) throws {
    let names = try forest.names()
    for (number, name) in names.enumerated() where forest.random.next() % 4 == 0 {
      let path = terminated(forest.directory.path(name))
      switch forest.random.next() % 6 {
      case 0:
        try forest.directory.write(Array("new \(number)".utf8), to: name)
      case 1:
        guard var content = contents(ofFile: forest.directory.path(name)), !content.isEmpty else {
          break
        }
        content[content.count - 1] ^= 1
        try forest.directory.write(content, to: name)
      case 2: unlink(path)
      case 3:
        unlink(path)
        _ = symlink(forest.directory.text + "/t/none", path)
      case 4:
        unlink(path)
        mkfifo(path, 0o644)
      default:
        unlink(path)
        mkdir(path, 0o755)
      }
    }
    // A directory by another name: each of its files is by two names the same file.
    if forest.random.next() % 2 == 0 {
      let path = forest.directory.text + "/t/e"
      if rmdir(path) != 0 { rename(path, path + ".old") }
      _ = symlink(["d", "d/deep", "keep", "."][Int(forest.random.next() % 4)], path)
    }
  }

  private static let rounds = Array(0..<60).sampled(oneIn: 10, for: "duplicates scripts, changed")

  @Test("nothing is lost in a tree that changed after the script was printed", arguments: rounds)
  func changed(round: Int) async throws {
    let forest = try Forest("script changed \(round)")
    try makeCopies(forest)
    var scripts: [[UInt8]] = []
    for _ in 0..<2 {
      let action = Self.actions[Int(forest.random.next() % 3)]
      let keep = Self.keeps[Int(forest.random.next() % UInt64(Self.keeps.count))]
      scripts.append(try await forest.print(options(action, keep)))
    }
    try disturb(forest)
    let before = try forest.contents()
    for script in scripts + scripts {
      let result = try await forest.run(script, hooks: "copies")
      #expect(result.status == 0 || result.status == 1, "\(result.errorText)")
      #expect(result.errors.isEmpty == (result.status == 0))
      #expect(try forest.contents().isSuperset(of: before))
    }
    // A script that is cut at any place is as safe.
    let cut = Array(scripts[0].prefix(Int(forest.random.next() % UInt64(scripts[0].count))))
    _ = try await forest.run(cut)
    #expect(try forest.contents().isSuperset(of: before))
  }

  /// Programs that change one of the two files after they have done their work, and note what
  /// they wrote. Each content that they change has another copy then.
  private static let hook = """
    #!/bin/sh
    program=${0##*/}
    /usr/bin/$program "$@" || exit
    case $program in
    cmp) printf '%s' "$3" >"$HOOKS/last"; kept=$2 name=$3 ;;
    cp) [ "$1" = -lT ] || exit 0; kept=$2 name=$2 ;;
    esac
    count=$(($(cat "$HOOKS/count") + 1)); echo $count >"$HOOKS/count"
    # What was written once has no other copy.
    for one in "$HOOKS"/written/*; do
      [ ! -f "$one" ] || ! /usr/bin/cmp -s "$one" "$name" || exit 0
      [ ! -f "$one" ] || ! /usr/bin/cmp -s "$one" "$kept" || exit 0
    done
    [ $((count * SEED % 7)) -lt 3 ] || exit 0
    [ $((count * SEED % 2)) = 0 ] && name=$kept
    case $((count * SEED % 5)) in
    0) echo "$count" >>"$name" ;;
    1) printf %s "$count" | dd of="$name" conv=notrunc 2>/dev/null ;;
    2) rm "$name"; echo "$count" >"$name" ;;
    3) rm "$name"; exit 0 ;;
    4) echo "$count" >"$name.tmp"; mv "$name.tmp" "$name" ;;
    esac
    /usr/bin/cp "$name" "$HOOKS/written/$count"
    exit 0

    """

  @Test("nothing is lost in a tree that changes in the middle of a step", arguments: rounds)
  func changing(round: Int) async throws {
    let forest = try Forest("script changing \(round)")
    let directory = forest.directory
    let action = ["delete", "link"][round % 2]
    let keep = Self.keeps[round / 2 % Self.keeps.count]
    let script = try await forest.print(options(action, keep))
    for folder in ["hooks", "hooks/written"] { try directory.makeDirectory(folder) }
    for program in ["cmp", "cp"] {
      try directory.write(Self.hook, to: "hooks/\(program)")
      try directory.setMode("hooks/\(program)", 0o755)
    }
    try directory.write("0", to: "hooks/count")
    let before = try forest.contents()
    let settings =
      "export HOOKS='\(directory.text)/hooks' SEED=\(forest.random.next() % 1000 + 1)\n"
    let result = try await forest.run(Array(settings.utf8) + script, hooks: "hooks")
    #expect(result.status == 0 || result.status == 1, "\(result.errorText)")
    let written = try other("find", words("hooks/written", "-type", "f", "-print0"), in: directory)
      .runBlocking().output.split(separator: 0).compactMap { contents(ofFile: directory.path($0)) }
    let after = try forest.contents()
    #expect(after.isSuperset(of: before) && after.isSuperset(of: written))
    #expect(result.errors.isEmpty || !written.isEmpty)
  }
}
