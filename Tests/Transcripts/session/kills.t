Kills and interrupts in number: of the making of a bag, of nights of checks with a state, and of a run of many commands.
CallKillTests has the other verbs. `make test-kill` kills at more calls, and runs more commands.

  $ calls='1 4'; [ ! "$tables" ] || calls=$(seq 60)
  $ killed() { c=$1 n=$2; shift 2; strace -f -o /dev/null -e inject=$c:signal=KILL:when=$n weir "$@" >out 2>&1; }

## bag: a kill loses no content, a check says what is unfinished, and the same command completes the bag
needs strace
A new bag, and one that gets files and an algorithm. What is printed is whether a run was killed.
  $ contents() { (cd $1; find . -type f -exec sha256sum {} + | sort -k 2); }
  $ row() {
  >   for i in $calls; do
  >     fresh; mkdir -p b/d/data b/data; for f in 1 2 3; do echo $f >b/$f; echo d$f >b/d/data/$f; done; echo x >b/data/x
  >     at=b; [ "${1#* }" = new ] || { at=b/data; weir hash --bagit b -a md5; echo y >b/data/new; echo z >b/data/1; }
  >     contents $at >before; cut -c -64 before | sort -u >contents
  >     killed ${1% *} $i hash --bagit b -a md5,sha256 && break; echo killed
  >     contents b | cut -c -64 | sort -u | comm -13 - contents; weir check --quiet b >out 2>&1; s=$?
  >     [ -e b/bagit.txt ] || [ $s = 2 ] || echo $s
  >     weir hash --bagit b -a md5,sha256 >out || echo $?; weir check --quiet b; contents b/data | cmp - before; ls b | wc -l
  >   done | sort -u
  > }
  $ each row '7;killed' <<'END'
  > openat new
  > openat old
  > write new
  > write old
  > mkdir new
  > rename new
  > rename old
  > unlink new
  > unlink old
  > END

## nights: a kill forgets no proof and no failure, invents none, and each file is proved once a round
needs strace
  $ for i in 1 2 3 4 5 6 7 8; do head -c ${i}00 /dev/zero | tr '\0' $i >f$i; done; sha256sum f* >S
  $ state() { grep '^[0-9-]' ST | awk '{ at[$4] = $1; failed[$4] = $2 } END { for (f in at) print f, at[f], failed[f] }' | sort; }
  $ night() { "$@" check --state ST --oldest-first --max-bytes 1400 S; }
  $ weir check --quiet --state ST S; cp f2 good; echo wrong >f2; weir check --status --state ST S
  [1]
  $ for c in openat read write fsync rename close; do
  >   for i in $calls; do
  >     sed -i 's/20[0-9-]*T/2001-01-01T/g' ST; state >before; night killed $c $i && break; state | join before - |
  >       awk '$4 < $2 || $3 != "-" && $5 == "-" || $1 == "f2" && $4 !~ /^2001/'
  >     state | wc -l
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
  $ count=300; [ ! "$tables" ] || count=10000; seq $count >N; : >begun; : >ended; : >known; : >outs
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
