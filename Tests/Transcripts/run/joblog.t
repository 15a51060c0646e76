weir run --joblog and --resume: a logged command has run, and does not run again.

  $ run() { script=$1; shift; weir run --joblog L "$@" -- sh -c "$script" sh; }
  $ ran() { xargs <ran; }
  $ logged() { tail -n +2 L | cut -f1 | xargs; }

## the log has the columns of GNU parallel, and a line for each command
  $ weir run -j1 --joblog L 0 3 "it's
  > " -- sh -c 'printf abc; exit $1' sh '{#}' 2>/dev/null; echo
  abcabcabc
  $ sed 's/\t[0-9.]*\t *[0-9.]*\t/\tTIME\tSECONDS\t/' L | tr '\t' '|'
  Seq|Host|Starttime|JobRuntime|Send|Receive|Exitval|Signal|Command
  1|:|TIME|SECONDS|0|3|1|0|sh -c 'printf abc; exit $1' sh 1
  2|:|TIME|SECONDS|0|3|2|0|sh -c 'printf abc; exit $1' sh 2
  3|:|TIME|SECONDS|0|3|3|0|sh -c 'printf abc; exit $1' sh 3
The command as a shell reads it.
  $ weir run --joblog M "it's
  > " -- echo; tail -n 1 M | cut -f9
  it's
   (esc)
  echo $'it\'s\012'

## a FIFO is refused as a log, since it keeps nothing
  $ mkfifo L; run 'touch $1' a
  ! weir: L: is a FIFO, which keeps no log; choose another name
  [2]
  $ ls
  L

## --resume continues, --resume-failed also repeats failed commands
  $ f() { seq $1 >N; shift; run 'echo $1 >>ran; [ $1 != 2 ] && [ ! -e fail$1 ]' -j1 --files-from N "$@"; }
  $ f 3 2>/dev/null; f 3
  ! weir: L: exists; continue it with --resume
  [2]
  $ ran; f 5 --resume
  1 2 3
  ! weir: 2 commands run, 3 done before, 1 of these failed
  [1]
  $ ran; f 6 --resume-failed 2>/dev/null
  1 2 3 4 5
  [1]
  $ ran; logged
  1 2 3 4 5 2 6
  1 2 3 4 5 2 6
The two lines of item 2 are of one command.
  $ run 'echo $1 >>ran; [ $1 != 2 ] && [ ! -e fail$1 ]' --resume 2 2 2>/dev/null; ran
  1 2 3 4 5 2 6 2

## a command that a signal has killed is a failed one
  $ s='[ -e go ] && echo again || kill -9 $$'; run "$s" a 2>/dev/null; : >go; run "$s" --resume-failed a
  again

## collidingNames: a name that was chosen for the hash of a logged command runs
`true -l` with the two names has one FNV-1a hash, but for the last bit.
  $ mkdir t; for n in t/ka1tdacjdf5we t/4tizf54mdnqcd; do : >$n; done
  $ f() { weir run --joblog L --resume --summary "$@" -- true -l 2>&1 | sed 's/;.*//'; }
  $ f t/ka1tdacjdf5we; f t/4tizf54mdnqcd; f t/ka1tdacjdf5we t/4tizf54mdnqcd
  weir: 1 command run
  weir: 1 command run
  weir: 0 commands run, 2 done before

## an item that is listed twice runs twice, and is logged twice
  $ f() { run 'echo $1 >>ran; [ $1 != 2 ]' -j1 --summary "$@" 2>&1 | sed -n '$s/;.*//p'; }
  $ f --resume 1 1 2 2; ran; f --resume 2 1 3 1 2 1; ran; f --resume-failed 2 1 3 1 2 1
  weir: 4 commands run, 2 failed
  1 1 2 2
  weir: 2 commands run, 4 done before, 2 of these failed
  1 1 2 2 3 1
  weir: 2 commands run, 2 failed, 4 done before
Any number is possible.
  $ sed -i 's/^1\t:/18446744073709551615\t:/' L; f --resume 1 1 1 3
  weir: 0 commands run, 4 done before

## every command is recognised, whatever its items are
  $ printf '%s\0' '' ' ' "'" '\' "
  > '\\1" '$'"'x'" 'a b' é.c -x x.png.png "$(printf '\1770')" >N
  $ f() { eval "weir run --joblog L --resume --summary --files0-from N $o -- true $1" 2>&1 | sed 's/;.*//'; }
  $ row() { rm -f L; f "$1" >log; f "$1"; }
  $ for o in '' '-n4 -j2'; do
  >   for c in 'a {} b' 'a {.}.png b' '{}' 'x{}y{/}z {#}' "'' \"it's\" {//}"; do row "$c"; done; done | uniq -c
        5 weir: 0 commands run, 11 done before
        5 weir: 0 commands run, 3 done before

## an incomplete line runs again; a file that is not a log stays unchanged
  $ f() { run 'echo $1 >>ran' -j1 "$@" 1 2 3; }
  $ f --resume; logged; cp L whole; n=$(wc -c <L); for cut in $((n - 1)) $((n - 30)) 60 20 0; do
  >   head -c $cut whole >L; f --resume; logged; done | uniq -c
  1 2 3
        5 1 2 3
No command ran: a mistyped command line can be typed again.
  $ rm L; weir run --joblog L 1 -- ./not-there
  ! weir: ./not-there: cannot be run: No such file or directory
  [2]
  $ logged; wc -l <L; f; logged; run 'echo never' -j1 1 2 3
   (esc)
  1
  1 2 3
  ! weir: L: exists; continue it with --resume
  [2]
  $ printf 'some text\nof mine\n' >L; f --resume
  ! weir: L: is not a log of commands: line 1
  [2]
  $ cat L
  some text
  of mine

## the trace cannot be the log, under any name
  $ echo mine >L; ln -s L link; row() { weir run --joblog ${1% *} --trace ${1#* } a -- echo never 2>&1; echo $?; cat L; }
  $ each row <<'END'
  > L L => weir: L: is the file of --joblog; choose another one for --trace;2;mine
  > L ./L => weir: ./L: is the file of --joblog; choose another one for --trace;2;mine
  > L link => weir: link: is the file of --joblog; choose another one for --trace;2;mine
  > new new => weir: new: is the file of --joblog; choose another one for --trace;2;mine
  > END

## the output of the run cannot be the log
  $ weir run --joblog L a -- echo >L
  ! weir: L: is the output of the run; choose another one for --joblog
  [2]
  $ weir run --joblog L a -- echo 2>L
  [2]
  $ cat L
  weir: L: is the output of the run; choose another one for --joblog

## two runs do not write one log
  $ run ': >begun; until [ -e end ]; do sleep 0.01; done' --ungroup a & await '[ -e begun ]'
  $ run echo --resume a; : >end; wait $!
  ! weir: L: another run is writing it

## --resume runs the added items, wherever they come, and no others
The next walk finds the files that the commands made.
  $ mkdir d; : >d/k; s='echo $1 >>ran; [ -e $1.new ] || : >$1.new'; f() { run "$s" -j3 --include '*[a-z]' --exclude '*.new' "$@" d; }
  $ f; for names in 'm a z' 'they-all-b b zz' 'aa l k1a'; do
  >   for n in $names; do : >d/$n; done; f --resume; sort ran | xargs
  > done
  d/a d/k d/m d/z
  d/a d/b d/k d/m d/they-all-b d/z d/zz
  d/a d/aa d/b d/k d/k1a d/l d/m d/they-all-b d/z d/zz
Without the filter the new files are passed on, and the finished items are not.
  $ run "$s" --resume --summary d
  ! weir: 10 commands run, 10 done before; 20 items in ...

## output that waits is kept beside a log anywhere, below /dev too
The first command ends once the output of the second one is there.
  $ d=$(mktemp -d -p /dev/shm); weir run --joblog $d/L -j2 a b -- sh -c '
  >   [ $1 = b ] || until [ -e $0/L.waiting ]; do sleep 0.01; done; echo $1' $d; rm -r $d
  a
  b
