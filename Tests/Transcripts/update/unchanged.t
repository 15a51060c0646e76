weir hash --update of a tree without changes, and with the first one at any place.

A tree of 300 files with $x in their names, whose lines take more than a piece of 64 KiB. `update` writes M, and `same` a
manifest of the tree as it is, which has to be M.

  $ x=$(printf %0180d 0); make() {
  >   fresh; options=$1; mkdir -p t/a t/b t/c t/empty; ln -s a t/link
  >   for i in $(seq 100 199); do echo $i >t/a/$i$x; echo b$i >t/b/$i$x; echo c$i >t/c/$i$x; done; update 2>/dev/null
  > }
  $ update() { weir hash $options -o M --update "$@" t >out || echo "status $?"; }
  $ same() {
  >   weir hash $options -o F --update t 2>/dev/null && cmp M F; test ! -e F.mtree || cmp M.mtree F.mtree; rm F*
  > }
  $ forms() { printf '%s\n' '--format text' '--format mtree' '-a sha256,xxh128' --zero | each "$@"; }

## without a change all files of the manifest stay as they are
  $ row() {
  >   make "$1"; echo 1 >>t/b/150$x; update; stat -c '%n %i %z %s' M* >before; update; cat out
  >   stat -c '%n %i %z %s' M* | cmp - before; cmp M.old M 2>&1 | grep -c differ
  > }
  $ forms row '300 files not read, 0 read, 0 replaced, 0 new, 0 gone;1'

## without a change nothing is written to the disk
needs strace
Every three seconds a run saves what it has read.
  $ make '--format text'; begin=$(date +%s)
  $ strace -f -o calls -e trace=fsync,fdatasync,rename weir hash -o M --update t >said; rm said
  $ test $(grep -c sync calls) -le $((2 * (($(date +%s) - begin) / 3))) || grep sync calls; grep -c rename calls; ls | xargs
  0
  M M.mtree calls out t

## an update that finds what was open before leaves all files too
  $ row() {
  >   make "$1"; rm t/b/150$x; update; stat -c '%n %i %z %s' M* >before; update; sed "s/$x//; s/since .*/since/" out
  >   stat -c '%n %i %z %s' M* | cmp - before; cmp -s M.old.mtree M.mtree && echo lost
  > }
  $ forms row 'status 1;status 1;t/b/150: gone since;299 files not read, 0 read, 0 replaced, 0 new, 1 gone'

## wherever the first change is, the manifest is that of the tree
  $ row() {
  >   make "$1"; for i in a/100$x a/101$x b/150$x c/199$x; do echo 1 >>t/$i; update; same; done
  >   for i in a/0 b/150x zz; do echo 1 >t/$i; update; same; rm t/$i; update --accept-gone; same; done
  >   for i in a/100$x c/199$x; do rm t/$i; update --accept-gone; same; done
  >   for i in a/d b/d zz; do mkdir t/$i; update; same; rmdir t/$i; update; same; done
  >   ln -sfn b t/link; update; same; rm t/link; update; same; ln -s a t/a/link; update; same
  >   rmdir t/empty; update; same; mv t/b t/x; update --accept-gone; same
  > }
  $ printf '%s\n' '--format text' '--format mtree' '-a sha256,xxh128' --zero | some 2 | each row ''

## a line that is missing or too many in the manifest is none of an unchanged one
  $ make '-a sha256,xxh128'; sed -i '$d' M; update; same; sed -i 3d M; update; same
  $ echo '# a comment' >>M; update; same; echo '#weir source 0' >>M.mtree; update; same; sed -i 1s/0[.]/1./ M.mtree; update; same
