Usage errors, help and version.

## a usage error ends with 2 and names the mistake
  $ printf x >a; row() { eval "weir $1" 2>&1 | sed 's/; see weir\(.*\) --help$/ =\1/'; eval "weir $1" >/dev/null 2>&1; [ $? = 2 ] || echo "status $?"; }
  $ each row <<'END'
  > hash --jobs 0 a => weir: --jobs takes a number from 1 to 200, not 0 = hash
  > hash --jobs=-1 a => weir: --jobs takes a number from 1 to 200, not -1 = hash
  > hash -j x a => weir: --jobs takes a number from 1 to 200, not x = hash
  > hash --jobs '' a => weir: --jobs takes a number from 1 to 200, not '' = hash
  > hash --descriptors 0 a => weir: --descriptors takes a number of at least 1, not 0 = hash
  > hash --descriptors 99999999999999999999 => weir: --descriptors takes a number of at most 9223372036854775807, not 99999999999999999999 = hash
  > hash --folow => weir: unknown option --folow (did you mean --follow?) = hash
  > hash -r a => weir: unknown option -r (directories are walked without it) = hash
  > run -P4 => weir: unknown option -P (use -j N) = run
  > hash "$(printf -- '--\033[31m\nx')" => weir: unknown option '--'$'\033''[31m'$'\n''x' = hash
  > hash -Z a => weir: unknown option -Z = hash
  > hash --summary=yes => weir: option --summary takes no value = hash
  > hash --progress sometimes => weir: --progress takes auto, always or never, not sometimes = hash
  > hash --format xml => weir: --format takes text, json or mtree, not xml = hash
  > hash -a sha257 a => weir: --algorithm takes md5, sha1, sha224, sha256, sha384, sha512, sha512-256, sha3-256, sha3-512, sm3, blake2b, blake3, xxh64, xxh3 or xxh128, not sha257 (did you mean sha256?) = hash
  > hash --format Json => weir: --format takes text, json or mtree, not Json (did you mean json?) = hash
  > HASH => weir: unknown command HASH (did you mean hash?) =
  > dupes => weir: unknown command dupes (use weir duplicates) =
  > hash --bogus --help => weir: unknown option --bogus = hash
  > help hash extra => weir: unexpected operand extra =
  > --generate-completion-script tcsh => weir: --generate-completion-script takes bash, fish or zsh, not tcsh =
  > --generate-completion-script=bsh => weir: --generate-completion-script takes bash, fish or zsh, not bsh (did you mean bash?) =
  > --generate-completion-script=bash x => weir: unexpected operand x =
  > run --joblog - a -- echo => weir: --joblog takes the name of a file; use /dev/stdout for standard output = run
  > hash --trace=- a => weir: --trace takes the name of a file; use /dev/stdout for standard output = hash
  > --versio => weir: unknown option --versio (did you mean --version?) =
  > -C / hash => weir: unknown option -C (it follows a verb that reads the data, as in weir hash -C DIR) =
  > help hsah => weir: no help on hsah (did you mean hash?) =
  > END

## help and version go to standard output
  $ v=$(weir --version); row() { weir $1 | grep -o "^usage: weir [A-Za-z]*\|^$v\$" | sed "s/^$v\$/version/"; }
  $ echo "$v" | grep -c '^weir [0-9]*\.[0-9]*\.[0-9]*'; row
  1
  usage: weir COMMAND
  $ each row 'usage: weir COMMAND' <<'END'
  > --help
  > -h
  > help
  > help help
  > --help help
  > --help bogus
  > -h --bogus
  > END
  $ each row 'usage: weir hash' <<'END'
  > -h hash
  > hash --help
  > hash a -h
  > help hash
  > --help hash extra
  > hash --help --bogus
  > hash -zhQ --jobs
  > END
  $ each row version <<'END'
  > --version
  > hash --version
  > --version x
  > --version --bogus
  > hash --version --help -Q
  > limits --help extra => usage: weir limits
  > END

## after -- every word is a name
  $ for n in --help --version -j -- -a help --jobs=0; do printf x >"./$n"; done; weir hash -- --help --version -j -- -a help --jobs=0 | cut -c67- | xargs
  --help --version -j -- -a help --jobs=0
