Called as a checksum tool or wc, weir writes what the tool of GNU coreutils 9.1 writes, byte for byte and in its order, and
ends as it does. `compare` runs each line of its input as a command, by the tools of GNU and by weir, and prints what differs;
it runs a command that writes to both streams again, for their order.
`make test` takes a part of the calls, and `make test-calls` all of them.

needs gnu

  $ mkdir ours d; for f in b2sum cksum wc $(printf '%ssum\n' md5 sha1 sha224 sha256 sha384 sha512); do
  >   ln -s "$(command -v weir)" ours/$f; done; echo hello >f
  $ few() { [ "$tables" ] && cat || awk -v n=$1 'NR % n == 1'; }
  $ once() { (PATH=$1:$PATH; eval "$call") </dev/null; }
  $ compare() {
  >   mkdir -p r/ours r/bin; n=0; while IFS= read -r call; do n=$((n + 1)); printf '%s\n' "$call" >r/$n
  >     for p in $PWD/ours /usr/bin; do o=r/${p##*/}/$n; once $p >$o.out 2>$o.err; s=$?
  >       [ ! -s $o.out ] || [ ! -s $o.err ] || once $p >$o.both 2>&1; echo $s >>$o.out; done
  >   done; diff -qrN r/ours r/bin | sed 's,.*/,,; s/ differ//' | while read -r o; do
  >     cat r/${o%.*}; diff -aN r/ours/$o r/bin/$o | head -n 4; done
  > }
  $ random() { perl $transcripts/dropins/calls.pl $1 ${WEIR_TEST_CALLS:-$2} $WEIR_TEST_SEED; }

## random calls of the checksum tools
  $ random sums 24

## random calls of wc
  $ random wc 24

## every pair of options, with --check and without
  $ pairs() { for one; do for other; do echo "$t $one $other f"; echo "$t $one -c $other m"; done; done; }
  $ sum=$(sha256sum f); printf '%s\nno line\n%s\n' "$sum" "${sum%f}gone" >m
  $ t=sha256sum; pairs -b -t --tag -z -w --quiet --status --strict --ignore-missing -x | few 7 | compare
  $ { cksum -amd5 f; echo no line; } >m; t=cksum
  $ pairs --tag --untagged -z -w --quiet --status --strict -b --debug -l8 -amd5 -acrc -ablake2b -a --a=md5 --u | few 17 | compare

## abbreviations of options
  $ short() { for o; do while [ "$o" ]; do case $o in help | version) ;; *) echo "$t --$o f" ;; esac; o=${o%?}; done; done; }
  $ { t=md5sum; short check ignore-missing quiet status warn strict tag zero binary text helpless versions
  >   t=wc; short bytes chars lines words debug files0-from max-line-length helpless versions =x lines=3
  > } | grep -v -e '--\(h\|he\|hel\|v\|ve\|ver\|vers\|versi\|versio\) f$' | few 4 | compare

## an output that cannot be written, or a standard input that is closed
  $ mkfifo p; for to in '>/dev/full' '>&-' '3<>p 4>p 3>&- >&4'; do
  >   for words in f '-z f' 'f gone' '-z gone f' gone --help; do echo "sha256sum $words $to"; done
  >   for words in f 'f gone' gone d --help -; do echo "wc $words $to"; echo "wc $words $to <&-"; done
  > done | few 4 | compare

## lists for wc, from a file and from a pipe
  $ printf 'f\0gone\0f\0' >list; printf 'f\0f' >open; : >none; printf '\0' >empty; printf 'f\0\0-\0' >gap; printf 'f\0' >one
  $ { for l in list open none empty gap one d; do for o in '' -l -c -lw; do
  >     echo "wc $o --files0-from=$l"; echo "wc $o --files0-from - <$l"; echo "cat $l 2>&1 | wc $o --files0-from -"; done; done
  >   printf 'wc --files0-from=%s\n' 'list f' gone "'' 'a b'"; } | few 7 | compare

## b2sum and cksum at every length, and its lines verified
  $ noise 3000 >g; for l in $(seq 8 8 512); do
  >   for t in b2sum 'b2sum --tag' 'cksum -a blake2b'; do
  >     echo "$t -l $l f g; $t -l $l f g >m; ${t%% *} -c --strict m; cksum -a blake2b -l 64 -wc m"; done; done | few 17 | compare

## the argument of --length: numbers, no numbers, and too large ones, in both locales
  $ for argument in '' 0 00 +8 ' 8' '\t16' '8 ' -8 --8 7 9 520 512 0x10 010 8x x 18446744073709551608 18446744073709551615 \
  >   18446744073709551616 99999999999999999999999999 1e3 8k '\047' 'it\047s' 'a\\b' 'a\nb\001' ö ’ '\342\200\213' '?' 'a b' '\377' \
  >   '\303' '8\200'; do
  >   for words in 'b2sum -l' 'b2sum --tag -c -l' 'cksum -l' 'cksum -ablake2b -l' 'cksum -amd5 -l' 'cksum -a'; do
  >     for l in C C.UTF-8; do printf '%s\n' "LC_ALL=$l $words \"\$(printf -- '$argument')\" f"; done; done; done | few 17 | compare

## every algorithm of cksum: files of many sizes, standard input, and all forms of a line
  $ for n in 0 1 2 3 7 8 63 64 65 127 128 511 512 513 1023 1024 1025 32767 32768 65535 65536 65537 1048577; do
  >   noise $n >s$n; done; noise 60000 >h
  $ for name in 'new
  > line' 'back\slash' 'a b' -x ö; do noise 300 >"./$name"; done
  $ algorithms='bsd sysv crc md5 sha1 sha224 sha256 sha384 sha512 blake2b sm3'
  $ for a in $algorithms; do echo "cksum -a $a s* <h; cat s65537 | cksum -a $a"; done | compare
  $ for a in $algorithms; do
  >   for o in '' --untagged --tag '--untagged --tag' '--tag --untagged' -z '-z --untagged' --debug; do
  >     echo "cksum -a $a $o -- s* [!a-z]* a* back* new*; cksum -a $a $o gone f s1"
  >     for i in s65537 /dev/null; do echo "cksum -a $a $o <$i; cksum -a $a $o f - gone f <$i"; done
  >     echo "cat h | cksum -a $a $o"
  >   done; echo "cksum -a $a -c f"; echo "cksum -c -a $a"; echo "cksum -l 8 -a $a f"
  >   [ $a = crc ] || echo "cksum -a $a d f"
  > done | few 23 | compare

## lines of several algorithms in one manifest, valid, damaged and of none
After the beginning of a digest GNU's tool, with --algorithm, expects as few digits in untagged lines; no tool writes one, and
weir does not follow there.
  $ { for a in bsd sysv crc md5 sha1 sha224 sha256 sha384 sha512 blake2b sm3; do cksum -a $a f; cksum -a $a --untagged f; done
  >   cat <<'END'
  > BLAKE2b-24 (f) = 000000
  > BLAKE2b-24 (f) = 00000
  > BLAKE2b-7 (f) = 00
  > BLAKE2b- (f) = 00
  > MD5 (f) = 00
  > MD5x(f) = 00
  > MD5
  > SHA256
  > SHA2
  > BLAKE2b
  > CRC (f) = 1
  > BSD (f) = 1
  > sm3 (f) = 00
  > junk
  > 
  > # comment
  > MD5X (f) = b1946ac92492d2347c6235b4d2611184
  > MD5X(f) = b1946ac92492d2347c6235b4d2611184
  > END
  > } >lines; printf '%s\n' 'SM3-8 (f) = 00' 'MD5-16 (f) = b194' 'MD5-16 (f) = b195' 'MD5-0x8 (f) = b1' 'MD5-0 (f) = b1' \
  >   'MD5-128 (f) = b1946ac92492d2347c6235b4d2611184' 'MD5-136 (f) = b1946ac92492d2347c6235b4d261118400' >short
  $ perl -MList::Util=shuffle,min -e 'srand shift; my ($lines, $short) = map { open my $f, "<", $_; [<$f>] } "lines", "short";
  >   sub set { open my $f, ">", shift; print $f @_ } sub one { my ($n, @of) = @_; (shuffle @of)[0 .. min($n, scalar @of) - 1] }
  >   for (1 .. 32) { set("n$_", my @n = one((40, 1, 4, 9)[$_ % 4], @$lines)); set("m$_", shuffle @n, one($_ % 4, @$short)) }
  > ' $WEIR_TEST_SEED; i=0; for a in md5 sha1 sha224 sha256 sha384 sha512 blake2b sm3; do for n in 1 4 9 40; do i=$((i + 1))
  >     echo "cksum -a $a -wc n$i"; for o in -c -wc '-c --strict --quiet' '-c --tag'; do echo "cksum $o m$i n$i"; done; done
  > done | few 7 | compare
