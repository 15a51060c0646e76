// mtree(5): manifests of Weir and of other programs.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.serialized, .timeLimit(.minutes(10)))
struct MtreeTests {
  @Test("each directory precedes its contents, once for consecutive names")
  func parents() throws {
    var writer = MtreeWriter()
    var text: [UInt8] = []
    for (name, isDirectory) in [
      (".", true), ("./a", true), ("./a/b/c/d", false), ("./a/b/e", false), ("./ab", false),
      ("x/y", false), ("x/yz/q", false), ("./x", true), ("/x//y/z", false), ("../up", false),
      ("/", true), ("x/./w/v", false), ("x/w/", true), ("x/w/f", false),
    ] {
      Array(name.utf8).withUnsafeBytes {
        writer.append(before: $0, isDirectory: isDirectory, to: &text)
      }
      if !isDirectory { text += Array("\(name)\n".utf8) }
    }
    #expect(
      String(decoding: text, as: UTF8.self) == """
        . type=dir
        ./a type=dir
        ./a/b type=dir
        ./a/b/c type=dir
        ./a/b/c/d
        ./a/b/e
        ./ab
        #weir bare
        ./x type=dir
        x/y
        ./x/yz type=dir
        x/yz/q
        #weir dotted
        ./x type=dir
        #weir bare
        .//x type=dir
        .//x//y type=dir
        /x//y/z
        ./.. type=dir
        ../up
        ./x type=dir
        ./x/./w type=dir
        x/./w/v
        ./x/w type=dir
        x/w/f

        """)
  }

  @Test("hierarchy, continued lines, /set and every escape of vis(3) are read")
  func hierarchy() async throws {
    let text = ##"""
      #	   user: somebody
      # .
      /set type=file nlink=1 uid=0
      .               type=dir nlink=3 time=5.7
          \^Ac\^?     size=1 time=1795291086.891619096 \
                      md5digest=45c48cce2e2d7fbdea1afc51c7c6ad26 \
                      rmd160=b21ffbb290fb266e77182797ba316f6fd920dcfa
          ff\M^?\M-C\M^A\s\t\n\\\#\r\b\a\v\f\E\$\x41\101\1z  size=0 # comment
      # ./d
      d               type=dir
          f           time=-2.500000000 optional
      /set type=link
          l           link=a\sb
      /unset type
      e               type=dir
          deep        type=fifo
      ..
          d2
      # ./d
      ..
      out             size=18446744073709551615
      ./some/where    type=file
      usr/x           ignore
      /abs            type=socket
      """##
    let read = try await entries(Array(text.utf8))
    func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    let digest: [UInt8] = [
      0x45, 0xc4, 0x8c, 0xce, 0x2e, 0x2d, 0x7f, 0xbd, 0xea, 0x1a, 0xfc, 0x51, 0xc7, 0xc6, 0xad,
      0x26,
    ]
    #expect(
      difference(
        read,
        [
          Entry(name: bytes("."), type: .directory, time: FileTime(seconds: 5, nanoseconds: 7)),
          Entry(
            name: bytes("./\u{1}c\u{7F}"), type: .file, size: 1,
            time: FileTime(seconds: 1_795_291_086, nanoseconds: 891_619_096),
            digests: ["md5": digest]),
          Entry(
            name: bytes("./ff") + [0xFF, 0xC3, 0x81] + bytes(" \t\n\\#\r\u{8}\u{7}\u{B}\u{C}")
              + bytes("\u{1B}AA\u{1}z"),
            type: .file, size: 0),
          Entry(name: bytes("./d"), type: .directory),
          Entry(
            name: bytes("./d/f"), type: .file,
            time: FileTime(seconds: -2, nanoseconds: 500_000_000), isOptional: true),
          Entry(name: bytes("./d/l"), type: .symbolicLink, target: bytes("a b")),
          Entry(name: bytes("./d/e"), type: .directory),
          Entry(name: bytes("./d/e/deep"), type: .fifo),
          Entry(name: bytes("./d/d2"), type: nil),
          Entry(name: bytes("./out"), type: nil, size: .max),
          Entry(name: bytes("./some/where"), type: .file),
          Entry(name: bytes("usr/x"), type: nil, isIgnored: true),
          Entry(name: bytes("/abs"), type: .socket),
        ]) == nil)
  }

  @Test("a malformed entry is reported with the number of its first line")
  func malformed() async throws {
    let lines = [
      ". type=dir", "./a type=nonsense", "./b size=-1", "./c size=x", "./d time=1.2.3",
      #"./e\ type=file"#, #"./e\"#, "   md5=00", "./f sha256=00", "./g word", "./h =x",
      #"./n\000 type=file"#, "./ok type=file sha3=zz mode=0644 flags=none nochange", "..", "..",
      #"./x\M type=file"#, "./t time=99999999999999999999", "./s size=18446744073709551616",
      "./z time=1.1000000000", #"./q\777 type=file"#, #"./last \"#,
    ]
    let text = lines.joined(separator: "\n") + "\n"
    let read = try await read(Array(text.utf8))
    #expect(read.malformed == [2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 15, 16, 17, 18, 19, 20, 21])
    #expect(read.entries.map { String(decoding: $0.name, as: UTF8.self) } == [".", "./ok"])
  }

  @Test("the earliest and the latest time survive writing and reading")
  func extremes() async throws {
    var (writer, text) = (MtreeWriter(), MtreeWriter.header(version: "0"))
    let times = [Int64.min, Int64.min + 1, -1, 0, Int64.max].map {
      FileTime(seconds: $0, nanoseconds: 5)
    }
    for (index, time) in times.enumerated() {
      Entry(name: Array("./\(index)".utf8), type: .file, size: 0, time: time)
        .write(MtreeLine([]), &writer, to: &text)
    }
    text += "./early time=-9223372036854775809\n./late time=9223372036854775808\n".utf8
    let read = try await read(text)
    #expect(read.entries.filter { $0.type == .file }.map(\.time) == times)
    #expect(read.malformed.count == 2)
  }
}

/// A copy of an entry.
private struct Entry: Equatable {
  var name: [UInt8]
  var type: FileWalk.EntryType?
  var size: UInt64?
  var time: FileTime?
  var target: [UInt8]?
  var isOptional = false
  var isIgnored = false
  var digests: [String: [UInt8]] = [:]

  init(
    name: [UInt8], type: FileWalk.EntryType?, size: UInt64? = nil, time: FileTime? = nil,
    target: [UInt8]? = nil, isOptional: Bool = false, isIgnored: Bool = false,
    digests: [String: [UInt8]] = [:]
  ) {
    self.name = name
    self.type = type
    self.size = size
    self.time = time
    self.target = target
    self.isOptional = isOptional
    self.isIgnored = isIgnored
    self.digests = digests
  }

  init(_ entry: MtreeEntry) {
    self.init(
      name: Array(entry.name), type: entry.type, size: entry.size, time: entry.time,
      target: entry.target.map { Array($0) }, isOptional: entry.isOptional,
      isIgnored: entry.isIgnored)
    for digest in entry.digests { digests[digest.algorithm.name] = Array(digest.bytes) }
  }

  func write(_ line: MtreeLine, _ writer: inout MtreeWriter, to text: inout [UInt8]) {
    name.withUnsafeBytes { name in
      writer.append(before: name, isDirectory: type == .directory, to: &text)
      if type == .directory { return }
      if let target {
        return target.withUnsafeBytes { MtreeLine.append(link: name, target: $0, to: &text) }
      }
      let capacity = line.capacity(nameCount: name.count)
      text += [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
        let out = UnsafeMutableRawBufferPointer(memory)
        let algorithms = DigestAlgorithm.allCases.filter { digests[$0.name] != nil }
        let bytes = algorithms.flatMap { digests[$0.name] ?? [] }
        count = bytes.withUnsafeBytes { all in
          var begin = 0
          let pieces = algorithms.map { algorithm in
            defer { begin += algorithm.byteCount }
            return UnsafeRawBufferPointer(rebasing: all[begin..<begin + algorithm.byteCount])
          }
          return line.write(name: name, size: size ?? 0, time: time, digests: pieces, to: out)
        }
      }
    }
  }
}

private struct Reading {
  var entries: [Entry] = []
  var malformed: [Int] = []
}

private func entries(_ text: [UInt8]) async throws -> [Entry] {
  let read = try await read(text)
  #expect(read.malformed.isEmpty)
  return read.entries
}

/// Reads a manifest from a file.
private func read(_ text: [UInt8]) async throws -> Reading {
  let directory = try TemporaryDirectory()
  try directory.write(text, to: "m".utf8)
  let descriptor = try FileDescriptor.open(FilePath("\(directory.text)/m"), .readOnly)
  defer { try? descriptor.close() }
  let lines = ManifestReader(descriptor)
  let parser = MtreeParser()
  var reading = Reading()
  var begin = 1
  while let line = try lines.next() {
    if !parser.isContinued { begin = lines.lineNumber }
    switch parser.parse(line) {
    case .entry(let entry): reading.entries.append(Entry(entry))
    case .malformed: reading.malformed.append(begin)
    case .comment, .ignored: break
    }
  }
  if case .malformed = parser.finish() { reading.malformed.append(begin) }
  return reading
}
