weir run on shards of a plan: the merge writes what one process writes, and a shard that was halted is continued.

`same` runs the command `both` as one process and in shards, as in same.t.

  $ shard() { k=$1; shift; weir run --plan P --shard $k/$n --out D "$@" $both; }
  $ shards() { rm -rf D; for k in $(order); do shard $k "$@" 2>/dev/null; done; }
  $ same() {
  >   weir run $1 $paths $both >whole 2>whole.err; status=$?; shards $1
  >   weir merge --plan P D >merged 2>merged.err; [ $? = $status ] || echo "another status than $status"
  >   echo $status $(alike)
  > }

## both streams, messages, the status and JSON
Each command writes its item and its number; some write much, or on the other stream, and there is each kind of end.
  $ forest t 30; mkdir 't/a dir' ./-u; echo 1 >'t/a dir/-x'; echo 2 >'t/a dir.txt'; for i in 1 2 3 4; do echo $i >./-u/-$i.x; done
  $ mkfifo t/fifo fifo; ln -s nowhere t/link; ln -s 't/a dir.txt' link; cat >script <<'END'
  > case $(($2 == 3 || $2 == 40 ? 11 : $2 % 11)) in
  > 11) seq -f "$2 %g and some more of it so that it is long" 0 9000 ;;
  > 4) printf 'no newline' ;;
  > 5) ;;
  > 6) echo "$2 complains" >&2 ;;
  > 7) seq -f "error $2 %g" 0 3000 >&2 ;;
  > *) printf '%s\n' "$@" ;;
  > esac
  > case $(($2 % 13)) in 4) exit 3 ;; 5) kill -9 $$ ;; 6) exec ./nothing 2>/dev/null ;; esac
  > END
  $ both='-- sh script {} {#} {/} {//} {.} {/.} a{/}' paths='t/order t ./-u missing fifo link'; mkdir t/order
  > echo >t/order/-x
  $ row() { plan ${1%% *} $paths; same "${1#* }"; }
  $ each row <<'END'
  > 1 -j3 => 1 18182
  > 2 -j1 => 1 18182
  > 4 --format json => 1 107
  > 9 -j2 => 1 18182
  > END
The summary differs in the times alone, and a shard that is done returns at once, with its status.
  $ n=9; for f in whole merged; do
  >   case $f in whole) weir run --summary $paths $both ;; *) weir merge --summary --plan P D ;; esac 2>&1 >/dev/null |
  >     tail -n 1 | sed 's/ in .*//'; done
  weir: 41 commands run, 9 failed, 1 special file skipped, 1 symbolic link skipped; 41 items
  weir: 41 commands run, 9 failed, 1 special file skipped, 1 symbolic link skipped; 41 items
  $ for k in 0 4 8; do shard $k 2>&1; echo $?; done | sed 's,[0-8]/9,K/9,; s/, node .*//' | sort | uniq -c
        1 0
        2 1
        3 weir: shard K/9 (--shard, attempt 1
        3 weir: shard K/9 is done already

## retries and timeouts, and another command for other options
  $ for i in $(seq 30); do : >f$i; done; paths=$(seq -f f%g 30); cat >script <<'END'
  > d=tries${WEIR_SHARD:+-shards}; [ -d $d ] || mkdir -p $d
  > case $1 in
  > f*[05]) exit 1 ;;
  > f*[369]) echo x >>$d/$1; t=$(wc -l <$d/$1); echo "$1 try $t"; [ $t -ge 3 ] ;;
  > *) echo $1 ;;
  > esac
  > END
  $ both='-- sh script {}'; plan 4 $paths; same '--retries 2'; head -n 3 merged; grep again merged.err
  1 24
  f1
  f2
  f3 try 3
  weir: 30 commands run, 6 failed, 30 run again
  $ shard 0 --retries 3
  ! weir: shard 0/4 (--shard, attempt 1, node ...), 8 files, 0 B
  ! weir: $top/t/D/shard-00000-of-00004.part: was made by another command (weir run '--retries=2', not weir run '--retries=3')
  [2]
  $ both='-- sh -c exec${IFS}sleep${IFS}1000'; paths=f7; plan 1 f7; same '--retries 2 --timeout 0.2'; cat merged.err
  1 0
  weir: f7: sh was ended because it took more than 0.20 s, 3 times
  weir: 1 command run, 1 failed, 2 run again

## groups have every file once, in the place of the first file of each
  $ forest t 100; paths=t both='-- printf %s\0'; find t -type f -print0 | sort -z >all; row() { plan $1 t; shards -n7
  >   weir merge --plan P D; }
  $ for n in 1 3 8; do row $n | sort -z | cmp - all; done; row 1 >merged; weir run -n7 t $both | cmp - merged
The numbers of the commands are the places of their first files.
  $ shards -n7 --format json
  > weir merge --plan P D | sed -n 's/.*"type":"command","command":\([0-9]*\).*/\1/p' >numbers
  $ sort -un numbers | cmp - numbers; head -n 1 numbers; wc -l <numbers
  1
  15

## no command for a file that has changed or is gone, unless that is allowed
  $ for i in $(seq 20); do echo $i >f$i; done
  > paths=$(seq -f f%g 20) both='-- sh -c echo${IFS}$*;echo${IFS}$*>>log sh {}'; plan 3 $paths
  $ echo longer >f3; rm f5; touch -d @1 f9; shards; weir merge --plan P D | xargs
  f1 f2 f4 f6 f7 f8 f10 f11 f12 f13 f14 f15 f16 f17 f18 f19 f20
  ! weir: f3: has changed since the plan was made; --allow-changed reads it
  ! weir: f5: No such file or directory
  ! weir: f9: has changed since the plan was made; --allow-changed reads it
  ! weir: 17 commands run, 3 could not be read
  $ sort log | uniq -c | grep -c ' 1 f'; shards -n20; weir merge --plan P D 2>/dev/null | xargs -n 1 | sort -V | xargs
  17
  f1 f2 f4 f6 f7 f8 f10 f11 f12 f13 f14 f15 f16 f17 f18 f19 f20
  $ shards --allow-changed; weir merge --plan P D >merged; weir run $paths $both | cmp - merged

## the shard and the attempt are in the environment of the commands
  $ for i in $(seq 6); do : >f$i; done; plan 2 f1 f2 f3 f4 f5 f6; export OTHER='x y' WEIR_SHARD=7/9 WEIR_ATTEMPT=5
  $ echo 'env | grep -c WEIR_; echo $WEIR_SHARD $WEIR_ATTEMPT $OTHER' >script; both='-- sh script'; shards
  > weir merge --plan P D | sort | uniq -c
        3 0/2 5 x y
        3 1/2 5 x y
        6 2

## options that do not apply are errors, which name the way
  $ : >f; plan 1 f; both='-- echo'; row() { shard 0 $1 2>&1; echo $?; }
  $ each row <<'END'
  > --joblog L => weir: --joblog does not apply to a shard of a plan: the part is the log, and --resume continues it; see weir run --help;2
  > --resume-failed => weir: --resume-failed does not apply to a shard of a plan: --resume runs what has no result yet; see weir run --help;2
  > --ungroup => weir: --ungroup does not apply to a shard of a plan: the part has the output of each command; see weir run --help;2
  > --unordered => weir: --unordered does not apply to a shard of a plan: weir merge writes in the order of the plan; see weir run --help;2
  > --max-depth 1 => weir: --max-depth belongs to weir plan, which walks; see weir run --help;2
  > f => weir: with --plan, the plan names the files; give PATHs and filters to weir plan instead; see weir run --help;2
  > --exclude x => weir: with --plan, the plan names the files; give PATHs and filters to weir plan instead; see weir run --help;2
  > END
  $ row() { weir run $1 -- echo 2>&1; echo $?; }
  $ each row <<'END'
  > --out o f => weir: --out needs --plan FILE; for a manifest use -o FILE; see weir run --help;2
  > --allow-changed f => weir: --allow-changed needs --plan FILE; see weir run --help;2
  > --resume f => weir: --resume needs --joblog FILE; see weir run --help;2
  > --shard auto f => weir: --shard auto needs --plan FILE: a launcher knows the number of its tasks, and not that of the shards; see weir run --help;2
  > --shard 3 f => weir: --shard takes K/N, such as 3/64, not 3: the number of shards is missing; see weir run --help;2
  > --shard 3/3 f => weir: --shard 3/3 is no shard: the shards are 0 to 2; see weir run --help;2
  > --plan P --shard 0/1 => weir: --plan needs --out DIR; see weir run --help;2
  > --plan P --out o => weir: --plan needs --shard K/N; see weir run --help;2
  > END
  $ ls
  P
  f

## without a plan, the shards by the hash of the name share the items
  $ forest t 40; mkfifo t/fifo; { find t -type f -print0; printf 'no file\0'; } | sort -z >all; for n in 1 2 5; do
  >   for k in $(seq 0 $((n - 1))); do
  >     weir run --shard $k/$n t 'no file' -- sh -c 'printf "%s\0" "$1"; echo $2 $WEIR_SHARD >&2' sh {} {#} >part 2>err
  >     cat part; grep -v ^weir: err >numbers; seq -f "%g $k/$n" $(tr -dc '\0' <part | wc -c) | cmp - numbers >&2
  >     grep 'is a FIFO' err >&2
  >   done | sort -z | cmp - all
  > done
  ! weir: t/fifo: skipped: is a FIFO
  ! weir: t/fifo: skipped: is a FIFO
  ! weir: t/fifo: skipped: is a FIFO

## halted: a halted shard is not done, and --resume continues it
  $ for i in $(seq 12); do : >f$i; done; paths=$(seq -f f%g 12); plan 1 $paths
  > echo 'echo $2 >>log; echo $1; [ $2 != 5 ] || [ -e fixed ]' >script
  $ both='-- sh script {} {#}'; halted() {
  >   rm -rf D log; shard 0 -j1 --halt $1 2>err; echo $?; grep -c 'shard 0/1 is not done; to continue:.*--resume' err
  >   grep f5 err; ls D | sed 's/tmp.*/tmp/'
  >   weir merge --plan P D >out 2>/dev/null; echo $? $(wc -c <out); tail -n 1 log
  >   shard 0 -j1 --resume >out 2>/dev/null; echo $?; sort -n log | xargs; weir run $paths $both >whole 2>/dev/null
  >   weir merge --plan P D 2>/dev/null | cmp - whole
  > }
  $ printf '%s\n' soon now | each halted "1;1;weir: f5: sh ended with status 1;shard-00000-of-00001.part.tmp;3 0;5;1;$(seq 12 | xargs)"
A failure after a command that --halt now has ended is reported, but not recorded.
  $ mkfifo ready; rm -r D log; cat >script <<'END'
  > echo $2 >>log
  > if [ $2 = 1 ] && ! [ -e go ]; then echo >ready; exec sleep 1000; fi
  > if [ $2 = 2 ] && ! [ -e go ]; then read x <ready; exit 1; fi
  > echo $1
  > END
  $ shard 0 -j2 --halt now 2>&1 | grep f2; : >go; shard 0 -j2 --resume --halt now 2>&1 | grep -v '^weir: shard'
  > grep -x '[12]' log | sort | xargs
  weir: f2: sh ended with status 1
  1 1 2 2
  $ weir merge --plan P D | xargs
  f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12

## of several attempts at a shard, the one that came farthest is continued
  $ for i in $(seq 12); do : >f$i; done; paths=$(seq -f f%g 12); plan 1 $paths; both='-- sh script {} {#}'
  $ for last in 2 9; do
  >   echo "echo \$2 >>log; echo \$1; [ \$2 != $last ]" >script; shard 0 -j1 --halt soon 2>/dev/null
  >   mv D/*.tmp.* $last.attempt; rm log
  > done
  $ mv 9.attempt D/shard-00000-of-00001.part.tmp.a.1.1; mv 2.attempt D/shard-00000-of-00001.part.tmp.z.1.1
  $ shard 0 -j1 --resume 2>/dev/null; xargs <log; weir merge --plan P D 2>/dev/null | xargs
  10 11 12
  f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12
