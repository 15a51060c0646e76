weir hash: the output does not depend on the number of lanes and descriptors, and comes as its input does.

## the output is the same for any number of lanes and descriptors, in every run
  $ forest t 300; walk t | xargs -0 sha256sum -- >expected; d='-j16 --descriptors'
  $ for o in -j1 -j2 -j16 "$d 1" "$d 2" "$d 3" "$d 5" -j5 -j5 -j5 -j5 -j5 -j5; do weir hash $o t | cmp - expected
  > done
  $ sort expected >sorted; weir hash --unordered -j8 t | sort | cmp - sorted

## the order is that of the arguments, and of the bytes within a directory
A directory among files: a/x comes after a-b.
  $ for d in z m a; do forest $d 60; done; mkdir z/d; for f in z/d-b z/d.c z/d0 z/d/y; do echo x >$f; done
  $ walk z a m | xargs -0 sha256sum -- >expected; weir hash z a m | cmp - expected

## the root is written as given
  $ mkdir a; : >a/f; for p in a a/ .//a ./a//; do weir hash $p; done | cut -c 67-
  a/f
  a/f
  .//a/f
  ./a//f

## the lines of each algorithm are verified by its own tool
xxhsum skips lines that it cannot read, and succeeds.
needs b3sum xxhsum
  $ mkdir t; for i in $(seq 30); do echo $i >t/$i; done
  > row() { weir hash -a ${1#* } t | ${1%% *} -c - | grep -c ': OK$'; }
  $ each row 30 <<'END'
  > md5sum md5
  > sha1sum sha1
  > sha512sum sha512
  > b2sum blake2b
  > b3sum blake3 --plain
  > cksum sm3
  > b2sum blake2b-256 --tag
  > xxhsum xxh64
  > xxhsum xxh3
  > xxhsum xxh128
  > END

## a big file has the digest of b3sum for any number of lanes, and beside other digests
needs b3sum
Of at least 8 MiB, in pieces of 1 MiB, by several threads; 3 and 5 lanes have buffers that are no power of two.
  $ for n in 8388607 8388608 8388609 9437183 9438207 9438209 17000001; do
  >   noise $n >f; b3sum f >expected; for j in 1 3 16 ${tables:+2 5}; do weir hash -j$j -a blake3 --plain f | cmp - expected; done
  >   weir hash -j3 -a blake3,md5 f | grep -c "$(cut -c -64 expected)"
  > done | uniq -c
        7 1

## several digests of one read have a tagged line each, in their order
  $ for n in 0 1 5000 65535 65536 200000 3000000; do noise $n >f$n; done; weir hash -a xxh128,sha256,md5,sha256,xxh3,blake2b . >all
  $ for f in ./f*; do for a in xxh128 sha256 md5 xxh3 blake2b; do weir hash --tag -a $a $f; done; done | cmp - all

## a list is read as it arrives, and a large input through a pipe
  $ printf a >a; printf b >b; mkfifo in; exec 7<>in; printf 'a\nb\n' >&7; start weir hash --files-from - <in >out 7>&-
  $ await '[ $(wc -l <out) = 2 ]'; exec 7>&-; ended $!; noise 3000001 >f
  > cat f | weir hash - f | cut -c -64 | uniq | wc -l
  0
  1

## --progress always shows one line, which is cleared at the end
  $ mkfifo in; exec 7<>in; echo hello >&7; start weir hash --progress always <in >out 2>err 7>&-; await '[ -s err ]'
  > exec 7>&-; ended $!
  0
  $ cat out; perl -0777 -ne 'print /^(\r\e\[J)0:\d\d .* B\/s/ && /\r\e\[J$/ && !/\n/ ? "one line\n" : $_' err
  5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  -
  one line

## a small file is read like any other, and its errors are the same
The sizes are around that of the largest file that counts as small.
  $ for n in 0 1 1048575 1048576 1048577; do head -c $n /dev/zero | tr '\0' a >f; for v in hash count; do
  >     weir $v -j2 f >long; weir $v --summary f 2>&1 >short | sed 's/;.*//'; cmp short long; done; done | uniq -c
       10 weir: 1 file read
  $ mkdir d; echo x >locked; chmod 0 locked; mkfifo FIFO; ln -s none nowhere; chown -R 65534 . 2>/dev/null
  > for n in locked FIFO nowhere none; do for v in hash count; do
  >     nobody weir $v -j2 $n >long 2>&1; echo $? >>long; { nobody weir $v $n; echo $?; } 2>&1 | cmp - long; done
  >   tail -n 1 long; done | xargs
  3 3 3 3

## few descriptors: complete, correct, silent, and within the budget
The standard descriptors, the trace, and the directory of the walk are beside the budget.
  $ forest t 200; walk t | xargs -0 sha256sum -- >expected; cat expected expected >twice; row() {
  >   budget=$(ulimit -n $1; exec weir limits | sed -n 's/^descriptors to spend *\([0-9]*\).*/\1/p')
  >   for o in '-j1' '-j30 --progress=always' '-j200 --trace=trace'; do
  >     (ulimit -n $1; exec weir hash $o t t) >out 2>err & run=$!; while [ -d /proc/$run/fd ]; do set -- $1 /proc/$run/fd/*
  >       echo $(($# - 1)); set -- $1; done | sort -n | tail -n 1 >most; wait $run
  >     [ $? = 0 ] && cmp out twice && ! grep -a weir: err && [ 0$(cat most) -le $((budget + 5)) ] || echo $o $(cat most)
  >   done
  > }
  $ for n in $([ "$tables" ] && seq 8 64 || echo 8 9 17 64); do row $n; done
