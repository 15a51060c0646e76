Signals: once, twice, in a stalled run, ignored from the start. A signal is sent when the run has reached the right
point: `hold` returns when it has written the line of `a`, and waits for more of its standard input.

  $ printf a >a; mkfifo in; hold() {
  >   exec 7<>in; printf hello >&7; : >err; start "$@" <in >out 2>>err 7<&-; run=$!; await '[ -s out ]'
  >   ask $run ", ${bytes-6 B}, "
  > }
  $ said() { grep -v 'B/s' err; }
  $ interrupt() { kill -$1 $run; await 'grep -q "finishing the open files" err'; }

## the first signal ends the run: open files are finished, and the output is a prefix of the whole
More files than are ever read ahead of the slow one.
  $ mkdir t; seq -f t/%g 6000 | xargs touch; printf hello | weir hash a - t >whole; row() {
  >   hold weir hash -j2 a - t; interrupt $1; exec 7>&-; ended $run; n=$(wc -l <out); [ $n -lt 6002 ] || echo $n
  >   head -n $n whole | cmp - out; said | tr -d , | sed "s/: $n files/: N files/"
  > }
  $ i='weir: interrupted: finishing the open files for at most 2 s; a second signal ends the process at once'
  $ r='weir: interrupted: N files read; the output so far is intact the rest is missing'; for s in INT TERM HUP; do
  >   row $s >said; printf '%s\n' $s "$i" "$r" | diff said -; done

## the process dies of the signal itself
  $ perl -e '$run = fork || exec "sh", "-c", "exec weir hash a - <in >out"; open IN, "+<", "in"; select undef, undef, undef, 0.01 until -s "out";
  >   kill TERM => $run; close IN; waitpid $run, 0; print $? & 127, "\n"' 2>/dev/null
  15

## a signal in the last file ends the process, but nothing is missing
All files are found when the first thread sleeps.
  $ rests() { for i in 1 2 3 4 5 6 7 8; do : >err; ask $run B/s; grep -q ') S ' /proc/$run/stat || return 1; done; }
  $ row() {
  >   for try in 1 2 3 4 5 6 7 8 9; do # in time for the file that is open
  >     hold weir hash a - $1; await rests; interrupt TERM; exec 7>&-; ended $run >how; ! grep -q 'rest is missing' err || continue; break
  >   done
  >   cat how; wc -l <out; said | tail -n +2 | cut -d ';' -f 1
  >   grep -o '"complete":true,"files":2' out; grep -c '2 files read; ' err
  > }
  $ each row <<'END'
  >  => TERM;2;weir: interrupted: the run was complete all the same;0
  > --format json => TERM;3;weir: interrupted: the run was complete all the same;"complete":true,"files":2;0
  > --summary => TERM;2;weir: interrupted: the run was complete all the same;1
  > -j 1 => TERM;2;weir: interrupted: the run was complete all the same;0
  > --unordered => TERM;2;weir: interrupted: the run was complete all the same;0
  > END

## one signal is enough in a stalled run, also beside requests for its progress
  $ for s in INT TERM; do bytes='7 B' hold weir hash -j2 a - a; (while kill -USR1 $run 2>/dev/null; do sleep 0.02; done) &
  >   kill -$s $run; await 'grep -q "the rest is missing" err'
  >   exec 7>&-; ended $run; done
  INT
  TERM

## the second signal ends the process at once, by that signal
The run reads on meanwhile, so that it does not end as a stalled one.
  $ for try in 1 2 3 4 5 6 7 8 9; do # before the time for open files is over
  >   hold weir hash a -; (while kill -0 $run; do echo; sleep 0.05; done) >in 2>/dev/null &
  >   interrupt INT; kill -TERM $run; ended $run >how; ! grep TERM how || break
  > done
  TERM
  $ wc -l <out; said
  1
  weir: interrupted: finishing the open files, for at most 2 s; a second signal ends the process at once

## a signal that comes with the first one, as from timeout(1), is no second one
  $ hold weir hash --report r a -
  $ for s in STOP INT TERM CONT; do kill -$s $run; done; ended $run; said | head -n 1; grep -c verdict r
  INT
  weir: interrupted: finishing the open files, for at most 2 s; a second signal ends the process at once
  1

## a signal that is ignored at the start stays ignored
  $ start() { { env --ignore-signal=$s "$@" <&3 3<&- & } 3<&0; }
  $ for s in HUP INT TERM; do hold weir hash a -; kill -$s $run; : >err; ask $run '1 file, 6 B'; exec 7>&-; ended $run
  >   wc -l <out; said; done
  0
  2
  0
  2
  0
  2
  [1]

## SIGUSR1 prints a line, also without a terminal and with --progress never
  $ hold weir hash --progress never a -; for i in 1 2 3; do : >err; ask $run '^weir: 1 file, 6 B, '; done; exec 7>&-
  > ended $run
  0

## if SIGPIPE is ignored, a closed pipe is a write error
  $ forest t 500; (trap '' PIPE; { weir hash t t t t; echo $? >status; } | head -n 1 | wc -l); cat status
  1
  2
  ! weir: write error: Broken pipe

## SIGUSR1 never ends a process, from its start on, even without progress to report
The signal comes when the process has blocked or ignored it.
  $ mkfifo full; row() {
  > fill full; start weir $1 >full 2>/dev/null 7>&-; run=$!
  >   await "grep -Eq '^Sig(Blk|Ign):.*[2367abef]..$' /proc/$run/status"
  >   kill -${2-USR1} $run; drain full >/dev/null; ended $run; wait
  > }
  $ each row 0 <<'END'
  > --version
  > help hash
  > check --help
  > limits
  > hash a
  > run a -- echo
  > END
The signals that end the program do so before a run as well.
  $ for s in INT TERM HUP; do row limits $s; done
  INT
  TERM
  HUP

## longFile: the first signal ends a run in the middle of a file that takes hours
Of 4 TiB no byte is on the disk. The run has read more than a start does. All share a processor: open files get some time
after the signal.
  $ mkdir l b; truncate -s 4T l/a l/b b/a; printf '%032d  l/a\n' 0 >sums; first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
  $ row() { f=${1##* }; start taskset -c $first nice weir $1 >out$f 2>err$f; run=$!
  >   await '[ $(sed -n "s/rchar: //p" /proc/$run/io) -gt 4000000 ]'; kill $run; ended $run; sed '/^{/d' out$f | wc -c
  >   grep -c 'weir: interrupted: ' err$f; }
  $ at_once row 'TERM;0;2' <<'END'
  > hash l/a --tag
  > count l/a -l
  > count a l/a --format json -j1 -w
  > check sums
  > duplicates l
  > hash -o M a l/b -j1
  > hash --bagit b
  > END
A resumed run reads a file again that was given up.
  $ printf b >l/b; weir hash -o M --resume -j1 a l/b; weir check M
  a: OK
  l/b: OK
An interrupted count has no total in JSON either.
  $ sed 's/,"bytes.*//' ./out-w
  {"type":"file","path":{"text":"a"},"words":1}
  {"type":"summary","complete":false,"files":1
A bag is left without manifests, and the message says so.
  $ ls b; grep -c 'completes the bag' errb
  bagit.txt
  data
  1
