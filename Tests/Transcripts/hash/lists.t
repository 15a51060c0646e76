Lists of names, filters, the depth of walks, and standard input.

  $ names() { weir hash -amd5 "$@" 2>err | cut -c35- | paste -sd ' '; cat err; }

## lists and paths in any mix keep the given order
  $ for f in a b c d e; do printf $f >$f; done; mkdir t; echo >t/y; echo >t/x; printf 'b\nt' >lines; printf 'c\0t/y\0' >nul
  $ printf 'd\na\n' | names a --files-from lines e --files0-from=nul -j2 --files-from=- a
  a b t/x t/y e c t/y d a a

## names in a list are used unchanged, and errors stand in their places
  $ for f in - --tag ' a ' z; do printf %s "$f" >"./$f"; done; printf -- '-\n\n--tag\nnone\n a \nz' | weir hash --files-from -
  3973e022e93220f9212c18d0d0c543ae7c309e46640da93a4a0314de999f5112  ./-
  8db5913a8f490f92a5dc7c058f44cbbe770f85f7c54b098968a03923d57df552  --tag
  cbf7f30004f3667cb093b3c7b55169a90e3f0044f6ea3ff93d3f75427a72e377   a\x20 (esc)
  594e519ae499312b29433b7dd8a97ff068defcba9755b6d5d00e84c524d67b06  z
  ! weir: '': No such file or directory
  ! weir: none: No such file or directory
  ! weir: 4 files read, 2 could not be read
  [3]

## a listed link to a directory is skipped, one on the command line or to a file is read
  $ mkdir t; printf x >t/f; ln -s t l; ln -s t/f lf; printf 't/f\nl\nlf' >list; tr '\n' '\0' <list >list0
  $ row() { for o in '--files-from list' '--files0-from list0'; do names --summary $1 $o; done | sed 's/; .*//' | uniq; }
  $ row -j1 | sort | uniq -c; row --follow | sort | uniq -c; row l | sort | uniq -c
        2 t/f lf
        2 weir: 2 files read, 1 symbolic link skipped
        2 t/f l/f lf
        2 weir: 3 files read
        2 l/f t/f lf
        2 weir: 3 files read, 1 symbolic link skipped
The same rule for the other verbs: an mtree manifest has the link, a plan has not.
  $ weir count --files-from list | wc -l; weir hash --format=mtree --files-from list | wc -l
  3
  7
  $ weir plan --files-from list --shards 1 --output P | grep files
  files          2
  largest shard  2 files, 2 B
  mean shard     2.0 files, 2 B
  max/mean       1.000 files, 1.000 bytes, 1.000 cost

## a list that cannot be opened ends the run with 2, a read error counts as a failed file
  $ printf a >a; mkdir t; weir hash a --files-from none
  ! weir: none: No such file or directory
  [2]
  $ weir hash a --files-from /dev/fd/77
  ! weir: /dev/fd/77: Bad file descriptor
  [2]
  $ names a --files-from t a
  a a
  weir: t: Is a directory
  weir: 2 files read, 1 could not be read

## filters select the entries of a walk
A named file is not filtered. An empty manifest is remarked on, and no failure.
  $ mkdir -p t/d/e; for f in a.c a.o d/b.c d/b.o d/e/a.c d/e/é.o; do echo $f >t/$f; done
  $ row() { eval "names -Ct . $1"; eval "names -Ct . $1 a.o" | sed 's/.* //'; }
  $ each row <<'END'
  > -j1 => ./a.c ./a.o ./d/b.c ./d/b.o ./d/e/a.c ./d/e/é.o;a.o
  > --exclude '*.o' => ./a.c ./d/b.c ./d/e/a.c;a.o
  > --include='*.c' => ./a.c ./d/b.c ./d/e/a.c;a.o
  > --exclude '*.o' --include b.o => ./a.c ./d/b.c ./d/b.o ./d/e/a.c;a.o
  > --include b.o --exclude '*.o' => ;weir: 0 files read, 6 skipped by filters;a.o
  > --exclude d/ => ./a.c ./a.o;a.o
  > --exclude e => ./a.c ./a.o ./d/b.c ./d/b.o;a.o
  > --exclude /a.c => ./a.o ./d/b.c ./d/b.o ./d/e/a.c ./d/e/é.o;a.o
  > --exclude 'd/*.c' => ./a.c ./a.o ./d/b.o ./d/e/a.c ./d/e/é.o;a.o
  > --exclude '**.c' => ./a.o ./d/b.o ./d/e/é.o;a.o
  > --max-depth 1 => ./a.c ./a.o;a.o
  > --max-depth=2 --exclude '?.o' => ./a.c ./d/b.c;a.o
  > END

## only one of many lists is open at a time
  $ mkdir t; for i in $(seq 50); do echo $i >t/$i; done; for i in 1 2 3 4 5 6 7 8 9; do echo t >L$i; done
  $ (ulimit -n 8; weir hash --trace trace $(for l in L*; do echo --files-from $l; done)) | wc -l
  450

## a trace does not overwrite an input, or the records of a manifest
  $ row() {
  >   rm -f M* a; printf precious >a; weir hash -o M a; case "$1" in check*) ln -f M.mtree a ;; esac; cp a c
  >   weir $1 --trace ./a 2>&1; echo $?; cmp a c
  > }
  $ each row 'weir: ./a: is an input, and --trace would overwrite it;2' <<'END'
  > hash a
  > hash --files-from=a
  > check M
  > END

## the file of standard error is skipped
  $ mkdir t; printf a >t/a; mkfifo t/f; weir hash t 2>t/messages | cut -c67-; cat t/messages
  t/a
  weir: t/f: skipped: is a FIFO

## patterns are bytes
  $ mkdir t; printf x >"t/$(printf '\377a')"; printf x >"t/$(printf '\376a')"; weir hash -z t --exclude "$(printf '\377*')" | tr -d '\0' | cut -c67-
  t/\xfea (esc)

## standard input is read under all its names, from a pipe and from a file
  $ echo hello >f; row() { weir hash $1 <f; cat f | weir hash $1; }
  $ row; for n in - /dev/stdin /dev/fd/0; do row $n; done | cut -c67-
  5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  -
  5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  -
  -
  -
  /dev/stdin
  /dev/stdin
  /dev/fd/0
  /dev/fd/0
A descriptor that the shell opened is read, pipe or file.
  $ weir hash /dev/fd/7 7<f; echo hello | weir hash /dev/fd/7 7<&0 </dev/null
  5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  /dev/fd/7
  5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  /dev/fd/7

## the file of standard output is not read, old or new
  $ for f in a z; do echo hello >$f; done; echo old >n; weir hash . >m; cut -c67- m | xargs
  ./a ./n ./z
  $ weir hash . >n; cut -c67- n | xargs
  ./a ./m ./z
  $ echo old >n; weir hash . >>n; cut -c67- n | xargs
  ./a ./m ./z

## success is silent, and --summary is one line
  $ for i in $(seq 20); do echo hello >f$i; done; weir hash . | wc -l; weir hash --summary . | wc -l
  20
  20
  ! weir: 20 files read; 120 B in ...

## - in a list is the file, and its line verifies the file
  $ for f in - a z; do printf "of $f" >./$f; done; printf 'a\0-\0z\0' >list
  $ row() {
  >   rm -f M*; weir hash $1 --files0-from list >m; [ ! -e M ] || mv M m; z=; case "$1" in *-z*) z=-z; esac; weir check $z m </dev/null | uniq
  > }
  $ each row 'a: OK;./-: OK;z: OK' <<'END'
  > --format mtree
  > -a md5,sha1
  > --tag
  > -z
  > -a xxh3
  > --format mtree -a md5,sha1
  > --format mtree -o M
  > -o M
  > -o M -z
  > END
Standard input next to the file is still standard input.
  $ for f in mtree text; do printf x | weir hash --format $f - --files0-from list >m; printf x | weir check m; done
  -: OK
  a: OK
  ./-: OK
  z: OK
  -: OK
  a: OK
  ./-: OK
  z: OK
- in a manifest of another tool is the file.
  $ printf '#mtree\n- type=file size=4 md5=8397c0bf7e8312d4437852e1be832a9b\n' >m
  $ printf '#mtree\n/set type=file\n. type=dir\n  - size=4\n  a size=4\n..\n' >n; weir check m n
  -: OK
  ./-: OK
  ./a: OK
  ! weir: WARNING: 2 listed files have no digest: the content was NOT verified
