weir run: failures, time limits, retries and signals; no child is left behind.

Children that outlive a command sleep for `$M` seconds, a number that no other process has.

  $ export M=987654.$$; gone() { await '! grep -aqs "sleep.$M" /proc/[0-9]*/cmdline'; }
  $ run() { s=$1; shift; weir run "$@" -- sh -c "$s" sh; }

## --timeout ends a command with all its children, and reports it
Neither the first command nor its child reacts to SIGTERM; the third one leaves such a child.
  $ cat >s <<'END'
  > case $1 in
  > deaf) trap '' TERM; sleep $M & sleep $M ;;
  > slow) sleep $M ;;
  > left) (trap '' TERM; exec sleep $M) >/dev/null 2>&1 & wait ;;
  > esac; echo done
  > END
  $ weir run -j3 --timeout 0.3 deaf slow left -- sh s
  ! weir: deaf: sh was ended because it took more than 0.30 s
  ! weir: slow: sh was ended because it took more than 0.30 s
  ! weir: left: sh was ended because it took more than 0.30 s
  ! weir: 3 commands run, 3 failed
  [1]
  $ gone; weir run --ungroup --timeout 0.1s slow -- sh s
  ! weir: slow: sh was ended because it took more than 0.10 s
  ! weir: 1 command run, 1 failed
  [1]
  $ gone; weir run --timeout 1h fast -- sh s
  done

## a time limit has units
  $ row() { run 'exec sleep $M' --timeout $1 a 2>&1 | grep -o 'more than.*'; }
  $ each row <<'END'
  > 0.3 => more than 0.30 s
  > 0.3s => more than 0.30 s
  > 0.005m => more than 0.30 s
  > 0.0001h => more than 0.36 s
  > 0.000005d => more than 0.43 s
  > 0.00005h0.002m => more than 0.30 s
  > END

## a command that ended in time has not timed out because another process writes on
The process is out of reach, and holds the pipe. A command that a busy machine has held up is tried again, with twice the time.
  $ in_time() {
  >   rm -f runs; limit=$((limit * 2)) begin=$(date +%s%N)
  >   run 'echo run >>runs; (while echo x; do sleep 0.2; done) & date +%s%N >end; exit 0' --timeout $limit --retries 2 a >out
  >   [ $(($(cat end) - begin)) -lt $((limit * 700000000)) ]
  > }
  $ limit=1; await in_time; uniq out; cat runs
  x
  run

## a command leads a session and a group of its own, without a terminal
  $ s='read -r id name state parent group session rest </proc/$$/stat; [ $id.$group = $group.$session ] && echo leads; : </dev/tty'
  $ for o in '' --ungroup; do run "$s" $o a 2>/dev/null; done
  leads
  leads
  [1]

## a command that was sent a signal is not done, even if it ends with 0
  $ s='trap "exit 0" TERM; : >begun$1; [ -e again ] || { sleep $M & wait; }; echo $1'
  $ start weir run -j2 --joblog L x y -- sh -c "$s" sh >out 2>err; run=$!; await '[ -e begunx ] && [ -e beguny ]'
  > kill -INT $run; ended $run
  INT
  $ cat out; wc -l <L; : >again; run "$s" -j2 --joblog L --resume x y; gone
  1
  x
  y

## --retries runs failed commands again, and the last attempt counts
  $ row() { rm -f n; run 'echo x >>n; echo try $(wc -l <n); [ $(wc -l <n) -gt $1 ]' --retries ${1% *} ${1#* } 2>&1
  >   echo $?; }
  $ each row <<'END'
  > 0 0 => try 1;0
  > 2 2 => try 3;0
  > 3 5 => try 4;weir: 5: sh ended with status 1, 4 times;weir: 1 command run, 1 failed, 3 run again;1
  > END

## --halt soon starts no more commands, --halt now also ends running ones
The second command fails while the first one runs.
  $ seq 200 >N; s='echo $1 >>ran; case $1 in 1) [ $0 = now ] && sleep $M; until [ -e failed ]; do sleep 0.01; done ;; 2) : >failed; exit 1 ;; esac; echo $1'
  $ row() { rm -f ran failed; weir run -j2 --halt $1 --files-from N -- sh -c "$s" $1 >out 2>err; echo $?
  >   grep -c stopped err; grep -cx 1 out; [ $(wc -l <ran) -lt 20 ] || wc -l <ran; }
  $ each row <<'END'
  > soon => 1;1;1
  > now => 1;1;0
  > END
  $ gone

## a signal leaves no child behind, and an interrupted command is not done
  $ seq 100 >N; s='echo $1; [ $1 -lt 4 ] || { sleep $M & sleep $M; }'; row() {
  >   start weir run -j3 --files-from N --joblog L$1 -- sh -c "$s" sh >out 2>err; run=$!
  >   await '[ $(wc -l <out) = 4 ]'; kill -$1 $run; ended $run
  >   xargs <out; grep -c 'interrupted: 3 commands run' err; cut -f 1 L$1 | sort | xargs; gone
  > }
  $ each row <<'END'
  > INT => INT;1 2 3 4;1;1 2 3 Seq
  > TERM => TERM;1 2 3 4;1;1 2 3 Seq
  > HUP => HUP;1 2 3 4;1;1 2 3 Seq
  > END

## afterInterrupt: after an interrupt, what had ended is written and logged, and does not run again
The turn of the second command has come, and the later ones have ended. The command of the message continues the run.
  $ s='echo $1; [ $1 = 2 ] && [ ! -e go ] && sleep $M; [ $1 = 9 ]'
  $ start weir run -j2 --joblog L 1 2 3 4 5 6 7 8 9 -- sh -c "$s" sh >out 2>err; run=$!; await "grep -qs '^9' L"
  > kill $run; ended $run; gone
  TERM
  $ xargs <out; cut -f 1 L | sort | xargs; ls L.waiting; grep "interrupted: [0-9]" err
  1 2 3 4 5 6 7 8 9
  1 3 4 5 6 7 8 9 Seq
  weir: interrupted: 8 commands run, 7 failed; L lists the finished commands; to continue: weir run --resume -j2 --joblog L 1 2 3 4 5 6 7 8 9 -- sh -c 'echo $1; [ $1 = 2 ] && [ ! -e go ] && sleep $M; [ $1 = 9 ]' sh
  ! ls: cannot access 'L.waiting': No such file or directory
  $ : >go; eval "$(sed -n 's/.*to continue: //p' err)" 2>/dev/null
  2
  [1]

## cut: the output of a command that is ended early ends with its line, and a message names the command
The log has no room for the second line.
  $ s='printf %s "${1%%00*}"; [ ${#1} -lt 9 ] || until [ -s out ]; do sleep 0.01; done; [ -e go ] || [ ${#1} -gt 9 ] || sleep $M'
  $ row() { weir run -j2 --joblog "$@" -- sh -c "$s" sh; }
  $ (trap '' XFSZ; ulimit -f 1; row L one $(printf %03000d 0) >out); cat out
  one
  ! weir: one: sh was ended early, and its output is cut
  ! weir: L: File too large
  $ start weir run --joblog J 'a
  > b' -- sh -c "$s" sh >out 2>err; run=$!; await '[ -s out ]'; kill -INT $run; ended $run; cat out; gone
  INT
  a
  b
  $ rm out; start weir run a -- sh -c "$s" sh >out 2>why; run=$!; await '[ -s out ]'; kill $run; ended $run; cat out; tail -n 2 why
  TERM
  a
  weir: a: sh was ended early, and its output is cut
  weir: interrupted: 0 commands run; the rest is missing
  $ : >go; row L --resume one $(printf %03000d 0); sed -n 's/.*to continue: //p' err >script; sh script
  onea
  b (no-eol)

## children that ignore a signal are ended all the same; a second signal does not wait
  $ s='trap "" TERM; echo; sleep $M; sleep $M'; for n in 1 2; do
  >   start weir run -j2 --ungroup a b c -- sh -c "$s" sh >out 2>err; run=$!; await '[ $(wc -l <out) = 2 ]'
  >   kill -INT $run
  >   await "[ -s err ]"; [ $n = 1 ] || kill -INT $run; ended $run; head -n 1 err; gone
  > done
  INT
  weir: interrupted: ending the running commands; a second signal ends the process at once
  INT
  weir: interrupted: ending the running commands; a second signal ends the process at once

## a reader that closes the pipe ends the run and its children, silently
  $ { run 'echo $1; [ $1 -lt 3 ] || sleep $M' -j2 1 2 3 4; echo $? >&2; } | :
  ! 141
  $ gone

## stopped: SIGTSTP stops the commands too, and their time; SIGCONT continues them
A command that is not stopped reads the word, and ends. The stop is longer than the time limit. A run that a busy machine has
held up for so long is tried again, with twice the time.
  $ are() { for p in $(cat ida idb) $2; do grep -q "^State:.$1" /proc/$p/status || return; done; }
  $ stopped() {
  >   fresh; limit=$((limit * 2)); mkfifo a b
  >   start weir run -j2 --timeout $limit a b -- sh -c 'echo $$ >id$1; read x <$1; echo $1 $x; : >end$1' sh >out 2>err; run=$!
  >   await '[ -s err ] || { [ -s ida ] && [ -s idb ] && are S; }'; kill -TSTP $run; await '[ -s err ] || are T $run'
  >   [ -s err ] || { exec 8<>a 9<>b; echo a >&8; echo b >&9; sleep $limit.3; ls >names; }
  >   kill -CONT $run; ended $run >status; [ ! -s err ]
  > }
  $ limit=1; await stopped; xargs <names; cat status out
  a b err ida idb names out
  0
  a a
  b b
