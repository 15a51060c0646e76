weir check forgets nothing: failures that a state knows, open points of the ledger, trees that are
not there, and proofs of renamed files.

`makeRot` makes `s/f01` to `s/f20` with the manifest M, and flips a byte of `s/f03` in its old time.

  $ makeRot() {
  >   mkdir s; for i in $(seq -w 20); do printf "%1000s" x$i >s/f$i; done; weir hash -o M s; cp -p s/f03 good
  >   rot s/f03
  > }
  $ check() { weir check --oldest-first --max-bytes 5000 --state ST "$@"; }

## nights: a failure that the state knows is named in every run until it is right again
  $ night() {
  >   check --quiet --report R M 2>/dev/null; echo $?; grep -o '"verdict":"[a-z]*"\|"open":[0-9]*,' R
  > }
  $ makeRot; each night 's/f03: FAILED (rot);1;"verdict":"different";"open":1,' <<'END'
  > 1 => s/f03: FAILED (rot);1;"verdict":"different";"open":0,
  > 2
  > 3
  > 4
  > 5
  > 6
  > END
  $ check --status M
  [1]
  $ cp -p good s/f03; check M | head -n 1
  s/f03: OK
  $ check --quiet M

## unread: a known failure for which the budget is too small is named, and ends the round with 1
  $ makeRot; for f in 05 07; do echo >s/f$f; done; rm s/f09; weir check --quiet --state ST M 2>/dev/null
  s/f03: FAILED (rot)
  s/f05: FAILED (edited)
  s/f07: FAILED (edited)
  s/f09: FAILED (missing)
  [1]
  $ sed -i 's/-11-2[0-9]T\|20[0-9-]*T/2026-11-20T/g' ST
  $ check --max-bytes 1000 --quiet --ignore-missing --resume M
  s/f03: FAILED (rot)
  s/f05: FAILED (as of 2026-11-20)
  s/f07: FAILED (as of 2026-11-20)
  s/f09: FAILED (missing)
  ! weir: WARNING: 1 listed file is missing
  ! weir: WARNING: 1 listed file has ROT
  ! weir: WARNING: 2 listed files failed before, and NOT read again
  [1]
  $ weir check --oldest-first --max-bytes 1000 --state ST --format json M 2>/dev/null | tail -n 1
  {"type":"summary","complete":true,"ok":1,"touched":0,"failed":3,"edited":1,"rot":0,"open":4,"others":0,"missing":1,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0,"postponed":15,"proved_before":0,"never_proved":4,"oldest_proof":"2026-11-20T...","bytes":1000,"seconds":...}

## a known failure among files of one content survives a new spelling of the names
  $ mkdir s; for f in a b c d e f; do printf same >s/$f; done; weir hash -o M s; rot s/f
  $ weir check --status --state ST M; weir hash -o M --update --quiet ./s
  $ weir check --status --oldest-first --max-bytes 5 --state ST M
  [1]

## a failure that a state knows is named, also if the file is missing and missing ones are ignored
  $ for f in a b c; do echo $f >$f; done; sha256sum a b c >M; rm c
  $ check() { weir check --quiet --ignore-missing --state ST M 2>/dev/null; }
  $ check; echo X >b; check
  b: FAILED
  [1]
  $ rm b; check
  b: FAILED open or read
  [1]
  $ check
  b: FAILED open or read
  [1]
  $ echo b >b; check

## a failure that was noted by a clock ahead of time is known
  $ echo a >a; echo b >b; sha256sum a b >M; weir check --status --state ST M; echo c >b
  $ weir check --status --state ST M; sed -i '/b$/s/Z 20[0-9][0-9]/Z 2090/' ST
  $ weir check --quiet --state ST --max-bytes 2 M
  b: FAILED
  ! weir: WARNING: 1 computed checksum did NOT match
  [1]

## a file that fails keeps its old proof
  $ echo a >a; weir hash -o M a; weir check --status --state ST M; echo b >a
  $ weir check --status --state ST M; sed -n 's/[0-9T:-]\{19\}[Zz]/TIME/g; /  a$/p' ST
  TIME TIME 87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  a

## known failures take half of a budget, and the others have their turn
  $ makeRot; for f in 11 12 13 14 15 16; do echo wrong >s/f$f; truncate -s 1000 s/f$f; done
  $ weir check --status --state ST M; weir check --oldest-first --max-bytes 6000 --state ST M 2>/dev/null | grep -c OK
  3

## ledger: an open point of the ledger is a failure until the content is right
  $ mkdir s; for f in a b c d e; do echo $f >s/$f; done; cp -p s/c good; weir hash -o M s
  $ weir hash --format mtree s >T; sed -i '/s.b type/i #weir gone since=2026-11-01T01:02:03Z
  > /s.c type/i #weir rot since=2026-11-02T01:02:03Z
  > /s.d type/i #weir rot' M.mtree T
  $ rm s/b; rot s/c
  $ for m in M T; do weir check --format json $m; done 2>/dev/null | grep -o '"since":"[^"]*"\|"open":[0-9]*' | xargs -n 4
  since:2026-11-01T01:02:03Z since:2026-11-02T01:02:03Z open:2 open:2
  since:2026-11-01T01:02:03Z since:2026-11-02T01:02:03Z open:2 open:2
A change of the files, the options, and what is printed for both manifests.
  $ row() {
  >   eval "${1% -- *}"; for m in M T; do rm -f ST; weir check --quiet ${1#* -- } $m 2>/dev/null >$m.out; echo $?; done | uniq -c | xargs
  >   cat M.out; cmp M.out T.out
  > }
  $ each row <<'END'
  > : --  => 2 1;s/b: FAILED (gone since 2026-11-01);s/c: FAILED (rot since 2026-11-02)
  > : -- --ignore-missing => 2 1;s/b: FAILED (gone since 2026-11-01);s/c: FAILED (rot since 2026-11-02)
  > : -- --no-read => 2 1;s/b: FAILED (gone since 2026-11-01);s/c: FAILED (rot since 2026-11-02);s/d: FAILED (rot)
  > : -- --max-bytes 1 --state ST => 2 1;s/b: FAILED (gone since 2026-11-01);s/c: FAILED (rot since 2026-11-02);s/d: FAILED (rot)
  > mv s/c rotten --  => 2 1;s/b: FAILED (gone since 2026-11-01);s/c: FAILED (missing; rot since 2026-11-02)
  > mv rotten s/c; echo >s/b --  => 2 1;s/b: FAILED (edited; gone since 2026-11-01);s/c: FAILED (rot since 2026-11-02)
  > echo b >s/b; cp -p good s/c --  => 2 0
  > END

## absent: a tree that is missing or empty as a whole is one sentence
  $ mkdir -p t/d/e; for f in t/a t/d/b t/d/e/c t/f t/g; do echo $f >$f; done
  $ weir hash t >M; weir hash --format mtree t >T; weir hash $PWD/t >A; weir hash -C t . >D
  $ weir hash -C t --format mtree . >DT; weir check --quiet --state ST M; cp ST before; mv t full
  $ absent() {
  >   { eval "weir check $1"; echo $?; cmp ST before; } 2>&1 |
  >     sed 's/.*t: is \(.*\), and .* has [35] names below it; mount it, or name another directory with -C$/\1/'
  > }
  $ cat >rows <<'END'
  > M
  > --status M
  > --ignore-missing M
  > --state ST M
  > T
  > A
  > - <M
  > --shard 0/2 M
  > END
  $ each absent 'missing;1' <rows
  $ printf '%s\n' '--audit t D' '-C t $PWD/D' '-C t $PWD/DT' >>rows; mkdir t; each absent 'empty;1' <rows

One file that is there is enough.
  $ mkdir -p t/d; cp full/d/b t/d; for o in M '--state ST M' T A '--audit t D' '-C t D'; do weir check $o; done 2>&1 | grep -c empty
  0
  [1]

## a first file whose directory is missing is missing, whatever makes its name
  $ mkdir -p t/d t/e; for f in t/d/f t/e/f; do echo same >$f; done; weir hash t >N; rm -r t/d
  $ for o in N '--beside N' '--windows-names N' '-C t --strip 1 N'; do weir check $o 2>/dev/null; echo $?; done | paste -sd ' '
  t/d/f: FAILED open or read t/e/f: OK 1 t/d/f: FAILED open or read t/e/f: OK 1 t/d/f: FAILED open or read t/e/f: OK 1 d/f: FAILED open or read e/f: OK 1

## the proofs of files follow them to new names
  $ mkdir s; for f in a b c; do echo $f >s/$f; done; weir hash -o M s; weir check --quiet --state ST M
  $ sed -i 's/^2[0-9-]*T/2026-11-20T/' ST; mv s/b s/x; weir hash --update -o M s
  s/b: moved to s/x
  2 files not read, 1 read, 0 replaced, 0 new, 0 gone, 1 moved
  $ check() { weir check --oldest-first --state ST --max-bytes 1 --summary M 2>&1 | grep -c never; }
  $ check; grep -c s/x ST
  0
  1

A state knows nothing of these names.
  $ mkdir t; mv s t; sed -i 's/ s/ t\/s/' M; rm M.mtree; check
  0
  [1]

## a check opens and reads a manifest and its records once
needs strace
  $ makeRot; strace -f -o calls -e trace=openat,read,pread64 weir check --quiet M
  s/f03: FAILED (rot)
  ! weir: WARNING: 1 listed file has ROT
  [1]
  $ for begin in '"M"' '"M.mtree"' '"#mtree'; do grep -c "$begin" calls; done
  1
  1
  1

## an open point is no known content, no equal file, and none that a cut manifest forgets
  $ mkdir s card; for i in 1 2 3 4; do echo $i >s/$i; done; touch -d @1000 s/*; cp -p s/4 card
  $ weir hash -o M s; weir hash -C s --format mtree -o T .; mv s/3 h; rm s/4
  $ update() { weir hash --update --quiet -o M s; weir hash -C s --update --quiet -o T .; }
  $ update >log 2>&1; echo x >s/3; touch -d @1000 s/3; update 2>/dev/null
  s/3: rot
  s/4: gone since ...
  ./3: rot
  ./4: gone since ...
  [1]
  $ for i in M M.mtree T; do weir duplicates --known $i --unknown card; done
  card/4
  card/4
  card/4
  $ weir compare T s
  3: cannot tell (no digest or size in common)
  4: only in T
  ! weir: 1 name could not be compared; --read reads the files of a directory
  [2]
  $ head -n 2 M >n; cat n >M; weir check --quiet M
  ! weir: M: line 3 and what follows differ from M.mtree, which is therefore not used: rot cannot be told from an edit
  [1]

## a digest beside the keyword ignore is verified
  $ echo 1 >f; printf '#mtree\n./f type=file ignore sha256=%064d\n' 7 >M; weir check M
  ./f: FAILED
  ! weir: WARNING: 1 computed checksum did NOT match
  [1]
