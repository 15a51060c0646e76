weir plan and weir check on shards: their words, and what they refuse.

  $ plan() { weir plan "$@" -o set.plan >/dev/null; }
  $ shard() { k=$1; shift; weir check --plan set.plan --shard $k/2 --out parts "$@"; }

## the plan is in none of its walks, and has the same bytes again
  $ mkdir t; printf 1 >t/a; printf 2 >t/z; for i in 1 2 3; do weir plan . --shards 2 -o t/p >/dev/null; cp t/p $top/$i; done
  $ cmp $top/1 $top/2; cmp $top/2 $top/3; ls t | xargs; weir plan . --shards 2 -o t/p | grep ^files
  a p z
  files          2

## a plan is the same for any number of jobs, by each strategy, and what cannot be read is in it
  $ forest t 60; mkfifo t/fifo; for by in size count hash size-class; do
  >   for o in '' '-j 1' '-j 7' '--descriptors 3'; do weir plan t --by $by --shards 5 $o -o p.$(echo $o | tr -d ' -') >/dev/null 2>err
  >     echo $?; cat err; done; for f in p.*; do cmp p. $f; done; rm p.*
  > done | sort | uniq -c
       16 0
       16 weir: t/fifo: skipped: is a FIFO
  $ mkdir -p u/no; echo 1 >u/a; mkfifo pipe; ln -s .. u/no/up; weir plan u pipe gone --follow --shards 3 -o p
  shards         3
  files          1
  bytes          2
  largest shard  1 file, 2 B
  mean shard     0.3 files, 0 B
  max/mean       3.000 files, 3.000 bytes, 3.000 cost
  ! weir: u/no/up: Too many levels of symbolic links
  ! weir: pipe: is a FIFO
  ! weir: gone: No such file or directory
  ! weir: 1 file listed, 2 could not be read, 1 special file not opened
  [3]
  $ printf 'u/a\0gone\0u\0\0u/a\0' | weir plan --files0-from - --shards 1 -o p | grep ^files
  files          3
  ! weir: gone: No such file or directory
  ! weir: '': No such file or directory
  ! weir: 3 files listed, 2 could not be read, 1 symbolic link listed
  $ weir hash --plan p --shard 0/1 --out D 2>/dev/null; weir merge --plan p D
  4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865  u/a
  4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865  u/a
  4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865  u/a
  ! weir: gone: No such file or directory
  ! weir: '': No such file or directory
  ! weir: 3 files read, 2 could not be read, 1 symbolic link skipped
  [3]

## what is no plan is not read, and not replaced; a plan of another version is not read
  $ mkdir t; echo 1 >t/a; row() { printf "$1" >x; weir hash --plan x --shard 0/2 --out D 2>&1; weir plan t --shards 2 -o x 2>&1 >/dev/null; }
  $ each row 'weir: x: is not a plan of weir;weir: x: was not written by weir and is left unchanged; choose another name' <<'END'
  > my notes
  > \n
  > {"format":"weir part","version":1}\n
  > {"format":"weir plan","version":2}\n => weir: x: is a plan of version 2, which this weir cannot read
  > END
  $ : >x; for p in x gone t; do weir hash --plan $p --shard 0/2 --out D; done; weir plan t --shards 2 -o no/p
  ! weir: x: is not a plan of weir
  ! weir: gone: No such file or directory
  ! weir: t: Is a directory
  ! weir: no/p: No such file or directory
  [2]

## the report has the balance and the number of useful shards
  $ head -c 1000000 /dev/zero >big; for i in 0 1 2 3 4 5; do printf xyz >s$i; done; weir plan . --shards 8 -o p
  shards         8
  files          7
  bytes          1,000,018 (1.0 MB)
  largest shard  1 file, 1.0 MB
  mean shard     0.9 files, 125.0 kB
  max/mean       1.143 files, 8.000 bytes, 3.562 cost
  $ weir plan . --shards 2 --by size-class -o p | tail -n 1
  max/mean       1.714 files, 2.000 bytes, 2.000 bytes to read

## mistakes are named, and nothing is written
  $ printf 'a letter' >a; mkdir d; row() { weir plan $1 2>&1; echo $?; }
  $ each row <<'END'
  > --shards 2 -o p => weir: no input is given; name a PATH, or use --files0-from - for a list; see weir plan --help;2
  > - --shards 2 -o p => weir: plan records names, which another process can open, and not -; see weir plan --help;2
  > /dev/stdin --shards 2 -o p => weir: plan records names, which another process can open, and not /dev/stdin; see weir plan --help;2
  > a -o p => weir: plan needs --shards N, the number of shards; see weir plan --help;2
  > a --shards 2 => weir: plan needs --output FILE; see weir plan --help;2
  > a --shards 0 -o p => weir: --shards takes a number from 1 to 99999, not 0; see weir plan --help;2
  > a --shards 2 -o - => weir: --output takes the name of a file; use /dev/stdout for standard output; see weir plan --help;2
  > a --shards 2 --by x -o p => weir: --by takes size, count, hash or size-class, not x; see weir plan --help;2
  > d --shards 2 -o a => weir: a: was not written by weir and is left unchanged; choose another name;2
  > a --shards 2 -o d => weir: d: Is a directory;2
  > a --shards 2 -o no/p => weir: no/p: No such file or directory;2
  > --files-from none --shards 2 -o p => weir: none: No such file or directory;2
  > END
  $ ls | xargs; cat a; echo
  a d
  a letter

## a line whose name is not in the rest of the plan is named, and the way out works
  $ mkdir t; for f in a b c; do printf $f >t/$f; done; plan t --shards 2
  $ weir hash t >M; { tail -n 1 M; head -n 2 M; } >turned; for k in 0 1; do shard $k turned; done 2>&1 | grep -v '^weir: shard'
  weir: turned: line 2: t/a is not in the plan, or in another order; use weir plan --files0-from with the names of the manifest, or --shard K/N without --plan
  weir: turned: line 2: t/a is not in the plan, or in another order; use weir plan --files0-from with the names of the manifest, or --shard K/N without --plan
  $ printf 't/c\0t/a\0t/b\0' | weir plan --files0-from - --shards 2 -o set.plan >/dev/null; for k in 0 1; do shard $k turned 2>/dev/null; done; weir merge --plan set.plan parts
  t/c: OK
  t/a: OK
  t/b: OK

## shards that read different manifests are not merged
The command that runs the shard again has the manifest, and no digest.
  $ mkdir t; for f in a b c d; do printf $f >t/$f; done; plan t --shards 2; weir hash t >M; shard 0 M 2>/dev/null; sed -i '$d' M
  $ shard 1 M 2>&1 | grep -c sha256=
  1
  $ weir check --plan set.plan --shard 1/2 --out others M 2>/dev/null; mv others/* parts; weir merge --plan set.plan parts 2>&1 | sed 's/=[0-9a-f]*/=/g'
  weir: parts/shard-00001-of-00002.part: was made by another command (weir check 'sha256=', not weir check 'sha256=')
  weir: nothing is written; remove the parts named above, and run these shards again: for k in 1; do weir check --plan set.plan --shard $k/2 --out parts --resume M; done

## options and manifests that do not apply are refused
  $ mkdir t; printf a >t/a; mkfifo t/fifo; plan t --shards 2; weir hash t/a >M; row() { shard 0 $1 2>&1 | grep -v '^weir: shard'; }
  ! weir: t/fifo: skipped: is a FIFO
  $ each row <<'END'
  > --audit . M => weir: --audit does not apply to a shard of a plan, which writes a part; see weir check --help
  > --allow-changed M => weir: --allow-changed does not apply to a shard of a plan, which writes a part; see weir check --help
  > --quiet => weir: with --plan, check needs a MANIFEST, which every shard reads; see weir check --help
  > - => weir: with --plan, every shard reads the manifests: name a file, and not -; see weir check --help
  > nothing => weir: nothing: No such file or directory
  > t => weir: t: Is a directory
  > t/fifo => weir: t/fifo: is not a regular file
  > END
  $ row() { weir check $1 M 2>&1; echo $?; }
  $ each row <<'END'
  > --resume => weir: --resume needs --state FILE, or --plan FILE; see weir check --help;2
  > --shard 0/2 --audit . => weir: --shard does not apply to --audit, which finds what no line lists; see weir check --help;2
  > --shard auto => weir: --shard auto needs --plan FILE: a launcher knows the number of its tasks, and not that of the shards; see weir check --help;2
  > --out x => weir: --out needs --plan FILE; for a manifest use -o FILE; see weir check --help;2
  > END

## a shard without a line, and one whose files may be missing, succeed
Only shard 0 reports a manifest without lines, but each shard one that it cannot read.
  $ : >one; weir hash one >M; for k in 0 1 2 3 4; do weir check --shard $k/5 M; done
  one: OK
  $ echo rubbish >M; for k in 0 1; do weir check --shard $k/2 M; echo $?; weir check --shard $k/2 nothing; echo $?; done
  1
  2
  0
  2
  ! weir: M: no properly formatted checksum lines found
  ! weir: nothing: No such file or directory
  ! weir: nothing: No such file or directory
