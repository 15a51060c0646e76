weir count, compared with wc.

  $ same() { eval "wc $*" >>theirs 2>&1; eval "weir count $*" >>ours 2>&1; }

## columns, names and the total, in each locale
  $ printf 'hello wörld\n\ttab\n' >a; : >empty; printf '%012345d' 0 >long; printf 'x\ny' >'new
  > line'; row() { for LC_ALL in C C.UTF-8; do export LC_ALL
  >   for o in '' -l -w -c -m -L -lw -Lmcwl --max-line-length; do same $o "$1" '<long'; done; done; cmp ours theirs; }
  $ each row '' <<'END'
  > a
  > a empty long new*
  > -
  > a -
  > 
  > END

## every character is counted as wc counts it
A letter on each side shows if the character separates words. One file for each 1,024 characters of the first plane.
  $ perl -e 'binmode STDOUT; for my $plane (0 .. 63) {
  >   open F, ">:utf8", "plane$plane";
  >   for ($plane << 10 .. ($plane + 1 << 10) - 1) { next if $_ >= 0xd800 && $_ < 0xe000; no warnings; my $c = chr; print F "a${c}b\t$c $c\n" } }
  > for my $range (0 .. 15) {
  >   open F, ">:utf8", "range$range"; no warnings;
  >   for (my $c = $range + 1 << 16; $c < $range + 2 << 16; $c += 7) { print F "a" . chr($c) . "b\n" } }' 
  $ same -Lmcwl plane* range*; cmp ours theirs; wc -m plane* range* | tail -n 1
  1107136 total

## a big file has the same counts for any number of jobs
A piece has 4 MiB: a word, a character and a line cross each boundary.
  $ perl -e 'print "x" x 1048576, "\n"; for (1 .. 9) { my $t = "\n\t wörd€wide€€€€€€word\xc2\xa0"; print "x" x (($_ << 22) - (tell STDOUT) - $_ * 3), $t }' >big
  $ noise 100000 >>big; for j in 1 2 7; do weir count -j$j -Lmcwl big; done | uniq -c >ours
  > wc -Lmcwl big | sed 's/^/      3 /' | cmp - ours

## a list is read for the width, and not kept
needs unsanitized
  $ mkfifo in; most() {
  >   n=$(printf %0200d 0); yes $n | head -n $1 >l; : >$n; exec 7<>in
  >   start weir count -c --files-from l - <in >out 7>&-; await "[ \$(wc -l <out) = $1 ]"
  >   peak $!; exec 7>&-; ended $! >status
  > }
  $ few=$(most 24000); many=$(most 48000); [ $((many - few)) -lt 4096 ] || echo $few $many
