// Lists that weir writes, read by every verb that reads them: each form, with digests of each kind.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct OwnListsTests {
  /// Of each length that decides something: unusual ones, those of other algorithms, short ones.
  private static let algorithms = [
    "sha256", "blake2b", "blake2b-8", "blake2b-504", "blake3-8", "blake3-264", "xxh32", "crc32",
    "blake2b-8 -a xxh32",
  ]
  private static let forms = [
    "", "--plain", "--tag", "--format mtree", "-z", "-z --plain", "-z --tag",
  ]

  /// Runs commands, and prints those with another status than the expected one. `$1` has the options of
  /// the list, `$2` is empty or `-z`, `$3` has the algorithms, and `$4` is the status of a search for
  /// duplicates by the records, which needs digests of 128 bits.
  private static let script = """
    expect() { wanted=$1; shift; "$@" >out 2>&1 </dev/null; status=$?
      [ $status = $wanted ] || { echo "$* ends with $status:"; tr '\\0' '\\n' <out; }; }
    silent() { expect 0 "$@"; [ ! -s out ] || { echo "$* says:"; tr '\\0' '\\n' <out; }; }
    hash="$0 hash -a $3 $1 -C t"
    mkdir t; for name in a b c; do echo "$name" >t/$name; done
    expect 0 $hash -o L .
    silent $0 check --quiet $2 -C t L
    touch -d 2020-01-01 t/b; echo new >t/d
    for run in 1 2 3; do expect 0 $hash -o L --update .; done
    expect 0 $hash -o L --resume .
    silent $0 check --quiet $2 -C t L
    silent $0 check --quiet $2 -C t --audit . L
    silent $0 check --quiet $2 -C t --state S L
    silent $0 compare $2 L t
    silent $0 duplicates --known L --unknown -C t .
    expect $4 $0 duplicates --records L -C t .
    cp L N
    silent $0 check --quiet -a ${3##* } -a ${3%% *} $2 -C t N
    silent $0 compare -a ${3##* } -a ${3%% *} $2 L N
    for run in 1 2 3; do expect 0 $hash -o N --update .; done
    expect 0 $hash -o N --replace .
    cp -p t/a r; tr a z <r >t/a; touch -r r t/a
    expect 1 $0 check $2 -C t L; grep -q 'a: FAILED (rot)' out || { echo no rot; cat out; }
    rm t/a; cp -p r t/a
    $0 plan -o P --shards 2 t >out
    for k in 0 1; do expect 0 $0 hash -a $3 $1 --plan P --shard $k/2 --out D; done
    expect 0 $0 merge --plan P D -o A; expect 0 $0 merge --plan P D -o A --replace
    case "$1" in *mtree*) ;; *) expect 0 $0 check -a ${3##* } -a ${3%% *} $2 A ;; esac
    """

  @Test("every verb reads a list of weir's own, whatever its form and its digests")
  func forms() async throws {
    for algorithm in OwnListsTests.algorithms {
      let isShort = ["blake2b-8", "blake3-8", "xxh32", "crc32"]
        .contains(algorithm.split(separator: " ")[0])
      // A plain line does not name its algorithm.
      let isPlainRefused = algorithm.contains(" ")
      for form in OwnListsTests.forms where !(isPlainRefused && form.contains("--plain")) {
        let zero = form.hasPrefix("-z") ? "-z" : ""
        let outcome = try await scripted(
          OwnListsTests.script, form, zero, algorithm, isShort ? "2" : "0")
        #expect(outcome.outputText == "", "-a \(algorithm) \(form)")
        #expect(outcome.errorText == "", "-a \(algorithm) \(form)")
      }
    }
  }
}
