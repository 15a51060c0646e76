weir check with mtree(5): which lines are one, what its entries say, and incomplete checks.

## verdicts: rot, edited, touched, missing and the others are distinguished
needs mtree bsdtar
  $ mkdir t t/d; cd t; files="same rot edited larger older touched gone type d/x"; for f in $files; do printf content >$f; done
  $ old() { touch -d '2020-01-01 00:00:01.123456789' "$@"; }
  $ old $files; cd ..; k=type,size,time,link,sha256,md5
  $ weir hash -asha256,md5 -C t --format mtree . >weir; mtree -c -k $k -p t >mtree
  $ bsdtar -cf- -C t --format=mtree "--options=!all,$k" . >bsdtar
  $ cd t; for f in rot edited; do printf c0ntent >$f; done; printf contents >larger; old rot larger
  $ touch -d '2020-01-01 00:00:01.123456788' older touched; rm -r gone type d; mkdir type; printf x >d; cd ..
  $ for m in weir mtree bsdtar; do weir check -C t $m 2>&1 | sort >$m.out; cmp $m.out weir.out; done; cat weir.out
  ./d/x: FAILED (missing)
  ./d: FAILED (is a regular file)
  ./edited: FAILED (edited)
  ./gone: FAILED (missing)
  ./larger: FAILED (edited)
  ./older: OK (touched)
  ./rot: FAILED (rot)
  ./same: OK
  ./touched: OK (touched)
  ./type: FAILED (is a directory)
  weir: ./d/x: No such file or directory
  weir: ./gone: No such file or directory
  weir: WARNING: 1 listed file has ROT
  weir: WARNING: 2 listed files are missing
  weir: WARNING: 2 listed files were edited
  weir: WARNING: 2 listed names did NOT match in type or target
  $ for m in weir mtree bsdtar; do weir check --quiet -C t $m 2>/dev/null | sort >q; grep FAILED $m.out | cmp q; done
  $ weir check --format json -C t weir 2>/dev/null | tail -n 2
  {"type":"manifest","path":{"text":"weir"},"complete":true,"lines":12,"ok":3,"touched":2,"failed":5,"edited":2,"rot":1,"open":0,"others":1,"missing":2,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0}
  {"type":"summary","complete":true,"ok":3,"touched":2,"failed":5,"edited":2,"rot":1,"open":0,"others":1,"missing":2,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0,"bytes":35,"seconds":...}
  $ weir check --status --summary -C t weir 2>&1 | tail -n 1
  weir: 11 lines: 3 right (2 with another time), 1 directory or link, 2 something else, 2 edited, 1 rotten, 2 missing; 35 B in ...

## links are listed with their targets, or followed, and verified both ways
  $ mkdir t t/d; printf x >t/d/f; ln -s d/f t/a; ln -s d t/b; ln -s nowhere t/c; weir hash --format mtree --summary t >m
  ! weir: 1 file read, 3 symbolic links listed; 1 B in ...
  $ weir check m; grep link= m
  t/d/f: OK
  ./t/a type=link link=d/f
  ./t/b type=link link=d
  ./t/c type=link link=nowhere
  $ rm t/c; weir hash --format mtree --follow t >m; weir check m
  t/a: OK
  t/b/f: OK
  t/d/f: OK

## unsized: a file whose content does not have its size is verified by its content
  $ unsized() {
  >   [ -r ${1% *} ] || return; weir hash --format mtree $1 >m; weir check m
  >   for e in "s/sha256=[0-9a-f]*/sha256=$(printf %064d 0)/" s/size=[0-9]*/size=3/ s/size=[0-9]*/size=99999/; do
  >     sed $e m | weir check - 2>/dev/null
  >   done | sed "s,${1% *},NAME,"
  > }
  $ unsized '/proc/version '
  /proc/version: OK
  NAME: FAILED
  NAME: FAILED (edited)
  NAME: FAILED (edited)
  $ unsized '/proc/version -asha256,md5'
  /proc/version: OK
  NAME: FAILED
  NAME: FAILED (edited)
  NAME: FAILED (edited)
  $ [ ! -r /sys/class/net/lo/mtu ] || unsized '/sys/class/net/lo/mtu '
  /sys/class/net/lo/mtu: OK
  NAME: FAILED
  NAME: FAILED (edited)
  NAME: FAILED (edited)

## only the keywords of an entry are verified
  $ printf x >f; : >e; mkdir d; mkfifo p; ln -s f l; touch -h -d '1970-01-01 00:00:05.000000006 UTC' f e
  $ row() { printf "#mtree\n. type=dir\n$1\n" >m; weir check m 2>/dev/null; echo $?; }
  $ each row <<'END'
  > ./f type=file => ./f: OK;0
  > ./f type=dir => ./f: FAILED (is a regular file);1
  > ./f type=file size=1 => ./f: OK;0
  > ./f size=2 => ./f: FAILED (edited);1
  > ./f size=1 time=5.000000006 => ./f: OK;0
  > ./f time=5.6 => ./f: OK;0
  > ./f size=1 time=5.0 => ./f: FAILED (edited);1
  > ./e size=0 time=5.0 => ./e: OK (touched);0
  > ./f md5=9dd4e461268c8034f5c8564e155c67a6 => ./f: OK;0
  > ./f md5=00d4e461268c8034f5c8564e155c67a6 => ./f: FAILED;1
  > ./f time=5.6 md5digest=00d4e461268c8034f5c8564e155c67a6 => ./f: FAILED (rot);1
  > ./f type=file rmd160=00 => 3
  > ./f type=file cksum=1 size=1 xxh64=zz => 1
  > ./gone type=file optional => 0
  > ./gone type=dir optional => 0
  > ./gone type=file ignore => 0
  > ./d type=dir size=1 time=1.0 mode=0 => 0
  > ./l type=link => 0
  > ./l type=link link=f => 0
  > ./l type=link link=e => ./l: FAILED (points elsewhere);1
  > ./l type=file size=1 => ./l: OK;0
  > ./p type=fifo => 0
  > ./p type=file => ./p: FAILED (is a FIFO);1
  > ./f/x type=file => ./f/x: FAILED (missing);1
  > ./f type=file ./g => 1
  > /set type=file\n./f => ./f: OK;0
  > /set md5=9dd4e461268c8034f5c8564e155c67a6\n./f type=file => ./f: OK;1
  > END

## a manifest is recognized by its beginning
  $ for f in f type=file deadbeefdeadbeeff 9dd4e461268c8034f5c8564e155c67af; do printf x >$f; done
  $ row() { printf "$1\n" >m; weir check m 2>&1; echo $?; }
  $ each row <<'END'
  > #mtree\n./f => ./f: OK;weir: WARNING: 1 listed file has no digest: the content was NOT verified;0
  > #mtree v2.0 whatever\n\n./f => ./f: OK;weir: WARNING: 1 listed file has no digest: the content was NOT verified;0
  > /set type=file\nf => f: OK;weir: WARNING: 1 listed file has no digest: the content was NOT verified;0
  > #\t user: x\n\n# .\n/set type=file nlink=1\n.  type=dir\nf => ./f: OK;weir: WARNING: 1 listed file has no digest: the content was NOT verified;0
  > \n. type=dir mode=0755 \\\n  uid=0\n./f => ./f: OK;weir: WARNING: 1 listed file has no digest: the content was NOT verified;0
  > \357\273\277./f mode=0644 => ./f: OK;weir: WARNING: 1 listed file has no digest: the content was NOT verified;0
  > f optional => weir: m: no properly formatted checksum lines found;1
  > #mtreelike\nf => weir: m: no properly formatted checksum lines found;1
  > f => weir: m: no properly formatted checksum lines found;1
  > \043 mtree\nf => weir: m: no properly formatted checksum lines found;1
  > ./f a=b => weir: m: no properly formatted checksum lines found;1
  > f mode=0644 => weir: m: no properly formatted checksum lines found;1
  > 9dd4e461268c8034f5c8564e155c67a6  type=file => type=file: OK;0
  > \\9dd4e461268c8034f5c8564e155c67a6  type=file => type=file: OK;0
  > deadbeefdeadbeeff type=file size=1 => weir: m: no properly formatted checksum lines found;1
  > ./9dd4e461268c8034f5c8564e155c67af type=file size=1 => ./9dd4e461268c8034f5c8564e155c67af: OK;weir: WARNING: 1 listed file has no digest: the content was NOT verified;0
  > END

## each manifest is recognized separately
  $ for f in a b; do printf $f >$f; done; weir hash a >1; weir hash --format mtree b >2; weir hash -z b >0
  $ weir check 1 2 1 2 - <2
  a: OK
  b: OK
  a: OK
  b: OK
  b: OK
  $ weir check -z 0; weir check -z 2
  b: OK
  ! weir: 2: is a list whose lines end in a newline; omit --zero
  [2]

## hierarchy, continued lines, /set and every escape of vis(3) are read
Of most entries there is no file: the name of each, and what is known of those that are.
  $ mkdir d d/e d/d2; printf x >d/f; ln -s 'a b' d/l; mkfifo d/e/deep; printf 'x' >"$(printf 'ff\377\303\201 \t\n\\#\r\b\a\v\f\033AA\001z')"
  $ cat >M <<'END'
  > #	   user: somebody
  > # .
  > /set type=file nlink=1 uid=0
  > .               type=dir nlink=3 time=5.7
  >     \^Ac\^?     size=1 time=1795291086.891619096 \
  >                 md5digest=45c48cce2e2d7fbdea1afc51c7c6ad26 \
  >                 rmd160=b21ffbb290fb266e77182797ba316f6fd920dcfa
  >     ff\M^?\M-C\M^A\s\t\n\\\#\r\b\a\v\f\E\$\x41\101\1z  size=1 # comment
  > # ./d
  > d               type=dir
  >     f           size=2 optional
  > /set type=link
  >     l           link=a\sb
  > /unset type
  >     e               type=dir
  >         deep        type=fifo
  > ..
  >     d2
  > # ./d
  > ..
  >     out             size=18446744073709551615
  > ./some/where    type=file
  > usr/x           ignore
  > /abs            type=socket
  > END
  $ weir check M 2>/dev/null
  ./\x01c\x7f: FAILED (missing) (esc)
  \\./ff\xff\xc3\x81 \t\\n\\\\#\\r\x08\x07\x0b\x0c\x1bAA\x01z: OK (esc)
  ./d/f: FAILED (edited)
  ./d/d2: FAILED open or read
  ./out: FAILED (missing)
  ./some/where: FAILED (missing)
  /abs: FAILED (missing)
  [1]

## each directory precedes its contents, once for consecutive names, and the spelling of names is kept
  $ mkdir -p a/b/c x/yz x/w; for f in a/b/c/d a/b/e ab x/y x/yz/q x/w/v; do : >$f; done; : >$top/up
  $ printf '%s\n' ./a/b/c/d ./a/b/e ./ab x/y x/yz/q ./x/y x//y ../up x/./w/v x/w/v >L
  $ weir hash -a md5 --format mtree --files-from L >M; sed '1d; s/ type=file.*//' M; weir check M | sed 's/: OK//' | cmp - L
  . type=dir
  ./a type=dir
  ./a/b type=dir
  ./a/b/c type=dir
  ./a/b/c/d
  ./a/b/e
  ./ab
  #weir bare
  ./x type=dir
  ./x/y
  ./x/yz type=dir
  ./x/yz/q
  #weir dotted
  ./x type=dir
  ./x/y
  #weir bare
  ./x type=dir
  ./x//y
  ./.. type=dir
  ./../up
  ./x type=dir
  ./x/./w type=dir
  ./x/./w/v
  ./x/w type=dir
  ./x/w/v

## a malformed entry is reported with the number of its first line
  $ cat >M <<'END'
  > . type=dir
  > ./a type=nonsense
  > ./b size=-1
  > ./c size=x
  > ./d time=1.2.3
  > ./e\ type=file
  > ./e\
  >    md5=00
  > ./f sha256=00
  > ./g word
  > ./h =x
  > ./n\000 type=file
  > ./ok type=file sha3=zz mode=0644 flags=none nochange
  > ..
  > ..
  > ./x\M type=file
  > ./t time=99999999999999999999
  > ./s size=18446744073709551616
  > ./z time=1.1000000000
  > ./q\777 type=file
  > ./early time=-9223372036854775809
  > ./late time=9223372036854775808
  > ./last \
  > END
  $ weir check -w M 2>&1 | sed -n 's/.*: \([0-9]*\): improper.*/\1/p' | xargs; weir check M 2>/dev/null
  2 3 4 5 6 7 9 10 11 12 15 16 17 18 19 20 21 22 23
  [1]

## incompatible options are reported
  $ weir hash --format mtree --tag
  ! weir: --tag applies to --format text, not to --format mtree; see weir hash --help
  [2]
  $ weir hash --format mtree -z
  ! weir: --zero does not apply to --format mtree, whose lines end in a newline; see weir hash --help
  [2]
  $ weir check --format mtree
  ! weir: --format takes text or json, not mtree; see weir check --help
  [2]

## the entries of a missing optional directory may be missing too, as in mtree(8)
needs mtree
  $ row() { printf "#mtree\n. type=dir\n$1\n" >m; weir check m 2>&1; mtree -e -f m -p . | grep opt/; }
  $ each row '' <<'END'
  > ./opt type=dir optional\n./opt/f type=file size=2\n./opt/d type=dir\n./opt/d/l type=link
  > opt type=dir optional\n  f type=file size=2\n  d type=dir\n    l type=link\n  ..\n..\n..
  > ./opt type=dir optional\n./opt/d type=dir optional\n./opt/d/f type=file\n./opt/g type=file
  > END

## entries beside it, and entries of an existing one, may not be missing
  $ mkdir here; printf '%s\n' '#mtree' '. type=dir' './opt type=dir optional' './opt/f type=file' './option type=file' \
  >   './here type=dir optional' './here/f type=file' './opt type=file' './opt/g type=file' >m; weir check m 2>/dev/null
  ./option: FAILED (missing)
  ./here/f: FAILED (missing)
  ./opt: FAILED (missing)
  [1]

## entries below a directory with a malformed line stay below it
  $ mkdir d; printf xy >d/f; printf xy >g
  $ row() { printf "#mtree\n. type=dir\nd $1\n f type=file size=2\n..\ng type=file size=2\n..\n" >m; weir check m; echo $?; }
  $ row 'type=dir size=x'
  ./d/f: OK
  ./g: OK
  1
  ! weir: WARNING: 1 line is improperly formatted
  ! weir: WARNING: 2 listed files have no digest: the content was NOT verified
  $ quiet() { row "$1" 2>/dev/null; }
  $ printf '%s\n' 'size=x type=dir' 'type=dir what' 'type=dir md5=0' | each quiet './d/f: OK;./g: OK;1'

## a manifest with nothing to verify is reported as such, and not as malformed
  $ printf x >f; row() { printf "#mtree\n$1" >m; weir check m 2>&1; echo $?; }
  $ each row <<'END'
  > ./gone type=file optional\n => weir: m: nothing was verified;1
  > ./gone type=dir optional\n./gone/f size=1\n => weir: m: nothing was verified;1
  > ./f type=file ignore\n => weir: m: nothing was verified;1
  >  => weir: m: nothing was verified;1
  > ./f ignore\n./f size=x\n => weir: m: nothing was verified;weir: WARNING: 1 line is improperly formatted;1
  > ./f size=x\n => weir: m: no properly formatted checksum lines found;1
  > ./f type=file rmd160=00\n => weir: m: 2: rmd160 is not supported;weir: WARNING: 1 line could not be verified;3
  > END

## undigested: files without a digest are counted, and differ under --strict
  $ mkdir t; for f in a b c; do printf $f >t/$f; done; weir hash --format mtree t >M
  $ sed -i '/^..t.[ab] /s/ sha256=.*//' M; weir plan --shards 1 -o P t >/dev/null; weir check --summary M
  t/a: OK
  t/b: OK
  t/c: OK
  ! weir: WARNING: 2 listed files have no digest: the content was NOT verified
  ! weir: 5 lines: 3 right (2 without a digest), 2 directories and links; 1 B in ...
  $ weir check --quiet --strict M
  ! weir: WARNING: 2 listed files have no digest: the content was NOT verified
  [1]
  $ weir check --plan P --shard 0/1 --out parts --strict M 2>/dev/null
  [1]
  $ weir merge --plan P parts >/dev/null
  ! weir: WARNING: 2 listed files have no digest: the content was NOT verified
  [1]
