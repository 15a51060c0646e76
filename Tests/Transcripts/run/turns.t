weir run: a slow command holds back neither the other commands nor their lines in the log, and its output comes as
it is written.

  $ run() { script=$1; shift; weir run "$@" -- sh -c "$script" sh; }
  $ lines() { [ "$(wc -l 2>/dev/null <$1)" = $2 ]; }

## slowFirst: all commands end and are logged while the first one runs, and their output is in order
The first command ends when all others have their lines.
  $ mkfifo end; row() {
  >   seq ${1#* } >N; rm -f L; run '[ $1 = 1 ] && read x <end; echo out $1' -j${1% *} --joblog L --files-from N >out &
  >   await "lines L ${1#* }"; wc -c <out; : >end; wait $!; seq -f 'out %g' ${1#* } | cmp - out; wc -l <L; ls L.waiting 2>/dev/null
  > }
  $ n=300; [ ! "$tables" ] || n=1000; each row <<END
  > 2 100 => 0;101
  > 16 $n => 0;$((n + 1))
  > END

## the command whose turn it is writes its output as it comes, the others later
What the second command has written comes with its turn, before its end.
  $ said() { cat out err | xargs; }; mkfifo 1 2; run 'echo begin $1; echo error $1 >&2; : >begun$1; [ $1 = 3 ] || read x <$1; echo end $1' -j3 1 2 3 >out 2>err &
  $ await '[ -e begun1 ] && [ -e begun2 ] && [ -e begun3 ] && lines out 1 && lines err 1'; said; : >1
  begin 1 error 1
  $ await 'lines out 3 && lines err 2'; said; : >2
  begin 1 end 1 begin 2 error 1 error 2
  $ wait $!; said
  begin 1 end 1 begin 2 end 2 begin 3 end 3 error 1 error 2 error 3

## --retries passes on the output of a command as it comes in its last attempt alone
  $ mkfifo f; run 'echo x >>n; echo try $(wc -l <n); [ $(wc -l <n) = 3 ] && read x <f; exit 1' --retries 2 a >out 2>/dev/null &
  $ await 'lines out 1'; cat out; : >f; wait $!
  try 3
  [1]
  $ cat out
  try 3

## the output of logged commands outlives a kill, and comes first in the run that resumes
The first command outlives weir.
  $ mkfifo end; s='echo $1 >>ran; [ $1 = 1 ] && [ ! -e again ] && read x <end; [ $1 = 4 ] && seq 100000; echo out $1; [ $1 != 5 ]'
  $ weir run -j2 --joblog L 1 2 3 4 5 -- sh -c "$s" sh >out 2>/dev/null & id=$!
  $ await 'lines L 5'; kill -9 $id; : >end; wait $id 2>/dev/null; wc -c <out
  0
  $ : >again; run "$s" -j2 --joblog L --resume 1 2 3 4 5 >out
  ! weir: 5: sh ended with status 1
  ! weir: 1 command run, 4 done before, 1 of these failed
  [1]
  $ { printf 'out 2\nout 3\n'; seq 100000; printf 'out 4\nout 5\nout 1\n'; } | cmp - out; sort ran | xargs; ls L.waiting
  1 1 2 3 4 5
  ! ls: cannot access 'L.waiting': No such file or directory
  [2]

## output that a lost reader has not taken comes with --resume
  $ mkfifo end; s='[ $1 = 1 ] && [ ! -e again ] && read x <end; echo out $1'
  $ { run "$s" -j2 --joblog L 1 2 3; echo $? >status; } | : & id=$!
  $ await 'lines L 3'; : >end; wait $id; await '[ -s status ]'; cat status
  141
  $ : >again; run "$s" -j2 --joblog L --resume 1 2 3
  out 2
  out 3
  out 1
  $ ls L.waiting
  ! ls: cannot access 'L.waiting': No such file or directory
  [2]

## a file of somebody else beside the log stays as it is
  $ echo mine >L.waiting; run echo --joblog L a
  ! weir: L.waiting: cannot hold the output of commands: File exists
  [2]
  $ cat L.waiting
  mine
