weir compare: its verdicts, and its limits.

## a time in whole seconds equals any time within that second, on either side
  $ mkdir s; echo a >s/a; touch -d @1.5 s/a; for t in 1 2; do printf '#mtree\n./a type=file size=2 time=%d.0\n' $t >T$t; done
  $ for pair in "s T1" "T1 s" "s T2" "T2 s"; do weir compare $pair; done
  a: differs (time)
  a: differs (time)
  [1]

## trees of odd names are compared by content in any two forms and orders
Of each seven files one is edited, one touched, one moved, one lost, and one has a new file beside it.
  $ forest A 120; find A -depth -mindepth 1 -name "$(printf '*[\\\\\n\r]*')" -exec rm -r {} +
  $ find A -type f | LC_ALL=C sort >names; i=0; while IFS= read -r f; do i=$((i + 1)); echo content $i >"$f"; done <names
  $ cp -a A B; i=0; while IFS= read -r f; do
  >   i=$((i + 1)) n=${f#A/} g=B${f#A}
  >   case $((i % 7)) in
  >   1) echo Content $i >"$g"; printf '%s: differs\n' "$n" ;; 2) touch -d @1 "$g" ;;
  >   3) mv "$g" B/moved$i; printf '%s: moved to moved%s\n' "$n" $i ;; 4) rm "$g"; printf '%s: only in A\n' "$n" ;;
  >   5) echo new $i >B/new$i; echo "new$i: only in B" ;;
  >   esac
  > done <names | LC_ALL=C sort >expected; LC_ALL=C sed 's,.*: \([a-zA-Z ]*\).*,\1,' expected | sort | uniq -c
        8 differs
        7 moved to moved
        7 only in A
        7 only in B
  $ for s in A B; do
  >   (cd $s; find . -type f -print0 | shuf -z --random-source=../names | xargs -0 sha256sum >../$s.sums; weir hash -a md5,sha256 . >../$s.tag
  >   weir hash -a xxh128,sha256 --format mtree . >../$s.mtree; weir hash -o ../$s.led .); done
  $ a=0; for one in A A.sums A.tag A.mtree A.led; do b=$((5 - a)) a=$((a + 1)); for other in B B.sums B.tag B.mtree B.led; do
  >   o= d=$((b % 5)) b=$((b + 1)); [ "$tables" ] || case $d in 2 | 4) continue ;; esac
  >   case $one.$other in A.B* | *.B) o=--read ;; esac; case $other in *tag) o="$o --memory 8M" ;; esac
  >   weir compare $o $one $other 2>/dev/null | sed 's/differs (.*/differs/; s/only in \(.\)[.].*/only in \1/' | LC_ALL=C sort | cmp - expected
  > done; done

## a name that lines escape is one name in every form
  $ mkdir A B; n=$(printf 'a\nb\r\\c'); for s in A B; do echo same >"$s/$n"; echo $s >"$s/d$n"; done; echo x >"A/x$n"; echo x >"B/y$n"
  > touch -d @1 A/* B/*; for s in A B; do (cd $s; weir hash -a sha256 . >../$s.sums; weir hash -a sha256 --tag . >../$s.tag
  > weir hash --format mtree . >../$s.mtree; weir hash -z . >../$s.zero); done
  $ for a in A A.sums A.tag A.mtree; do for b in B B.sums B.tag B.mtree; do
  >   o=; case $a.$b in A.B* | *.B) o=--read ;; esac; weir compare --all $o $a $b
  > done; done | sed 's/ (.*//' | sort | uniq -c; weir compare -z --all A.zero B.zero | tr '\n\r\0' 'NR\n'
       16 \a\nb\r\\c: same
       16 \da\nb\r\\c: differs
       16 \xa\nb\r\\c: moved to ya\nb\r\\c
  aNbR\c
  same (sha256)
  daNbR\c
  differs (sha256)
  xaNbR\c
  moved to yaNbR\c

## the basis of a verdict is the strongest that both sides have
  $ x=$(printf %032d 1) y=$(printf %032d 2) z=$(printf %064d 3)
  $ row() { for s in A B; do { echo '#mtree'; [ $s = A ] && echo "${1% | *}" || echo "${1#* | }"; } | sed 's,^[a-g],./& type=file,' >$s; done
  >   weir compare --all A B 2>/dev/null; echo $?; }
  $ sed "s/X/md5=$x/g; s/Y/md5=$y/g; s/Z/sha256=$z/g" <<'END' | each row
  > f X Z | f Z => f: same (sha256);0
  > f X Z | f Y Z => f: differs (md5);1
  > f X size=1 | f Y size=1 => f: differs (md5);1
  > f X size=1 | f Z size=1 => f: same (size);0
  > f X size=1 | f Z size=2 => f: differs (size);1
  > f X | f Z => f: cannot tell (no digest or size in common);2
  > f X time=1.5 | f X time=2.5 => f: same (md5, touched);0
  > f X time=1.5 | f X time=1.0 => f: same (md5);0
  > f size=1 time=1.5 | f size=1 time=1.5 => f: same (size and time);0
  > f size=1 time=1.5 | f size=1 time=1.6 => f: differs (time);1
  > ./l type=link link=a | ./l type=link link=b => l: differs (target);1
  > ./l type=link link=a | ./l type=link link=a => l: same (target);0
  > ./l type=dir | ./l type=file => l: differs (type);1
  > ./l type=dir | ./l type=dir => l: same (type);0
  > a X | b X => a: moved to b;1
  > a X | b Y => a: only in A;b: only in B;1
  > ./a/f type=file size=3 time=1.5 | ./b/f type=file size=3 time=1.5 => a/f: moved to b/f;1
  > ./a/f type=file size=3 time=1.5 | ./b/g type=file size=3 time=1.5 => a/f: only in A;b/g: only in B;1
  > END

## a search for moves takes no more memory for 90,000 files than for 30,000
needs unsanitized
The first line comes when all moves are known, and the pipe holds no more than some of the rest.
  $ mkfifo p; moves() {
  >   for side in a b; do
  >     awk -v count=$1 -v side=$side 'BEGIN { step = side == "a" ? 7919 : 104729
  >       for (i = 0; i < count; i++) printf "%08d%024d  %s/%06d/file-%s\n", i * step % count, 0, side, i, side }' >$side
  >   done; weir compare --memory 8M a b >p 2>/dev/null & exec 3<p; read -r line <&3; peak $!; grep -c ': moved to ' <&3 >found; wait
  > }
  $ few=$(moves 30000); cat found; many=$(moves 90000); cat found; [ $((many - few)) -lt 2048 ] || echo $few $many
  29999
  89999

## the exit status is that of diff
  $ mkdir -p A/d; for i in $(seq 9); do echo $i >A/d/$i; done; cp -a A B; cp -a A C
  $ echo 7 >B/d/8; cp -p B/d/9 B/new; rm B/d/9; for t in A B; do (cd $t; sha256sum $(find . -type f) >../$t.sums); done
  $ row() { weir compare $1 2>/dev/null; echo $?; }
  $ each row <<'END'
  > A C => 0
  > --read A C => 0
  > A.sums A.sums => 0
  > --status A.sums B.sums => 1
  > --read A B => d/8: differs (xxh128);d/9: moved to new;1
  > --read --exclude 8 A.sums B => d/8: only in A.sums;d/9: moved to new;1
  > A.sums none => 2
  > A.sums => 2
  > - - => 2
  > --read A.sums B.sums => 2
  > --memory 1K A B => 2
  > END

## lines that cannot be used, names without a common one, and files without a basis are reported
An untagged line may be one of BLAKE3, but that it is not equal does not say so.
  $ mkdir -p t/d; echo a >t/a; echo b >t/d/b; sha256sum t/a t/d/b >M; (cd t; sha256sum a d/b) >N
  $ sed 's|  |  /x/y/|' N >A; sed 's|  |  x/y-|' N >S; (cat N; echo junk; echo 'TIGER (x) = 00000000') >J
  $ weir hash -a blake3 -C t a >L; weir hash -a sha256 --tag -C t a | sed 's/= ./= 0/; s/= 00/= 01/' >O
  $ (cat N; sed 's/^./0/; s/^0\(0*\)/1\1/' N) >K; row() { weir compare $1 2>&1 | grep -v 'only in [MNtAS]$'; weir compare --status $1 2>/dev/null; echo $?; }
  $ each row <<'END'
  > M t --read => t/a: moved to a;t/d/b: moved to d/b;weir: no name is in both M and t; with --strip-a 1 most are;1
  > N M => a: moved to t/a;d/b: moved to t/d/b;weir: no name is in both N and M; with --strip-b 1 most are;1
  > --strip-b 1 N A => a: moved to x/y/a;d/b: moved to x/y/d/b;weir: no name is in both N and A; with --strip-b 3 most are;1
  > N S => a: moved to x/y-a;d/b: moved to x/y-d/b;weir: no name is in both N and S; --strip-a and --strip-b remove components;1
  > M t --read --strip-a 1 => 0
  > N J => weir: J: 2 lines could not be used; the first is line 3: it is improperly formatted;2
  > N t --all => a: cannot tell (no digest or size in common);d/b: cannot tell (no digest or size in common);weir: 2 names could not be compared; --read reads the files of a directory;2
  > N L --all => a: cannot tell (no digest or size in common);weir: 1 name could not be compared; --read reads the files of a directory;2
  > N O --all => a: differs (sha256);1
  > N K => a: cannot tell (its lines contradict each other);d/b: cannot tell (its lines contradict each other);2
  > END

## a lost empty file is lost, times are compared to the end, and the ledger is read
  $ mkdir A B C D; : >A/__init__.py; : >B/other.txt; : >B/third; mkdir B/d; : >B/d/__init__.py; touch -d @1 A/* B/d/*
  $ : >D/other.txt; sha256sum A/* >A.sums; (cd D; sha256sum * >../D.sums); echo x >C/x; echo y >C/y; touch -d 2300-01-01 C/x C/y
  $ weir hash -o M -C C .; cp -a C E; touch -d 2400-01-01 E/x; cp -a C F; rm F/x; cp M G
  $ sed 's/^\(.*x type=file\)/#weir gone since=2026-11-28T01:30:05Z\n\1/; s/^\(.*y type=file\)/#weir rot\n\1/' M.mtree >G.mtree
  $ row() { weir compare $1 2>/dev/null; echo $?; }
  $ each row <<'END'
  > A B => __init__.py: moved to d/__init__.py;d: only in B;other.txt: only in B;third: only in B;1
  > A D => __init__.py: only in A;other.txt: only in D;1
  > A D --read => __init__.py: only in A;other.txt: only in D;1
  > A.sums D.sums => A/__init__.py: only in A.sums;other.txt: only in D.sums;1
  > C E => x: differs (time);1
  > M C => 0
  > C M => 0
  > M E => x: differs (time);1
  > M F => x: only in M;1
  > G F => x: only in G;y: cannot tell (no digest or size in common);2
  > G.mtree C --read => 0
  > END

## nested directories of a small manifest take neither memory nor time, nor long output
Names of 3.6 KiB, in order and not.
needs unsanitized
  $ mkdir t; echo x >t/x; (echo '#mtree'; yes 'dddddddd type=dir' | head -n 400
  >   seq 600 | sed 's/.*/a& type=file size=3 sha256=5e/' | sed "s/$/$(printf '%062d' 0)/") >M
  $ (head -n 401 M; tail -n 600 M | tac) >N; ulimit -v 400000
  $ for p in 'compare M t' 'compare N t' 'check --audit t N'; do weir $p 2>e | wc -c; done; weir compare M N
  2895705
  2895705
  2902699

## a directory whose names lose components is read by its own names
The names without their first component are those of other files in A.
  $ mkdir -p A/d A/p/d A/q B/d; echo good | tee A/d/f B/d/f >B/f; echo evil >A/p/d/f; echo here | tee A/d/old >B/old
  $ echo gone | tee A/p/d/old >B/new; echo one | tee A/p/two >B/two; echo two >A/q/two
  $ find A B -type f | xargs touch -d 2001-01-01; (cd B; sha256sum * d/* 2>/dev/null >../M)
  [1]
  $ weir compare --read --all --strip-a 1 A B
  d: same (type)
  d/f: differs (xxh128)
  d/old: moved to new
  f: same (xxh128)
  old: same (xxh128)
  two: cannot tell (several files have the name)
  [2]
  $ weir compare --read --all --strip-a 1 A M
  d/f: differs (sha256)
  d/old: moved to new
  f: same (sha256)
  old: same (sha256)
  two: cannot tell (several files have the name)
  [2]

## names that have too few components are counted for each side, and are trouble
Only directories are left out in the last row.
  $ mkdir -p A/d B/d; echo 1 >A/top; echo 2 >B/top; echo 3 | tee A/d/f >B/d/f; touch -d @1 [AB]/d/f
  $ ln -s x B/link
  $ for t in A B; do (cd $t; sha256sum top d/f >../$t.sums; sha256sum d/f top >../$t.sorted
  >   weir hash -a md5,sha256 . >../$t.both; weir hash -a sha256 --format mtree . >../$t.mtree); done
  $ row() { weir compare $1 2>&1; echo $?; }
  $ each row <<'END'
  > --read --strip-a 1 --strip-b 1 A B => weir: 1 name in A has no more than 1 component and was left out;weir: 2 names in B have no more than 1 component and were left out;2
  > --strip-a 99 --strip-b 99 A.sums B.sorted => weir: 2 names in A.sums have no more than 99 components and were left out;weir: 2 names in B.sorted have no more than 99 components and were left out;2
  > --strip-a 1 --strip-b 1 A.mtree A.sorted => weir: 1 name in A.mtree has no more than 1 component and was left out;weir: 1 name in A.sorted has no more than 1 component and was left out;2
  > --strip-a 1 --strip-b 1 B.both A.both => weir: 1 name in B.both has no more than 1 component and was left out;weir: 1 name in A.both has no more than 1 component and was left out;2
  > --exclude top --strip-a 1 --strip-b 1 A A => 0
  > END
  $ weir compare --format json --strip-b 1 A B 2>/dev/null | tail -n 1
  {"type":"summary","complete":true,"same":0,"touched":0,"differs":0,"moved":1,"only_a":2,"only_b":0,"unknown":0,"unreadable":0,"malformed_a":0,"malformed_b":0,"left_out_a":0,"left_out_b":2,"by_digest":0,"by_size_and_time":0,"by_size":0,"bytes":0,"seconds":...}

## a file that cannot be read is trouble, and is reported
  $ mkdir A B; echo a >A/a; echo b >A/b; cp A/* B; ln -s /proc/self/mem A/m; ln -s /proc/self/mem B/m
  $ weir compare --read --follow --format json A B
  {"type":"error","path":{"text":"A/m"},"kind":"unreadable","message":"Input/output error"}
  {"type":"error","path":{"text":"B/m"},"kind":"unreadable","message":"Input/output error"}
  {"type":"name","path":{"text":"m"},"status":"unknown","message":"could not be read"}
  {"type":"summary","complete":true,"same":2,"touched":2,"differs":0,"moved":0,"only_a":0,"only_b":0,"unknown":1,"unreadable":2,"malformed_a":0,"malformed_b":0,"left_out_a":0,"left_out_b":0,"by_digest":2,"by_size_and_time":0,"by_size":0,"bytes":8,"seconds":...}
  ! weir: A/m: Input/output error
  ! weir: B/m: Input/output error
  [2]

## two manifests have no walk and nothing to read
  $ mkdir A; echo a >A/a; (cd A; weir hash . >../M); row() { weir compare $1 2>/dev/null; echo $?; }
  $ each row <<'END'
  > --read M M => 2
  > --exclude=a M M => 2
  > --max-depth=1 M M => 2
  > --follow M M => 2
  > --one-file-system M M => 2
  > --exclude=a A M => a: only in M;1
  > END

## nothing is said of names below a directory that cannot be read
  $ mkdir -p A/u B/u; echo moved >A/u/x; echo v >A/v; cp -pr A/* B; cp -p A/u/x A/z; mkdir A/u/d; echo >B/u.c
  $ (cd A; weir hash --format mtree -o ../M .; sha256sum u/x z >../O); chmod 0 A/u; chown -R 65534 . 2>/dev/null
  $ row() { nobody weir compare $1 2>/dev/null; echo $?; }
  $ each row <<'END'
  > A B => u: cannot tell (could not be read);u/x: cannot tell (could not be read);u.c: only in B;z: only in A;2
  > A M => u: cannot tell (could not be read);u/d: cannot tell (could not be read);u/x: cannot tell (could not be read);2
  > A O => u: cannot tell (could not be read);u/x: cannot tell (could not be read);v: only in A;z: cannot tell (no digest or size in common);2
  > --read A B => u: cannot tell (could not be read);u/x: cannot tell (could not be read);u.c: only in B;z: only in A;2
  > --read A M => u: cannot tell (could not be read);u/d: cannot tell (could not be read);u/x: cannot tell (could not be read);2
  > --read A O => u: cannot tell (could not be read);u/x: cannot tell (could not be read);v: only in A;2
  > END

## its JSON matches the schema, and has every verdict
  $ mkdir A B; for n in same touched differs old a; do echo $n >A/$n; done; cp -p A/* B; mv B/old B/moved; rm B/a
  $ echo b >B/b; echo other >B/differs; touch -d 2001-01-01 B/touched; cp A/same "A/$(printf 'odd\377')"
  $ weir compare --read --all --format json A B
  {"type":"name","path":{"text":"a"},"status":"only_a"}
  {"type":"name","path":{"text":"b"},"status":"only_b"}
  {"type":"name","path":{"text":"differs"},"status":"differs","by":"size"}
  {"type":"name","path":{"bytes":"b2Rk/w=="},"status":"only_a"}
  {"type":"name","path":{"text":"old"},"status":"moved","to":{"text":"moved"}}
  {"type":"name","path":{"text":"same"},"status":"same","by":"xxh128"}
  {"type":"name","path":{"text":"touched"},"status":"same","by":"xxh128","touched":true}
  {"type":"summary","complete":true,"same":2,"touched":1,"differs":1,"moved":1,"only_a":2,"only_b":1,"unknown":0,"unreadable":0,"malformed_a":0,"malformed_b":0,"left_out_a":0,"left_out_b":0,"by_digest":2,"by_size_and_time":0,"by_size":1,"bytes":38,"seconds":...}
  [1]

## nothing but sorts in --memory is kept, and eight descriptors suffice
All files have moved: every sort is as large as it can be.
  $ awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%064x  t/d%03d/f%05d\n", i, i / 100, i }' >A
  $ awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%064x  u/d%03d/g%05d\n", i, i / 100, 60000 - i }' | sort -k 1.62,1.64 >B
  $ (ulimit -n 8; weir compare --memory 8M --summary A B | tail -n 1; weir compare A A)
  t/d599/f59999: moved to u/d599/g00001
  ! weir: no name is in both A and B; --strip-a and --strip-b remove components
  ! weir: 0 names the same, 60,000 moved
  $ ls | xargs
  A B

## names alone are what another program needs to repair a copy
  $ mkdir a b; for f in 1 2 3 4; do echo $f >a/$f; done; cp -p a/1 b; echo X >b/2; cp -p a/4 b/moved
  $ printf n >"a/$(printf 'x\ny')"; echo new >b/5; weir compare --read --only a a b
  3
  4
  \x\ny
  [1]
  $ weir compare --read --only b a b
  moved
  5
  [1]
  $ weir compare --read --only a --only differs -z a b >list
  [1]
  $ (cd a && xargs -0 cp -p -t ../b <../list); weir compare --read --only a --only differs a b
  [1]
  $ weir compare --read --only b a b
  5
  moved
  [1]
  $ weir compare --only b --format json a b
  ! weir: --only prints names alone, and JSON has the status of each name; see weir compare --help
  [2]

## owners, permissions and a window of time are compared if asked for
  $ mkdir a a/d; for f in 1 2 3; do echo $f >a/$f; done; cp -a a b; touch -d @100 a/1; touch -d @102.5 b/1
  $ touch -d @200 a/2; touch -d @203 b/2; chmod 600 b/3; chmod 700 b/d; chmod 755 a/d; row() { weir compare $1 a b 2>&1; echo $?; }
  $ each row <<'END'
  >  => 1: differs (time);2: differs (time);1
  > --modify-window 2 --mode => 2: differs (time);3: differs (mode);d: differs (mode);1
  > --modify-window 3 => 0
  > --owner --modify-window 3 => 0
  > END
  $ weir hash -o M -C a .; weir compare --mode M b
  ! weir: --owner and --mode need two directories: a manifest records neither; see weir compare --help
  [2]
  $ [ "$(id -u)" != 0 ] || { chown 1:2 b/3 b/d; weir compare --owner --modify-window 3 a b | uniq -c; }
        1 3: differs (owner)
        1 d: differs (owner)
