weir hash --update with manifests of other programs, unreadable files and excluded files.

Files whose order in a walk is not that of the shell.

  $ fill() {
  >   fresh; mkdir -p p/a p/b; for i in a.x a/1 a/2 b/1 b-2 b/3 z 'c d'; do echo "$i" >"p/$i"; done
  >   find p -type f -exec touch -d @1600000000 {} +
  > }

## an update compares with the lines of any checksum tool, in any order
needs b3sum
  $ row() {
  >   fill; eval "${1% -- *}"; rot p/z; rm p/b/3; echo n >p/n; [ ! -e l ] || echo p/n >>l
  >   eval "weir hash -o M --update ${1#* -- }" 2>err | sort; cat err
  > }
  $ changes='0 files not read, 8 read, 1 replaced, 1 new, 1 gone;p/b/3: gone;p/n: new;p/z: edited'
  $ each row "$changes;weir: M: 1 file has another digest, and without a ledger rot is not told from an edit" <<'END'
  > find p -type f -print0 | sort -rz | xargs -0 sha256sum >M -- p
  > find ./p -type f -exec md5sum {} + >M -- -a sha256 p
  > find p -type f -exec sha1sum {} + >M; find p -type f -exec sha256sum {} + >>M -- -a sha256 p
  > weir hash -a sha256,md5 p >M -- -a sha256 p
  > weir hash -z p >M -- -z p
  > find p -type f | sort -r | xargs -d '\n' sha256sum >M -- p/z p/a p/b p/a.x p/b-2 'p/c d' p/n
  > END
  $ each row <<'END'
  > find p -type f -exec b2sum {} + >M -- -a blake2b ./p/ => ./p/b/3: gone;./p/n: new;./p/z: edited;0 files not read, 8 read, 1 replaced, 1 new, 1 gone;weir: M: 1 file has another digest, and without a ledger rot is not told from an edit
  > find p -type f -exec b3sum {} + >M -- -a blake3 ./p/ => ./p/b/3: gone;./p/n: new;./p/z: edited;0 files not read, 8 read, 1 replaced, 1 new, 1 gone;weir: M: 1 file has another digest, and without a ledger rot is not told from an edit
  > END
  $ row 'find p -type f >l; weir hash --files-from l >M -- --files-from l'
  0 files not read, 8 read, 1 replaced, 1 new, 1 gone
  p/b/3: gone
  p/n: new
  p/z: edited
  weir: p/b/3: No such file or directory
  weir: M: 1 file has another digest, and without a ledger rot is not told from an edit
  weir: 8 files read, 1 could not be read

## a record without a digest of this run is compared by its strongest one
  $ mkdir t; echo new >t/a; echo b >t/b; sha256sum t/b >M
  $ md5sum --tag t/a >>M; echo old | sha512sum --tag - | sed 's,(-),(t/a),' >>M
  $ weir hash -o M --update t; echo $?; grep -c 't/a$' M
  t/a: edited
  0 files not read, 2 read, 1 replaced, 0 new, 0 gone
  0
  1
  ! weir: M: 1 file has another digest, and without a ledger rot is not told from an edit

## an update compares with a manifest of mtree(8)
needs mtree
  $ row() {
  >   fill; mtree -c -k $1 >$top/M; mv $top/M M; echo other >p/z; rm p/b/3
  >   weir hash -o M -a sha256 --format mtree --update p 2>&1; echo $?
  > }
  $ each row <<'END'
  > sha256 => p/b/3: gone;p/z: edited;0 files not read, 7 read, 1 replaced, 0 new, 1 gone;1
  > sha256,size,time => p/b/3: gone;p/z: edited;6 files not read, 1 read, 1 replaced, 0 new, 1 gone;1
  > md5,type => p/b/3: gone;p/z: edited;0 files not read, 7 read, 1 replaced, 0 new, 1 gone;1
  > END

## otherDigests: lines of another algorithm are not replaced, unless --accept-rot is given
  $ row() {
  >   fresh; mkdir t; echo a >t/a; echo b >t/b; weir hash ${1% -- *} t >M; cp M N; o=${1#* -- }
  >   update() { weir hash -o M --update t "$@" 2>&1; echo $?; }
  >   update $o; echo n >t/c; update $o; cmp M N; ls M*; update ${1% -- *}; rm M.mtree; cp N M; update $o --accept-rot
  > }
  $ each row <<'END'
  > -a blake3 --plain -- -j1 => weir: M: is left unchanged, since no file has its digest by sha256; name the algorithm with -a, or add --accept-rot to replace all digests;2;weir: M: is left unchanged, since no file has its digest by sha256; name the algorithm with -a, or add --accept-rot to replace all digests;2;M;t/c: new;0 files not read, 3 read, 0 replaced, 1 new, 0 gone;0;t/a: edited;t/b: edited;t/c: new;0 files not read, 3 read, 2 replaced, 1 new, 0 gone;0
  > -a blake2b -- -a sha512 => weir: M: is left unchanged, since no file has its digest by sha512; name the algorithm with -a, or add --accept-rot to replace all digests;2;weir: M: is left unchanged, since no file has its digest by sha512; name the algorithm with -a, or add --accept-rot to replace all digests;2;M;t/c: new;0 files not read, 3 read, 0 replaced, 1 new, 0 gone;0;t/a: edited;t/b: edited;t/c: new;0 files not read, 3 read, 2 replaced, 1 new, 0 gone;0
  > -a blake2b -- -a sha256 => weir: M: is left unchanged, since no file has its digest by sha512; name the algorithm with -a, or add --accept-rot to replace all digests;2;weir: M: is left unchanged, since no file has its digest by sha512; name the algorithm with -a, or add --accept-rot to replace all digests;2;M;t/c: new;0 files not read, 3 read, 0 replaced, 1 new, 0 gone;0;t/a: edited;t/b: edited;t/c: new;0 files not read, 3 read, 2 replaced, 1 new, 0 gone;0
  > -a xxh128 -- -a md5 => weir: M: is left unchanged, since no file has its digest by md5; name the algorithm with -a, or add --accept-rot to replace all digests;2;weir: M: is left unchanged, since no file has its digest by md5; name the algorithm with -a, or add --accept-rot to replace all digests;2;M;t/c: new;0 files not read, 3 read, 0 replaced, 1 new, 0 gone;0;t/a: edited;t/b: edited;t/c: new;0 files not read, 3 read, 2 replaced, 1 new, 0 gone;0
  > END

## a manifest with lines that cannot be compared is left unchanged, without --accept-rot
  $ fill; weir hash -o M --update p
  ! weir: M: 8 files are recorded for the first time
  $ row() {
  >   rm -f M*; eval "$1" >M; cp M M0; weir hash -o M --update p 2>&1; echo $?; cmp M M0
  >   weir hash -o M --update --accept-rot p >lines 2>&1; echo $?
  > }
  $ each row <<'END'
  > sha256sum p/z; echo nonsense => weir: M: is left unchanged, since 1 line cannot be compared; mend them, or add --accept-rot to replace them;2;0
  > printf './p/z type=file size=1\n' => weir: M: is left unchanged, since no line can be compared; mend them, or add --accept-rot to replace them;2;0
  > END

## a file that is no manifest is left unchanged by --accept-rot too
  $ fill; row() {
  >   rm -f M*; eval "$1" >M; cp M M0; weir hash -o M --update p 2>&1; echo $?
  >   weir hash -o M --update --accept-rot p 2>&1; echo $?; cmp M M0; ls M* | xargs
  > }
  $ i='weir: M: is not a manifest and is left unchanged; choose another name, or remove it;2'; each row "$i;$i;M M0" <<'END'
  > echo a letter
  > weir hash --format json p
  > noise 99
  > END

## two digests of a file that differ, and appended records, leave the manifest unchanged
  $ fill; row() {
  >   rm -f M*; cat $1 >M; cp M M0; weir hash -o M --update p 2>&1 | grep -v '[0-9] read'; cmp M M0 2>/dev/null
  > }
  $ weir hash p >new; weir hash --format mtree p >mtree; echo x >>p/z; weir hash p >old
  $ each row <<'END'
  > new old => weir: M: has two digests of p/z that differ; see weir check, and remove the wrong line
  > mtree mtree => weir: M: was cut, or has a line that cannot be read; restore it; without it rot is not told from an edit
  > END
  $ row 'old old'
  [1]

## unexamined: a file that cannot be examined keeps its record, and rot in it stays known
needs setpriv
  $ row() {
  >   fresh; mkdir t u v; for i in 1 2 3 4; do echo $i >t/$i; done; echo good >u/x; ln -s ../u/x v/l
  >   ls -d t/* u/* >l; sed "s,^,$PWD/," l >m; weir hash -o M ${1% -- *}; rot u/x
  >   now=${1#* -- }; update() { ordinary weir hash -a sha256,md5 -o M --update "$@" 2>>err; echo $?; }
  >   update ${1% -- *} | tail -1; eval "$change"; update $now | sed 's/.*rot since .*/rot/'
  >   eval "$mend"; update $now >log; grep -c 'rot since' log; tail -1 log; wc -l <err
  > }
  $ cat >$top/rows <<'END'
  > --files-from l -- --files-from l
  > --files-from l -- --files-from m
  > --follow t v -- --follow t v
  > t u/x -- ./t .//u/x
  > t u -- t u/x
  > END
  $ expected='1;rot;4 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1 rotten, 1 kept;1;1;1;2'
  $ change='chmod 0 u' mend='chmod 755 u'; each row "$expected" <$top/rows
  $ change='mv u w; ln -s u u' mend='rm u; mv w u'; each row "$expected" <$top/rows

## out of reach: a directory that cannot be read keeps all records below it, links too
needs setpriv
  $ row() {
  >   fresh; mkdir -p t/d/e; for i in t/a t/d/e/x t/d/z; do echo $i >$i; done; ln -s z t/d/l
  >   weir hash -o M t; chmod ${1%% *} t/d; ordinary weir hash -o M --update ${1#* } 2>err; echo $?
  >   chmod 755 t/d; grep -c '^[.]' M.mtree
  > }
  $ each row <<'END'
  > 0 t => 1 file not read, 0 read, 0 replaced, 0 new, 0 gone, 2 kept;3;8
  > 444 t => 1 file not read, 0 read, 0 replaced, 0 new, 0 gone, 2 kept;3;8
  > 0 t t/d/e => 1 file not read, 0 read, 0 replaced, 0 new, 0 gone, 2 kept;3;8
  > 444 t t/d/e => 1 file not read, 0 read, 0 replaced, 0 new, 0 gone, 2 kept;3;8
  > 444 t/a => t/d/e/x: gone;t/d/z: gone;1 file not read, 0 read, 0 replaced, 0 new, 2 gone;1;7
  > END
