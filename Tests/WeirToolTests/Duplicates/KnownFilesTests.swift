// weir duplicates --known: the files that an archive has, by manifests of every format; nothing but
// files of a recorded size is opened.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct KnownFilesTests {
  /// A manifest, and the commands that make it in the archive.
  private static let manifests: [(name: String, script: String)] = [
    ("sha256", "find . -type f -print0 | xargs -0 sha256sum"),
    ("md5", "find . -type f -print0 | xargs -0 md5sum --tag"),
    ("blake3", "find . -type f -print0 | xargs -0 b3sum"),
    ("xxh128", "\"$0\" hash -a xxh128 ."),  // with -a: by its length a digest would be MD5
    ("several", "\"$0\" hash -a md5,sha1,blake2b ."),
    ("mtree", "\"$0\" hash --format mtree ."),
    ("mtree2", "\"$0\" hash --format mtree -a sha512,xxh64 ."),
    ("bsd", "mtree -c -k type,size,sha256 -p ."),
  ]

  @Test("the known and the unknown are those of the contents", arguments: manifests.indices)
  func oracle(index: Int) async throws {
    let (form, script) = Self.manifests[index]
    guard isInstalled("b3sum"), isInstalled("mtree") else { return }
    var random = SeededGenerator(for: "known \(form)")
    let directory = try TemporaryDirectory()
    let pool = (0..<30).map { number in
      // Equal sizes, and the empty content.
      random.bytes(number == 0 ? 0 : number % 3 == 0 ? 100 : Int(random.next() % 3000))
    }
    for tree in ["archive", "t"] {
      try directory.makeDirectory(tree)
      try directory.makeDirectory(tree + "/sub")
    }
    var contents: [[UInt8]: [UInt8]] = [:]
    func plant(_ tree: String, _ choices: Range<Int>) throws {
      for name in random.names(60) where !name.elementsEqual("sub".utf8) {
        let path = Array("\(tree)/\(["", "sub/"][Int(random.next() % 2)])".utf8) + name
        contents[path] = pool[Int.random(in: choices, using: &random)]
        try directory.write(contents[path]!, to: path)
      }
    }
    try plant("archive", 0..<20)
    try plant("t", 0..<30)
    try await shell("cd archive && \(script) > ../M", in: directory).run().expectSilence()
    let archived = Set(contents.filter { $0.key.starts(with: "archive/".utf8) }.values)
    let own = contents.filter { $0.key.starts(with: "t/".utf8) }
    let names = own.keys.sorted(by: precedesInWalk)
    for (option, expected) in [
      ([String](), names.filter { archived.contains(own[$0]!) }),
      (["--unknown"], names.filter { !archived.contains(own[$0]!) }),
    ] {
      let algorithm = form == "xxh128" ? ["-a", form] : []
      let arguments = ["duplicates", "--known", "M"] + algorithm + option
      let zero = try await weir(arguments + ["--zero", "t"], in: directory).run()
      zero.expectSilence()
      #expect(zero.output.split(separator: 0).map { Array($0) } == expected)
      let objects = try Schema(of: "duplicates").objects(
        try await weir(arguments + ["--format=json", "t"], in: directory).run().output)
      #expect(objects.count == expected.count + 1)
      for (object, name) in zip(objects, expected) {
        #expect(try bytes(object["path"]) == name)
        // b3sum does not preserve names that are no UTF-8.
        guard option.isEmpty && form != "blake3" else { continue }
        let other = try bytes(object["known_as"])
        let path =
          Array("archive/".utf8) + (other.starts(with: "./".utf8) ? other.dropFirst(2) : other[...])
        #expect(contents[path] == own[name], "\(String(decoding: path, as: UTF8.self))")
      }
      let summary = try #require(objects.last)
      #expect(summary["known"] as? Int == names.filter { archived.contains(own[$0]!) }.count)
      let text = try await weir(arguments + ["t"], in: directory).run()
      let lines = text.output.split(separator: 0x0A)
      #expect(
        lines.filter { !$0.starts(with: "# ".utf8) && !$0.starts(with: "= ".utf8) }.count
          == expected.count)
      #expect(option.isEmpty == (text.output.last == 0x0A && text.output.dropLast().last == 0x0A))
    }
  }

  private func bytes(_ name: Any?) throws -> [UInt8] {
    let name = try #require(name as? [String: String])
    if let text = name["text"] { return Array(text.utf8) }
    return Array(try #require(Data(base64Encoded: name["bytes"] ?? "!")))
  }

  @Test("only files of a recorded size are opened", .enabled("strace has to work", straceWorks))
  func opened() async throws {
    let count = runsWholeTables ? 100_000 : 2000
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.makeDirectory("archive")
    // Sizes 1 to 999; the archive has three of them.
    for number in 0..<count {
      try directory.write(
        Array(repeating: UInt8(number % 251), count: number % 999 + 1), to: "t/f\(number)".utf8)
    }
    for number in [7, 100, 500] {
      try directory.write(
        Array(repeating: UInt8(number % 251), count: number + 1), to: "archive/\(number)".utf8)
    }
    try await shell("\"$0\" hash --format mtree archive > M", in: directory).run().expectSilence()
    let result = try await shell(
      """
      strace -f -o trace -e trace=open,openat,openat2 "$0" duplicates --known M --zero t
      """, in: directory
    ).run()
    result.expectSilence()
    let trace = String(decoding: try #require(directory.content("trace")), as: UTF8.self)
    let opens = trace.split(separator: "\n").filter { $0.contains("f") && !$0.contains("ENOENT") }
      .compactMap { line -> Int? in
        guard let quote = line.firstIndex(of: "\"") else { return nil }
        let name =
          line[line.index(after: quote)...].prefix { $0 != "\"" }.split(separator: "/").last ?? ""
        return name.hasPrefix("f") ? Int(name.dropFirst()) : nil
      }
    let expected = (0..<count).filter { [7, 100, 500].contains($0 % 999) }
    #expect(opens.sorted() == expected)
    #expect(
      result.output.split(separator: 0).count
        == expected.filter { $0 % 251 == $0 % 999 % 251 }.count)
    print("known: \(opens.count) of \(count) files opened")
  }

  @Test(
    "groups are the same with recorded digests, and files as recorded are not read",
    arguments: ["sha256", "xxh128", "sha1,blake3"])
  func records(algorithms: String) async throws {
    var random = SeededGenerator(for: "records \(algorithms)")
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    // Equal sizes, below and above what is read at once.
    let pool = (0..<20).map { random.bytes($0 % 2 == 0 ? 100 : 100_000) }
    for number in 0..<150 {
      try directory.write(pool[Int(random.next() % 20)], to: "t/f\(number)".utf8)
    }
    let result = try await shell(
      """
      $0 hash -a \(algorithms) -o R t; $0 hash -a \(algorithms) --format mtree t >M
      for r in R M; do $0 duplicates --records $r --format json t | tail -n 1 | grep -o '"read":[0-9]*'; done
      for n in 1 2 3 4 5 6; do cp t/f$((20 * n)) t/f$n; ln -f t/f$((20 * n + 1)) t/f3$n; touch t/f3$n; done
      touch t/f50 t/f51; rm t/f70; cp t/f60 t/new; head -c 100 /dev/urandom >t/f80; cp t/f80 t/f81
      $0 duplicates --summary t >a; for r in R M; do $0 duplicates --records $r ./t/ >b; sed -i 's,^[.]/,,; s,^= [.]/,= ,' b; diff a b; done
      $0 duplicates --verify --records R t | diff a -; $0 duplicates --records a t; echo $?
      """, in: directory
    ).run()
    #expect(result.outputText == "\"read\":0\n\"read\":0\n2\n", "\(result.errorText)")
    #expect(result.errorText.contains("weir: a: records no files with size, time and digest"))
  }
}
