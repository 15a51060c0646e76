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

  @Test("without -a the digest is SHA-512, and an empty directory is an empty bag")
  func usual() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try await weir("hash", "--bagit", "t/", in: directory).run().expectSilence()
    #expect(
      names(inDirectory: "\(directory.text)/t")
        == ["bag-info.txt", "bagit.txt", "data", "manifest-sha512.txt", "tagmanifest-sha512.txt"])
    #expect(directory.content("t/manifest-sha512.txt") == [])
    try await weir("check", "--quiet", "t", in: directory).run().expectSilence()
  }

  @Test("an update lists what differs, keeps what others wrote, and replaces nothing that is equal")
  func update() async throws {
    let directory = try TemporaryDirectory()
    let change = "rm data/a.txt; echo x >data/sub/b.txt; echo new >data/n; mkdir m; echo y >m/tag"
    #expect(try await BagCase.make(change, in: directory).status == 0)
    let result = try await weir("hash", "--bagit", "b", in: directory).run()
    result.expectSilence()
    #expect(
      result.outputText
        == "b/m/tag: new\nb/data/a.txt: gone\nb/data/n: new\nb/data/sub/b.txt: edited\n")
    let info = String(decoding: directory.content("b/bag-info.txt") ?? [], as: UTF8.self)
    #expect(info.hasPrefix("Contact-Name: A\n  B\nPayload-Oxum: 6.2\n"), "\(info)")
    let check = try await weir("check", "b", in: directory).run()
    #expect(check.status == 0 && check.outputText.contains("b/m/tag: OK\n"))
    let state = "stat -c '%i %Y %n' b/*"
    let before = try await shell(state, in: directory).run().output
    let again = try await weir("hash", "--bagit", "b", in: directory).run()
    again.expectSilence()
    #expect(again.output.isEmpty)
    #expect(try await shell(state, in: directory).run().output == before)
    let more = try await weir("hash", "--bagit", "b", "-a", "sha512", in: directory).run()
    #expect(more.status == 0 && more.output.isEmpty)
    #expect(
      names(inDirectory: "\(directory.text)/b").filter { $0.hasPrefix("manifest") }.count == 3)
    try await weir("check", "--quiet", "b", in: directory).run().expectSilence()
  }

  @Test("a bag of version 0.97 stays one, with its percent signs")
  func old() async throws {
    let directory = try TemporaryDirectory()
    let change = "declare 0.97 UTF-8; tags; echo x >data/50%25; echo y >\"$(printf 'data/a\\nb')\""
    #expect(try await BagCase.make(change, in: directory).status == 0)
    let result = try await weir("hash", "--bagit", "b", in: directory).run()
    #expect(result.status == 0 && result.outputText.contains("b/data/50%25: new\n"))
    let manifest = String(decoding: directory.content("b/manifest-md5.txt") ?? [], as: UTF8.self)
    #expect(manifest.contains("  data/50%25\n") && manifest.contains("  data/a%0Ab\n"))
    try await weir("check", "--quiet", "b", in: directory).run().expectSilence()
  }

  @Test(
    "what a bag cannot hold, or an update would lose, is an error before anything changes",
    arguments: [
      ("mkdir b; echo x >b/x; ln -s x b/l", "b/l: is a symbolic link"),
      ("mkdir b; echo x >b/x; mkfifo b/f", "b/f: is not a regular file"),
      ("mkdir -p b/d; echo x >b/x; echo y >\"$(printf 'b/d/\\377')\"", "not UTF-8"),
      (": >b", "b/: Not a directory"), (":", "b/: No such file or directory"),
      ("mkdir b; echo x >b/bagit.txt; mkdir b/data", "has no first line"),
      (
        "mkdir b; printf 'BagIt-Version: 1.0\\nTag-File-Character-Encoding: UTF-8\\n' >b/bagit.txt",
        "has bagit.txt, but no data"
      ),
      (
        "mkdir -p b/data; printf 'BagIt-Version: 1.0\\nTag-File-Character-Encoding: UTF-8\\n' >b/bagit.txt; echo http://x - data/x >b/fetch.txt",
        "b/data/x: is listed in fetch.txt"
      ),
      (
        "mkdir -p b/data; printf 'BagIt-Version: 1.0\\nTag-File-Character-Encoding: UTF-16\\n' >b/bagit.txt",
        "another encoding"
      ),
      (
        "mkdir -p b/data; printf 'BagIt-Version: 1.0\\nTag-File-Character-Encoding: UTF-8\\n' >b/bagit.txt; : >b/manifest-tiger.txt",
        "algorithm that is not supported"
      ),
      ("mkdir b; echo x >b/x; exec 9<b; flock 9; export FLOCKED=1", "is in use by another run"),
    ])
  func refusals(script: String, says: String) async throws {
    let run = """
      \(script)
      find b -ls >before 2>/dev/null; "$0" hash --bagit b; s=$?; find b -ls 2>/dev/null | cmp before - && exit $s
      """
    let result = try await scripted(run)
    #expect(result.status == 2 && result.errorText.contains(says), "\(result.errorText)")
    #expect(result.output.isEmpty)
  }

  @Test(
    "an update of a damaged bag is refused, and changes nothing",
    arguments: [
      (
        "rm b/manifest-sha512.txt; echo rot >b/data/f",
        "b/manifest-sha512.txt: is missing, and tag"
      ),
      ("echo rot >b/data/f; : >b/manifest-sha512.txt", "b/manifest-sha512.txt: is not as tagmanif"),
      ("rm b/bag-info.txt", "b/bag-info.txt: is missing"),
      ("echo C: d >>b/bag-info.txt", "b/bag-info.txt: is not as tagmanifest-sha512.txt says"),
      ("rm b/bagit.txt", "b/: has tagmanifest-sha512.txt, but no bagit.txt"),
      (
        "echo x >>b/manifest-sha512.txt", "b/manifest-sha512.txt: line 3 is not a digest and a name"
      ),
      ("echo x >>b/tagmanifest-sha512.txt", "b/tagmanifest-sha512.txt: line 4 is not a digest"),
      ("rm b/tag*; echo x >>b/manifest-sha512.txt", "line 3 is not a digest and a name; mend"),
    ])
  func damaged(script: String, says: String) async throws {
    let run = """
      mkdir b; echo 1 >b/f; echo 2 >b/g; "$0" hash --bagit b || exit; \(script)
      cp -a b before; "$0" hash --bagit b; s=$?; diff -r b before && exit $s
      """
    let result = try await scripted(run)
    #expect(result.status == 2 && result.errorText.contains(says), "\(result.errorText)")
    #expect(result.output.isEmpty)
  }

  @Test("tag files of others that changed are listed as the payload is, and the bag is valid again")
  func tagFiles() async throws {
    let directory = try TemporaryDirectory()
    let change =
      "echo x >edited.xml; echo x >gone.xml; tags; echo y >edited.xml; rm gone.xml; : >n.xml"
    #expect(try await BagCase.make(change, in: directory).status == 0)
    let result = try await weir("hash", "--bagit", "b", in: directory).run()
    result.expectSilence()
    #expect(result.outputText == "b/edited.xml: edited\nb/gone.xml: gone\nb/n.xml: new\n")
    try await weir("check", "--quiet", "b", in: directory).run().expectSilence()
  }

  @Test("--bag-info writes, replaces and removes lines of bag-info.txt, and the bag is valid")
  func fields() async throws {
    let directory = try TemporaryDirectory()
    let run = """
      mkdir b; echo 1 >b/f
      "$0" hash --bagit b --bag-info 'Contact-Name=Jane Doe' --bag-info 'External-Identifier=a=b' \
        --bag-info Keeper=one --bag-info Keeper=two
      grep -v -e ^Bagging -e ^Bag-Soft b/bag-info.txt; echo; "$0" check --quiet b
      "$0" hash --bagit b --bag-info contact-name='J. D.' --bag-info Keeper= --bag-info Bagging-Date=2020-02-02
      grep -v ^Bag-Soft b/bag-info.txt; "$0" check --quiet b; cp -a b before
      "$0" hash --bagit b --bag-info contact-name='J. D.'; diff -r before b
      """
    let result = try await shell(run, in: directory).run()
    result.expectSilence()
    #expect(
      result.outputText == """
        Payload-Oxum: 2.1
        Contact-Name: Jane Doe
        External-Identifier: a=b
        Keeper: one
        Keeper: two

        Bagging-Date: 2020-02-02
        Payload-Oxum: 2.1
        contact-name: J. D.
        External-Identifier: a=b

        """)
    for field in ["x", "=x", "a:b=c", " a=b", "a=b\nc", "payload-oxum=2.1"] {
      let refused = try await weir("hash", "--bagit", "b", "--bag-info", field, in: directory).run()
      #expect(refused.status == 2 && refused.errorText.contains("--bag-info takes"), "\(field)")
    }
    let alone = try await weir("hash", "--bag-info", "a=b", in: directory).run()
    #expect(alone.status == 2 && alone.errorText.contains("--bag-info needs --bagit DIR"))
  }

  @Test("with --accept the tag manifests follow an edit by hand, and of nothing else")
  func acceptance() async throws {
    let run = """
      mkdir b; echo 1 >b/f; "$0" hash --bagit b; echo Keeper: me >>b/bag-info.txt; cp -a b before
      "$0" hash --bagit b --accept bagit.txt; echo $?; diff -r before b
      "$0" hash --bagit b --accept bag-info.txt; echo $?
      grep Keeper b/bag-info.txt; "$0" check --quiet b
      """
    let result = try await scripted(run)
    #expect(result.outputText == "2\nb/bag-info.txt: edited\n0\nKeeper: me\n")
    #expect(result.errorText.contains("or add --accept bag-info.txt to record it as it is"))
    #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
  }

  @Test("a bag whose tag manifests a killed run removed is completed; new ones keep the mode")
  func completion() async throws {
    let directory = try TemporaryDirectory()
    let script = """
      chmod 640 tagmanifest-md5.txt; echo x >data/n; cp -a ../b ../killed; cd ../killed; rm tagmanifest*
      sed -i '$d' manifest-md5.txt
      """
    #expect(try await BagCase.make(script, in: directory).status == 0)
    for root in ["b", "killed"] {
      let result = try await weir("hash", "--bagit", root, in: directory).run()
      result.expectSilence()
      try await weir("check", "--quiet", root, in: directory).run().expectSilence()
    }
    let mode = try await shell("stat -c %a b/tagmanifest-md5.txt", in: directory).run()
    #expect(mode.outputText == "640\n")
  }

  @Test(
    "the output of the run is no file of the bag, and a user's file is not taken for a remainder")
  func foreignFiles() async throws {
    let directory = try TemporaryDirectory()
    for stage in ["mkdir -p b/.weir-bag/data; echo x >b/.weir-bag/data/f", "echo x >b/.weir-bag"] {
      let result = try await shell(
        "mkdir b; \(stage); $0 hash --bagit b; echo $?; find b -name data; rm -r b", in: directory
      ).run()
      #expect(result.outputText.hasPrefix("2\n") && !result.outputText.contains("b/data"))
      #expect(
        result.errorText == "weir: b/.weir-bag/: is no directory that weir has made; rename it\n")
    }
    try directory.makeDirectory("b")
    try directory.write("x", to: "b/f")
    for output in ["b/log", "b/d/log", "b/data/log"] {
      let result = try await shell(
        "mkdir -p b/d; $0 hash --bagit b >\(output); echo $?; rm \(output)", in: directory
      ).run()
      #expect(result.outputText == "2\n")
      #expect(
        result.errorText == "weir: \(output): is the output of this run, and would differ from its "
          + "digest; choose a file outside the bag\n")
      let made = try await shell(
        "$0 hash --bagit b; for t in mine 2024.11; do echo x >b/bag-info.txt.tmp.$t; done; $0 hash --bagit b",
        in: directory
      ).run()
      made.expectSilence()
    }
    for name in ["mine", "2024.11"] {
      #expect(directory.content("b/bag-info.txt.tmp.\(name)") == Array("x\n".utf8))
    }
    try await weir("check", "--quiet", "b", in: directory).run().expectSilence()
  }

  @Test("half of the payload, or as much as --max-gone permits, may be gone")
  func manyGone() async throws {
    let directory = try TemporaryDirectory()
    #expect(try await BagCase.make("rm -r data/*", in: directory).status == 0)
    let before = directory.content("b/manifest-md5.txt")
    for more in [[], ["--max-gone", "1"]] {
      let result = try await weir(["hash", "--bagit", "b"] + more, in: directory).run()
      let limit = more.last ?? "50%"
      #expect(
        result.status == 2
          && result.errorText
            == "weir: b: is left unchanged, since 2 of its 2 files would be gone, more than "
            + "--max-gone \(limit); mount what is missing, or add --max-gone 100%\n"
          && result.output.isEmpty)
      #expect(directory.content("b/manifest-md5.txt") == before)
    }
    let result = try await weir("hash", "--bagit", "b", "--max-gone", "100%", in: directory).run()
    #expect(result.outputText == "b/data/a.txt: gone\nb/data/sub/b.txt: gone\n")
    result.expectSilence()
    try await weir("check", "--quiet", "b", in: directory).run().expectSilence()
  }

  @Test(
    "a report, metrics or a trace in the bag is refused before it is written",
    arguments: ["--report", "--metrics", "--trace"])
  func reports(option: String) async throws {
    let directory = try TemporaryDirectory()
    #expect(try await BagCase.make("ln -s b/data ../l", in: directory).status == 0)
    for verb in [["hash", "--bagit", "b"], ["check", "b"]] {
      for file in [
        "b/r", "b/data/r", "l/r", "../\(directory.text.split(separator: "/").last!)/b/r",
      ] {
        let result = try await weir(verb + [option, file], in: directory).run()
        #expect(
          result.status == 2
            && result.errorText
              == "weir: \(file): is in b, where no manifest would list it; "
              + "choose a name outside the bag\n"
        )
      }
      let here = verb.dropLast() + [".", "-C", "b", option, "b/r"]
      let inside = try await weir(Array(here), in: directory).run()
      #expect(inside.status == 2 && inside.errorText.contains("is in ., where"))
      let outside = try await weir(verb + [option, "b.r"], in: directory).run()
      #expect(outside.status == 0)
    }
    try await weir("check", "--quiet", "b", in: directory).run().expectSilence()
  }

  @Test("a payload file that cannot be read leaves the manifests as they were")
  func unreadable() async throws {
    let directory = try TemporaryDirectory()
    #expect(
      try await BagCase.make("echo x >data/a.txt; chmod 0 data/sub/b.txt", in: directory).status
        == 0)
    let before = directory.content("b/manifest-md5.txt")
    let user = getuid() == 0 ? "setpriv --reuid 65534 --clear-groups --inh-caps=-all" : ""
    let result = try await shell(
      "chmod 777 . b; chown -R 65534 b 2>/dev/null; \(user) \"$0\" hash --bagit b", in: directory
    ).run()
    #expect(
      result.status == 3 && result.output.isEmpty
        && result.errorText.contains("b/data/sub/b.txt: Permission denied"),
      "\(result.errorText)")
    #expect(directory.content("b/manifest-md5.txt") == before)
    #expect(!names(inDirectory: "\(directory.text)/b").contains { $0.contains(".tmp.") })
  }

  @Test("a PATH and options that do not apply are usage errors")
  func usage() async throws {
    let directory = try TemporaryDirectory()
    for more in [
      ["x"], ["--update"], ["-o", "M"], ["--tag"], ["--follow"], ["--files-from", "x"],
    ] {
      let result = try await weir(["hash", "--bagit", "t"] + more, in: directory).run()
      #expect(result.status == 2 && result.errorText.contains("--bagit"), "\(result.errorText)")
    }
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
