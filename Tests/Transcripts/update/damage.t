weir hash --update with a manifest or records that were damaged or edited.

## refused: nothing is updated, and the message names the line
Changes of the manifest M or its records, and the first line that differs. Records are read in the order
of the walk, or sorted. The way out: without the damaged one, the other has all files.
  $ row() {
  >   fresh; mkdir t; for f in a b c d; do printf $f >t/$f; done; weir hash -o M t; cp M M0; cp M.mtree R0; eval "$1"; cat M M.mtree >before
  >   for spelling in t ./t; do weir hash -o M --update $spelling 2>&1; echo $?; done | sed 's/ and what.*//' | sort -u
  >   cat M M.mtree | cmp - before; ls M.p* 2>/dev/null; for f in 'M.mtree R0 M' 'M M0 M.mtree'; do
  >     set -- $f; cp $2 $1; rm $3; weir hash -o M --update t 2>&1 | grep -v ' 0 replaced, 0 new, 0 gone'; cmp M M0
  >   done
  > }
  $ each row <<'END'
  > # Records that a copy has cut, in a line and between two.
  > head -c -20 M.mtree >x; mv x M.mtree => 2;weir: M: line 4
  > sed -i '$d' M.mtree => 2;weir: M: line 4
  > # Zeros, as a file system may leave them.
  > sed -i 's,^./t/c .*,\x00\x00\x00,' M.mtree => 2;weir: M: line 3
  > sed -i '/^.\/t\/b /s/ size=1/ size=x/' M.mtree => 2;weir: M: line 2
  > sed -i 's,sha256=.,sha256=x,' M.mtree => 2;weir: M: line 1
  > # A manifest that was edited.
  > sed -i 2d M => 2;weir: M: line 2
  > sed -i '$d' M => 2;weir: M: line 4
  > sed -i '3s/^../ff/' M => 2;weir: M: line 3
  > printf 'no line\n' >>M => 2;weir: M: line 5
  > sed -n 2p M >>M => 2;weir: M: line 5
  > tac M >x; mv x M => 2;weir: M: line 1
  > END

## reordered: a ledger in another order is read once more, and what cannot be read is named once
  $ mkdir t t/8; for f in 1 2 3 8/x; do echo $f >t/$f; done; weir hash -o M t; chmod 0 t/8
  > for f in 1 2; do for o in M M.mtree; do sed -i "/t\/$f/{h;d};/t\/$((f + 1))/G" $o; done
  > ordinary weir hash -o M --update t; done
  3 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1 kept
  3 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1 kept
  ! weir: t/8: Permission denied
  ! weir: 0 files read, 3 known without reading, 1 could not be read
  ! weir: t/8: Permission denied
  ! weir: 0 files read, 3 known without reading, 1 could not be read
  [3]

## changed: what cannot be read is named once also if the tree changes before the second walk
The first walk waits with its message.
needs linux
  $ mkdir t t/0; for f in 1 2 3; do echo $f >t/$f; done; weir hash -o M t; chmod 0 t/0; mkfifo err
  $ fill err; for o in M M.mtree; do sed -i "/t\/1/{h;d};/t\/2/G" $o; done; ordinary sh -c '
  >   echo $$ >id; exec weir hash -o M --update --quiet t 2>err 7>&-' & run=$!
  > await '[ -s id ] && grep -Eqs "^(1|64) 0x2 " /proc/$(cat id)/task/*/syscall'
  $ mkdir -m 0 t/-a; touch t/-b t/-c t/-d t/-e; drain err; wait $run; await '[ ! -d /proc/$(cat id) ]'
  weir: t/0: Permission denied
  weir: t/-a: Permission denied
  weir: 4 files read, 3 known without reading, 2 could not be read

## emptied: records that were emptied, zeroed or cut at their beginning are refused
  $ row() {
  >   for format in text mtree; do
  >     fresh; mkdir t; echo a >t/a; weir hash -o M t; eval "$1"; mkdir o; cp M* o
  >     weir hash -o M --format $format --update t 2>&1; echo $?; for f in o/*; do cmp $f ${f#o/}; done
  >   done | sort -u
  > }
  $ each row <<'END'
  > truncate -s 0 M.mtree => 2;weir: M.mtree: was cut, or has a line that cannot be read; restore it; without it rot is not told from an edit
  > head -c $(stat -c %s M.mtree) /dev/zero >M.mtree => 2;weir: M.mtree: was cut, or has a line that cannot be read; restore it; without it rot is not told from an edit
  > truncate -s 1 M.mtree => 2;weir: M.mtree: was cut, or has a line that cannot be read; restore it; without it rot is not told from an edit
  > truncate -s 5 M.mtree => 2;weir: M.mtree: was cut, or has a line that cannot be read; restore it; without it rot is not told from an edit
  > truncate -s 17 M.mtree => 2;weir: M: line 1 and what follows differ from M.mtree; one of the two is damaged or was edited: weir check both; remove M if that is wrong; if the ledger is, restore it; without it rot is not told from an edit
  > END

## the message names the way back: no ledger is removed, since rot would be an edit
  $ mkdir t; echo a >t/a; echo b >t/b; weir hash -o M t; echo c >t/c; weir hash --update --quiet -o M t
  $ cp M M1; sed -i 2d M; weir hash --update -o M t
  ! weir: M: line 2 and what follows differ from M.mtree; one of the two is damaged or was edited: weir check both; remove M if that is wrong; if the ledger is, restore it, or go back to M.old and M.old.mtree; without it rot is not told from an edit
  [2]
An update that was killed when M had its new name, and M.mtree not yet: the ledger has two names.
  $ cp M1 M; ln -f M.old.mtree M.mtree; weir hash --update -o M t
  ! weir: M: line 3 and what follows differ from M.mtree; an update was interrupted after it replaced the first; use: mv M.old M
  [2]
  $ mv M.old M; weir hash --update -o M t; ls M*
  t/c: new
  2 files not read, 1 read, 0 replaced, 1 new, 0 gone
  M
  M.mtree
  M.old
  M.old.mtree
  M1
A manifest of mtree(5) may have the name of a ledger.
  $ weir hash --format mtree -o x.mtree t; cp x.mtree x.mtree.old; echo x >>x.mtree; weir hash --update -o x.mtree t
  ! weir: x.mtree: was cut, or has a line that cannot be read; restore it, or go back to x.mtree.old; without it rot is not told from an edit
  [2]

## manifests and records of every form agree
  $ row() {
  >   fresh; mkdir t; for f in a 'new
  > line' 'back\slash' '\t' ' b ' -; do printf %s "content of $f" >"t/$f"; done; : >-; weir hash $1 -o M ./- t t/a t ./t//
  >   weir hash $1 -o M --update ./- t t/a t ./t//
  > }
  $ each row '7 files not read, 0 read, 0 replaced, 0 new, 0 gone' <<'END'
  > --format text
  > -a sha256,md5
  > --tag -a md5,blake3,xxh64
  > -a blake3 --plain
  > -z -a sha512,xxh32
  > -a blake2b-128,sha3-256,sm3
  > -a crc32
  > -a blake3-512,blake2b-504
  > END
