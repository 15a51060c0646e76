// weir hash --bagit DIR: a bag made in place, and brought up to date.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct BagMakeTests {
  private static func hasModule() async throws -> Bool {
    guard isInstalled("python3") else { return false }
    let hasModule = try await Command("python3", "-c", "import bagit").run().status == 0
    if !hasModule { print("skipped: the module bagit of Python is not installed") }
    return hasModule
  }

  /// Returns the relative names and the contents of the files in a directory.
  static func files(
    _ root: String, in directory: TemporaryDirectory
  ) async throws -> [[UInt8]: [UInt8]] {
    let found = try await shell(
      "cd \"$1\" && find . -type f -printf '%P\\0'", root, in: directory
    ).run()
    let names = found.output.split(separator: 0).map(Array.init)
    return Dictionary(
      uniqueKeysWithValues: names.map { name in
        (name, contents(ofFile: directory.path(Array("\(root)/".utf8) + name)) ?? [])
      })
  }

  @Test("the content is moved as it is, and GNU's tools verify the manifests")
  func make() async throws {
    var random = SeededGenerator(for: "making bags")
    let directory = try TemporaryDirectory()
    let made = try directory.fill("t", files: 150, using: &random)
    for name in ["data", "data/data", "empty"] { try directory.makeDirectory("t/\(name)") }
    for name in ["data/data/x", "100%", "%0A", ".hidden", "é", "a\nb", "a\rb"] {
      try directory.write(name, to: "t/\(name)")
    }
    let before = try await BagMakeTests.files("t", in: directory)
    #expect(before.count == made.count + 7)
    let algorithms = ["md5", "sha1", "sha256", "sha512"]
    let result = try await weir(
      "hash", "--bagit", "t", "-a", algorithms.joined(separator: ","), in: directory
    ).run()
    result.expectSilence()
    #expect(result.output.isEmpty)
    #expect(try await BagMakeTests.files("t/data", in: directory) == before)
    for algorithm in algorithms {
      let script = """
        cd t && for m in manifest tagmanifest; do
          ! grep -v % "$m-$1.txt" | "$1sum" -c --strict | grep -v ': OK$' || exit 1
        done; grep -c . "manifest-$1.txt"; grep % "manifest-$1.txt" | cut -c"$2-"
        """
      let width = ["md5": 32, "sha1": 40, "sha256": 64, "sha512": 128][algorithm] ?? 0
      let verified = try await shell(script, algorithm, "\(width + 3)", in: directory).run()
      verified.expectSilence()
      #expect(
        verified.outputText
          == "\(before.count)\ndata/%250A\ndata/100%25\ndata/a%0Ab\ndata/a%0Db\n")
    }
    let info = String(decoding: directory.content("t/bag-info.txt") ?? [], as: UTF8.self)
    let size = before.values.reduce(0) { $0 + $1.count }
    #expect(info.contains("Payload-Oxum: \(size).\(before.count)\n"))
    #expect(info.firstMatch(of: #/Bagging-Date: \d{4}-\d\d-\d\d\n/#) != nil)
    #expect(info.contains("Bag-Software-Agent: weir "))
    let check = try await weir("check", "--quiet", "t", in: directory).run()
    check.expectSilence()
    #expect(names(inDirectory: "\(directory.text)/t").count == 11)
  }

  @Test(
    "bags of weir are valid to bagit-python, and bags of bagit-python to weir, before and after an update",
    .enabled("the module", hasModule))
  func module() async throws {
    var random = SeededGenerator(for: "bags of Python")
    let directory = try TemporaryDirectory()
    for root in ["own", "others"] {
      try directory.fill(root, files: 60, using: &random)
      for name in ["é", "a b", "x\ny"] { try directory.write(name, to: "\(root)/\(name)") }
    }
    let algorithms = "md5,sha1,sha256,sha512"
    try await weir("hash", "--bagit", "own", "-a", algorithms, in: directory).run().expectSilence()
    let python = """
      import bagit, sys
      bagit.Bag('own').validate()
      bagit.make_bag('others', {'Contact-Name': 'A'}, checksums=sys.argv[1].split(','))
      """
    let made = try await Command.python(python, algorithms, in: directory).run()
    #expect(made.status == 0, "\(made.errorText)")
    try await weir("check", "--quiet", "others", in: directory).run().expectSilence()
    for root in ["own", "others"] {
      try directory.write("new", to: "\(root)/data/new")
      let result = try await weir("hash", "--bagit", root, in: directory).run()
      #expect(result.status == 0 && result.outputText == "\(root)/data/new: new\n")
    }
    let valid = "import bagit; [bagit.Bag(name).validate() for name in ('own', 'others')]"
    let result = try await Command.python(valid, in: directory).run()
    #expect(result.status == 0, "\(result.errorText)")
  }
}

extension Command {
  fileprivate static func python(
    _ text: String, _ arguments: String..., in directory: TemporaryDirectory
  ) -> Command {
    other("python3", (["-c", text] + arguments).map { Array($0.utf8) }, in: directory)
  }
}
