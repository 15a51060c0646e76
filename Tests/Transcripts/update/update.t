weir hash --update: reads only changed files, reports the changes, and keeps the rest.

## a descriptor is compared by its content, whatever it is open on
  $ printf a >a; printf b >b; printf 'b\na\n' >l
  $ update() {
  >   if [ $kind = file ]; then printf %s $1 >t; weir hash -o M --format $format --update $names <t
  >   else printf %s $1 | weir hash -o M --format $format --update $names; fi 2>err | tail -n 2
  > }
  $ row() {
  >   for format in text mtree; do
  >     rm -f M*; names=${1#* } kind=${1%% *}; update same >log; cp M before; update same
  >     [ $format$kind = mtreefile ] || cmp M before; update some; update some; cmp -s M before; echo $?
  >   done >both; head -n 5 both; tail -n 5 both >second; head -n 5 both | cmp - second
  > }
  $ each row <<'END'
  > pipe - => 0 files not read, 1 read, 0 replaced, 0 new, 0 gone;-: edited;0 files not read, 1 read, 1 replaced, 0 new, 0 gone;0 files not read, 1 read, 0 replaced, 0 new, 0 gone;1
  > pipe /dev/stdin => 0 files not read, 1 read, 0 replaced, 0 new, 0 gone;/dev/stdin: edited;0 files not read, 1 read, 1 replaced, 0 new, 0 gone;0 files not read, 1 read, 0 replaced, 0 new, 0 gone;1
  > pipe /dev/fd/0 => 0 files not read, 1 read, 0 replaced, 0 new, 0 gone;/dev/fd/0: edited;0 files not read, 1 read, 1 replaced, 0 new, 0 gone;0 files not read, 1 read, 0 replaced, 0 new, 0 gone;1
  > file - => 0 files not read, 1 read, 0 replaced, 0 new, 0 gone;-: edited;0 files not read, 1 read, 1 replaced, 0 new, 0 gone;0 files not read, 1 read, 0 replaced, 0 new, 0 gone;1
  > pipe a - b => 2 files not read, 1 read, 0 replaced, 0 new, 0 gone;-: edited;2 files not read, 1 read, 1 replaced, 0 new, 0 gone;2 files not read, 1 read, 0 replaced, 0 new, 0 gone;1
  > pipe --files-from l /dev/stdin b => 3 files not read, 1 read, 0 replaced, 0 new, 0 gone;/dev/stdin: edited;3 files not read, 1 read, 1 replaced, 0 new, 0 gone;3 files not read, 1 read, 0 replaced, 0 new, 0 gone;1
  > END

## of new files with its content, a gone record has moved to that of its last component
  $ mkdir t v; echo x >t/1; echo y >t/2; weir hash -o M t; cp t/1 v/0; mv t/1 v/1; weir hash --update -o M t v
  v/0: new
  t/1: moved to v/1
  1 file not read, 2 read, 0 replaced, 1 new, 0 gone, 1 moved

## a missing PATH replaces nothing
  $ row() { weir hash -o M --format $format --update b "$1" 2>&1; echo $?; cat * 2>/dev/null | cmp - $top/all; }
  $ for format in text mtree; do
  >   fresh; mkdir t; printf a >t/a; printf b >b; ln -s none broken; weir hash -o M --format $format t b
  >   cat * 2>/dev/null >$top/all; each row <<'END'
  > tt => weir: tt: No such file or directory; nothing was updated, omit it if it was removed for good;2
  > b/t => weir: b/t: Not a directory; nothing was updated, omit it if it was removed for good;2
  > broken => weir: broken: No such file or directory; nothing was updated, omit it if it was removed for good;2
  >  => weir: '': No such file or directory; nothing was updated, omit it if it was removed for good;2
  > END
  >   weir hash -o M --format $format --update b
  > done
  t/a: gone
  1 file not read, 0 read, 0 replaced, 0 new, 1 gone
  t/a: gone
  1 file not read, 0 read, 0 replaced, 0 new, 1 gone
  [1]
The files of a list may come and go.
  $ printf 'b\nc\n' >l; echo c >c; weir hash -o L --files-from l t; rm c; weir hash -o L --update --files-from l t
  c: gone
  2 files not read, 0 read, 0 replaced, 0 new, 1 gone
  ! weir: c: No such file or directory
  ! weir: 0 files read, 2 known without reading, 1 could not be read
  [1]

## if nothing could be read, the manifest is left as it is
  $ printf a >a; weir hash -o M a; cat M* >before; printf 'none\nno\n' >list; weir hash -o M --files-from list --replace
  ! weir: none: No such file or directory
  ! weir: no: No such file or directory
  ! weir: M: is left unchanged, since nothing could be read
  [3]
  $ weir hash -o M --files-from list --update
  ! weir: none: No such file or directory
  ! weir: no: No such file or directory
  ! weir: M: is left unchanged, since nothing could be read
  [3]
  $ cat M* | cmp - before

## an update does not replace the algorithm silently
  $ printf a >a; for f in text mtree; do
  >   weir hash -a sha512 -o $f --format $f a; cp $f before; weir hash -o $f --format $f --update a; echo $?; cmp $f before
  >   weir hash -a sha512 -o $f --format $f --update a
  > done
  2
  1 file not read, 0 read, 0 replaced, 0 new, 0 gone
  2
  1 file not read, 0 read, 0 replaced, 0 new, 0 gone
  ! weir: text: has digests of sha512; to keep them, add -a sha512; to replace them, -a sha256
  ! weir: mtree: has digests of sha512; to keep them, add -a sha512; to replace them, -a sha256
