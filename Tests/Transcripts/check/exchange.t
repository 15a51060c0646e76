mtree(5) manifests: exchanged with mtree(8) and bsdtar, of deep trees, and with any root.

## mtree(8) and the reader of bsdtar confirm the manifest
mtree(8) takes *, ? and [ for patterns even if they are escaped.
needs mtree bsdtar
  $ forest t 150; find t -depth -name '*[][*?]*' -execdir sh -c 'for f; do mv -- "$f" "$(printf %s "$f" | tr "[*?" xyz).$$"; done' sh {} +
  $ mkdir t/~empty; ln -s "$(printf 'a b\n\\#=\351/..')" t/~link; for p in . ./; do
  >   weir hash -C t --format mtree -a sha256,md5,sha1,sha384,sha512 $p >m; mtree -f m -p t; done
  $ [ $(bsdtar -tf m | grep -vc '/$') -ge $(find t -type f -print0 | tr -dc '\0' | wc -c) ]

## mtree(8) also verifies a tree that is not named .
It examines the entries beside the tree of an absolute path, too, which other programs change.
needs mtree
  $ mkdir -p a/b/c d; for f in a/1 a/b/2 a/b/c/3 d/4; do echo $f >$f; done
  $ for p in 'a d' 'a/b/c a/1 d/4 a/b/2' 'a/ ./d'; do weir hash --format mtree $p | mtree -e -p .; done
  $ weir hash --format mtree $PWD/a | mtree -e -p / 2>&1 | grep "${PWD#/}"
  [1]

## files deeper than the longest path are verified too
  $ p=$(printf %0100d 0); mkdir t; (cd t; for i in $(seq 90); do mkdir $p; cd -P $p; done; echo f >f; ln -s f l
  >   mkdir e)
  $ weir hash -C t --format mtree . >m; weir hash -o O t; for n in 8 1024; do for o in '-C t m' '--audit t m' O.mtree
  >   do
  >     (ulimit -n $n; exec weir check $o); done; done | sed "s,\($p/\)*$p,DEEP," | sort | uniq -c
        4 ./DEEP/f: OK
        2 t/DEEP/f: OK
A link with another target, and a directory that was replaced.
  $ (cd t; for i in $(seq 90); do cd -P $p; done; ln -sf e/g l; rm -r e; echo >e)
  > weir check O.mtree 2>/dev/null | sed "s,\($p/\)*$p,DEEP,"
  t/DEEP/e: FAILED (is a regular file)
  t/DEEP/f: OK
  t/DEEP/l: FAILED (points elsewhere)
