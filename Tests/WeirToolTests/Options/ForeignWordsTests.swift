// What the tool answers to the options and commands of other tools.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ForeignWordsTests {
  /// Guesses by verb, as people who know other tools make them.
  private static let guesses: [(verb: String, words: String)] = [
    (
      "",
      """
      sum md5sum sha256sum b3sum cksum rhash hashdeep digest create verify validate scrub audit update
      sync bag wc lines diff cmp rsync dupes dedupe fdupes jdupes rmlint fclones rdfind xargs parallel
      exec map shard split join record version ulimit info backup restore list find fix prune copy snapshots -C -r -j -v -q
      """
    ),
    (
      "hash",
      """
      -c --check --verify -u --md5 --sha1 --sha256 --blake3 -b --binary -t --text -l --length -H -s --audit
      --bag --save --force --overwrite --bsd --simple --base64 --num-threads -r -R --recursive -P
      --threads -T -0 --null --from0 --files -x --xdev -L --dereference --hidden --no-ignore -e -g
      --filter --regex --skip -d --depth -q --silent -v -n --json --csv --eta --no-progress -y --nice
      --log --time --memory --color --compress --ignore-missing --status --strict -w --keyed --sha3-256
      --tiger --no-names --raw --hex --base32 --uppercase --magnet --percents --speed --benchmark
      --skip-ok --brief --template -k -M -X -f -W --processes --contact-name --source-organization
      --fast --validate --mode --exclude-from --patterns-from --exclude-caches --compression --comment
      --timestamp --host --parent --hash --sort --checkers --transfers --max-size --max-age
      --follow-symlinks --untagged
      """
    ),
    (
      "check",
      """
      -c --check -k -m -x --missing -p --strip-components -b --fix --repair --update --accept --limit
      --age --fast --size-only --bag --drop-cache -r -P -0 -L -q -v -n --json --ignore --threads
      --ignore-case --checkfile --read-data --read-data-subset --verify-data --skip-ok --max-age --sha256
      """
    ),
    (
      "compare",
      """
      -c --checksum -q --brief -s -p --perms -o --output --out --group --times --size-only --archive -n -i --delete
      --existing --strip --one-way -r --recursive -x -L --ignore -v --json -u --force --download
      --ignore-times --ignore-existing --missing-on-dst --differ --match --unified -w -N --inplace
      --checkers --exclude-from
      """
    ),
    (
      "count",
      "--files --by-file --total --size -r -P -0 -v -q --json --threads --exclude-dir --max-filesize"
    ),
    (
      "duplicates",
      """
      -d --delete --hardlink --hardlinks -L -H --dedupe --symlink -n --noempty -s --size -f --omitfirst
      -m --summarize --sameline -1 -Q --quick --paranoid -N --noprompt --priority --isolate --unique
      --cache -r -R -q -v --json --threads --hash-db --print-unique -o --order --reverse --rf-over
      --hash-fn --skip-hash --partial-only --match-links -A --no-hidden --zero-match --one-fs -t
      --max-size --symbolic-links
      """
    ),
    (
      "run",
      """
      -P --max-procs -I -i --replace -0 --null -a --arg-file -k --keep-order -u --line-buffer -t -r
      --no-run-if-empty -L --max-lines -X -m -s --fail-fast --log -x --bar --eta --workdir -q -v
      --group --tag --results --pipe --block --colsep -d --delimiter --delay --load --memfree --shuf
      --quote --will-cite --batch-size --exec-batch --list-details --sshlogin --basefile --max-results
      --changed-within
      """
    ),
  ]

  @Test("a guess is answered with what weir has instead, and the answer is true")
  func guesses() async throws {
    let directory = try TemporaryDirectory()
    var (count, unanswered): (Int, [String]) = (0, [])
    var options: [String: Set<String>] = [:]
    let verbs = ["hash", "check", "compare", "count", "duplicates", "run", "plan", "merge"]
    for verb in verbs {
      let help = try await weir(verb, "--help", in: directory).run().outputText
      options[verb] = Self.options(in: help)
    }
    for (verb, words) in Self.guesses {
      for word in words.split(whereSeparator: \.isWhitespace).map(String.init) {
        let arguments = (verb.isEmpty ? [word] : [verb, word]).map { Array($0.utf8) }
        let result = try await weir(arguments, in: directory).run()
        count += 1
        let message = result.errorText
        guard result.status == 2, let begin = message.firstIndex(of: "("),
          let end = message.lastIndex(of: ")")
        else {
          unanswered.append("\(verb) \(word)")
          continue
        }
        let answer = String(message[begin...end])
        let asked = verbs.filter { $0 == verb || answer.contains("weir \($0)") }
        let known = asked.reduce(into: Set<String>()) { $0.formUnion(options[$1] ?? []) }
        if verb.isEmpty && asked.isEmpty { continue }
        for option in Self.options(in: answer) {
          #expect(known.contains(option), "\(verb) \(word): \(answer)")
        }
      }
    }
    #expect(unanswered.isEmpty, "\(unanswered)")
    #expect(count >= 300, "\(count) guesses")
  }

  /// Returns the long options that a text names.
  private static func options(in text: String) -> Set<String> {
    Set(
      text.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init)
        .filter { $0.hasPrefix("--") && $0.count > 2 })
  }

  @Test("a file in the place of the verb is answered with the command that reads it")
  func fileWithoutVerb() async throws {
    let result = try await scripted("mkdir 'a b'; $0 'a b'; $0 count1; echo $?")
    #expect(result.outputText == "2\n")
    #expect(
      result.errorLines == [
        "weir: unknown command 'a b' (for a file or a directory of this name: weir hash 'a b'); "
          + "see weir --help",
        "weir: unknown command count1 (did you mean count?); see weir --help",
      ])
  }

  @Test("algorithms are named in any case, and times of several units are read")
  func spellings() async throws {
    let script = """
      printf abc >f; $0 hash -a MD5,SHA-256 f | sed 's/ .*//'; $0 hash -a md5 f >M
      $0 check --max-time 1h30m M; $0 check --max-time 1h30x M; echo $?
      """
    let result = try await scripted(script)
    #expect(result.outputText == "MD5\nSHA256\nf: OK\n2\n")
    #expect(result.errorText.contains("a time such as 10, 0.5, 2m or 1h30m, not 1h30x"))
  }
}
