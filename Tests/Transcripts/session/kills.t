Kills and interrupts in number: of a bag, of reports, of nights of checks with a state, of a run of many commands. CallKillTests
has the other verbs. `make test-kill` kills at the first 60 calls of a kind, `make test` at some: the first are of the start.

  $ calls() { shift; if [ "$tables" ]; then seq 60; else echo "$@"; fi; }
  $ killed() { c=$1 n=$2; shift 2; strace -f -o /dev/null -e trace=$c -e inject=$c:signal=KILL:when=$n weir "$@" >out 2>&1; }

## bag: a kill loses no content, a check says what is unfinished, and the same command completes the bag
needs strace
A new bag, and one that gets files and an algorithm. What is printed is whether a run was killed.
  $ contents() { (cd $1; grep -r '' . | sort); }
  $ row() {
  >   fresh; mkdir -p b/d/data b/data; for f in 1 2 3; do echo $f >b/$f; echo d$f >b/d/data/$f; done; echo x >b/data/x; at=b
  >   set -- $1; [ $2 = new ] || { at=b/data; weir hash --bagit b -a md5; echo y >b/data/new; echo z >b/data/1; }
  >   contents $at >before; cut -d : -f 2 before | sort -u >contents; mv b saved
  >   for i in $(shift; calls "$@"); do
  >     rm -rf b; cp -a saved b; killed $1 $i hash --bagit b -a md5,sha256 && break; echo killed
  >     grep -rh '' b | sort -u | comm -13 - contents; weir check --quiet b >out 2>&1; s=$?
  >     [ -e b/bagit.txt ] || [ $s = 2 ] || echo $s
  >     weir hash --bagit b -a md5,sha256 >out || echo $?; weir check --quiet b; contents b/data | cmp - before; ls b | wc -l
  >   done | sort -u
  > }
  $ each row '7;killed' <<'END'
  > openat new 40
  > openat old 50
  > write new 2
  > write old 4
  > mkdir new 2
  > rename new 1 4
  > rename old 2 4
  > unlink new 1
  > unlink old 1
  > END

## report: a kill at any call leaves the old report or a whole new one
needs strace
  $ mkdir t; for f in a b; do echo $f >t/$f; done; sha256sum t/* >M; weir check --status --report R M
  > for c in 'openat 9 20' 'write 1' 'fsync 1 2' 'rename 1' 'close 9 20' 'exit_group 1'; do
  >   for i in $(calls $c); do
  >     killed ${c%% *} $i check --status --report R M && break; echo ${c%% *}
  >     case $(cat R) in '{'*'"verdict":"ok"'*'}') ;; *) echo $c $i: a broken report ;; esac
  >   done
  > done | sort -u | xargs
  close exit_group fsync openat rename write

## nights: a kill forgets no proof and no failure, invents none, and each file is proved once a round
needs strace
  $ for i in 1 2 3 4 5 6 7 8; do head -c ${i}00 /dev/zero | tr '\0' $i >f$i; done; sha256sum f* >S
  $ state() { awk '/^[0-9-]/ { at[$4] = $1; failed[$4] = $2 } END { for (f in at) print f, at[f], failed[f] }' ST; }
  $ night() { "$@" check --state ST --oldest-first --max-bytes 1400 S; }
  $ weir check --quiet --state ST S; cp f2 good; echo wrong >f2; weir check --status --state ST S
  [1]
  $ for c in 'openat 24' 'read 18' 'write 1 3' 'fsync 1 2' 'rename 1' 'close 20'; do
  >   for i in $(calls $c); do
  >     sed -i 's/20[0-9-]*T/2001-01-01T/g' ST; state >before; night killed ${c%% *} $i && break; state >after
  >     awk 'NR == FNR { at[$1] = $2; failed[$1] = $3; next }
  >       $2 < at[$1] || failed[$1] != "-" && $3 == "-" || $1 == "f2" && $2 !~ /^2001/; { n++ } END { print n }' before after
  >   done
  > done | sort | uniq -c | awk '{ print ($1 > 5), $2 }'
  1 8
A failure of a file is known until the file is right again. Each night is another day.
  $ rm ST; weir check --status --state ST S; cp good f2; sed -i 's/20[0-9-]*T/2000-01-01T/g' ST
  > for day in 1 2 3 4 5 6 7; do
  >   night weir | xargs; sed -i "s/$(date -u +%Y)-[0-9-]*T/2001-02-0${day}T/g" ST
  > done
  f2: OK f1: OK f3: OK f4: OK
  f5: OK f6: OK
  f7: OK
  f8: OK f2: OK f1: OK f3: OK
  f4: OK f5: OK
  f6: OK f7: OK
  f8: OK f2: OK f1: OK f3: OK

## history: over runs that are killed, interrupted and stopped, each command ends once and is logged
Only commands that were running at the end of a run begin again. Their output comes first what waited, then in order.
  $ count=200; [ ! "$tables" ] || count=10000; seq $count >N; : >begun; : >ended; : >known; : >outs
  $ cat >s <<'END'
  > echo $1 >>begun; [ $(($1 % 41)) != 0 ] || sleep 0.05
  > w=$(($1 * 7919 % 1201 + 8)); [ $(($1 % 97)) != 0 ] || w=150000
  > printf "<%0${w}d>\n" $1; echo $1 >>ended
  > END
  $ logged() { tail -n +2 L 2>/dev/null | sed 's/.* //' | sort; }
  $ lines() {
  >   perl -ne '
  >     $cut++, next unless /^<(0*(\d+))>\n$/ && length $1 == ($2 % 97 ? $2 * 7919 % 1201 + 8 : 150000);
  >     $down++ if $2 < $last; $last = $2; print "$2\n";
  >     END { print "cut $cut, order $down\n" if $cut > 1 || $down > 1 }' out >new; grep -v '^[0-9]' new; cat new >>outs
  > }
  $ i=0; while [ $(logged | wc -l) -lt $count ]; do
  >   i=$((i + 1)); start weir run -j3 --joblog L --resume --files-from N -- sh s >out 2>err; run=$!
  >   n=$(wc -l <begun) until=$((n + count / 9))
  >   await '[ $(wc -l <begun) -ge $until ] || ! grep -q "^State:.[^Z]" /proc/$run/status'
  >   case $((i % 5)) in 0) kill -INT $run ;; 1) kill -TERM $run ;;
  >   2) kill -TSTP $run; await '! grep -q "^State:.[^TZ]" /proc/$run/status'; kill -CONT $run; kill -INT $run ;;
  >   *) kill -KILL $run ;; esac
  >   wait $run 2>/dev/null; lines; tail -n +$((n + 1)) begun | grep -xFf known; logged >known; uniq -d known
  >   sort ended | comm -13 - known
  > done 2>/dev/null; [ $(wc -l <begun) -le $((count + 3 * i)) ] || wc -l <begun; sort -u outs | wc -l | sed s/$count/all/
  all
