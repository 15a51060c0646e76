weir check, compared with sha256sum -c, and fed with the output of other tools.

## output, messages and their order are those of sha256sum -c
Mostly correct manifests of a few files. For GNU the last of --quiet, --status and --warn decides; weir combines them.
  $ forest t 40; cd t; mkdir dir; walk . >../names; xargs -0 sha256sum -z -- <../names >../sums; cat >../manifest <<'END'
  > # Prints lines that are valid, malformed, wrong, or of files that are missing.
  > $/ = "\0";
  > srand $ARGV[0];
  > open my $sums, "<", "../sums";
  > my @files = map { chomp; [substr($_, 0, 64), substr $_, 66] } <$sums>;
  > for (1 .. $ARGV[1]) {
  >   my $kind = int rand 20;
  >   print(("# comment\n", "no checksum line\n", "\n")[$kind]), next if $kind < 3;
  >   my ($digest, $name) = @{$files[rand @files]};
  >   $digest = reverse $digest if $kind == 3;
  >   $name .= "~none" if $kind == 4;
  >   $name = "dir" if rand 30 < 1;
  >   $digest = uc $digest if rand 2 < 1;
  >   my $begin = $name =~ s/([\\\n\r])/{ "\\" => "\\\\", "\n" => "\\n", "\r" => "\\r" }->{$1}/ge ? "\\" : "";
  >   my $mark = rand 2 < 1 ? " " : "*";
  >   print $begin, rand 2 < 1 ? "SHA256 ($name) = $digest" : "$digest $mark$name", rand 8 < 1 ? "\r\n" : "\n";
  > }
  > END
  $ row() {
  >   n=${1%% *}; set -- ${1#* }; [ -f m2.$n ] || for m in 0 1 2; do perl ../manifest $((m + 1)) $n >m$m.$n; done
  >   strict=--lenient; case "$*" in *--strict*) strict= ;; esac
  >   weir check $strict "$@" m?.$n >ours 2>&1; s=$?; sed -i 's/ found: it is empty/ found/' ours
  >   sha256sum -c "$@" m?.$n >theirs 2>&1; t=$?; sed -i 's/^sha256sum: /weir: /; s/ SHA256 checksum/ checksum/' theirs
  >   cmp theirs ours; [ $((s > 0)) = $((t > 0)) ] || echo $s and $t
  > }
  $ for n in 0 1 2 5 100; do
  >   for o in '' --quiet --status --warn --strict --ignore-missing '--strict --warn' '--ignore-missing --quiet' '--strict --ignore-missing'; do echo "$n $o"; done
  > done | each row ''

## the output of the other tools is verified, in every algorithm and form
xxhsum and openssl write newlines unescaped, and b3sum names that are no UTF-8 in another form.
needs xxhsum openssl b3sum
  $ forest t 120; mkdir p; for i in $(seq 30); do echo $i >"p/a $i (b) = c"; done; walk t >odd; walk p >plain
  $ row() {
  >   names=odd n=120 dashes=--; case $1 in xxh* | openssl*) names=plain n=30 dashes= ;; b3sum*) names=plain n=30 ;; esac
  >   xargs -0 ${1%%:*} $dashes <$names >M 2>/dev/null
  >   weir check ${1#*:} M >out && [ $(grep -c ': OK$' out) = $n ]; echo $?
  > }
  $ each row 0 <<'END'
  > sha256sum:
  > md5sum:
  > sha1sum:
  > sha224sum --tag:
  > sha384sum -b:
  > sha512sum --tag:
  > sha256sum -z:-z
  > md5sum --tag -z:-z
  > b2sum:-a blake2b
  > b2sum --tag:
  > xxhsum -H1:
  > xxhsum -H1 --tag:
  > xxhsum -H2 --tag --little-endian:
  > xxhsum -H0 --tag:
  > xxhsum -H3:
  > cksum -a sha256:
  > cksum -a blake2b:
  > cksum -a md5:
  > cksum -a sha512 --untagged:
  > openssl dgst -sha256:
  > openssl dgst -md5:
  > openssl dgst -r -sha1:
  > openssl dgst -sha512-256:
  > openssl dgst -sha3-256:
  > openssl dgst -sm3:
  > openssl dgst -sha3-512:
  > cksum -a sm3:
  > b2sum -l 256 --tag:
  > b2sum -l 8:-a blake2b
  > b3sum:
  > END

## CRC-32 is that of gzip, by any pieces, and is written and read with a tag
  $ for n in 0 1 7 8 9 100 65537 300000; do noise $n >f$n
  >   printf 'CRC32 (f%s) = %08x\n' $n $(gzip -c f$n | tail -c 8 | od -An -tu4 | awk '{ print $1 }')
  > done >expected
  $ weir hash -a crc32 $(ls -v f*) | cmp - expected; weir check --quiet expected

## a verdict is written when its line arrives, not at the end of the manifest
  $ echo >f; mkfifo in; exec 7<>in; sha256sum f >&7; start weir check <in >out 7>&-; await '[ -s out ]'; exec 7>&-
  > ended $!; cat out
  0
  f: OK

## ten times the lines need no more memory
needs unsanitized
Each lane has buffers, and a busy machine gets more lanes.
  $ mkfifo in; printf x >a; for n in 5000 50000; do yes "$(sha256sum a)" | head -n $n >m$n; done; most() {
  >   exec 7<>in; start weir check -j2 m$1 - <in >out 2>/dev/null 7>&-; await "[ \$(wc -l <out) = $1 ]"
  >   peak $!; exec 7>&-; ended $! >status
  > }
  $ few=$(for i in 1 2 3; do most 5000; done | sort -n | tail -n 1); many=$(for i in 1 2 3; do most 50000
  >   done | sort -n | head -n 1)
  $ [ $((many - few)) -lt 1536 ] || echo $few $many

## a list without a line that can be verified says why
  $ echo >f; mkdir d; echo >d/f; row() { eval "$1 M" 2>&1; echo $?; }
  $ each row <<'END'
  > weir hash -z f >M; weir check => weir: M: no properly formatted checksum lines found; its lines end in NUL: add --zero;1
  > weir hash d/f >M; weir check --strip 2 => weir: M: no properly formatted checksum lines found; --strip 2 leaves nothing of a name with fewer components;1
  > : >M; weir check => weir: M: no properly formatted checksum lines found: it is empty;1
  > echo a letter >M; weir check => weir: M: no properly formatted checksum lines found;1
  > END

## nested: a small manifest of nested directories has messages of a bounded size
Every name that a system call takes has a verdict.
  $ { printf '#mtree\n/set type=dir\n'; yes $(printf %060d 0) | head -n 5000; } >M; weir check M >out 2>err
  [1]
  $ cat out err | wc -c | awk -v m=$(wc -c <M) '{ print ($1 < 20 * m) }'; wc -l <out
  > grep -c 'improperly formatted' err
  1
  67
  1
