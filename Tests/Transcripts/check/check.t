weir check: its exit statuses, and manifests and lines that it cannot use.

## the exit status distinguishes differences, unreadable files and success
  $ for f in a b; do printf $f >$f; done; mkdir d; mkfifo p; sums=$(sha256sum a b); z=$(printf %064d 0)
  $ row() { printf "${1%% -- *}" | sed "s/^SUMS$/$(echo "$sums" | paste -sd '|')/; s/|/\n/; s/^0 /$z /" >m; weir check m ${1#* -- } >out 2>&1; echo $?; }
  $ each row <<'END'
  > SUMS\n -- --quiet => 0
  > SUMS\njunk\n -- --quiet => 1
  > SUMS\njunk\n -- --lenient => 0
  > SUMS\n0  a\n -- --quiet => 1
  > SUMS\n0  none\n -- --quiet => 1
  > SUMS\n0  none\n -- --ignore-missing => 0
  >  -- --quiet => 1
  > junk\n -- --quiet => 1
  > 0  none\n -- --ignore-missing => 1
  > SUMS\n0  d\n -- --quiet => 3
  > SUMS\n0  p\n -- --quiet => 3
  > SUMS\n0  d\n0  b\n -- --quiet => 1
  > 0  d\n -- --quiet => 3
  > SUMS\n -- none => 3
  > SUMS\n -- - => 1
  > END
  $ row() { weir check $1 >out 2>&1; echo $?; }
  $ each row 2 <<'END'
  > none
  > d
  > p
  > none d
  > --ignore-missing none
  > --nonsense
  > -a sha257
  > -j 0
  > -C none m
  > END

## well-formed lines of unknown algorithms are reported, and are not a success
  $ printf a >a; sha256sum a >good
  $ row() { { echo '#'; echo "$line"; [ ! "$1" ] || sed "s/a$/$1/" good; } >m; weir check $2 m >out 2>&1; echo $?; grep support out; }
  $ for line in 'SHA2-512/224(a)= 00000000' 'SHA3-384(a)= 00000000' 'BLAKE2S-256(a)= 00000000'; do
  >   for o in '' --strict --status; do row '' $o; row a $o; row none $o; done | uniq -c | sort | uniq -c
  > done
        3       1 1
        6       1 3
        9       1 weir: m: 2: SHA2-512/224 is not supported
        3       1 1
        6       1 3
        9       1 weir: m: 2: SHA3-384 is not supported
        3       1 1
        6       1 3
        9       1 weir: m: 2: BLAKE2S-256 is not supported
  $ row none; weir check --summary m 2>&1 | tail -n 1
  1
  weir: m: 2: BLAKE2S-256 is not supported
  weir: 2 lines: 0 right, 1 missing, 1 could not be verified; 0 B in ...
A line of a known algorithm is malformed if it is wrong.
  $ row() { { cat good; echo "$1"; } >m; weir check --quiet --warn m 2>&1; echo $?; }
  $ each row 'weir: m: 2: improperly formatted checksum line;weir: WARNING: 1 line is improperly formatted;1' <<'END'
  > SHA256 (a) = 00000000000000000000000000000000000000000000000000000000000000
  > SM3 (a) = 0000000g
  > SM3 () = 00000000
  > BLAKE2b-256 (a) = 00000000
  > SM3 a = 00000000
  > SM3 (a) 00000000
  > END

## files that are not manifests are reported
  $ : >empty; printf 'hello\nworld\n' >text; { noise 300000; echo; } >binary; head -c 3000000 /dev/zero >zeros; mkfifo p; mkdir d
  $ row() { weir check $1 2>&1; echo $?; }
  $ each row <<'END'
  > empty => weir: empty: no properly formatted checksum lines found: it is empty;1
  > text => weir: text: no properly formatted checksum lines found;1
  > binary => weir: binary: no properly formatted checksum lines found;1
  > zeros => weir: zeros: no properly formatted checksum lines found;1
  > p => weir: p: is not a regular file; to read it, use: weir check - < p;2
  > d => weir: d: is a directory without bagit.txt, and so no bag; to hash it, use weir hash, to compare it with another or with a manifest, weir compare;2
  > none => weir: none: No such file or directory;2
  > END

## wrongPlace: a manifest whose files are elsewhere ends with the option that finds them
The names are those of one level higher.
  $ mkdir x; for i in $(seq 0 19); do printf $i >x/$i; done; weir hash x >M; weir check -C x M
  ! weir: x: is missing, and M has 20 names below it; mount it, or name another directory with -C
  ! weir: none of the listed files exists in x; with -C . most do
  [1]
One file that is found is enough.
  $ mkdir x/x; printf 19 >x/x/19; weir check --quiet -C x M 2>&1 | tail -n 1; weir check --status -C x M 2>&1 | grep -c 'most do'
  weir: WARNING: 19 listed files could not be read
  0
  [1]
A ledger has the directory of its run.
  $ mkdir elsewhere; cd elsewhere; weir hash -o L -C $top/t/x .; for m in L L.mtree; do weir check $m 2>&1 | tail -n 1; done
  weir: none of the listed files exists here; with -C $top/t/x most do
  weir: none of the listed files exists here; with -C $top/t/x most do

## names of descriptors in a manifest are the descriptors open at the start
Not that of the manifest, whose rest would be verified.
  $ row() {
  >   eval "printf hi | weir hash ${1% *} ${1#* }<&0 >m; printf hi | weir check m ${1#* }<&0"
  >   eval "weir check /dev/fd/${1#* } ${1#* }<m" 2>/dev/null; echo $?
  > }
  $ each row <<'END'
  > /dev/stdin 0 => /dev/stdin: OK;1
  > /dev/fd/0 0 => /dev/fd/0: OK;1
  > - 0 => -: OK;1
  > /dev/fd/7 7 => /dev/fd/7: OK;1
  > END
Nor one that the program opened itself.
needs bash
  $ for i in $(seq 3 29); do echo "$(printf %064d 0)  /dev/fd/$i"; done >m; closed=$(for i in $(seq 3 29); do echo "$i<&-"; done)
  $ seq 3 29 | sed 's,.*,/dev/fd/&: FAILED open or read,' >all
  $ for m in m '/dev/fd/9 m'; do bash -c "$(echo "weir check $m" $closed)" 2>err | cmp - all; grep -v 'Bad file\|WARNING' err; done
  [1]

## one read decides 32 consecutive lines with one name, and any one digit
  $ A=md5,sha1,sha224,sha256,sha384,sha512,sha512-256,sha3-256,sha3-512,sm3,blake2b,blake3,xxh64,xxh3,xxh128
  $ for n in a b; do noise 300000 >$n; weir hash --tag -a $A $n >$n.m; done
  $ cat a.m a.m a.m b.m b.m | sed '3s/= ......../= 00000000/' | weir check --summary --quiet
  a: FAILED
  ! weir: WARNING: 1 computed checksum did NOT match
  ! weir: 75 lines: 74 right, 1 did not match; 900.0 kB in ...
  [1]
  $ printf x >f; weir hash --tag -a $A f | awk '{
  >   for (i = index($0, "= ") + 2; i <= length($0); i++)
  >     print substr($0, 1, i - 1) (substr($0, i, 1) == "0") substr($0, i + 1)
  >   print }' | weir check 2>/dev/null | sort | uniq -c
      992 f: FAILED
       15 f: OK

## untagged digests of another algorithm of the same length are recognized
  $ printf a >a; for a in 'xxh128 md5' 'blake2b sha512'; do
  >   weir hash -a ${a% *} a >M; weir check M 2>&1 | tail -n 1; weir check -a ${a#* } M 2>&1 | grep 'no line'
  > done
  weir: M: no line matched as md5; if the digests are of xxh128, use -a xxh128, if of b3sum -l, use -a blake3
  weir: M: no line matched as sha512; if the digests are of blake2b, use -a blake2b, if of b3sum -l, use -a blake3
  [1]
