// The rules of RFC 8493 and of the versions before it, one case each: a change of a valid bag, and
// the answer of a check. The bag and the changes are made by the GNU tools.

import TestSupport
import Testing

/// A change of a bag, and the answer to it.
struct BagCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// A shell script, run in the bag. `tags` writes the manifests of tag files anew, `payload` those
  /// of the payload.
  let change: String
  let status: Int32
  /// Parts of the output, or of the messages.
  let says: [String]

  var testDescription: String { name }

  init(_ name: String, _ change: String, status: Int32 = 0, says: String...) {
    (self.name, self.change, self.status, self.says) = (name, change, status, says)
  }

  /// Makes the bag `b` beside a file that is not in it.
  static func make(_ change: String, in directory: TemporaryDirectory) async throws -> Outcome {
    try await shell(
      """
      set -e
      list() { for s in md5 sha256; do "${s}sum" "$@" >"$file-$s.txt"; done; }
      payload() { file=manifest; list data/a.txt data/sub/b.txt "$@"; }
      tags() { file=tagmanifest; list $(ls | grep -v -e '^data$' -e '^tagmanifest'); }
      declare() { printf 'BagIt-Version: %s\\nTag-File-Character-Encoding: %s\\n' "$@" >bagit.txt; }
      echo secret >secret
      mkdir -p b/data/sub
      cd b
      echo hello >data/a.txt
      echo 'hello again' >data/sub/b.txt
      declare 1.0 UTF-8
      printf 'Contact-Name: A\\n  B\\nPayload-Oxum: 18.2\\n' >bag-info.txt
      payload
      tags
      \(change)
      """, in: directory
    ).run()
  }

  static let valid: [BagCase] = [
    BagCase("version 1.0", ":"),
    BagCase("version 0.97", "declare 0.97 UTF-8; tags"),
    BagCase("version 0.93", "declare 0.93 UTF-8; mv bag-info.txt package-info.txt; tags"),
    BagCase("the required elements only", "rm tagmanifest* bag-info.txt manifest-md5.txt"),
    BagCase("lines that end in CR LF", "sed -i 's/$/\\r/' bagit.txt manifest-md5.txt; tags"),
    BagCase(
      "lines that end in CR",
      "for f in bagit manifest-md5; do tr '\\n' '\\r' <$f.txt >x; mv x $f.txt; done; tags"),
    BagCase(
      "blanks, tabs and asterisks before names, digits in upper case",
      """
      sed -i 's/  / \\t /' manifest-md5.txt
      sed -i 's/  / */; s/^[^ ]*/\\U&/' manifest-sha256.txt; tags
      """),
    BagCase("names that begin with ./", "sed -i 's,  data,  ./data,' manifest-md5.txt; tags"),
    BagCase(
      "encoded names",
      """
      printf x >"$(printf 'data/a\\nb')"; printf y >"$(printf 'data/a\\rb')"; printf z >data/a%0Ab
      for s in md5 sha256; do for n in 'a\\nb' 'a\\rb' a%%0Ab; do
        f=$(printf "data/$n"); e=$(printf %s "$f" | sed 's/%/%25/g; s/\\r/%0d/; :a;N;s/\\n/%0A/;ba')
        printf '%s  %s\\n' $("${s}sum" <"$f" | cut -d' ' -f1) "$e" >>manifest-$s.txt
      done; done
      printf 'Payload-Oxum: 21.5\\n' >bag-info.txt; tags
      """, says: "data/a%0Ab: OK"),
    BagCase(
      "percent signs before version 1.0",
      "declare 0.97 UTF-8; echo x >data/50%25; payload data/50%25; rm bag-info.txt; tags",
      says: "data/50%25: OK"),
    BagCase("other percent signs", "echo x >data/%7Ea; payload data/%7Ea; rm bag-info.txt; tags"),
    BagCase(
      "an empty payload",
      "rm -r data/*; echo 'Payload-Oxum: 0.0' >bag-info.txt; for s in md5 sha256; do : >manifest-$s.txt; done; tags"
    ),
    BagCase(
      "tag files in ISO-8859-1",
      """
      declare 1.0 ISO-8859-1; echo x >data/é; payload data/é; rm bag-info.txt
      for s in md5 sha256; do iconv -t ISO-8859-1 manifest-$s.txt >x; mv x manifest-$s.txt; done; tags
      """, says: "data/é: OK"),
    BagCase(
      "tag files in UTF-16",
      """
      declare 1.0 UTF-16; tags
      for f in manifest-md5 bag-info; do iconv -t UTF-16 $f.txt >x; mv x $f.txt; done
      iconv -t UTF-16BE manifest-sha256.txt >x; mv x manifest-sha256.txt
      tags; for s in md5 sha256; do iconv -t UTF-16 tagmanifest-$s.txt >x; mv x tagmanifest-$s.txt; done
      """),
    BagCase(
      "tag files in UTF-16 without a mark",
      """
      declare 1.0 UTF-16LE; tags
      for f in manifest-md5 manifest-sha256 bag-info; do iconv -t UTF-16LE $f.txt >x; mv x $f.txt; done
      tags; for s in md5 sha256; do iconv -t UTF-16LE tagmanifest-$s.txt >x; mv x tagmanifest-$s.txt; done
      """),
    BagCase(
      "a payload that was fetched", "echo 'http://localhost/a 6 data/a.txt' >fetch.txt; tags"),
    BagCase(
      "each file in one of the manifests, before version 1.0",
      "declare 0.97 UTF-8; sed -i 1d manifest-md5.txt; sed -i 2d manifest-sha256.txt; tags"),
    BagCase(
      "a file listed twice with one digest, before version 1.0",
      "declare 0.97 UTF-8; sed -i 1p manifest-md5.txt; tags"),
    BagCase(
      "a tag manifest of version 0.97 without a manifest of the payload",
      "declare 0.97 UTF-8; tags; sed -i /manifest-md5/d tagmanifest-sha256.txt"),
    BagCase("a bag in a bag", "cp bagit.txt data; payload data/bagit.txt; rm bag-info.txt; tags"),
    BagCase(
      "links within the bag",
      """
      ln -s a.txt data/l; ln -s sub data/d; payload data/l data/d/b.txt
      echo Payload-Oxum: 24.3 >bag-info.txt; tags
      """, says: "data/l: OK", "data/d/b.txt: OK"),
    BagCase("labels with blanks before the colon", "echo 'A  :  b' >>bag-info.txt; tags"),
  ]

  private static let leaving = "has a name that leaves the bag"

  static let invalid: [BagCase] = [
    BagCase("no declaration", "rm bagit.txt", status: 2, says: "without bagit.txt", "weir compare"),
    BagCase(
      "a byte order mark", "sed -i '1s/^/\\xef\\xbb\\xbf/' bagit.txt; tags", status: 1,
      says: "bagit.txt: FAILED"),
    BagCase(
      "a blank before a colon", "sed -i 's/:/ :/' bagit.txt; tags", status: 1,
      says: "bagit.txt: FAILED"),
    BagCase(
      "a version that is no number", "declare .97 UTF-8; tags", status: 1, says: "two numbers"),
    BagCase(
      "a version to come", "declare 2.0 UTF-8; tags", status: 3, says: "BagIt 2.0 is not supported"),
    BagCase(
      "no encoding", "sed -i 2d bagit.txt; tags", status: 1, says: "Tag-File-Character-Encoding"),
    BagCase(
      "an unknown encoding", "declare 1.0 KOI8-R; tags", status: 3, says: "encoding",
      "not supported"),
    BagCase("a third line", "echo x: y >>bagit.txt; tags", status: 1, says: "bagit.txt: FAILED"),
    BagCase(
      "no payload directory", "mv data ..; tags", status: 1, says: "data/: FAILED (is missing)"),
    BagCase(
      "a payload directory that is a link", "mv data ../store; ln -s ../store data", status: 1,
      says: "data/: FAILED (is a symbolic link)"),
    BagCase(
      "a payload directory that is a link within the bag", "mv data store; ln -s store data",
      status: 1,
      says: "data/: FAILED (is a symbolic link)"),
    BagCase(
      "bag-info.txt that is a directory", "rm tagmanifest* bag-info.txt; mkdir bag-info.txt",
      status: 3,
      says: "bag-info.txt"),
    BagCase("no manifest", "rm manifest*; tags", status: 1, says: "b/: FAILED (has no manifest"),
    BagCase(
      "an unknown algorithm", ": >manifest-tiger.txt", status: 3,
      says: "manifest-tiger.txt is not supported"),
    BagCase(
      "a payload file that differs", "echo Hello >data/a.txt", status: 1,
      says: "data/a.txt: FAILED\n"),
    BagCase(
      "a digest that differs in one manifest", "sed -i '1s/^./0/' manifest-md5.txt; tags",
      status: 1, says: "data/a.txt: FAILED\n"),
    BagCase(
      "a tag file that differs", "echo C: d >>bag-info.txt", status: 1,
      says: "bag-info.txt: FAILED\n"),
    BagCase(
      "a payload file that is missing", "rm data/a.txt", status: 1,
      says: "data/a.txt: FAILED (missing)"),
    BagCase(
      "a tag file that is missing", "rm bag-info.txt", status: 1,
      says: "bag-info.txt: FAILED (missing)"),
    BagCase(
      "a file in no manifest", "echo x >data/x", status: 1,
      says: "data/x: FAILED (is in no manifest)"),
    BagCase(
      "a file in one manifest only", "sed -i 1d manifest-md5.txt; tags", status: 1,
      says: "data/a.txt: FAILED (is not in manifest-md5.txt)"),
    BagCase(
      "a file listed twice with one digest", "sed -i 1p manifest-md5.txt; tags", status: 1,
      says: "data/a.txt: FAILED (is listed twice in manifest-md5.txt)"),
    BagCase(
      "a file listed twice with two digests, before version 1.0",
      "declare 0.97 UTF-8; sed -i '1p; 1s/^./0/' manifest-md5.txt; tags", status: 1,
      says: "data/a.txt: FAILED (is listed twice in manifest-md5.txt)"),
    BagCase(
      "an Oxum that differs", "sed -i s/18/19/ bag-info.txt; tags", status: 1,
      says: "bag-info.txt: FAILED (Payload-Oxum is 19.2, the payload has 18.2)"),
    BagCase(
      "an Oxum that is no number", "sed -i s/18.2/18/ bag-info.txt; tags", status: 1,
      says: "two numbers"),
    BagCase(
      "two Oxums", "echo Payload-Oxum: 18.2 >>bag-info.txt; tags", status: 1, says: "several lines"),
    BagCase(
      "a line without a label", "echo x >>bag-info.txt; tags", status: 1,
      says: "bag-info.txt: FAILED"),
    BagCase(
      "a line without a digest", "echo data/a.txt >>manifest-md5.txt; tags", status: 1,
      says: "line 3 is not"),
    BagCase(
      "a digest of another length", "sed -i '1s/^.//' manifest-md5.txt; tags", status: 1,
      says: "manifest-md5.txt: FAILED (line 1 is not"),
    BagCase(
      "a tag file in a payload manifest", "md5sum bag-info.txt >>manifest-md5.txt; tags", status: 1,
      says: "manifest-md5.txt: FAILED (line 3 names a file that is not in data/)"),
    BagCase(
      "a name that leaves by dots", "md5sum ../secret >>manifest-md5.txt; tags", status: 1,
      says: leaving),
    BagCase(
      "a name that leaves by dots in data", "md5sum data/../../secret >>manifest-md5.txt; tags",
      status: 1, says: leaving),
    BagCase(
      "an absolute name", "md5sum \"$PWD/../secret\" >>manifest-md5.txt; tags", status: 1,
      says: leaving),
    BagCase(
      "a name in a home",
      "echo 900150983cd24fb0d6963f7d28e17f72  '~/secret' >>manifest-md5.txt; tags",
      status: 1, says: leaving),
    BagCase(
      "a name that leaves by an encoded newline",
      "echo 900150983cd24fb0d6963f7d28e17f72  'data/../%0A/../../secret' >>manifest-md5.txt; tags",
      status: 1, says: leaving),
    BagCase(
      "a tag file out of the bag", "md5sum ../secret >>tagmanifest-md5.txt", status: 1,
      says: leaving),
    BagCase(
      "a file to fetch", "rm data/a.txt; echo 'http://localhost/a - data/a.txt' >fetch.txt; tags",
      status: 1, says: "data/a.txt: FAILED (is missing; fetch.txt has its address)"),
    BagCase(
      "a file to fetch that no manifest lists",
      "echo 'http://localhost/x - data/x' >fetch.txt; tags",
      status: 1, says: "data/x: FAILED (is in no manifest)"),
    BagCase(
      "a file to fetch out of the bag", "echo 'http://localhost/x - data/../../x' >fetch.txt; tags",
      status: 1, says: "fetch.txt: FAILED (line 1 \(leaving)"),
    BagCase(
      "a tag file to fetch", "echo 'http://localhost/x - bag-info.txt' >fetch.txt; tags", status: 1,
      says: "not in data/"),
    BagCase(
      "a malformed line to fetch", "echo 'http://localhost/x data/x' >fetch.txt; tags", status: 1,
      says: "fetch.txt: FAILED (line 1"),
    BagCase(
      "a file to fetch that one manifest lists",
      "echo 'http://localhost/x - data/a.txt' >fetch.txt; sed -i 1d manifest-md5.txt; tags",
      status: 1, says: "data/a.txt: FAILED (is not in manifest-md5.txt)"),
    BagCase(
      "an address that is no absolute URI", "echo '/x - data/a.txt' >fetch.txt; tags", status: 1,
      says: "fetch.txt: FAILED (line 1 is not an address"),
    BagCase(
      "a fetched file of another length", "echo 'http://localhost/x 7 data/a.txt' >fetch.txt; tags",
      status: 1, says: "data/a.txt: FAILED (has 6 bytes, and fetch.txt says 7)"),
    BagCase(
      "a payload file in a tag manifest", "md5sum data/a.txt >>tagmanifest-md5.txt", status: 1,
      says: "tagmanifest-md5.txt: FAILED (line 5 names a file in data/)"),
    BagCase(
      "a tag manifest in a tag manifest", "md5sum tagmanifest-sha256.txt >>tagmanifest-md5.txt",
      status: 1, says: "tagmanifest-md5.txt: FAILED (line 5 names a manifest of tag files)"),
    BagCase(
      "a tag manifest without a manifest of the payload",
      "sed -i /manifest-md5/d tagmanifest-sha256.txt",
      status: 1, says: "tagmanifest-sha256.txt: FAILED (does not list manifest-md5.txt)"),
    BagCase(
      "a link out of the bag", "ln -s ../../secret data/l; payload data/l; rm bag-info.txt; tags",
      status: 1,
      says: "data/l: FAILED (leads out of the bag"),
    BagCase(
      "a link to a directory out of the bag",
      "ln -s ../.. data/l; payload data/l/secret; rm bag-info.txt; tags",
      status: 1, says: "data/l/secret: FAILED (leads out of the bag"),
    BagCase(
      "a link to nothing", "ln -s x data/l", status: 1,
      says: "data/l: FAILED (is a symbolic link to nothing)"),
    BagCase(
      "a FIFO in the payload", "rm data/a.txt; mkfifo data/a.txt", status: 1,
      says: "data/a.txt: FAILED (is a FIFO)"),
    BagCase(
      "a directory in place of a file", "rm data/a.txt; mkdir data/a.txt", status: 1,
      says: "data/a.txt: FAILED (is a directory)"),
  ]
}
