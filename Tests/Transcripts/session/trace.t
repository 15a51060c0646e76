The common option --trace, and the storage that limits and --verbose report.

  $ events() { perl -MJSON::PP -0777 -ne 'print scalar @{decode_json($_)->{traceEvents}}' ${1-trace.json}; }

## --trace records the lanes, and its file is not an input
  $ seq -f f%g 300 | xargs touch; printf '{"displayTimeUnit":"ms", old' >trace.json
  > weir hash --trace trace.json . | wc -l; [ $(events) -gt 3 ]
  300
It fits the schema of traces.
  $ cat trace.json
  ...

## the trace is written also after a signal
The second run is stalled.
  $ echo >a; mkfifo in; for end in finishing 'is missing'; do
  >   exec 7<>in; printf hello >&7; : >err; start weir hash --trace trace.json a - <in >out 2>>err 7>&-; run=$!
  >   await '[ -s out ]'; ask $run ', 6 B, '
  >   kill $run; await 'grep -q "$end" err'; exec 7>&-; ended $run; [ $(events) -gt 0 ] || echo no events
  > done
  TERM
  TERM

## a trace to a pipe or a FIFO with a reader is complete
The trace of so many commands is larger than a pipe: writing has to wait.
  $ mkfifo p; echo >f; mkdir d; seq -f d/%g 80 | xargs touch; for w in '3 hash f' '80 run d -- true'; do
  >   set -- $w; n=$1 v=$2; shift 2; { weir $v --trace /dev/fd/3 "$@" 3>&1 >out; } | cat >trace.json
  >   [ $(events) -gt $n ] || echo $v
  >   cat p >trace.json & exec 4>p; weir $v --trace p "$@" >out; exec 4>&-; wait; [ $(events) -gt $n ] || echo $v to p
  > done; [ $(wc -c <trace.json) -gt 65536 ] || echo small

## limits reports the storage of each PATH, its evidence, and the readers
needs linux
  $ mkdir "$(printf 'a\nb')"; weir limits /proc a* . >out; wc -l <out
  > sed -n '/^\/proc/,/^  readers/p' out | sed 's/readers .*/readers/'; grep "^'a'" out
  17
  /proc
    file system         proc
    storage             memory  (the file system is proc)
    readers
  'a'$'\n''b'
  $ weir limits none . | wc -l
  9
  ! weir: none: No such file or directory

## --verbose reports the readers and the bottleneck; without it nothing is printed
A slow run has measured its storage, and says so, unless the number is fixed.
  $ mkdir a b; echo 1 >a/1; echo 2 >b/2; weir hash a b >quiet
  $ said() { weir hash --verbose a b "$@" 2>&1 >out | grep -v '^weir: chose' >err; cmp out quiet
  >   cut -d ' ' -f 1,2 err; }
  $ said; head -n 1 err | grep -c '^weir: a and .*override with --jobs N'; tail -n 1 err | grep -c ' at most$'
  weir: a
  weir: bound
  weir: used
  1
  1
  $ said -j 3 | wc -l; grep -c -e '; --jobs 3' err; said --files-from /dev/null | wc -l
  3
  1
  3

## --verbose reports the storage of the working directory
needs linux
  $ weir check --verbose -C /proc - </dev/null 2>&1 | grep -c '^weir: .: memory (proc: the file system is proc)'
  1
