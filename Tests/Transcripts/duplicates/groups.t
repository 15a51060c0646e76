weir duplicates: which files are in a group, and what has to be read for it.

  $ d() { weir duplicates "$@"; }
  $ file() { head -c ${2%@*} /dev/zero >$1; [ ${2#*@} = $2 ] || printf x | dd of=$1 bs=1 seek=${2#*@} conv=notrunc 2>/dev/null; }

## the groups are those of a search that reads everything
needs xxhsum
Files of sizes around what is read at once, that differ in one byte or none, with hard links.
  $ perl -e 'mkdir for "t", "t/d", $odd = "t/\377\nb"; sub file {
  >     my ($text, $at) = ("\0" x $_[1], $_[2]); substr $text, $at, 1, "x" if length $at; open F, ">", "$_[0]"; print F $text }
  >   for $n (0, 1, 100, 8192, 8193, 65536, 65537, 70000) { for $at ("", $n ? (0, int $n / 3, int $n / 2, $n - 1) : ()) {
  >     $p = $at eq "" ? "" : "\@$at"; file("t/$n.$_$p", $n, $at) for 1, 2; file("$odd/$n$p", $n, $at);
  >     link "t/$n.1$p", "t/d/= $n$p"; link "$odd/$n$p", "t/d/b$n$p" }
  >   file("t/lone$n", $n, 1), link "t/lone$n", "t/d/lone$n" if $n }'; find t -type f -printf x | wc -c
  179
  $ cat >model <<'END'
  > use File::Find;
  > my ($least, $links) = @ARGV;
  > find({ no_chdir => 1, wanted => sub {
  >   my @status = lstat;
  >   return if !-f _ || $status[7] < $least;
  >   open my $file, "<", $_; local $/; my $content = <$file> // "";
  >   push @{$groups{$content}}, $_; $inodes{$content}{$status[1]} = 1;
  > } }, "t");
  > for (keys %groups) {
  >   print join("|", sort @{$groups{$_}}), "\0" if keys %{$inodes{$_}} > 1 || $links && @{$groups{$_}} > 1;
  > }
  > END
  $ groups() { perl -e 'local $/; print join("|", sort split /\0/), "\0" for split /\0\0/, <STDIN>' | sort -z; }
  $ row() {
  >   perl model ${1%% *} $(echo $1 | grep -o hard) | sort -z >expected; tr -dc '\0' <expected | wc -c
  >   for o in '-j1' '-j7 --verify' '--unordered --verify'; do d -z --files-only --min-size $1 $o t | groups | cmp - expected; done
  > }
  $ each row <<'END'
  > 0 => 33
  > 0 --hard-links => 40
  > 1 => 32
  > 101 --hard-links => 30
  > 8193 => 20
  > END
The digest is that of the content.
  $ d --format json --files-only --min-size 70000 t | grep -o '"xxh128":"[0-9a-f]*' | cut -d '"' -f 4 | sort >digests
  > for f in t/70000.*; do xxhsum -H2 $f 2>/dev/null | cut -d ' ' -f 1; done | sort -u | cmp - digests

## no file is read without need
Sizes of files, with the places of bytes that differ; the files that are read, and the bytes.
  $ row() {
  >   fresh; i=0; for f in $1; do i=$((i + 1)); file $i $f; done
  >   d --format json . | tail -n 1 | sed 's/.*"read":\([0-9]*\).*"bytes":\([0-9]*\).*/\1 \2/'
  > }
  $ each row <<'END'
  > 1 2 100000 => 0 0
  > 100 100@0 3 => 2 200
  > 65536 65536 => 2 131072
  > 65537 65537@0 => 2 16384
  > 100000 100000@0 100000@99999 => 3 24576
  > 100000 100000 => 2 216384
  > 100000 100000@50000 => 2 216384
  > 100000 100000 100000@0 => 3 224576
  > END
Twelve names of one file, and two of its copy.
  $ fresh; file 1 100000; cp 1 2; for i in 3 4 5 6 7 8 9 10 11 12; do ln 1 $i; done; ln 2 13; d --format json . | tail -n 1 |
  >   grep -o '"read":[0-9]*\|"hard_links":[0-9]*\|"saving":[0-9]*\|"bytes":[0-9]*' | xargs
  read:2 hard_links:11 saving:100000 bytes:216384

## several spellings of a path are one name, and hard links are several
  $ mkdir -p a/b; echo x >a/b/f; ln -s a l; all='a/b/f ./a/b/f a//b/f a/b/../b/f l/b/f a/b a l a/b/f'; d --hard-links $all
  $ ln a/b/f a/f; d --hard-links $all; echo x >c; d --hard-links c $all
  # 1 file of 2 bytes with 2 names
  a/b/f
  = a/f
   (esc)
  # 2 files of 2 bytes: 2 bytes could be saved
  c
  a/b/f
  = a/f
   (esc)

## a symbolic link is not a name of a file that has another name
  $ mkdir t u; for f in t/real t/two u/far; do echo same >$f; done; ln t/real t/s; ln -s real t/a; ln -s two t/z; ln -s ../u/far t/b
  > ln -s b t/c; ln -s ../t u/in; row() { d --hard-links $1 | grep -v '^#\|^$'; }
  $ each row <<'END'
  > --follow t => t/b;t/real;= t/s;t/two
  > t/a t/two t/real => t/two;t/real
  > t/a t/real =>
  > t/b t/c =>
  > t/a t/b t/c => t/a;t/b
  > END

## files whose size is none of theirs are not equal
  $ : >a; : >b; d --min-size 0 /proc/version /proc/self/status /proc/self/mounts a b
  # 2 files of 0 bytes: 0 bytes could be saved
  a
  b
   (esc)
  ! weir: /proc/version: its content does not have the size that stat reports
  ! weir: /proc/self/status: its content does not have the size that stat reports
  ! weir: /proc/self/mounts: its content does not have the size that stat reports
  ! weir: 5 files examined, 2 read, 3 could not be read
  [3]
  $ d --min-size 0 --verify /proc/version /proc/self/status /proc/self/mounts a b
  # 2 files of 0 bytes: 0 bytes could be saved
  a
  b
   (esc)
  ! weir: /proc/version: its content does not have the size that stat reports
  ! weir: /proc/self/status: its content does not have the size that stat reports
  ! weir: /proc/self/mounts: its content does not have the size that stat reports
  ! weir: 5 files examined, 2 read, 3 could not be read
  [3]

## the directories that are the same as wholes are those of a plain comparison
Random trees of few contents, some alike, with hard links and dangling links. The model prints what differs.
  $ cat >model <<'END'
  > srand shift; sub one { $_[rand @_] }
  > my (@dirs, @files, %said, %classes, %found);
  > sub plant {
  >   my ($path, $depth) = @_; mkdir $path; my $dir = { path => "$path/" }; push @dirs, $dir;
  >   for my $name (grep { rand 3 > 1 } "a", "b", "c'\n") {
  >     my ($at, $kind, $node) = ("$path/$name", int rand 14);
  >     if ($kind == 0 && $depth > 1) { symlink "none", $at; $node = {} }
  >     elsif ($kind == 1 && @files) { $node = one @files; link $node->{path}, $at }
  >     elsif ($kind > 1 && $kind < 7 && $depth < 4) { $node = plant($at, $depth + 1) }
  >     else {
  >       my $text = one "", "1", "2", "333"; open my $file, ">", $at; print $file $text; close $file;
  >       push @files, $node = { path => $at, value => "F$text", sizes => { scalar @files => length $text } };
  >     }
  >     push @{$dir->{parts}}, defined $node->{value} ? length($name) . $name . length($node->{value}) . $node->{value} : undef;
  >     $dir->{sizes} = { %{$dir->{sizes} // {}}, %{$node->{sizes} // {}} };
  >   }
  >   $dir->{value} = "D" . join ",", @{$dir->{parts} // []} unless grep { !defined } @{$dir->{parts} // []};
  >   return $dir;
  > }
  > sub parents { my %parents; $parents{s,[^/]*/?$,,sr} = 1 for @_; sort keys %parents }
  > sub groups { my $text = `weir duplicates --zero @_ t`; map { [split /\0/] } split /\0\0/, $text }
  > mkdir "t"; my $seed = int rand 1e6;
  > for my $tree ("k", "l", "m", "n") { $seed = int rand 1e6 if $tree eq "k" || rand 2 < 1; srand $seed; plant("t/$tree", 1) }
  > for (@dirs) { push @{$classes{$_->{value}}}, $_ if defined $_->{value} }
  > my @expected;
  > for (@dirs) {
  >   my @members = @{delete $classes{$_->{value} // "-"} // []}; next if @members < 2;
  >   my @paths = map { $_->{path} } @members; my $key = join "\0", sort @paths; my @parents = parents(@paths);
  >   my ($saving, %seen) = (0, %{$members[0]{sizes} // {}});
  >   for my $member (@members[1 .. $#members]) { for (keys %{$member->{sizes} // {}}) { $saving += $member->{sizes}{$_} if !exists $seen{$_}; $seen{$_} = 1 } }
  >   if (@parents == @paths && $said{join "\0", @parents}) { $said{$key} = 1 }
  >   elsif ($saving > 0) { $said{$key} = 1; push @expected, join "|", @paths }
  > }
  > my @groups = groups();
  > my @directories = sort map { join "|", @$_ } grep { $_->[0] =~ m,/$, } @groups;
  > print "instead of @expected: @directories\n" if "@directories" ne join " ", sort @expected;
  > # A group of files is left out exactly if directories say the same.
  > $found{join "|", @$_} = 1 for grep { $_->[0] !~ m,/$, } @groups;
  > for (groups("--files-only")) {
  >   my @parents = parents(@$_); my $is_said = $said{join "\0", @parents}; my $is_found = delete $found{join "|", @$_};
  >   print "left out: @$_\n" if !$is_found && !$is_said; print "said twice: @$_\n" if $is_found && $is_said && @parents == @$_;
  > }
  > print "new: @{[keys %found]}\n" if %found; print scalar @expected, "\n";
  > END
  $ for seed in $(seq $([ "$tables" ] && echo 60 || echo 12)); do rm -rf t; perl model $seed; done | sort | uniq -c | awk '$2 !~ /^[0-9]*$/'
