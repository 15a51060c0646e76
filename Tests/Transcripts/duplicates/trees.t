weir duplicates on trees of unusual names, at few descriptors, and at any moment of a signal.

`plant DIR` makes copies, near copies, hard links, empty files, a FIFO and cycles of symbolic links.

  $ plant() {
  >   forest $1 60; mkdir -p $1/deep/er; for s in 0 1 60 199 4096 70000; do
  >     for f in $1/$s $1/deep/$s "$1/$(printf '\377\n')$s"; do head -c $s /dev/zero | tr '\0' a >"$f"; done
  >     printf b >>$1/deep/near$s; ln $1/$s "$1/deep/er/ link $s"
  >   done; for f in '# 2 files' '= a' '\' '\n' =b '#c' ' d'; do echo odd >"$1/$f"; done; ln -s .. $1/loop
  >     ln -s ../deep $1/deep/loop; mkfifo $1/deep/fifo
  > }

## text, --zero and JSON have the same groups, and preserve any name
As a list, so that lines begin with the unusual names.
  $ plant t; (cd t; find . -type f -printf '%P\0') >list
  > d() { weir duplicates -C t --files0-from list --min-size=0 --hard-links "$@" 2>/dev/null; }
  $ cat >names <<'END'
  > while (<>) {
  >   next if /^# /;
  >   chomp; s/^= //;
  >   s/\\(.)/{ n => "\n", r => "\r" }->{$1} \/\/ $1/ge if s/^\\//;
  >   print "$_\0";
  > }
  > END
  $ d >text; d --zero >zero; perl names text | cmp - zero; tr '\0' '\n' <zero | wc -l; grep -c '^\\= ' text
  > grep -c '^\\# ' text
  51
  1
  1
  $ cat >objects <<'END'
  > use JSON::PP; use MIME::Base64; local $/ = $ARGV[0] eq "-z" ? "\0" : "\n"; shift;
  > while (<>) {
  >   chomp; my $object = decode_json $_; next if $object->{type} ne "group"; push @savings, $object->{saving};
  >   for my $file (@{$object->{files}}) { for (@{$file->{paths}}) { my $text = $_->{text}; utf8::encode $text if defined $text; print $text // decode_base64($_->{bytes}), "\0" } }
  >   print "\0";
  > }
  > END
  $ for z in '' -z; do d --format=json $z >json; perl objects "$z" json | cmp - zero; done
  $ tr '\0' '\n' <json | grep -o '"saving":[0-9]*' | sed '$d; s/.*://' | sort -rnc
  > tail -c 400 json | grep -ao '"groups.*"shared"'
  "groups":8,"directories":0,"duplicates":28,"hard_links":6,"saving":148741,"shared"

## a file is listed under its own name, not that of a link to it, at any depth
  $ echo same >g; p=$(printf %0100d 0); mkdir t; (cd t; for i in $(seq 50); do mkdir $p; cd -P $p; done; echo same >f
  >   ln -s f a)
  $ for n in 8 1024; do for o in --hard-links --verify; do (ulimit -n $n
  >       exec weir duplicates --follow $o t t/$p/.. g); done; done | sed "s,\($p/\)*$p,DEEP," | sort | uniq -c
  \x20     4\x20 (esc)
        4 # 2 files of 5 bytes: 5 bytes could be saved
        4 g
        4 t/DEEP/f

## at any ulimit -n the output is complete, the same, and silent
  $ plant t; rm t/deep/fifo; weir duplicates t >whole; for n in 8 9 12 33; do
  >   for o in '-j1 --verify' '-j30 --progress=never' '-j7 --verify'; do
  >     (ulimit -n $n; exec weir duplicates $o t t/deep) | cmp - whole; done; done

## at any moment of a signal, the run is complete exactly if all groups are written
  $ mkdir t; perl -e 'for my $i (1 .. 150) { for ("", ".c") {
  >   open my $file, ">", "t/$i$_"; print $file $i % 10 x ($i % 4 * $i % 4 * 160000 + 100), "$i\n" } }'
  $ for i in $([ "$tables" ] && seq 16 || seq 1 3 16); do
  >   o=--verify; [ $((i % 2)) = 0 ] || o=--hard-links; start weir duplicates --format=json $o t >out 2>err
  >   await 'read=$(awk "/rchar/ { print \$2 }" /proc/$!/io); [ ${read:-25000000} -ge $((i * 1500000)) ]' 2>/dev/null
  >   kill $! 2>/dev/null; wait $! 2>/dev/null; n=$(grep -c '"group"' out)
  >   [ $n = 150 ] && c=true || c=false
  >   tail -n 1 out | grep -q "\"summary\",\"complete\":$c,.*\"groups\":$n,.*\"unreadable\":0," || tail -n 1 out
  >   [ $c = true ] || grep -q 'the rest is missing' err || cat err
  >   [ $c = false ] || ! grep 'the rest is missing' err
  > done

## a run over files whose sizes have no sum in 64 bits is ended by a signal alone
Only tmpfs has such files.
needs sizes unsanitized
  $ d=$(mktemp -d /dev/shm/weir.XXXXXX); truncate -s 9223372036854775807 $d/1 $d/2 $d/3
  > start nice weir duplicates -j1 $d 2>/dev/null; run=$!; works; kill -INT $run; ended $run; rm -r $d
  INT

## groups are the same with recorded digests, and files as recorded are not read
Equal sizes, below and above what is read at once.
  $ row() {
  >   fresh; mkdir t; perl -e 'for (1 .. 60) { open my $file, ">", "t/f$_"; print $file $_ * 7 % 10 x ($_ % 2 * 99900 + 100) }'
  >   d() { weir duplicates "$@"; }
  >   weir hash -a $1 -o R t; weir hash -a $1 --format mtree t >M; for r in R M; do
  >     d --records $r --format json t | tail -n 1 | grep -o '"read":[0-9]*'; done
  >   for n in 1 2 3 4; do cp t/f$((10 * n)) t/f$n; ln -f t/f$((10 * n + 1)) t/f3$n; touch t/f3$n; done
  >   touch t/f50 t/f51; rm t/f57; cp t/f56 t/new; noise 100 >t/f55; cp t/f55 t/f54
  >   d t >a; for r in R M; do d --records $r ./t/ >b; sed -i 's,^[.]/,,; s,^= [.]/,= ,' b; diff a b; done
  >   d --verify --records R t | diff a -
  > }
  $ each row '"read":0;"read":0' <<'END'
  > sha256
  > xxh128
  > sha1,blake3
  > END
  $ cd $top/t; echo >a; weir duplicates --records a .
  ! weir: a: records no files with size, time and digest; see weir hash -o
  [2]

## the known and the unknown files are those of the contents, by manifests of every format
needs b3sum mtree
  $ plant archive; plant t; rm archive/1 archive/deep/*60 archive/*/fifo t/*/fifo; for i in 1 2 3; do
  >   echo unknown$i >t/u$i; done
  $ (cd archive; find . -type f -print0 | xargs -0 sha256sum) | sed 's/^\\//; s/  .*//' | sort -u >contents
  > find t -type f -print0 | sort -z >files
  $ xargs -0 sha256sum <files | sed 's/^\\//; s/  .*//' >digests
  $ row() {
  >   (cd archive; eval "$1") >M; a=; case $1 in *xxh128*) a='-a xxh128' ;; esac
  >   for o in '' --unknown; do weir duplicates --known M $a $o -z t; done | sort -z | cmp - files
  >   weir duplicates --known M $a -z t | tr -dc '\0' | wc -c
  > }
  $ each row "$(grep -cFf contents digests)" <<'END'
  > find . -type f -print0 | xargs -0 sha256sum
  > find . -type f -print0 | xargs -0 md5sum --tag
  > find . -type f -print0 | xargs -0 b3sum
  > weir hash -a xxh128 .
  > weir hash -a md5,sha1,blake2b .
  > weir hash --format mtree . 2>/dev/null
  > weir hash --format mtree -a sha512,xxh64 . 2>/dev/null
  > mtree -c -k type,size,sha256 -p .
  > END
  ! weir: M: line 100: is no line with a digest; 2 lines not used
  ! weir: M: line 100: is no line with a digest; 2 lines not used
  ! weir: M: line 100: is no line with a digest; 2 lines not used
  $ (cd archive; weir hash . 2>/dev/null) >M; weir duplicates --known M --format json t | grep -c '"known_as"'
  > weir duplicates --known M t | grep -avc '^[#=]\|^$'
  42
  42

## only files of a recorded size are opened
needs strace
  $ mkdir t archive; perl -e 'for (1 .. 400) { open my $file, ">", "t/f$_"; print $file $_ % 7 x ($_ % 99 + 1) }'
  > for i in 7 20 50; do cp t/f$i archive; done
  $ weir hash --format mtree archive >M
  > strace -f -o trace -e trace=open,openat,openat2 weir duplicates --known M --zero t | tr '\0' '\n' | wc -l
  3
  $ grep -v ENOENT trace | grep -o '"[^"]*f[0-9]*"' | tr -dc '0-9\n' | sort -nu >opened; for i in $(seq 400); do
  >   case $((i % 99)) in 7 | 20 | 50) echo $i ;; esac; done | cmp - opened
