weir check --audit: the kinds of files, exit statuses, and moved files.

## the exit status is the lowest that applies
  $ row() {
  >   rm -rf t M; mkdir t; echo a >t/a; echo b >t/b; (cd t && sha256sum a b) >M
  >   eval "${1% -- *}"; weir check --audit t M ${1#* -- } 2>/dev/null; echo $?
  > }
  $ each row <<'END'
  > : -- --warn => a: OK;b: OK;0
  > echo >t/c -- --warn => a: OK;b: OK;c: new;4
  > mv t/a t/c -- --quiet => a: moved to c;4
  > mv t/a t/c; cp t/c t/d -- --quiet => d: new;a: moved to c;4
  > mv t/a t/c; echo >t/d -- --status => 4
  > rm t/a -- --quiet => a: FAILED open or read;1
  > rm t/a -- --quiet --ignore-missing => 0
  > rm t/a; echo >t/c -- --quiet --ignore-missing => c: new;4
  > echo >t/b; mv t/a t/c -- --quiet => b: FAILED;a: moved to c;1
  > rm t/a; mkdir t/a; echo >t/c -- --quiet => a: FAILED open or read;c: new;3
  > ln -s l t/l -- --quiet --follow => l: new;3
  > ln -s l t/l -- --quiet => 0
  > mkfifo t/p -- --quiet => 0
  > echo >t/c -- --quiet --exclude c => 0
  > mkdir t/d; echo >t/d/c -- --quiet --max-depth 1 => 0
  > : >M -- --warn => 1
  > echo junk >>M -- --strict --quiet => 1
  > echo 'TIGER (a) = 00000000' >>M -- --quiet => 3
  > END

## lines have their order, new files that of the walk, what was not found that of names
  $ mkdir -p t/d t/e; f() { printf %s "$1" >t/$2; }; l() { printf %s "$1" | md5sum | sed "s,-,$2,"; }
  $ f one a; f other b; f one e/k; f '' e/new; f '' e/void; f fresh f; mkfifo t/g; for n in w x y z; do f two d/$n; done
  $ (l one a; l two gone/y; echo nonsense; l one ./b; l '' gone/void; l two gone/q; l '' gone/void2; l one gone) >M
  $ weir check -j1 --audit t M
  a: OK
  ./b: FAILED
  d/x: new
  d/z: new
  e/new: new
  f: new
  gone: moved to e/k
  gone/q: moved to d/w
  gone/void: moved to e/void
  gone/void2: FAILED open or read
  gone/y: moved to d/y
  ! weir: g: skipped: is a FIFO
  ! weir: gone/void2: No such file or directory
  ! weir: WARNING: 1 line is improperly formatted
  ! weir: WARNING: 1 listed file could not be read
  ! weir: WARNING: 4 listed files have moved
  ! weir: WARNING: 1 computed checksum did NOT match
  ! weir: WARNING: 4 files are not listed
  [1]
  $ weir check -j1 --audit t M >one 2>&1; weir check -j4 --audit t M 2>&1 | cmp - one

## entries of mtree(5) that are ignored or unsupported are not new
  $ mkdir -p t/i/j; for n in a b i/x i/j/y ix; do printf x >t/$n; done
  $ printf '%s\n' '#mtree' './a type=file size=1' './b type=file rmd160=00' './i type=dir ignore' './none type=dir' \
  >   "./gone type=file size=1 md5=$(md5sum <t/a | cut -c-32)" >M
  $ weir check --audit t M 2>/dev/null
  ./a: OK
  ./gone: moved to ./ix
  ./none: FAILED (missing)
  [1]

## its JSON matches the schema, and has every kind
  $ mkdir t t/d; for n in a b c d/e; do echo $n >t/$n; done; (cd t && sha256sum a b c d/e) >M
  $ mv t/a "t/a
  > $(printf '\377')"; rm t/b; echo >t/c; echo >t/n; ln -s l t/l; mkfifo t/p
  $ weir check --format json --audit t --follow M 2>/dev/null
  {"type":"file","path":{"text":"c"},"status":"failed","manifest":{"text":"M"},"line":3,"algorithm":"sha256","expected":"a3a5e715f0cc574a73c3f9bebb6bc24f32ffd5b67b387244c2c909da779a1478","computed":"01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b"}
  {"type":"file","path":{"text":"d/e"},"status":"ok","manifest":{"text":"M"},"line":4,"algorithm":"sha256"}
  {"type":"new","path":{"text":"l"},"message":"Too many levels of symbolic links"}
  {"type":"new","path":{"text":"n"}}
  {"type":"skipped","path":{"text":"p"},"kind":"special","message":"is a FIFO"}
  {"type":"moved","path":{"text":"a"},"to":{"bytes":"YQr/"},"manifest":{"text":"M"},"line":1}
  {"type":"file","path":{"text":"b"},"status":"missing","manifest":{"text":"M"},"line":2,"message":"No such file or directory"}
  {"type":"manifest","path":{"text":"M"},"complete":true,"lines":4,"ok":1,"touched":0,"failed":1,"edited":0,"rot":0,"open":0,"others":0,"missing":1,"moved":1,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0}
  {"type":"summary","complete":true,"ok":1,"touched":0,"failed":1,"edited":0,"rot":0,"open":0,"others":0,"missing":1,"moved":1,"new":2,"unreadable":1,"malformed":0,"unsupported":0,"undigested":0,"bytes":9,"seconds":...}
  [1]

## manifests, the files beside them and the output are not new
  $ mkdir t t/s; echo a >t/a; (cd t && sha256sum a) >t/M; cp t/M t/s/M2
  $ touch t/M.mtree t/M.old t/M.partial.next t/s/M2.mtree; echo >t/M2.mtree
  $ weir check --audit t --trace t/trace t/M t/s/M2 >t/out 2>t/err
  [4]
  $ cat t/out t/err
  a: OK
  a: OK
  M2.mtree: new
  weir: t/M.mtree: cannot be read or has no records of t/M, and is therefore not used: rot cannot be told from an edit
  weir: t/s/M2.mtree: cannot be read or has no records of t/s/M2, and is therefore not used: rot cannot be told from an edit
  weir: WARNING: 1 file is not listed

The manifest may also be standard input. The other files exist by now.
  $ cd t && rm -r s *.mtree *.old *.next trace err && weir check --audit . <M >out; cat out
  a: OK

## different names of one file are one file, and new names are written alike
  $ mkdir t t/d; echo x >t/a; cp t/a t/d/b; ln -s t l; : >t/n
  $ new() {
  >   eval "for name in ${1% -- *}; do echo \$(sha256sum <t/a | cut -c1-64) '' \$name; done >M"
  >   eval "weir check --quiet ${1#* -- } M 2>&1"; echo $?
  > }
  $ each new <<'END'
  > a d/b -- --audit t => n: new;weir: WARNING: 1 file is not listed;4
  > ./a .//d/./b -- --audit t => ./n: new;weir: WARNING: 1 file is not listed;4
  > $PWD/t/a $PWD/t//d/b -- --audit t => $top/t/t/n: new;weir: WARNING: 1 file is not listed;4
  > $PWD/t/a d/b -- --audit $PWD/t => $top/t/t/n: new;weir: WARNING: 1 file is not listed;4
  > $PWD/l/a $PWD/l/d/b -- --audit l => $top/t/l/n: new;weir: WARNING: 1 file is not listed;4
  > $PWD/l/a $PWD/l/d/b -- --audit $PWD/l => $top/t/l/n: new;weir: WARNING: 1 file is not listed;4
  > $PWD/l/a $PWD/t/d/b -- --audit ./l/ => $top/t/l/n: new;weir: WARNING: 1 file is not listed;4
  > t/a t/d/b -- --audit t -C . => t/n: new;weir: WARNING: 1 file is not listed;4
  > t/a ./t/d/b -- --audit ./t// -C $PWD => t/n: new;weir: WARNING: 1 file is not listed;4
  > t/a t/d/b -- --audit $PWD/t -C . => t/n: new;weir: WARNING: 1 file is not listed;4
  > ../t/a ../t/d/b -- --audit ../t -C t => ../t/n: new;weir: WARNING: 1 file is not listed;4
  > $PWD/t/a $PWD/t/d/b -- --audit t -C . => $top/t/t/n: new;weir: WARNING: 1 file is not listed;4
  > END

## files below -C but outside DIR are verified, and never new
  $ mkdir r r/s r/o; for n in s/a s/b o/a o/b; do echo $n >r/$n; done
  $ (cd r && sha256sum s/a s/b o/a o/b) >r/M; echo >r/s/n; echo >r/o/n; mv r/o/b r/s/o
  $ weir check -C r --audit s r/M 2>/dev/null
  s/a: OK
  s/b: OK
  o/a: OK
  s/n: new
  o/b: moved to s/o
  [4]

## an audit by a manifest without a line finds nothing new
  $ mkdir t; echo a >t/a; weir hash -C missing . 2>/dev/null | weir check --audit t
  ! weir: 'standard input': no properly formatted checksum lines found: it is empty
  ! weir: WARNING: unlisted files were not looked for, since no manifest lists a file
  [1]
  $ : | weir check --format json --audit t
  {"type":"manifest","path":{"text":"-"},"complete":true,"lines":0,"ok":0,"touched":0,"failed":0,"edited":0,"rot":0,"open":0,"others":0,"missing":0,"moved":0,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0}
  {"type":"summary","complete":true,"ok":0,"touched":0,"failed":0,"edited":0,"rot":0,"open":0,"others":0,"missing":0,"moved":0,"new":0,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0,"bytes":0,"seconds":...}
  ! weir: 'standard input': no properly formatted checksum lines found: it is empty
  ! weir: WARNING: unlisted files were not looked for, since no manifest lists a file
  [1]

## mistakes with --audit are reported, and leave no files
  $ mkdir t d; printf x >t/a; (cd t && sha256sum a >../M)
  $ mistake() { eval "weir check $1" 2>&1; echo $?; }
  $ each mistake <<'END'
  > --follow M => weir: --follow needs --audit DIR: the files of a manifest are fixed; see weir check --help;2
  > --exclude x M => weir: --exclude needs --audit DIR: the files of a manifest are fixed; see weir check --help;2
  > --audit none M => weir: none: No such file or directory;2
  > --audit M M => weir: M: Not a directory;2
  > --audit none -C t M => weir: none: No such file or directory;2
  > --audit a -C t M => weir: a: Not a directory;2
  > --audit '' M => weir: '': No such file or directory;2
  > END
  $ ls -A | xargs
  M d t

## a file with several lines has moved once, and is not missing
  $ mkdir t; echo a >t/a; weir hash -C t -a md5 -a sha256 . >M; mv t/a t/b
  $ weir check --audit t --format json M | grep -c '"missing":0,"moved":1,'
  2
  ! weir: WARNING: 1 listed file has moved

## a file has moved only if it has all digests and the size that its line records
A block and another one with its MD5, by Wang and Yu. Six bits differ.
  $ base64 -d >one <<'END'
  > 0THdAsXm7sRpPZoGmK/5XC/KtYcSRn6rQARYPrj7f4lVrTQGCfSzAoPkiIMlcUFaCFEl6PfNyZ/ZHb3ygDc8W9iCPjFWNI9b
  > rm2s1DbJGcbdU+K0h9oD/QI5YwbSSM2g6Z8zQg9XfujOVLZwgKgNHsaYIby2qIOTlvllK2/3KnA=
  > END
  $ perl -pe 'BEGIN { undef $/ } for my $i (19, 45, 59, 83, 109, 123) { substr($_, $i, 1) ^= "\x80" }' <one >other
  $ mkdir t u; mv one t/a; echo 1 >t/b; echo 1 >t/c; for f in mtree text; do weir hash --format $f -a md5,sha256 -C t . >$f; done
  $ sed '/b /s/size=2/size=3/' mtree >size; mv t/b u/d; mv t/c u/e; mv other u/f; grep ./b text >B; grep ./c mtree >C
  $ md5sum t/a u/f | cut -c 1-32 | uniq | grep -c .
  1
  $ row() { weir check --audit u $1 2>/dev/null; }; each row <<'END'
  > mtree => ./f: new;./a: FAILED (missing);./b: moved to ./d;./c: moved to ./e
  > text => ./f: new;./a: FAILED open or read;./a: FAILED open or read;./b: moved to ./d;./c: moved to ./e
  > size => ./e: new;./f: new;./a: FAILED (missing);./b: FAILED (missing);./c: moved to ./d
  > B C => ./f: new;./b: moved to ./d;./c: moved to ./e
  > END

## each line is in one count, also further lines of a file that has moved
  $ mkdir t; for i in 1 2 3 4; do echo $i >t/$i; done; weir hash -a sha256,md5 -o M t; rm t/1 t/2; mv t/3 t/5; mv t/4 t/6
  $ weir check --quiet --summary --audit t M 2>&1 | grep -o '^weir: 8 .*files;'
  weir: 8 lines: 0 right, 2 missing, 2 moved, 4 more of the same files;
