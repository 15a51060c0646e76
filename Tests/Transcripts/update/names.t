weir hash --update with PATHs and lists in another order or spelling, with few of the former files,
and with names that are hard to read.

A directory w with the trees t and u of five files each, and a directory o with lists and the manifest.

  $ hash() { weir hash -o ../o/M "$@"; }
  $ five=$(seq 5 | mixed); ten='t/1 t/2 t/3 t/4 t/5 u/1 u/2 u/3 u/4 u/5'; scene() {
  >   fresh; mkdir -p o w/t w/u; cd w; for i in 1 2 3 4 5; do echo t$i >t/$i; echo u$i >u/$i; done
  >   printf '%s\n' $ten >../o/l; printf './/%s\n' $ten >../o/n; printf '%s\n' u/5 u/4 u/3 u/2 u/1 t/5 t/4 t/3 t/2 t/1 >../o/m
  >   printf 't/%s\n' 3 1 2 5 4 >../o/t; printf 'u/%s\n' $five >../o/u
  > }
  $ scene

## a link that is not there any more has a line, once
  $ ln -s 1 t/a; ln -s 2 t/b; hash t u; rm t/a t/b; echo b >t/b
  $ hash --update --dry-run t u | grep unlinked
  t/a: unlinked
  t/b: unlinked
  $ hash --update t u
  t/a: unlinked
  t/b: new
  t/b: unlinked
  10 files not read, 1 read, 0 replaced, 1 new, 0 gone, 2 unlinked
  $ hash --update t u | grep unlinked
  [1]

## a link that is left out now has no line
  $ ln -s 1 t/a; ln -s 2 t/b; hash t; rm t/b
  $ hash --update --exclude a t
  t/b: unlinked
  5 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1 unlinked
  $ ln -s 2 t/b; hash --update t
  5 files not read, 0 read, 0 replaced, 0 new, 0 gone
  $ hash --update --follow t
  t/a: new
  t/b: new
  5 files not read, 2 read, 0 replaced, 2 new, 0 gone

## a link below a directory that is a link now is not there any more
  $ mkdir t/d t/e; ln -s x t/d/l; ln -s x t/e/l; hash t; rm -r t/d; ln -s e t/d
  $ hash --update t
  t/d/l: unlinked
  5 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1 unlinked
  $ hash --update t
  5 files not read, 0 read, 0 replaced, 0 new, 0 gone

## an entry that mtree(5) says to ignore is a record as any other
  $ printf '#mtree\n./t/1 type=file sha256digest=%064d ignore\n' 0 >../o/M; hash --update t
  t/1: edited
  t/2: new
  t/3: new
  t/4: new
  t/5: new
  0 files not read, 5 read, 1 replaced, 4 new, 0 gone

## links below a directory that cannot be read keep their records
  $ mkdir t/d; echo f >t/d/f; ln -s f t/d/l; hash t; chmod 0 t/d
  $ chown -R 65534 .. 2>/dev/null; nobody weir hash -o ../o/M --update --quiet t
  ! weir: t/d: Permission denied
  ! weir: 0 files read, 5 known without reading, 1 could not be read
  [3]
  $ grep -c 'link=f' ../o/M.mtree
  1
  $ chmod 755 t/d; rm t/d/l; hash --update t
  t/d/l: unlinked
  6 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1 unlinked

## manyNew: new names of 1.2 MB are printed after the replacement, also with few descriptors
  $ many() {
  >   scene; hash t; n=$(printf %0240d 0); mkdir -p v/$n/$n/$n/$n; (cd v/$n/$n/$n/$n; seq 1250 | xargs touch)
  >   (ulimit -n $1 && hash --update t v) >../log
  >   wc -l <../log; grep -c ': new$' ../log; tail -1 ../log; wc -l <../o/M; ls -A ../o | xargs
  > }
  $ many 1024
  1251
  1250
  5 files not read, 1,250 read, 0 replaced, 1,250 new, 0 gone
  1255
  M M.mtree M.old M.old.mtree l m n t u
  $ many 1024 >$top/many; many 10 | cmp - $top/many

## both: a file that is reached by another name has moved there, whatever leads to it
  $ hash t u; ln -s u v; hash --update t v | tail -1; cut -c67- ../o/M | xargs
  5 files not read, 5 read, 0 replaced, 0 new, 0 gone, 5 moved
  t/1 t/2 t/3 t/4 t/5 v/1 v/2 v/3 v/4 v/5

## otherDirectory: an update from another directory gives no file the record of a namesake
A directory p with files of the same names one level deeper, in p/p. `at DIR` runs weir there.
  $ nested() {
  >   scene; M=$PWD/../o/M; mkdir -p p/p p/s; for i in 1 2 3 4; do echo o$i >p/$i; echo i$i >p/p/$i; done
  >   lists
  > }
  $ all=$(printf '%s\n' 1 2 3 4 n p/1 p/2 p/3 p/4 | mixed)
  $ lists() { for f in $all; do [ ! -e p/$f ] || { echo p/$f >&3; echo ./$f >&4; echo ../$f; }; done 3>../o/p 4>../o/c >../o/d; }
  $ at() { d=$1; shift; (cd $d; weir hash -o $M "$@"); }
  $ changes() { eval "at $1 --update -a sha256,md5"; echo $?; }
  $ row() {
  >   nested; eval "at ${1% -> *}"; rot p/3 p/p/4; echo e >>p/p/2; rm p/1; echo >p/n; lists
  >   (changes "${1#* -> }"; changes "${1#* -> }") | sed '/ read/d; s/ since .*/ since/; s,.*/,,' | sort
  > }
  $ each row '1;1;1: gone;1: gone since;2: edited;3: rot;3: rot since;4: rot;4: rot since;n: new' <<'END'
  > p . -> . p
  > . p -> p .
  > p . -> . --files-from ../o/p
  > . p -> t ../p
  > . --files-from ../o/p -> p --files-from ../../o/c
  > p . -> p/s ..
  > . --files-from ../o/p -> p/p $PWD/p
  > p --files-from ../../o/c -> . p
  > p/s .. -> p/p ../../p
  > p/p .. -> . p
  > p/p .. -> p/s/.. --files-from ../../o/c
  > / $PWD/p -> . p
  > p .. -> p/p ../..
  > p . -> p/s --files-from ../../../o/d
  > . --files-from ../o/p -> p/s --files-from ../../../o/d
  > END

A list in a directory that has a namesake finds the record of the file that it names.
  $ nested; touch -d @1 p/p/1; echo 1 >../o/l; at p --files-from ../../o/l; rot p/1
  $ printf '%s\n' 1 ../1 >../o/l; at p/p --files-from ../../../o/l --update -a sha256,md5
  1: new
  ../1: rot
  0 files not read, 2 read, 0 replaced, 1 new, 0 gone, 1 rotten
  [1]

A copied tree has the names of the original, wherever it is.
  $ copied() { nested; at ${1% -> *}; cp -a . ../q; mkdir s; cp -a t u s; at ${1#* -> } --update; }
  $ each copied <<'END'
  > p . -> ../q/p . => 8 files not read, 0 read, 0 replaced, 0 new, 0 gone
  > . t u -> ../q t u => 10 files not read, 0 read, 0 replaced, 0 new, 0 gone
  > . t u -> s u t => 10 files not read, 0 read, 0 replaced, 0 new, 0 gone
  > t . -> s/t ./ => 5 files not read, 0 read, 0 replaced, 0 new, 0 gone
  > . --files-from ../o/l -> s --files-from ../../o/m => 10 files not read, 0 read, 0 replaced, 0 new, 0 gone
  > p/s .. -> ../q/p/s .. => 8 files not read, 0 read, 0 replaced, 0 new, 0 gone
  > END

## manyGone: more records than --max-gone permits, or more than half of them, do not end
  $ row() { scene; hash t u; cp -r ../o ../before; eval "${1% -- *}"; eval "hash --update ${1#* -- }" >../said 2>&1; echo $?
  >   sed 's/; mount what is missing, name the PATHs as before, or add --max-gone 100%$//' ../said; diff -r ../before ../o; }
  $ each row <<'END'
  > mkdir v; touch v/x -- --accept-gone v => 2;weir: ../o/M: is left unchanged, since 10 of its 10 files would be gone, more than --max-gone 50%
  > : -- --accept '[1-3]' t u --exclude '[1-3]' => 2;weir: ../o/M: is left unchanged, since 6 of its 10 files would be gone, more than --max-gone 50%
  > : -- --accept-gone </dev/null => 2;weir: ../o/M: is left unchanged, since 10 of its 10 files would be gone, more than --max-gone 50%
  > rm t/* -- --max-gone 49% u => 2;weir: ../o/M: is left unchanged, since 5 of its 10 files would be gone, more than --max-gone 49%
  > rm t/* -- --max-gone 4 u => 2;weir: ../o/M: is left unchanged, since 5 of its 10 files would be gone, more than --max-gone 4
  > : >../before/l; : >../o/l -- --accept-gone --files-from ../o/l t/1 => 2;weir: ../o/M: is left unchanged, since 9 of its 10 files would be gone, more than --max-gone 50%
  > END

## unreadableList: an update with a list that cannot be read is refused
  $ hash t u; cp -r ../o ../before; mkdir L2; hash --update --files-from ../o/t --files-from L2
  ! weir: L2: Is a directory
  ! weir: L2: is a list that could not be read to its end; ../o/M is left unchanged
  [2]
  $ hash --update --files-from ../o/t --files-from /proc/self/mem
  ! weir: /proc/self/mem: Input/output error
  ! weir: /proc/self/mem: is a list that could not be read to its end; ../o/M is left unchanged
  [2]
  $ diff -r ../o ../before

## emptiedBesideList: an emptied PATH is refused, also beside a list, however it is spelled
  $ row() { scene; eval "hash ${1% -- *}"; cp -r ../o ../before; rm u/*; eval "hash --update ${1#* -- }" 2>&1; echo $?; diff -r ../o ../before; }
  $ each row <<'END'
  > --files-from ../o/t u -- --files-from ../o/t u => weir: u: nothing was found in it, and ../o/M has 5 files below it; ../o/M is left unchanged; mount what is missing, or if it is gone for good, omit it and add --accept-gone;2
  > --files-from ../o/t u -- --files-from ../o/t ./u/ => weir: ./u/: nothing was found in it, and ../o/M has 5 files below it; ../o/M is left unchanged; mount what is missing, or if it is gone for good, omit it and add --accept-gone;2
  > --files-from ../o/t u -- --files-from ../o/t $PWD/u => weir: $top/t/w/u: nothing was found in it, and ../o/M has 5 files below it; ../o/M is left unchanged; mount what is missing, or if it is gone for good, omit it and add --accept-gone;2
  > t u -- t u => weir: u: nothing was found in it, and ../o/M has 5 files below it; ../o/M is left unchanged; mount what is missing, or if it is gone for good, omit it and add --accept-gone;2
  > END

## what is gone stays in the ledger, however much it is; half of it may end, or as --max-gone says
  $ hash t u; hash --update u | sed 's/.*: //' | uniq -c
        5 gone
        1 5 files not read, 0 read, 0 replaced, 0 new, 5 gone
  $ scene; hash t u; mkdir v; touch v/x; hash --update v | sed 's/.*: //' | sort | uniq -c
        1 0 files not read, 1 read, 0 replaced, 1 new, 10 gone
       10 gone
        1 new
  $ cut -c67- ../o/M | wc -l
  11
  $ scene; hash t u; hash --update --accept-gone u | sed 's/.*: //' | uniq -c
        5 gone, accepted
        1 5 files not read, 0 read, 0 replaced, 0 new, 0 gone, 5 ended
  $ scene; hash t u; hash --update --accept-gone --max-gone 100% u/1 | sed 's/.*: //' | uniq -c
        9 gone, accepted
        1 1 file not read, 0 read, 0 replaced, 0 new, 0 gone, 9 ended
  $ scene; hash t u; hash --update --accept '[1-3]' --accept 't/4' --max-gone 60% u
  t/1: gone, accepted
  t/2: gone, accepted
  t/3: gone, accepted
  t/4: gone, accepted
  t/5: gone
  2 files not read, 3 read, 0 replaced, 0 new, 1 gone, 4 ended
  [1]
  $ cut -c67- ../o/M | xargs
  t/5 u/1 u/2 u/3 u/4 u/5

## --accept says which GLOB has matched nothing; a name is a GLOB with \ before its [, * and ?
  $ mkdir v; touch -d @1 'v/a[1]*' v/b; hash v; rm v/a*; hash --update --accept 'a[1]*' --accept v/b v
  'v/a[1]*': gone
  0 files not read, 1 read, 0 replaced, 0 new, 1 gone
  ! weir: --accept 'a[1]*': matched nothing
  ! weir: --accept v/b: matched nothing
  [1]
  $ hash --update --dry-run --quiet --accept b --accept 'a\[1]\*' v; hash --update --quiet --accept b --accept 'a\[1]\*' v
  $ echo 1 >v/c; touch -d @1 v/c; hash --update --quiet v; echo 2 >v/c; touch -d @1 v/c; hash --update --dry-run --accept v/c --accept no v
  v/c: changed
  1 file to read, 2 B; 1 unchanged, 0 new, 0 gone
  ! weir: --accept no: matched nothing
  $ rm v/c; hash --update --dry-run --quiet --accept no v
  v/c: gone
  ! weir: --accept no: matched nothing
  ! weir: 1 file not read, 0 read, 0 replaced, 0 new, 1 gone
  [1]

## --max-gone takes a number or a percentage, and needs --update
  $ for value in '' x -1 101% % 1.5 '50 %'; do hash --update "--max-gone=$value"; echo $?; done | uniq -c
        7 2
  ! weir: --max-gone takes a number, or a percentage such as 50%, not ''; see weir hash --help
  ! weir: --max-gone takes a number, or a percentage such as 50%, not x; see weir hash --help
  ! weir: --max-gone takes a number, or a percentage such as 50%, not -1; see weir hash --help
  ! weir: --max-gone takes a number, or a percentage such as 50%, not 101%; see weir hash --help
  ! weir: --max-gone takes a number, or a percentage such as 50%, not %; see weir hash --help
  ! weir: --max-gone takes a number, or a percentage such as 50%, not 1.5; see weir hash --help
  ! weir: --max-gone takes a number, or a percentage such as 50%, not '50 %'; see weir hash --help
  $ hash --max-gone 1 x
  ! weir: --max-gone needs --update, since nothing is compared without it; see weir hash --help
  [2]

## former: the former manifest stays until the next update, and can be updated itself
  $ hash t u; cp ../o/M ../M1; cp ../o/M.mtree ../M1.mtree; echo new >t/n; hash --update t u
  t/n: new
  10 files not read, 1 read, 0 replaced, 1 new, 0 gone
  $ cmp ../M1 ../o/M.old; cmp ../M1.mtree ../o/M.old.mtree; cp ../o/M ../M2
  $ hash --update --accept-gone u/1
  ! weir: ../o/M: is left unchanged, since 10 of its 11 files would be gone, more than --max-gone 50%; mount what is missing, name the PATHs as before, or add --max-gone 100%
  [2]
  $ cmp ../M1 ../o/M.old
  $ rm t/n; hash --update t u
  t/n: gone
  10 files not read, 0 read, 0 replaced, 0 new, 1 gone
  [1]
  $ cmp ../M2 ../o/M.old
  $ weir hash -o ../o/M.old --update --accept-gone t u
  t/n: gone, accepted
  10 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1 ended
  $ ls ../o | xargs
  M M.mtree M.old M.old.mtree M.old.old M.old.old.mtree l m n t u

## a ledger whose manifest is missing or empty is not forgotten
  $ row() {
  >   scene; hash t; cp ../o/M ../M; rot t/1; eval "$1"; hash t 2>&1; echo $?; hash --update t; echo $?
  >   cmp ../M ../o/M; eval "$1"; hash --resume t; echo $?; cmp ../M ../o/M
  >   eval "$1"; hash --replace t; echo $?; cmp -s ../M ../o/M; echo $?
  > }
  $ is='weir: ../o/M.mtree: is the ledger of a manifest and is left unchanged; add --update to bring it up to date, or --replace to forget what it says'
  $ same='5 files not read, 0 read, 0 replaced, 0 new, 0 gone;0'; printf '%s\n' 'rm ../o/M' ': >../o/M' | each row "$is;2;$same;$same;0;1"

## the end of an open point is said, and a plan names those that it cannot examine
  $ hash t u; mv t/1 ../kept; hash --update --quiet t u
  t/1: gone
  ! weir: 9 files not read, 0 read, 0 replaced, 0 new, 1 gone
  [1]
  $ echo damaged >t/1; hash --update --quiet t u
  t/1: edited, was gone since ...
  $ rot u/1; hash --update --quiet -a md5,sha256 t u
  u/1: rot
  ! weir: 0 files not read, 10 read, 0 replaced, 0 new, 0 gone, 1 rotten
  [1]
  $ hash --update --quiet -a md5,sha256 --dry-run t u >>u/1; echo $?
  1
  ! weir: u/1: written by this run, and not read
  ! weir: 9 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1 rotten, 1 kept
  $ touch t/2; hash --update -a md5,sha256 t u 2>&1 >/dev/full | tail -1
  weir: ../o/M is complete, the rest of the output is not

## a directory of -C that is a link to another, empty one keeps no names of the first
  $ ln -s t v; hash -C v .; cp ../o/M ../o/before; mkdir e; ln -sfn e v; hash --update -C v .
  ! weir: .: nothing was found in it, and ../o/M has 5 files below it; ../o/M is left unchanged; mount what is missing, or if it is gone for good, replace --update by --replace
  [2]
  $ cmp ../o/M ../o/before; hash --update --quiet -C v . 2>&1 | grep -o 'replace.*'
  replace --update --quiet by --replace

## a manifest keeps its mode, and a run is continued by one with the same options alone
  $ echo >t/a=b; hash --exclude=a=b t; chmod 440 ../o/M; hash --update --exclude=a=b t
  5 files not read, 0 read, 0 replaced, 0 new, 0 gone
  $ stat -c %a ../o/M; wc -l <../o/M; rm ../o/M; mv ../o/M.mtree ../o/M.partial
  440
  5
  $ for option in --one-file-system --follow --zero; do hash --resume --exclude=a=b $option t; done
  ! weir: ../o/M.partial: was started with other arguments and cannot be continued: other --one-file-system
  ! weir: ../o/M.partial: was started with other arguments and cannot be continued: other --follow
  ! weir: ../o/M.partial: was started with other arguments and cannot be continued: other --zero
  [2]

## a file below another PATH that has become a link, or was one, does not stop a resume
  $ interrupted() { rm ../o/M; mv ../o/M.mtree ../o/M.partial; }
  $ hash t t/1; interrupted; mv t/1 v; ln -s ../v t/1; hash --resume t t/1
  $ interrupted; rm t/1; mv v t/1; hash --resume t t/1
  $ cut -c67- ../o/M | head -1
  t/1
  $ interrupted; hash --resume t t/1 u
  ! weir: ../o/M.partial: was started with other arguments and cannot be continued: other PATH
  [2]

## a PATH that held links alone and is empty is refused
  $ mkdir v; ln -s x v/l; hash t v; cp -r ../o ../before; rm v/l; hash --update t v
  ! weir: v: nothing was found in it, and ../o/M has 1 link below it; ../o/M is left unchanged; mount what is missing, or if it is gone for good, omit it and add --accept-gone
  [2]
  $ diff -r ../o ../before

## the former manifest is not among the files, and replaces no other file
  $ fresh; echo a >a; weir hash -o M .; weir hash -o M --update .; weir hash -o M --update .
  1 file not read, 0 read, 0 replaced, 0 new, 0 gone
  1 file not read, 0 read, 0 replaced, 0 new, 0 gone
  ! weir: M: lies in the tree of ., and is left out of it
  $ wc -l <M; echo a poem >M.old; weir hash -o M --update .
  1
  ! weir: M.old: was not written by weir and is left unchanged; choose another name
  [2]
  $ cat M.old
  a poem

## formerFormats: the former manifest is the last one, in every order of formats
  $ fresh; echo 0 >a; weir hash -o M a; for f in mtree mtree text text mtree text; do
  >   cp M before; echo 1 >>a; weir hash -o M --update --format $f a; cmp M.old before
  >   cp M.old back; cp M.mtree back.mtree; test $f = text && cp M.old.mtree back.mtree
  >   weir hash -o back --update a
  > done >/dev/null

## formerOfOtherPrograms: the former manifest of another program can be replaced by the next update
  $ echo 1 >a; d=$(sha256sum <a | cut -c -64); echo $d $(echo $d | tr a-f A-F) | tr ' ' '\n' >digests
  $ former() {
  >   while read -r s; do
  >     rm -f M*; printf "$1" $s >M; cp M before; weir hash -o M --update ./a; cmp before M.old
  >     cp M before; touch a; weir hash -o M --update ./a; cmp before M.old
  >   done <digests 2>&1 | grep -v read | sort | uniq -c
  > }
  $ each former '       2 ./a: touched' <<'END'
  > #mtree\n/set type=file\n./a sha256=%s\n
  > #\t user: root\n. type=dir\n    a sha256=%s\n..\n
  > \043 sums\n%s  a\n
  > \357\273\277%s  a\n
  > \n%s  a\n
  >   %s  a\n
  > END

## formerOfResumed: an update that was interrupted after the new manifest got its name leaves the former one
  $ find t -type f | xargs sha256sum >../o/M; cp ../o/M ../M0; echo e >>t/1; hash --update t
  t/1: edited
  0 files not read, 5 read, 1 replaced, 0 new, 0 gone
  ! weir: ../o/M: 1 file has another digest, and without a ledger rot is not told from an edit
  $ mv ../o/M.mtree ../o/M.partial; hash --update --resume t
  5 files not read, 0 read, 0 replaced, 0 new, 0 gone
  $ cmp ../M0 ../o/M.old; ls ../o | xargs
  M M.mtree M.old l m n t u

So does one that was interrupted after the new ledger got its name, too.
  $ scene; hash t; cp ../o/M ../M0; cp ../o/M.mtree ../R0; echo e >>t/1; hash --update t
  t/1: edited
  4 files not read, 1 read, 1 replaced, 0 new, 0 gone
  $ cp ../o/M.mtree ../o/M.partial; hash --update --resume t
  5 files not read, 0 read, 0 replaced, 0 new, 0 gone
  $ cmp ../M0 ../o/M.old; cmp ../R0 ../o/M.old.mtree; ls ../o | xargs
  M M.mtree M.old M.old.mtree l m n t u

## an update of mtree(5) writes mtree(5), unless another format is given
  $ hash --format mtree t; echo n >t/n; hash --update t
  t/n: new
  5 files not read, 1 read, 0 replaced, 1 new, 0 gone
  $ head -c 6 ../o/M; echo; hash --update --zero t
  #mtree
  ! weir: ../o/M: is mtree(5), whose lines end in a newline; omit --zero, or add --format text
  [2]
  $ hash --update --format text t
  6 files not read, 0 read, 0 replaced, 0 new, 0 gone
  $ head -1 ../o/M
  465c49ce69b998fd4f6d15bd24f74a9e9fc651f4902cbafb055252008e2d66f7  t/1

## a rotten file that two PATHs find is recorded as new by none, relative or not
  $ touch -d @9 t/5; hash ..//w/t; rm t/5; hash --update t >r; hash --update t ./t/4 . >r
  [1]
  $ hash --update t "$PWD" >r; echo tt >t/5; touch -d @9 t/5; hash --update t "$PWD" | sed "s,$PWD,PWD,"
  t/5: rot
  PWD/r: new
  PWD/t/5: rot
  13 files not read, 3 read, 0 replaced, 1 new, 0 gone, 2 rotten
  $ grep -c rot ../o/M.mtree
  2

## the time tells rot from a new file also below another name, but for whole seconds
  $ mkdir t/a; for f in 1 1.5; do echo good >t/a/$f; touch -d @$f t/a/$f; done; hash t
  $ rot t/a/1; rot t/a/1.5; mv t/a/1 t/a/x; mv t/a/1.5 t/a/y; hash --update --quiet --accept-gone t
  t/a/1.5: gone, rot
  ! weir: 5 files not read, 2 read, 0 replaced, 2 new, 1 gone, 1 ended
  [1]

## rot that a rename hides is an open point, also with --accept-gone, and the words say so
  $ mkdir t/a; echo good >t/a/p; echo else >t/a/q; touch -d @1 t/a/p; touch -d @2 t/a/q; hash t
  $ rot t/a/p; mv t/a t/b; mv t/b/q t/b/r; hash --update --quiet --accept-gone t
  t/a/p: gone, rot
  ! weir: 5 files not read, 2 read, 0 replaced, 1 new, 1 gone, 1 moved
  [1]
  $ hash --update --accept-gone t | sed 's/since 20.*/since/'
  t/a/p: gone, rot since
  7 files not read, 0 read, 0 replaced, 0 new, 1 gone
  $ hash --update --format json t | head -n 1
  {"type":"change","path":{"text":"t/a/p"},"status":"gone","since":"...","rot":true}
  $ hash --update --quiet --accept 't/a/*' t

## an update keeps the tags of its manifest, and names what it cannot tell from rot
  $ hash --tag t; hash --update t; cut -c 1-8 ../o/M | sort -u; ls ../o/M*
  5 files not read, 0 read, 0 replaced, 0 new, 0 gone
  SHA256 (
  ../o/M
  ../o/M.mtree
  $ rm ../o/M.mtree; echo edit >>t/1; hash --update --quiet t
  t/1: edited
  ! weir: ../o/M: 1 file has another digest, and without a ledger rot is not told from an edit
