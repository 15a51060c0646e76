weir duplicates: its lines, its options, and scripts.

  $ d() { weir duplicates "$@"; }

## the lines are these, and the groups that save most come first
  $ for f in b a c; do printf xy >$f; done; for f in d e; do head -c 1000 /dev/zero >$f; done; ln d dd; printf alone! >f; ln f g
  $ d
  # 2 files of 1,000 bytes: 1,000 bytes could be saved
  ./d
  = ./dd
  ./e
   (esc)
  # 3 files of 2 bytes: 4 bytes could be saved
  ./a
  ./b
  ./c
   (esc)
  $ d >all; d --hard-links | tail -n 4
  # 1 file of 6 bytes with 2 names
  ./f
  = ./g
   (esc)
  $ head -n 5 all >big; tail -n 5 all >small; : >none
  $ for o in '--max-depth=1 .' --verify; do d $o | cmp - all; done; for o in --min-size=3 '--min-size 1KB'; do d $o | cmp - big; done
  $ d --min-size 1K | cmp - none; d --exclude e | cmp - small
Named files are in the order of the arguments.
  $ d c b ./a c
  # 3 files of 2 bytes: 4 bytes could be saved
  c
  b
  ./a
   (esc)
  $ d --summary . 2>&1 >/dev/null
  weir: 12 files examined, 5 read; 2 groups with 3 duplicates, 1.0 kB could be saved; 2.0 kB in ...

## sizes are those of coreutils, and other values are usage errors
  $ row() { for n in ${1#* } $((${1#* } - 1)); do head -c $n /dev/zero >a; cp a b; d --min-size ${1% *} | wc -l; done; }
  $ each row '4;0' <<'END'
  > 1000 1000
  > 2K 2048
  > 2k 2048
  > 2KiB 2048
  > 2kB 2000
  > 2KB 2000
  > 1M 1048576
  > END
  $ for s in '' K -1 1.5K 1KB2 1X 99999999999999999999 9999999999999P; do d --min-size "$s" 2>&1; echo $?; done |
  >   sed 's/10MB, not .*;/10MB;/' | sort | uniq -c
        8 2
        8 weir: --min-size takes a size such as 4096, 4K or 10MB; see weir duplicates --help

## unreadable files are reported, also in JSON; the others are compared, and the status is 3
  $ for f in a b; do printf same >$f; done; mkfifo p; mkdir t; mkfifo t/q; ln -s nowhere gone; d a none p t gone b
  # 2 files of 4 bytes: 4 bytes could be saved
  a
  b
   (esc)
  ! weir: none: No such file or directory
  ! weir: p: is a FIFO
  ! weir: t/q: skipped: is a FIFO
  ! weir: gone: No such file or directory
  ! weir: 4 files examined, 2 read, 2 could not be read, 2 special files not opened
  [3]
  $ d a none p t gone b --format json 2>/dev/null
  {"type":"error","path":{"text":"none"},"kind":"unreadable","message":"No such file or directory"}
  {"type":"error","path":{"text":"p"},"kind":"special","message":"is a FIFO"}
  {"type":"skipped","path":{"text":"t/q"},"kind":"special","message":"is a FIFO"}
  {"type":"error","path":{"text":"gone"},"kind":"unreadable","message":"No such file or directory"}
  {"type":"group","size":4,"saving":4,"xxh128":"32e4fc33210edf0a94d0af822e63d179","files":[{"paths":[{"text":"a"}]},{"paths":[{"text":"b"}]}]}
  {"type":"summary","complete":true,"files":2,"read":2,"small":0,"groups":1,"directories":0,"duplicates":1,"hard_links":0,"saving":4,"shared":0,"bytes":8,"unreadable":2,"changed":0,"special":2,"links":0,"filtered":0,"excluded":0,"seconds":...}
  [3]
  $ for n in - /dev/stdin /dev/fd/0; do d a $n; done
  ! weir: duplicates compares files by name, and cannot compare -; see weir duplicates --help
  ! weir: duplicates compares files by name, and cannot compare /dev/stdin; see weir duplicates --help
  ! weir: duplicates compares files by name, and cannot compare /dev/fd/0; see weir duplicates --help
  [2]
  $ d --tag
  ! weir: unknown option --tag; see weir duplicates --help
  [2]

## a walk that leaves anything out, and the output itself, make no directory whole
  $ mkdir a b; for f in a b; do printf same >$f/f; done; d
  # 2 directories of 4 bytes in 1 file: 4 bytes could be saved
  ./a/
  ./b/
   (esc)
  $ d >$top/whole; for o in . --verify; do d $o | cmp - $top/whole; done; d --unordered
  # 2 files of 4 bytes: 4 bytes could be saved
  ./a/f
  ./b/f
   (esc)
  $ d --unordered >$top/files; for o in --files-only '--exclude x' '--max-depth 9' --follow --one-file-system; do d $o | cmp - $top/files; done
  $ d --format=json; d >a/out; cmp a/out $top/files; rm a/out; mkfifo b/p; d 2>/dev/null | cmp - $top/files
  {"type":"directories","size":4,"saving":4,"files":1,"paths":[{"text":"./a/"},{"text":"./b/"}]}
  {"type":"summary","complete":true,"files":2,"read":2,"small":0,"groups":1,"directories":1,"duplicates":1,"hard_links":0,"saving":4,"shared":0,"bytes":8,"unreadable":0,"changed":0,"special":0,"links":0,"filtered":0,"excluded":0,"seconds":...}

## --keep without --action, and other mistakes, are usage errors
  $ printf x >a; row() { d $1 . 2>&1; echo $?; }
  $ each row <<'END'
  > --keep first => weir: --keep needs --action ACTION; see weir duplicates --help;2
  > --action delete --zero => weir: --action prints a shell script; omit --zero and --format json; see weir duplicates --help;2
  > --action link --format json => weir: --action prints a shell script; omit --zero and --format json; see weir duplicates --help;2
  > --action link --keep first --keep last => weir: --keep takes one of the words first, last, oldest and newest; see weir duplicates --help;2
  > --unknown => weir: --unknown needs --known MANIFEST; see weir duplicates --help;2
  > --known a --action link => weir: --known compares files with a manifest only; omit --action; see weir duplicates --help;2
  > --action link --keep none => weir: none: No such file or directory;2
  > END

## an incomplete script says so, and a name that begins with a dash is a name
  $ for f in ./-r b; do printf x >$f; done; d --action delete -- b -r >s; head -c -20 s >cut; sh cut
  ! weir: the script is incomplete
  [2]
  $ ls; sh s
  b
  cut
  s

## two scripts that keep what the other one deletes, at once, lose nothing
  $ mkdir t; for i in $(seq 40); do echo "$i" | tee t/a$i >t/b$i; done; for k in first last; do d --action delete --keep $k t >$k; done
  $ sh first 2>/dev/null & sh last 2>/dev/null; wait; cat t/* | sort -u | wc -l; ls -A t | grep -c weir
  40
  0
  [1]

## --keep decides which file of a group stays, and directories are the same only with the same names
  $ for f in b d a c; do echo x >$f; done; touch -d @3 a; touch -d @1 b c; touch -d @2 d
  > row() { d --action delete $1 . | sed -n "s/^keep '\(.*\)'/\1/p"; }
  $ each row <<'END'
  > --keep first => ./a
  > --keep last => ./d
  > --keep oldest => ./b
  > --keep newest => ./a
  > --keep c => ./c
  > END
  $ mkdir p q r; echo 1 >p/f; echo 1 >q/g; echo 1 >r/f; d p q r
  # 3 files of 2 bytes: 4 bytes could be saved
  p/f
  q/g
  r/f
   (esc)
  # 2 directories of 2 bytes in 1 file: 2 bytes could be saved
  p/
  r/
   (esc)
