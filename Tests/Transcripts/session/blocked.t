Outputs that nobody reads: signals end the process all the same, and the last lines are written if they can be.

  $ blocked() { await "grep -Eqs '^(1|64) 0x$1 ' /proc/$run/task/*/syscall"; }

## signals end a run whose messages nobody reads
Each signal is sent when the one before was taken.
  $ taken() { await "[ ! -e /proc/$run ] || grep -Eqs '^ShdPnd:.0*$|^State:.Z' /proc/$run/status"; }
  $ mkfifo errors; exec 7<>errors; seq -f missing%g 5000 >names; row() {
  >   start weir hash --files-from names 2>errors 7>&-; run=$!; blocked 2
  >   for s in $1; do kill -$s $run 2>/dev/null; taken; done; ended $run >$run; sed 's/INT/TERM/' $run
  > }
  $ at_once row TERM <<'END'
  > TERM
  > TERM TERM
  > USR1 TERM INT
  > END

## a signal ends a run in any message that nobody reads
The pipe is full before the first message. The file that is listed exists in another directory: a hint.
  $ mkfifo errors; fill errors; mkdir sub; : >f; : >sub/listed; printf '%064d  listed\n' 0 >M
  $ row() { start weir $1 >/dev/null 2>errors 7>&-; run=$!; blocked 2; kill $run; ended $run; }
  $ at_once row TERM <<'END'
  > hash --verbose f
  > hash none
  > hash --summary f
  > count none f
  > check M
  > check none
  > duplicates --verbose .
  > run --summary f -- true
  > run f -- false
  > limits --verbose
  > END

## a signal during the last lines lets them be written
  $ mkfifo full; mkdir d; last() {
  > fill full; start weir $1 --verbose --format=json d >full 2>err 7>&-; run=$!; await 'grep -q "bound by " err'
  >   kill -$2 $run; await 'grep -q "writing the last lines" err'; drain full >out; ended $run; wait
  >   grep -o '"complete":true' out; grep interrupted err
  > }
  $ for v in hash count duplicates; do for s in INT TERM HUP; do last $v $s; done; done | sort | uniq -c
        9 "complete":true
        3 HUP
        3 INT
        3 TERM
        9 weir: interrupted: the run was complete all the same; nothing is missing
        9 weir: interrupted: writing the last lines; a second signal ends the process at once

## a signal ends repeatable work, and the message names the command to continue
needs strace
strace holds the call that writes the new manifest to the disk. The removal of z is known, and is reported only later.
  $ mkdir d; for f in a b z; do echo $f >d/$f; done; weir hash -o M d; cp M before; rm d/z
  $ start strace -D -f -o calls -e trace=fsync -e inject=fsync:delay_enter=99000000 weir hash -o M d --update --verbose >out 2>err
  > run=$!; await "grep -Eqs '^(74|82) 0x[0-9a-f]{1,2} ' /proc/$run/syscall"; kill $run; await 'grep -q "to continue" err'
  > kill -9 $(sed -n 's/^TracerPid:[^0-9]*\([1-9]\)/\1/p' /proc/$run/status); ended $run; cat out; grep interrupted err
  > cmp M before
  TERM
  weir: interrupted: 0 files read, 2 known without reading; M.partial has the records so far; to continue: weir hash --resume -o M d --update --verbose
  $ weir hash -o M d --update --resume; wc -l <M
  d/z: gone
  2 files not read, 0 read, 0 replaced, 0 new, 1 gone
  3

## a signal ends an update in the middle of a file, and the message names the command to continue
The removal of z is known, and is reported only at the end, which the run does not reach. A writer of - takes hours.
  $ mkfifo in; mkdir d; for f in a b z; do echo $f >d/$f; done; weir hash -o M d - </dev/null; cp M before; rm d/z
  $ perl -e 'select undef, undef, undef, 0.01 while syswrite STDOUT, "x"' >in &
  $ start weir hash -o M d - --update --verbose <in >out 2>err; run=$!; await '[ -s M.partial ]'; ask $run ' [1-9][0-9.]* k\?B, '
  $ kill $run; ended $run; wait; cat out; tail -n 1 err | sed 's/, 1 known/, N known/'; cmp M before
  TERM
  weir: interrupted: 0 files read, N known without reading; M.partial has the records so far; to continue: weir hash --resume -o M d - --update --verbose
  $ weir hash -o M d - --update --resume </dev/null; wc -l <M
  d/z: gone
  2 files not read, 1 read, 0 replaced, 0 new, 1 gone
  4
