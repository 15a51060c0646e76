// A tree of files whose names and contents the test knows, and the commands that made it.

import Glibc
import TestSupport

/// What a file holds: the index of its content, and its time in seconds.
struct VerdictFile: Equatable {
  var content: Int
  var time: Int
}

/// A false verdict.
struct FalseVerdict: Error {
  let kind: String
  let description: String

  init(_ kind: String, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// A directory with the tree `w`, and beside it manifests and lists.
final class VerdictPlace {
  let directory: TemporaryDirectory
  let tree: [UInt8]
  let contents: VerdictContents
  /// The files of the tree by their names below `w`.
  private(set) var files: [[UInt8]: VerdictFile] = [:]
  /// The commands that repeat the case by hand, for bash.
  private(set) var commands = ["mkdir w m"]
  private(set) var folders: Set<[UInt8]> = []
  /// The working directory of programs, from the tree: empty, `..`, or a directory in the tree.
  var here: [UInt8] = []
  private var lastTime = 1_600_000_000

  init(_ contents: VerdictContents) throws {
    self.contents = contents
    directory = try TemporaryDirectory()
    tree = directory.path("w")
    try directory.makeDirectory("w")
    try directory.makeDirectory("m")
  }

  /// Returns a time that no file has.
  func nextTime() -> Int {
    lastTime += 1
    return lastTime
  }

  /// Writes a file, with its time; does nothing if the name cannot be that of a file here.
  func write(_ name: [UInt8], _ file: VerdictFile) throws {
    let slash = UInt8(ascii: "/")
    guard !folders.contains(name), name.count < 3000 else { return }
    let parents = name.indices.filter { name[$0] == slash }.map { Array(name[..<$0]) }
    guard parents.allSatisfy({ files[$0] == nil }) else { return }
    for parent in parents where folders.insert(parent).inserted {
      try directory.makeDirectory(Array("w/".utf8) + parent)
      commands.append("mkdir \(word(parent))")
    }
    try directory.write(contents.all[file.content], to: Array("w/".utf8) + name)
    var times = [timespec(tv_sec: file.time, tv_nsec: nanoseconds(file)), timespec()]
    times[1] = times[0]
    guard utimensat(AT_FDCWD, terminated(tree + [slash] + name), times, 0) == 0 else {
      throw FalseVerdict("utimensat", "\(errno)")
    }
    files[name] = file
    commands.append(
      "printf %s \(shellWord(contents.all[file.content])) >\(word(name)); "
        + "touch -d @\(file.time).\(String(nanoseconds(file) + 1_000_000_000).dropFirst()) \(word(name))"
    )
  }

  private func nanoseconds(_ file: VerdictFile) -> Int { file.time % 1000 * 999_983 }

  func remove(_ name: [UInt8]) {
    unlink(terminated(tree + [UInt8(ascii: "/")] + name))
    files[name] = nil
    commands.append("rm \(word(name))")
  }

  /// Returns the word for a name, from the directory that contains `w`.
  private func word(_ name: [UInt8]) -> String { shellWord(Array("w/".utf8) + name) }

  /// Returns the name of a path in the tree as it is from the working directory.
  func spelled(_ name: [UInt8]) -> [UInt8] {
    if here.isEmpty { return name }
    return (here == Array("..".utf8) ? Array("w/".utf8) : Array("../".utf8)) + name
  }

  /// Runs a program in the working directory.
  func run(
    _ program: [UInt8], _ arguments: [[UInt8]], input: [UInt8]? = nil, inputName: String = "",
    outputName: String = ""
  ) throws -> Outcome {
    let begin = directory.path + [UInt8(ascii: "/")]
    let shown = arguments.map { argument in
      argument.starts(with: begin)
        ? "\"$D\"/" + shellWord(argument.dropFirst(begin.count)) : shellWord(argument)
    }
    let name = program == weirPath ? "weir" : String(decoding: program, as: UTF8.self)
    commands.append(
      "(cd \(word(here)); \(name) \(shown.joined(separator: " "))\(inputName)\(outputName)); echo $?"
    )
    var command = Command(program, arguments)
    command.directory = tree + [UInt8(ascii: "/")] + here
    if let input { command.input = .bytes(input) }
    let outcome = try command.runBlocking()
    if outcome.status == nil || outcome.wasLate {
      throw FalseVerdict("signal", "ended by signal \(outcome.signal ?? 0)")
    }
    return outcome
  }

  /// Writes a file beside the tree, or the manifest in it.
  func keep(_ bytes: [UInt8], as path: [UInt8], showing: Bool) throws {
    let name = Array(path.dropFirst(directory.path.count + 1))
    try directory.write(bytes, to: name)
    if showing { commands.append("printf \(shellWord(printf(bytes))) >\(shellWord(name))") }
  }

  private func printf(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { byte -> [UInt8] in
      switch byte {
      case 0: return Array("\\0".utf8)
      case UInt8(ascii: "\\"), UInt8(ascii: "%"): return [byte, byte]
      default: return [byte]
      }
    }
  }

  /// Returns the content of a file, or `nil`.
  func content(of path: [UInt8]) -> [UInt8]? { TestSupport.contents(ofFile: path) }

  /// Returns the name below the tree that a path of the tool means.
  func canonical(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    var whole: [ArraySlice<UInt8>] = []
    let absolute = path.first == slash ? path : tree + [slash] + here + [slash] + path
    for component in absolute.split(separator: slash) where !component.elementsEqual(".".utf8) {
      if component.elementsEqual("..".utf8) { whole.removeLast() } else { whole.append(component) }
    }
    return Array(whole.joined(separator: [slash]).dropFirst(tree.count))
  }
}
