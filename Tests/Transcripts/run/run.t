weir run: each command runs once with its arguments, and its end decides on the exit status.

## the exit status follows from the commands
  $ row() { eval "weir run $1" 2>err; echo $?; head -n 1 err; [ "$(grep -c 'cannot be run' err)" -le 1 ] || cat err; }
  $ each row <<'END'
  > a -- true => 0
  > a b -- false => 1;weir: a: false ended with status 1
  > -n2 -j1 a b -- false => 1;weir: a and 1 other: false ended with status 1
  > a -- sh -c 'kill -9 $$' => 1;weir: a: sh was ended by signal 9 (Killed)
  > a b -- 'weir no such' => 2;weir: 'weir no such': cannot be run: No such file or directory; the command is one word: omit the quotes around it, or use sh -c
  > a -- / => 2;weir: /: cannot be run: Permission denied
  > /weir/no -- {} => 1;weir: /weir/no: /weir/no could not be started: No such file or directory
  > a --files-from no -- true => 2;weir: no: No such file or directory
  > --files-from . -- true => 3;weir: .: Is a directory
  > --files-from . a -- false => 1;weir: .: Is a directory
  > a => 2;weir: no command is given; use weir run [PATH ...] -- COMMAND {}; see weir run --help
  > a -- => 2;weir: no command is given; use weir run [PATH ...] -- COMMAND {}; see weir run --help
  > -- true => 2;weir: no input is given; name a PATH, or use --files-from - for the lines of standard input; see weir run --help
  > a -- '' => 2;weir: the command is an empty word; see weir run --help
  > -n 2 a -- {} => 2;weir: with -n the program itself cannot be a placeholder: {}; see weir run --help
  > --resume a -- true => 2;weir: --resume needs --joblog FILE; see weir run --help
  > --timeout x a -- true => 2;weir: --timeout takes a time such as 10, 0.5, 2m or 1h30m, not x; see weir run --help
  > --timeout 0 a -- true => 2;weir: --timeout takes a time such as 10, 0.5, 2m or 1h30m, not 0; see weir run --help
  > --halt later a -- true => 2;weir: --halt takes never, soon or now, not later; see weir run --help
  > --ungroup --format json a -- true => 2;weir: --ungroup cannot be combined with --format json: commands write their output directly; see weir run --help
  > -n0 a -- true => 2;weir: --max-args takes a number of at least 1, not 0; see weir run --help
  > END

## without /dev/null, as in a bare chroot, the message does not blame the program
The tests may lie in /dev/shm.
needs mount
  $ cat >s <<'END'
  > mkdir shm; mount --bind /dev/shm shm; mount -t tmpfs none /dev; mkdir /dev/shm; mount --bind shm /dev/shm
  > exec weir run a -- true
  > END
  $ unshare -m sh s
  ! weir: true: cannot be run: there is no /dev/null, which is its input
  [2]

## --ungroup lets commands write directly
  $ weir run -j2 --ungroup 1 2 -- sh -c 'echo $1; echo $1 >&2' sh 2>err | sort; sort err
  1
  2
  1
  2
  $ weir run --ungroup a -- false
  ! weir: a: false ended with status 1
  ! weir: 1 command run, 1 failed
  [1]

## if the pipes of one command are too many, the message names the remedy, and it works
With the sources for POSIX the numbers differ.
needs linux
A shell at its limit has no descriptor for a redirection: standard input comes first.
  $ seq 20 >N; row() { (exec <N; ulimit -n 8; exec weir run -j1 --joblog L $1 -- echo) 2>&1; echo $?; rm -f L; }
  $ row '--files-from N'
  weir: echo: cannot be run: its output needs four descriptors, and fewer are free; use --ungroup or raise ulimit -n
  2
  $ for o in '--files-from N --ungroup' '--files-from -'; do row "$o" | xargs; done
  1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 0
  1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 0

## output that waits does not fill memory, and leaves no file
needs unsanitized
The first command holds back the others until they have ended.
  $ mkdir tmp; export TMPDIR=tmp; weir run -j4 a b c d e l -- sh -c '
  >   [ $1 = a ] && until [ -e done ]; do sleep 0.01; done; [ $1 = l ] && { grep VmHWM /proc/$PPID/status >peak; : >done; }
  >   head -c 9000000 /dev/zero' sh | wc -c
  54000000
  $ [ $(tr -dc 0-9 <peak) -lt 65536 ] || cat peak; ls -A tmp
  $ TMPDIR=none weir run --retries 1 a -- head -c 200000 /dev/zero --
  ! weir: none: cannot hold the output of commands: No such file or directory
  [2]

## a walk skips the files that weir writes: the log, the trace, its output
A second name of the output is the output.
  $ mkdir b; for f in a b/c d b/out; do echo x >$f; done; ln b/out b/two
  $ row() { rm -f b/L; weir run -j2 --joblog b/L --trace T --summary $1 . -- echo >b/out 2>err; cat b/out; sed 's/;.*//' err; }
  $ row; row --follow | xargs
  ./a
  ./b/c
  ./d
  weir: 3 commands run, the output skipped
  ./a ./b/c ./d weir: 3 commands run, the output skipped

## placeholders: the item, its components, and without a placeholder the item at the end
  $ row() { echo "$1" | weir run --files-from - -- printf '%s|' {} {/} {//} {.} {/.} '<{.}>'; }
  $ each row <<'END'
  > a/b.c => a/b.c|b.c|a|a/b|b|<a/b>|
  > b => b|b|.|b|b|<b>|
  > /b.tar.gz => /b.tar.gz|b.tar.gz|/|/b.tar|b.tar|</b.tar>|
  > / => /|/|/|/|/|</>|
  > a/.rc => a/.rc|.rc|a|a/.rc|.rc|<a/.rc>|
  > .rc => .rc|.rc|.|.rc|.rc|<.rc>|
  > a.d/b => a.d/b|b|a.d|a.d/b|b|<a.d/b>|
  > a//b.x/ => a//b.x/|b.x|a|a//b.x/|b|<a//b.x/>|
  > b. => b.|b.|.|b|b|<b>|
  >  => ||.|||<>|
  > END
  $ perl -e 'srand 1; print map({ (split //, "ab./")[rand 4] } 0 .. rand 8), "\0" for 1 .. 300' >names
  $ head -zn 60 names >$top/few; for o in $top/few names\ -n50; do
  >   weir run --files0-from $o -- printf '%s\0' {/} >out; xargs -0 basename -az -- <${o% *} | cmp - out
  >   weir run --files0-from $o -- printf '%s\0' {//} >out; xargs -0 dirname -z -- <${o% *} | cmp - out
  > done
  $ row() { eval "weir run -j1 ${1%% -- *} -- echo ${1#* -- }"; }
  $ each row <<'END'
  > a -- x => x a
  > a -- {#}-{} => 1-a
  > a -- {#} => 1
  > a -- {{}} { {x} => {a} { {x}
  > a -- { {x} => { {x} a
  > -n2 a b -- x => x a b
  > -n2 a b -- {} -o => a b -o
  > -n2 x/a.b y -- -f={/} {#} {}:{.} => -f=a.b -f=y 1 x/a.b:x/a y:y
  > END
An item of a walk is never an option; an item of the user is unchanged.
  $ mkdir ./-d; : >./-d/-f.c; echo -d/-f.c | weir run --files-from - -- echo {} {/} {.} {/.} x{/} {//}
  > weir run . -- echo {} {/} {.} {/.} x{/} {//}
  -d/-f.c -f.c -d/-f -f x-f.c -d
  ./-d/-f.c ./-f.c ./-d/-f ./-f x-f.c ./-d
  ./names names ./names names xnames .
  ./out out ./out out xout .

## --placeholder: another text stands for the item, and {} for itself
  $ row() { eval "weir run --placeholder $1" 2>&1; }
  $ each row <<'END'
  > @ a/b.c -- echo s/interface{}/@/ {/} {#} => s/interface{}/a/b.c/ {/} {#}
  > '[]' a/b.c -- echo '[]' '[/]' '[//]' '[.]' '[/.]' '[#]' {} => a/b.c b.c a a/b b 1 {}
  > @@ a/b.c -- echo x@@ @/@ @ => xa/b.c b.c @
  > %1 a/b.c -- echo {{.}} => {{.}} a/b.c
  > {} a/b.c -- echo {/} => b.c
  > '' a -- echo => weir: --placeholder takes a text that is not empty; see weir run --help
  > END

## -n gives each command a share if there are fewer items than the commands at once take
  $ row() {
  >   set -- $1; seq $1 >N; weir run -n$2 -j$3 --files-from N -- sh -c 'echo $#' sh >one
  >   weir run -n$2 -j$3 --joblog L --files-from - -- sh -c 'echo $#' sh <N | cmp - one; rm L; cat one
  > }
  $ each row <<'END'
  > 20 1000 4 => 5;5;5;5
  > 21 1000 4 => 6;6;6;3
  > 3 10 4 => 1;1;1
  > 20 5 4 => 5;5;5;5
  > 21 5 4 => 5;5;5;5;1
  > 12 5 1 => 5;5;2
  > END

## --dry-run prints what a shell would run, and runs nothing
  $ printf '%s\0' a "it's" '' 'b c' '$x' "
  > '\\1" é -e x=y "$(printf '\177')" '*' '~' >N; xargs -0 printf '<%s>' <N >expected
  $ for o in '' '-n5 -j2'; do weir run --files0-from N $o --dry-run -- printf '<%s>' {} >script; sh script | cmp - expected; done
  $ for w in a=b if ls time; do weir run --dry-run x -- $w =; done
  'a=b' = x
  'if' = x
  ls = x
  'time' = x
  $ mkdir D; echo x >D/a; weir run --dry-run -C D . -- rm
  cd -- D || exit
  rm ./a
  $ f() { weir run --joblog L "$@" -- sh -c 'exit $1' sh; }
  $ f -j1 1 2 2>/dev/null; cp L before; f --dry-run --resume 1 2 3
  sh -c 'exit $1' sh 3
  ! weir: 0 commands run, 2 done before, 2 of these failed
  [1]
  $ f --dry-run --resume-failed 1 2 3; cmp L before; weir run --dry-run --joblog M 1 -- sh -c 'exit $1'; ls M
  sh -c 'exit $1' sh 1
  sh -c 'exit $1' sh 2
  sh -c 'exit $1' sh 3
  sh -c 'exit $1' 1
  ! ls: cannot access 'M': No such file or directory
  [2]
