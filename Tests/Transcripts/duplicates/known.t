weir duplicates --known and --records: manifests as they were damaged or edited.

  $ reads() { weir duplicates "$@" --format json | tail -n 1 | grep -o '"read":[0-9]*'; }

## records that differ from their manifest, or that a later one replaces, are not used
  $ mkdir t; for f in a b c d; do printf same >t/$f; done; weir hash -o M t; cp M.mtree R; cp M N; reads --records M t
  "read":0
  $ sed -i '/c$/s/^./x/' M; reads --records M t
  "read":2
  ! weir: M: line 3 and what follows differ from M.mtree: these files are read
  $ sed -i '$d' N; cp R N.mtree; reads --records N t
  "read":1
  ! weir: N: line 4 and what follows differ from N.mtree: these files are read
  $ echo './b type=file size=4' >>R; sed -i 's,^[.]/b,./t/b,' R; reads --records R t
  "read":1
  $ sed -i '1s/ run.*//' M.mtree; reads --records M t
  ! weir: M.mtree: has no records of M
  ! weir: M: records no files with size, time and digest; see weir hash -o
  [1]

## a recorded digest is that of the file at its place: not of a copy, nor behind a new link
  $ mkdir t o; printf same >t/a; printf same >t/b; weir hash -o M -C t .; cp -p t/a t/b o; printf SAME >o/b; touch -r t/b o/b
  $ weir duplicates --records M -C o .; (cd o; weir duplicates --records ../M .)
  $ (cd t; weir duplicates --records ../M .); rm t/b; ln -s ../o/b t/b; weir duplicates --records M -C t a b
  # 2 files of 4 bytes: 4 bytes could be saved
  ./a
  ./b
   (esc)

## a manifest that cannot be used is an error, and a line that cannot is said
  $ printf x >a; : >empty; sha256sum a >one; (cat one; echo nonsense) >half
  $ for m in none . empty; do weir duplicates --known $m a; echo $?; done
  2
  2
  2
  ! weir: none: No such file or directory
  ! weir: .: Is a directory
  ! weir: empty: lists no file with a digest, on lines that end with a newline
  $ weir duplicates --known half a
  # in half
  a
  = a
   (esc)
  ! weir: half: line 2: is no line with a digest; 1 line not used
  [3]
  $ weir duplicates --known - a <half
  # in -
  a
  = a
   (esc)
  ! weir: -: line 2: is no line with a digest; 1 line not used
  [3]
A digest whose beginning alone is that of the file.
  $ sed 's/^\(.\{60\}\)./\1x/; s/x/0/' one >near; cmp -s near one || weir duplicates --known near --unknown a
  a

## a ledger beside a list has the sizes of its files, as far as the two agree
  $ mkdir t; echo 1 >t/a; echo 22 >t/b; weir hash -o M t; cp t/a same; echo 3 >other; echo 4444 >longer
  $ f() { reads --known M same other longer; }
  $ f; sed -i 1d M; f; rm M.mtree; f
  "read":2
  "read":3
  "read":3
