weir hash -o: the manifest is that of standard output, appears complete or not at all, and every verb reads it.

## the manifest equals standard output byte for byte, and nothing is reported
Except comments of mtree(5) for a later run.
  $ forest t 150; ln -s 'no where' 't/link to nowhere'; row() {
  >   rm -f M*; weir hash $1 t 't/link to nowhere/..' >expected 2>e; s=$?
  >   weir hash -o M $1 t 't/link to nowhere/..' 2>err; [ $? = $s ] || echo $s
  >   cmp e err; sed '/^#weir \(source\|run\)/d' M | cmp - expected; ls M*
  > }
  $ each row 'M;M.mtree' <<'END'
  > 
  > --tag
  > -z
  > -amd5,sha1
  > -axxh3 -j1
  > --format mtree => M
  > END

## of two runs on one output, the second names the first and ends
  $ echo >a; mkfifo in; exec 7<>in; printf hello >&7; : >err; start weir hash -o M a - <in 2>>err 7>&-; run=$!
  > await '[ -s M.partial ]'; ask $run ', 6 B, '
  $ for o in '' --resume; do weir hash -o M $o a 2>&1 | sed "s/process $run, .*weir/process N, weir/"; done; exec 7>&-
  > ended $run; ls M*
  weir: M.partial: another run is writing it: process N, weir hash -o M a -
  weir: M.partial: another run is writing it: process N, weir hash -o M a -
  0
  M
  M.mtree

## works at ulimit -n 8
The shell has no descriptor left for a redirection.
  $ forest t 60; weir hash t >expected; for j in -j1 -j4; do
  >   rm -f M*; for o in '' --resume --update '--resume --update'; do
  >     case $o in *resume*) n=$(wc -c <M.mtree); head -c $((n / 2)) M.mtree | sed '$d' >M.partial ;; esac
  >     case $o in '--resume --update') sed -i 's/ path=/ update=yes path=/' M.partial ;; esac
  >     (ulimit -n 8; exec weir hash -o M $o $j t)
  >   done; cmp M expected
  > done
  60 files not read, 0 read, 0 replaced, 0 new, 0 gone
  60 files not read, 0 read, 0 replaced, 0 new, 0 gone
  60 files not read, 0 read, 0 replaced, 0 new, 0 gone
  60 files not read, 0 read, 0 replaced, 0 new, 0 gone

## every verb reads a list of weir's own, whatever its form and its digests
Digests of each length that decides something: unusual ones, those of other algorithms, short ones. A plain line does not name
its algorithm, and a search for duplicates by the records needs digests of 128 bits.
  $ expect() { wanted=$1; shift; "$@" >out 2>&1 </dev/null; s=$?; [ $s = $wanted ] || { echo "$* ends with $s:"
  >     tr '\0' '\n' <out; }; }
  $ silent() { expect 0 "$@"; [ ! -s out ] || { echo "$* says:"; tr '\0' '\n' <out; }; }
  $ list() {
  >   fresh; zero=$2 a=$3; hash="weir hash -a $a $1 -C t"; short=0; case $a in *-8* | xxh32 | crc32) short=2 ;; esac
  >   mkdir t; for f in a b c; do echo $f >t/$f; done; expect 0 $hash -o L .; silent weir check --quiet $zero -C t L
  >   touch -d 2020-01-01 t/b; echo new >t/d; for i in 1 2 3; do expect 0 $hash -o L --update .; done
  >   expect 0 $hash -o L --resume .
  >   for o in '' '--audit .' '--state S'; do silent weir check --quiet $zero -C t $o L; done
  >   silent weir compare $zero L t
  >   silent weir duplicates --known L --unknown -C t .; expect $short weir duplicates --records L -C t .; cp L N
  >   both="-a ${a##* } -a ${a%% *}"; silent weir check --quiet $both $zero -C t N
  >   silent weir compare $both $zero L N
  >   for i in 1 2 3; do expect 0 $hash -o N --update .; done; expect 0 $hash -o N --replace .
  >   rot t/a; expect 1 weir check $zero -C t L; grep -q 'a: FAILED (rot)' out || cat out; echo a >t/a
  >   touch -r $top/time t/a
  >   weir plan -o P --shards 2 t >out; for k in 0 1; do expect 0 weir hash -a $a $1 --plan P --shard $k/2 --out D
  >   done
  >   expect 0 weir merge --plan P D -o A; expect 0 weir merge --plan P D -o A --replace
  >   case $1 in *mtree*) ;; *) expect 0 weir check $both $zero A ;; esac
  > }
  $ { for form in '' --plain --tag '--format mtree' -z '-z --plain' '-z --tag'; do
  >     for a in sha256 blake2b-8; do echo "$form:$a"; done
  >   done; for digest in blake2b blake2b-504 blake3-8 blake3-264 xxh32 crc32 'blake2b-8 -a xxh32'; do
  >     for form in '' '-z --tag'; do echo "$form:$digest"; done
  >   done; } | some 5 | while IFS=: read -r form digest; do
  >   case $form in -z*) z=-z ;; *) z= ;; esac; list "$form" "$z" "$digest"
  > done
