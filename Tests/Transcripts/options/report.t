The common options --report and --metrics: what they replace, and what they refuse.

  $ mkdir t; for f in a b; do echo $f >t/$f; done

## a missing directory of -C replaces the report
  $ sha256sum t/* >M; row() {
  >   weir check --quiet --report R --metrics P M; eval "weir $1 --report R --metrics P -C $PWD/gone" 2>&1
  >   grep -o '"status":[0-9]*\|"verdict":"[a-z]*"\|"message"' R; grep ^weir_exit P
  > }
  $ each row <<'END'
  > check $PWD/M => weir: $top/t/gone: No such file or directory;"status":2;"verdict":"failed";"message";weir_exit_status{run="P",verb="check"} 2
  > hash --update -o $PWD/new . => weir: $top/t/gone: No such file or directory;"status":2;"verdict":"failed";"message";weir_exit_status{run="P",verb="hash"} 2
  > END
A file that is an input, or no report, stays.
  $ cp M before; weir check --report $PWD/M -C gone $PWD/M
  ! weir: gone: No such file or directory
  [2]
  $ cmp M before

## a report overwrites no input and no other output, and the former one is no input
  $ mkdir d; printf 'a thesis' >other; row() { weir $1 2>&1; echo $?; }
  $ each row <<'END'
  > hash t/a --report t/a => weir: t/a: is an input or another output;2
  > hash t --report d => weir: d: Is a directory;2
  > hash t --report none/R => weir: none/R: No such file or directory;2
  > hash t --report R --metrics R => weir: R: is an input or another output;2
  > hash t --report other => weir: other: is no report and is left unchanged; choose another name, or remove it;2
  > hash t -o new --report new => weir: new: is the file of --output; choose another one for --report;2
  > hash t -o new --report new.partial => weir: new.partial: is the file of --output; choose another one for --report;2
  > check t --state S --metrics S => weir: S: is the file of --state; choose another one for --metrics;2
  > check t --state S --trace ./S => weir: ./S: is the file of --state; choose another one for --trace;2
  > duplicates --known other --trace other t => weir: other: is an input, and --trace would overwrite it;2
  > hash t --report x --metrics ./x => weir: ./x: is an input or another output;2
  > hash t --report - => weir: --report takes the name of a file, which is replaced at the end; see weir hash --help;2
  > END
  $ cat t/a other; echo; for i in 1 2; do weir hash t --report t/R | wc -l; done; grep -c '"verdict":"ok"' t/R
  a
  a thesis
  2
  2
  1
  $ chmod 600 t/R; weir hash t --report t/R >log; stat -c %a t/R
  600
