// Lists of other people: forms that other programs write, and names of other machines.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ForeignListTests {
  /// The files `f` (abc), `z` (BAD), `d/name.txt` and `café` (both abc).
  private static let make = """
    printf abc >f; printf BAD >z; mkdir d; printf abc >d/name.txt; cp f $(printf 'caf\\303\\251')
    sum() { $1 f | cut -d' ' -f1; }
    b64() { "$1"sum $2 | perl -ne 'print pack("H*", (split)[0])' | base64 -w0; }
    md5=$(sum md5sum) sha=$(sum sha256sum) sha512=$(sum sha512sum) b2=$(sum b2sum)
    MD5=$(echo $md5 | tr a-f A-F) SHA=$(echo $sha | tr a-f A-F)

    """

  private func run(_ script: String) async throws -> Outcome {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await shell(Self.make + script, in: directory).run()
  }

  private func check(_ list: String, _ options: String = "") async throws -> Outcome {
    try await run(list + "\n$0 check \(options) L")
  }

  /// Lists of f, and of z if it fails: how they are written, the verdicts, and the status.
  private static let rows: [(String, String, Int32)] = [
    // SFV without leading zeros, after a comment or with a line that has all digits.
    ("printf '; c\\nf 352441C2\\nz 33D3957\\n' >L", "f: OK\nz: FAILED\n", 1),
    ("printf 'f 352441C2\\nz 33D3957\\n' >L", "f: OK\nz: FAILED\n", 1),
    ("printf '; c\\n#f 352441C2\\n' >L", "#f: FAILED open or read\n", 1),
    // SFV of names that end in a blank, or that look like digests; several blanks before the CRC.
    ("cp f 'n '; printf '; c\\nn  352441C2\\n' >L", "n : OK\n", 0),
    ("cp f 'n '; cp z n; printf 'f 352441C2\\nn  352441C2\\n' >L", "f: OK\nn : OK\n", 0),
    ("printf '; c\\nf   352441C2\\n' >L", "f: OK\n", 0),
    ("cp f abad1dea; printf '; c\\nabad1dea 352441C2\\n' >L", "abad1dea: OK\n", 0),
    ("cp f abad1dea; printf 'f 352441C2\\nabad1dea 352441C2\\n' >L", "f: OK\nabad1dea: OK\n", 0),
    // Base64, tagged and not.
    ("echo \"SHA256 (f) = $(b64 sha256 f)\" >L", "f: OK\n", 0),
    ("echo \"SHA256 (f) = $(b64 sha256 z)\" >L; echo \"$sha  f\" >>L", "f: FAILED\nf: OK\n", 1),
    ("echo \"$(b64 sha512 f)  f\" >L", "f: OK\n", 0),
    ("echo \"RMD160 (f) = $(b64 sha1 f)\" >L; echo \"$sha  f\" >>L", "f: OK\n", 3),
    // xxhsum -H3, TeraCopy, a name before its digest.
    ("echo 'XXH3_78af5f94892f3950  f' >L", "f: OK\n", 0),
    ("echo 'XXH3_78af5f94892f3951  f' >L", "f: FAILED\n", 1),
    ("echo \"$sha ?SHA256*f\" >L", "f: OK\n", 0), ("echo \"$sha ?BLAKE2sp*f\" >L", "", 3),
    ("echo \"f  $sha\" >L; echo \"d/name.txt $md5\" >>L", "f: OK\nd/name.txt: OK\n", 0),
    ("echo \"z  $sha\" >L", "z: FAILED\n", 1),
    // rhash --bsd with two algorithms, openssl dgst -c, md5deep -z, b3sum -l.
    ("printf 'MD5   (f) = %s\\nSHA256  (z) = %s\\n' $md5 $sha >L", "f: OK\nz: FAILED\n", 1),
    ("printf 'MD5(f)= %s\\n' $(echo $md5 | sed 's/../:&/g; s/://') >L", "f: OK\n", 0),
    ("printf 'MD5(z)= %s\\n' $(echo $md5 | sed 's/../:&/g; s/://') >L", "z: FAILED\n", 1),
    ("printf 'MD5(f)= %s\\n' $(echo $md5 | sed 's/../:&/g; s/:/0/') >L", "", 1),
    (
      "printf '         3  %s  f\\n         3  %s  d/name.txt\\n' $md5 $md5 >L",
      "f: OK\nd/name.txt: OK\n", 0
    ),
    ("cp f ' a b'; printf '         4  %s   a b\\n' $md5 >L", " a b: FAILED (edited)\n", 1),
    ("printf '         3  %s  f\\nx  %s  z\\n' $md5 $md5 >L", "f: OK\n", 1),
    ("printf 'BLAKE3-32 (f) = 6437b3ac\\nBLAKE3-32 (z) = 6437b3ac\\n' >L", "f: OK\nz: FAILED\n", 1),
    // Control files of Debian, and Gentoo's manifests.
    (
      """
      printf 'Format: 1.8\\nDescription: a\\n b\\nChecksums-Sha256:\\n %s 3 f\\nFiles:\\n' $sha >L
      echo " $md5 3 devel optional f" >>L
      """, "f: OK\nf: OK\n", 0
    ),
    ("printf 'Origin: x\\nSHA256:\\n %s 4 f\\n' $sha >L", "f: FAILED (edited)\n", 1),
    ("printf 'Date: Sat\\nSHA256:\\n %s 3 f\\n' $sha >L", "f: OK\n", 0),
    (
      "printf 'DIST f 3 BLAKE2B %s SHA512 %s\\nIGNORE x\\n' $b2 $sha512 >L", "f: OK\n", 0
    ),
    ("printf 'DIST f 3 WHIRLPOOL 00 SHA512 %s\\n' $sha512 >L", "f: OK\n", 3),
    ("printf 'AUX x 3 SHA512 %s\\n' $sha512 >L; mkdir files; cp f files/x", "files/x: OK\n", 0),
    // gpg --print-md, whose lines can continue.
    ("echo 'f: A999 3E36 4706 816A BA3E  2571 7850 C26C 9CD0 D89D' >L", "f: OK\n", 0),
    (
      """
      printf 'f: BA7816BF 8F01CFEA 414140DE 5DAE2223 B00361A3 96177A9C B410FF61\\n   F20015AE\\n' >L
      """, "f: FAILED\n", 1
    ),
    (
      "printf 'f: \\n   MD5 = %s\\nf: \\nSHA256 = %s\\nf: \\nRMD160 = %s\\n' $MD5 $SHA AAAAAAAA >L",
      "f: OK\nf: OK\n", 3
    ),
    // mtree(5) of other programs.
    // The last entry of a name counts; from a pipe each does.
    (
      "printf './f type=file size=9\\n./d type=dir\\nf sha256=%s\\n./z size=3\\n./z size=4\\n' $sha >L",
      "f: OK\n./z: FAILED (edited)\n", 1
    ),
    (
      "printf '#mtree\\r\\n\\r\\n./f type=file \\\\\\r\\n size=3 sha256=%s\\r\\n' $sha >L",
      "./f: OK\n", 0
    ),
    ("printf '\\r\\n./f type=file sha512256digest=00\\r\\n' >L", "", 1),
    ("printf './f type=file sha256=%s foodigest=12\\n' $sha >L", "./f: OK\n", 3),
    ("touch -d @7.5 f; printf './f tar_time=7.0 sha256=%s\\n' $sha >L", "./f: OK\n", 0),
    // The armour of signed lists is no line; what only looks like it is one.
    (
      """
      printf -- '-----BEGIN PGP SIGNED MESSAGE-----\\nHash: SHA256\\n\\n%s  f\\n' $sha >L
      printf -- '-----BEGIN PGP SIGNATURE-----\\n\\niQEzBAEBCAAdFiEE=\\n=ab\\n-----END PGP SIGNATURE-----\\n' >>L
      """, "f: OK\n", 0
    ),
    (
      "printf 'untrusted comment: x\\nRWQabc+/=\\nSHA256 (f) = %s\\n' $sha >L", "f: OK\n", 0
    ),
    ("printf -- '-----BEGIN PGP SIGNATURE-----\\n%s  z\\n' $sha >L", "z: FAILED\n", 1),
    ("printf -- '-----BEGIN PGP SIGNED MESSAGE-----\\n%s  z\\n' $sha >L", "z: FAILED\n", 1),
    ("printf 'untrusted comment: x\\n%s  z\\n' $sha >L", "z: FAILED\n", 1),
    // Damage that hides a line.
    ("printf 'f: %s\\nz: G%s\\n' AAAA AAAA >L", "", 1),
    (
      "gpg() { echo \"f: A999 3E36 4706 816A BA3E  2571 7850 C26C 9CD0 D89D\"; }; gpg f >L; echo 'z: A9;9' >>L",
      "f: OK\n", 1
    ),
    ("printf ';%s  f\\n%s  f\\n' $sha $sha >L", "f: OK\n", 1),
    ("printf './f mode=0644xsha256digest=%s\\n' $sha >L", "", 3),
    (
      "printf '; x\\nf 352441C2\\nuntrusted comment: b 00000000\\n' >L",
      "f: OK\nuntrusted comment: b: FAILED open or read\n", 1
    ),
    (
      "printf 'Format: 3\\nFiles:\\n %s 3 f\\nChecksums-Sha25x:\\n %s 3 z\\n' $md5 $sha >L",
      "f: OK\n", 1
    ),
    ("printf 'untrusted comment: %s  z\\n%s  f\\n' $sha $sha >L", "f: OK\n", 1),
    ("printf '#mtree ./z sha256digest=%s\\n./f sha256digest=%s\\n' $sha $sha >L", "./f: OK\n", 1),
    ("printf 'SHA256 (f) = %s\\n' $(b64 sha256 f | sed 's/.=$/1=/') >L", "", 1),
    (
      "printf -- '-----BEGIN PGP SIGNED MESSAGE-----\\nHash: SHA256%s  z\\n\\n%s  f\\n' $sha $sha >L",
      "f: OK\n", 1
    ),
    (
      "printf '%%%%%%%% HASHDEEP-1.0\\n%%%%%%%% size,md5,filename\\n3,%s,f\\n%%%%%%%% HASHDEEP-1.03,%s,z\\n' $md5 $md5 >L",
      "f: OK\n", 1
    ),
    (
      "printf '%%%%%%%% HASHDEEP-1.0\\n%%%%%%%% size,md5,filename\\n## 3,%s,z\\n## x\\n3,%s,f\\n' $md5 $md5 >L",
      "f: OK\n", 1
    ),
    (
      "printf '%%%%%%%% HASHDEEP-1.0\\n%%%%%%%% size,md5,filename\\n## $ md5deep -r,3,%s,z\\n3,%s,f\\n' $md5 $md5 >L",
      "f: OK\n", 1
    ),
    // A lone line of SFV that looks like another one; a directory as a file.
    ("cp f $md5; printf \"$md5 352441C2\\n\" >L", "352441C2: FAILED open or read\n", 1),
    ("printf './d/ type=file\\n' >L", "./d/: FAILED (is a directory)\n", 1),
    ("printf './f/ type=file size=3\\n' >L", "./f/: FAILED (missing)\n", 1),
    // A malformed line is a difference.
    ("printf '%s  f\\n%s z\\n' $sha $sha >L", "f: OK\n", 1),
    ("printf '%s  f\\nhello\\n' $sha >L", "f: OK\n", 1),
  ]

  @Test("forms that other programs write are verified, and no line is passed over")
  func forms() async throws {
    for (list, output, status) in Self.rows {
      let result = try await check(list)
      #expect(
        result.outputText == output && result.status == status, "\(list)\n\(result.errorText)")
    }
    let lenient = try await check("printf '%s  f\\nhello\\n' $sha >L", "--lenient")
    #expect(lenient.status == 0 && lenient.outputText == "f: OK\n")
  }

  @Test("the first digest of BLAKE2b or BLAKE3 decides on the length of all that have no tag")
  func lengthsOfAList() async throws {
    for (algorithm, tag) in [("blake2b", "BLAKE2b"), ("blake3", "BLAKE3")] {
      let make = """
        for n in 128 256 512; do $0 hash -a \(algorithm)-$n f | sed "s/.*= \\(.*\\)/\\1  f/" >$n; done
        cut -c1-64 512 | sed 's/$/  f/' >cut; echo "\(tag)-256 (f) = $(cut -c1-64 256)" >tagged
        """
      for (list, output, status) in [
        ("128 128", "f: OK\nf: OK\n", 0), ("256 128", "f: OK\n", 1), ("128 512", "f: OK\n", 1),
        ("512 256 512", "f: OK\nf: OK\n", 1), ("512 tagged 512", "f: OK\nf: OK\nf: OK\n", 0),
        ("512 cut", "f: OK\n", 1), ("tagged 128 256", "f: OK\nf: OK\n", 1),
      ] {
        let result = try await run(make + "\ncat \(list) | $0 check -a \(algorithm) -")
        #expect(
          result.outputText == output && result.status == Int32(status), "\(algorithm) \(list)")
      }
    }
  }

  @Test("a digest alone is that of the file that the name of its list says")
  func alone() async throws {
    let script = """
      echo $sha >f.sha256; cp f.sha256 f.txt; echo $sha >d/z.SHA256; cp z d; echo $md5 >d/name.txt.md5
      cp f.sha256 f.sha256sum
      for l in f.sha256 f.sha256sum f.txt d/z.SHA256 d/name.txt.md5 -; do $0 check $l <f.sha256; echo $?; done
      """
    let result = try await run(script)
    #expect(result.outputText == "f: OK\n0\nf: OK\n0\n1\nd/z: FAILED\n1\nd/name.txt: OK\n0\n1\n")
    // With --beside once, also under --audit, and with -C in that directory.
    let elsewhere = """
      mkdir d/d; cp f d/d/z; cp z d; echo $sha >d/z.sha256; echo $sha >z.sha256; printf abc >z
      for o in "--beside d/z.sha256" "-C d z.sha256"; do $0 check $o; echo $?; done
      mkdir e; cp f e; printf '%s  f\\n' $sha >e/L; $0 check --audit e --beside e/L; echo $?
      """
    let verdicts = "d/z: FAILED\n1\nz: FAILED\n1\nf: OK\n0\n"
    #expect(try await run(elsewhere).outputText == verdicts)
  }

  @Test("a file of a known kind that is no list is named, with a way out")
  func foreign() async throws {
    for (make, reason) in [
      ("printf '%s  f\\n' $sha | gzip >L", "is compressed (gzip); use: gzip -dc L | weir check -"),
      ("tar cf L f z", "is an archive (tar); extract it, and check the list or the bag in it"),
      ("printf '<?xml version=\"1.0\"?>\\n<hashlist/>\\n' >L", "is XML, perhaps a media hash list"),
      (
        "printf '\"Algorithm\",\"Hash\",\"Path\"\\n\"SHA256\",\"%s\",\"f\"\\n' $sha >L",
        "in CSV; use: sed"
      ),
      ("printf 'SHA256 hash of f:\\n%s\\nCertUtil: done.\\n' $sha >L", "is the output of certutil"),
    ] {
      let result = try await check(make)
      let message = result.errorText
      #expect(
        result.status == 2
          && message.hasPrefix("weir: L: \(reason.hasPrefix("in") ? "is" : reason)"))
      #expect(message.contains(reason) && result.output.isEmpty, "\(message)")
    }
    // The way out of the table works.
    let table = "printf '\"Algorithm\",\"Hash\",\"Path\"\\n\"SHA256\",\"%s\",\"f\"\\n' $sha >L"
    let way = try await check(table).errorText.split(separator: "use: ").last ?? ""
    let script = table + "\nweir() { \"$weir\" \"$@\"; }; weir=$0\n" + way
    #expect(try await run(script).outputText == "f: OK\n")
  }

  @Test("names of other machines are found with an option, which a sentence names")
  func names() async throws {
    for (list, option, output) in [
      ("echo \"$sha  /ci/out/f\" >L", "--strip 3", "f: OK\n"),
      ("echo \"$sha  out/d/name.txt\" >L", "--strip 1", "d/name.txt: OK\n"),
      ("printf '%s *C:\\\\D\\\\NAME.TXT\\r\\n' $sha >L", "--windows-names", "d/name.txt: OK\n"),
      (
        "printf '%s  \\\\\\\\h\\\\s\\\\f\\n%s *d\\\\name.txt\\n' $md5 $sha | tail -n 1 >L",
        "--windows-names", "d/name.txt: OK\n"
      ),
    ] {
      let found = try await check(list, option)
      #expect(found.outputText == output && found.status == 0, "\(option) \(found.errorText)")
      let missing = try await check(list)
      #expect(missing.status == 1)
      let advice = "weir: most of the missing files exist with \(option)"
      #expect(missing.errorLines.last == advice, "\(missing.errorText)")
    }
    let form = try await check("printf '%s  cafe\\314\\201\\n' $sha >L")
    #expect(
      form.status == 1
        && form.errorText.contains("the list has NFD, to convert it use: uconv -x any-nfc"))
    // A name that is no text is equal to itself alone.
    let bytes = "cp f \"$(printf 'g\\350')\"; printf '%s  g\\351\\n' $sha >L"
    #expect(try await check(bytes, "--windows-names").status == 1)
    // Nothing is left of a name: no line is passed over.
    #expect(try await check("printf '%s  f\\n%s  a/f\\n' $sha $sha >L", "--strip 1").status == 1)
    let beside = try await check(
      "printf '%s  name.txt\\n' $sha >d/M; echo \"$sha  f\" >L", "--beside d/M")
    #expect(beside.outputText == "d/name.txt: OK\nf: OK\n" && beside.status == 0)
  }

  @Test("a carriage return after a name belongs to it as the files and the other lines show")
  func carriageReturn() async throws {
    let icon = "printf abc >\"$(printf 'Icon\\r')\"; "
    for (list, options, output) in [
      (icon + "printf '%s  Icon\\r\\n%s  f\\r\\n' $sha $sha >L", "", "Icon\r: OK\nf: OK\n"),
      (icon + "cp z Icon; printf '%s  Icon\\r\\n%s  f\\n' $sha $sha >L", "", "Icon\r: OK\nf: OK\n"),
      (
        icon + "mv Icon* d; printf '%s  Icon\\r\\n' $sha >d/M; : >L", "--beside d/M",
        "d/Icon\r: OK\n"
      ),
    ] {
      let result = try await check(list, options)
      #expect(result.outputText == output, "\(list)\n\(result.errorText)")
    }
    let both = icon + "cp f Icon; echo >Icon?; printf '%s  Icon\\r\\n%s  f\\r\\n' $sha $sha >L"
    #expect(try await check(both).outputText == "Icon: OK\nf: OK\n")
  }

  @Test("digests of b3sum -l are verified by -a blake3", .enabled(if: isInstalled("b3sum")))
  func lengths() async throws {
    let script = """
      for l in 8 16 20 31 32 33 63 64; do
        b3sum -l $l f z >L; $0 check -a blake3 L >/dev/null || echo $l
        $0 hash -a blake3-$((8 * l)) --tag f z >T; $0 check -a blake3 --quiet T || echo $l
        perl -ne 'print /= (.*)/' T | cmp - <(b3sum -l $l --no-names f z | tr -d '\\n') || echo $l
        cp z f; $0 check -a blake3 --quiet L; printf abc >f
      done
      """
    let result = try await run("exec bash -c '\(script.replacing("'", with: "'\\''"))' $0")
    #expect(result.outputText == String(repeating: "f: FAILED\n", count: 8), "\(result.errorText)")
    // What is left of a digest that was cut proves nothing.
    let cut = try await check(
      "printf '%s  z\\n%.14s  f\\n' $(b3sum --no-names z f) >L", "-a blake3")
    #expect(cut.outputText == "z: OK\n" && cut.status == 1, "\(cut.errorText)")
    let hint = try await check("b3sum -l 64 f >L")
    #expect(hint.errorText.hasSuffix("if of b3sum -l, use -a blake3\n"))
  }

  @Test("a verdict has its reason: the recorded and the computed digest")
  func digests() async throws {
    let list = "printf '%s  f\\n%s  z\\n' $sha $sha >L"
    let recorded = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    let objects = try Schema(of: "check").objects(try await check(list, "--format json").output)
    let failure = try #require(objects.first { $0["status"] as? String == "failed" })
    let computed = try #require(failure["computed"] as? String)
    #expect(
      failure["expected"] as? String == recorded && failure["algorithm"] as? String == "sha256")
    let sum = try await run("sha256sum z")
    #expect(sum.outputText == "\(computed)  z\n")
    let text = try await check(list, "--verbose --quiet")
    #expect(text.errorText.contains("weir: z: sha256 is \(computed), recorded is \(recorded)\n"))
    // Of several digests, the one that differs.
    let entry = "./f sha256=$sha md5=00000000000000000000000000000000"
    let several = try await check("echo \"\(entry)\" >L", "--verbose")
    #expect(several.errorText.contains("md5 is 900150983cd24fb0d6963f7d28e17f72, recorded is 0000"))
  }
}
