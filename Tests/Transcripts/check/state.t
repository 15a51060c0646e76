weir check with a budget, and with a state that remembers what was proved.

  $ for i in 1 2 3 4 5 6; do head -c ${i}00 /dev/zero | tr '\0' $i >f$i; done; sha256sum f* >S
  $ check() { weir check "$@" S 2>err | cut -d: -f1 | xargs; }
  $ status() { weir check "$@" >out 2>&1; echo $?; }

## a budget ends a run in the order of the manifest, and is no failure
  $ weir check --max-bytes 650 --summary S
  f1: OK
  f2: OK
  f3: OK
  ! weir: 3 of 6 lines: 3 right; the rest next time; 600 B in ...
  $ weir check --quiet --max-bytes 650 S

The first file may have any size, and no smaller one comes before a larger one.
  $ check --max-bytes 1
  f1
  $ weir check --max-time 0.000001 --summary S
  f1: OK
  ! weir: 1 of 6 lines: 1 right; the rest next time; 100 B in ...
  $ weir check --max-bytes 650 --state ST --oldest-first --format json S | tail -n 1
  {"type":"summary","complete":true,"ok":3,"touched":0,"failed":0,"edited":0,"rot":0,"open":0,"others":0,"missing":0,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0,"postponed":3,"proved_before":0,"never_proved":3,"oldest_proof":"...","bytes":600,"seconds":...}

## missing files use up no bytes, and a run that verified nothing is no success
  $ weir hash -o M f*; cp f6 keep; rm f*; weir check --ignore-missing --max-bytes 1 M
  ! weir: M: no file was verified
  [1]
  $ weir check --ignore-missing --max-bytes 1 --oldest-first --state ST M
  ! weir: M: no file was verified
  [1]
  $ mv keep f6; check --ignore-missing --max-bytes 1; check --ignore-missing --max-bytes 1 --oldest-first --state ST2
  f6
  f6

## --resume leaves out what the round has proved, and a round ends when all was verified
What failed is verified again, so that the status is that of the round.
  $ echo wrong >f2; check --state ST --max-bytes 650
  f1 f2 f3
  $ weir check --state ST --resume --summary S
  f2: FAILED
  f4: OK
  f5: OK
  f6: OK
  ! weir: WARNING: 1 computed checksum did NOT match
  ! weir: 4 lines: 3 right, 1 did not match; 2 lines proved before in this round; the oldest proof is of ..., 0 days ago; 1 line was never proved; 1.5 kB in ...
  [1]
  $ head -n 1 ST | grep -c round=; check --state ST --resume
  0
  f1 f2 f3 f4 f5 f6

## a round that begins in the future, by a wrong clock, is not continued
  $ check --state ST --max-bytes 150; sed -i 's/ round=[^ ]*/ round=2036-01-01T00:00:00Z/' ST; grep -c round=2036 ST
  f1
  1
  $ for i in 1 2 3 4 5 6; do check --state ST --resume --max-bytes 150; done | xargs -n 1 | sort -u | xargs
  f1 f2 f3 f4 f5 f6

## an interrupted run names the command that continues it, and keeps what it proved
  $ mkfifo wait; exec 9<>wait; : >out; printf '%064d  -\n' 0 >W; weir check --state ST --max-time 1h S W <wait >>out 2>err &
  $ await '[ "$(wc -l <out)" = 6 ]'; kill $!; wait $! 2>/dev/null
  [143]
  $ tail -n 1 err; grep -c ^2 ST
  weir: interrupted: 6 files read; ST has what was proved; to continue: weir check --resume --state ST --max-time 1h S W
  6

## a damaged state, that of other manifests and any other file are errors, and stay
  $ check --state ST; cp ST whole
  f1 f2 f3 f4 f5 f6
  $ damage() { eval "$1" <whole >ST; cp ST before; weir check --state ST S 2>&1; echo $?; cmp ST before; }
  $ each damage <<'END'
  > head -n -1 => weir: ST: is damaged: it has 5 of 6 lines; restore it, or remove it: every line then counts as never proved;2
  > sed '3s/-                    /2026-02-30T00:00:00Z /' => weir: ST: is damaged: line 3 cannot be read; restore it, or remove it: every line then counts as never proved;2
  > printf precious => weir: ST: was not written by weir and is left unchanged; choose another name;2
  > sed -E "s/[0-9a-f]{64}/$(printf %064d 0)/" => weir: ST: has no line of these manifests; name another state, or remove this one;2
  > END

What a kill and a crash leave after the whole lines.
  $ line="2020-01-01T00:00:00Z -                    $(printf %064d 0)  x"
  $ for tail in '2026-01-' '\0\0\0\0' "\0\0\n$line\n" "$line\n2026"; do
  >   { cat whole; printf "$tail"; } >ST; status --state ST S; wc -l <ST
  > done | xargs
  0 8 0 8 0 8 0 8

## a manifest that cannot be read forgets nothing, and two runs exclude each other
  $ check --state ST; cp ST before; mv S S.away; check --state ST; mv S.away S; diff before ST
  f1 f2 f3 f4 f5 f6
   (esc)
  $ flock ST weir check --state ST S 2>&1 | sed 's/ it.*/ it/'
  weir: ST: another run is writing it

## the proofs of one directory are refused in another one, unless all names are absolute
  $ mkdir 'A b' B; cp f* 'A b'; cp f* B; sha256sum "$PWD"/f* >absolute
  $ state() { weir check --resume --max-bytes 650 "$@"; }

Without proofs no directory counts.
  $ state --state ST -C B none
  ! weir: none: No such file or directory
  [2]
  $ state --state ST -C 'A b' S; cp ST before; state --state ST -C B S
  f1: OK
  f2: OK
  f3: OK
  ! weir: ST: has the proofs of another directory, '$top/t/A b'; name another state
  [2]
  $ cmp ST before

A state of weir 0.15 has no directory.
  $ sed -i '1s/ directory=.*//' ST; state --state ST -C B S; head -n 1 ST | grep -c ' round=.*/B$'
  f4: OK
  1
  $ for d in 'A b' B; do state --state absolute.state -C "$d" absolute >/dev/null || echo $?; done

## a run that finds no line leaves the proofs as they are, and says so
  $ check --state ST --max-bytes 650; cp ST before; weir check --state ST -a md5 S
  f1 f2 f3
  ! weir: S: no properly formatted checksum lines found
  ! weir: no line with a digest was found; the state keeps its proofs
  [1]
  $ : >S; weir check --state ST S
  ! weir: S: no properly formatted checksum lines found: it is empty
  ! weir: no line with a digest was found; the state keeps its proofs
  [1]
  $ cmp ST before

## a failure whose line has left the manifests is named once, also with --quiet
  $ n=$(printf 'n\nl\\e'); printf x >"$n"; sha256sum f* n* >S; weir check --quiet --state ST S
  $ for f in f2 f3 "$n"; do printf y >"$f"; done; weir check --status --state ST S
  [1]
f2 and the other are recorded as they are, and f3 has another name.
  $ mv f3 g3; sed '/f2$/d; /^\\/d; s/f3$/g3/' S >T; sha256sum f2 n* >>T; mv T S; weir check --quiet --state ST --report R S
  g3: FAILED
  ! weir: WARNING: 1 computed checksum did NOT match
  ! weir: f2: failed at ..., and the expected digest is in no list any more; unless it was edited or accepted, restore it from a copy
  ! weir: 'n'$'\n''l\e': failed at ..., and the expected digest is in no list any more; unless it was edited or accepted, restore it from a copy
  [1]
  $ grep -o '"dropped":.' R; weir check --quiet --state ST S
  "dropped":2
  g3: FAILED
  ! weir: WARNING: 1 computed checksum did NOT match
  [1]

## an edit or a missing file that an update records is no damage, and rot that is touched is
  $ weir hash -o M f*; echo edit >f1; touch -d 2020-01-01 f1; mv f2 g2; rot f3; weir check --status --state ST M 2>/dev/null
  [1]
  $ touch f3; weir check --status --state ST M 2>/dev/null
  [1]
  $ weir hash --update --quiet --accept-gone -o M f[1345] g2 2>/dev/null; weir check --quiet --state ST M
  ! weir: f3: failed at ..., and the expected digest is in no list any more; unless it was edited or accepted, restore it from a copy
  [1]
  $ weir check --quiet --state ST M

## of several lines of a key, as a kill leaves them, the latest counts
  $ check --state ST; grep ' f[12]$' ST >new; sed -i 's/^2[0-9]*-/2001-/' ST; cat new >>ST
  f1 f2 f3 f4 f5 f6
  $ check --state ST --oldest-first --max-bytes 650; grep ^2001- ST | sed 's/.* //' | xargs
  f3
  f4 f5 f6

## a time in the future is no proof
  $ check --state ST; sed -i 's/^2[0-9]*-/2099-/' ST
  f1 f2 f3 f4 f5 f6
  $ weir check --state ST --oldest-first --max-bytes 1 --summary S 2>&1 | grep -o '. lines were never proved'
  5 lines were never proved

## options that exclude each other are refused
  $ refused() { weir check $1 S 2>&1; echo $?; ls ST 2>/dev/null; }
  $ each refused <<'END'
  > --oldest-first => weir: --oldest-first needs --state FILE; see weir check --help;2
  > --resume => weir: --resume needs --state FILE, or --plan FILE; see weir check --help;2
  > --no-read --state ST => weir: --no-read proves no content, which --state would remember; see weir check --help;2
  > --no-read --from-disk => weir: --no-read and --from-disk exclude each other; see weir check --help;2
  > --no-read --max-bytes 1 => weir: --no-read reads nothing, which --max-bytes would limit; see weir check --help;2
  > --audit . --state ST => weir: --state, --max-time and --max-bytes do not apply to --audit, which needs all lines; see weir check --help;2
  > --audit . --max-time 1 => weir: --state, --max-time and --max-bytes do not apply to --audit, which needs all lines; see weir check --help;2
  > --audit . --no-read => weir: --no-read does not apply to --audit, which finds moved files by content; see weir check --help;2
  > --shard 0/2 --state ST => weir: --state keeps the proofs of whole manifests; omit --shard, and use --max-bytes or --max-time; see weir check --help;2
  > END
  $ weir check --state ST
  ! weir: --state needs manifests that are files, since it outlives a run; see weir check --help
  [2]
