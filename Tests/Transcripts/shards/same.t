weir merge writes what one process writes: its output, its messages and its exit status.

`same WORDS` runs a verb on `paths` as one process, and on shards of a plan of them, in any order. Both end with
`both`: the manifests of check, the command of run. What it prints is the status and the lines of the output.

  $ shards() {
  >   rm -rf D; for k in $(order); do
  >     $as weir $verb "$@" --plan P --shard $k/$n --out D $both 2>/dev/null || :
  >   done
  > }
  $ same() {
  >   $as weir $verb $1 $paths $both >whole 2>whole.err; status=$?; shards $1
  >   $as weir merge --plan P D >merged 2>merged.err; [ $? = $status ] || echo "another status than $status"
  >   echo $status $(alike $ignored)
  > }
  $ tree() {
  >   forest t $1; mkdir -p t/empty t/order; echo 1 >t/order/x; echo 2 >t/order.txt; ln -s nowhere t/link
  >   mkfifo t/fifo
  > }

## hash and count, in each form
  $ tree 120; paths=t; plan 2 t; verb=hash; each same <<'END'
  >  => 0 122
  > --tag => 0 122
  > -z => 0 148
  > -a blake3 => 0 122
  > -a sha256,md5 => 0 244
  > --format mtree => 0 143
  > --format json => 0 124
  > -a xxh128 --format json -z => 0 124
  > END
  $ verb=count; each same <<'END'
  >  => 0 123
  > -l => 0 123
  > -c => 0 123
  > -mL => 0 123
  > -z => 0 149
  > --format json => 0 125
  > END

## any number of shards, by any strategy, of a list of names and paths in any order
  $ tree 60; find t -type f -print0 | sort -z | sort -zR --random-source=/dev/zero | head -zn 20 >list
  $ paths='t/order.txt --files0-from list t t/order'; verb=hash
  $ row() { plan $1 $paths; same; }
  $ each row <<'END'
  > 1 => 0 84
  > 7 => 0 84
  > 3 --by size => 0 84
  > 3 --by count => 0 84
  > 3 --by hash => 0 84
  > 3 --by size-class => 0 84
  > END

## check, in each form, after damage
needs setpriv
  $ as=ordinary; tree 80; mkdir gone gone/d; echo 1 >gone/f; echo 2 >gone/d/g
  $ for i in $(seq 16); do echo "file $i" >t/plain$i; done; ln t/plain1 t/twin; weir hash --format mtree gone >M.gone
  $ spoil() { perl -pe 'print "rubbish\n# a comment\n\nGOST (x) = 12\n" if $. == 7'; }
  $ for o in text: tag:--tag two:-asha256,md5 b3:-ablake3; do weir hash ${o#*:} t 2>/dev/null | spoil >M.${o%:*}; done
  $ weir hash --format mtree t 2>/dev/null | perl -pe 'print "./x type=bogus q\n# a comment\n\n" if $. == 7' >M.mtree
  $ weir hash -z t 2>/dev/null | tr '\0\n' '\n\0' | spoil | tr '\0\n' '\n\0' >M.zero; sed -n 'p;n' M.text >M.some
  > echo rubbish >M.rubbish
  $ for n in 1 3 5; do plan $n t gone; mv P P.$n; done; rm gone/f gone/d/g
  $ for i in 1 5 9 13; do rm t/plain$i; chmod 0 t/plain$((i + 1)); echo >>t/plain$((i + 2)); rot t/plain$((i + 3)); done
Of two names of one file, the second is read only if the first is not being read: the bytes of the summary are not
compared.
  $ ignored='"bytes":\d*,"seconds":.*' verb=check; row() { n=${1%% *}; cp P.$n P; r=${1#* }; both=${r#*: }; same "${r%%: *}"; }
  $ each row <<'END'
  > 1 : M.text => 1 99
  > 3 --quiet -w: M.mtree => 1 16
  > 3 -z --strict: M.zero => 1 99
  > 5 --format json: M.tag M.two => 1 304
  > 3 --ignore-missing: M.b3 M.some M.mtree => 1 238
  > 1 --status: M.some => 1 0
  > 3 --format json: M.mtree M.b3 => 1 204
  > 3 -a sha512: M.text => 1 0
  > 3 -w --color always: M.rubbish M.two M.text => 1 297
  > 3 : M.rubbish => 1 0
  > 3 --ignore-missing: M.gone => 1 0
  > 5 : M.gone => 1 2
  > END
Without a plan each line is verified in exactly one shard, and one that is none is reported in the first.
  $ both=; quick() {
  >   weir check -w $1 2>&1 | grep -av WARNING | sort >all
  >   weir check -w --shard 0/1 $1 2>&1 | grep -av WARNING | sort | cmp - all
  >   for k in 0 1 2 3 4 5 6 7 8 9 10; do weir check -w --shard $k/11 $1 >part$k 2>&1; done; grep -ahv WARNING part* | sort | cmp - all
  >   wc -l <all; cat part[1-9]* | grep -ac improperly
  > }
  $ each quick <<'END'
  > M.text => 105;0
  > M.mtree M.two => 312;0
  > M.some M.rubbish => 55;0
  > END

## duplicates, in each form
needs setpriv
  $ as=ordinary; tree 40; mkdir t/copies t/closed; for s in 1 2 7 41 900 5000 66000 70000 140000; do
  >   for c in 1 2 3 4; do head -c $s /dev/zero | tr '\0' $((c % 2)) >t/copies/$s.$c; done
  >   ln t/copies/$s.1 t/hard$s; { head -c $((s - 1)) t/copies/$s.1; printf x; } >t/near$s
  > done; : >t/empty1; : >t/empty2; cp t/copies/41.1 t/closed; chmod 0 t/closed t/copies/900.3
  $ mkfifo fifo; cp t/near7 beside; ln -s beside link; paths='t nothing fifo link beside t'; verb=duplicates
  $ for n in 1 3 5; do plan $n --by size-class $paths; mv P P.$n; done; row() { n=${1%% *}; cp P.$n P; same "${1#* }"; }
  $ each row <<'END'
  > 1  => 3 80
  > 5  => 3 80
  > 3 -z --hard-links => 3 65
  > 3 --format json => 3 26
  > 3 --format json -z --min-size 0 --verify => 3 27
  > 3 --min-size 41 --hard-links --format json => 3 20
  > 3 --verify => 3 80
  > END
Without a plan each group is found in exactly one shard.
  $ find_groups() { weir duplicates --hard-links --format json "$@" t beside 2>/dev/null; }
  $ find_groups | grep -a '"group"' | sort >all; find_groups | tail -n 1 | grep -o '"small":[1-9][0-9]*'
  > for n in 1 2 5; do
  >   for k in $(order); do find_groups --shard $k/$n; done >found
  >   grep -a '"group"' found | sort | cmp - all
  >   sed -n 's/.*"small":\([0-9]*\).*/\1/p' found | awk '{ n += $1 } END { print n }'
  > done
  "small":4
  4
  4
  4

## groups with the same saving come in the order of the plan, whatever their shards
Six bytes can be saved in many ways.
  $ mkdir t; for i in $(seq 100 129); do
  >   case $((i % 4)) in 0) s=abc$i c=2 ;; 1) s=$i c=3 ;; 2) s=${i#1} c=4 ;; *) s=$(printf "\\$(printf %o $i)") c=7 ;; esac
  >   for k in $(seq $c); do printf %s "$s" >t/$(((i * 10 + k) * 7919 % 10007)); done
  > done; verb=duplicates paths=t; row() { plan $1 --by size-class t; same; }
  $ seq 2 6 | some 3 | each row '0 177'

## a group of more names than a record holds
  $ mkdir t; long=$(printf %0200d 0); for i in $(seq 900); do echo same >t/$long$i; done; for i in $(seq 50); do
  >   echo other >t/a$i; done
  $ verb=duplicates paths=t; plan 3 --by size-class t; same; same '--format json'
  0 954
  0 3

## files that changed since the plan are reported, and in no output
  $ tree 30; weir hash t >before 2>/dev/null; verb=hash; plan 5 t; echo 22 >t/order.txt; rm t/order/x; echo new >t/new; shards
  $ weir merge --plan P D >merged
  ! weir: t/fifo: skipped: is a FIFO
  ! weir: t/order/x: No such file or directory
  ! weir: t/order.txt: has changed since the plan was made; --allow-changed reads it
  ! weir: 30 files read, 2 could not be read, 1 special file not opened, 1 symbolic link skipped
  [3]
  $ grep -av 't/order' before | cmp - merged
  $ mkdir u; for f in a b c d e; do echo same >u/$f; done; verb=duplicates; plan 2 --by size-class u nothing
  > echo longer >u/b; rm u/d
  $ echo same >nothing; shards --format json; weir merge --plan P D
  {"type":"error","path":{"text":"u/b"},"kind":"changed","message":"has changed since the plan was made"}
  {"type":"error","path":{"text":"u/d"},"kind":"unreadable","message":"No such file or directory"}
  {"type":"error","path":{"text":"nothing"},"kind":"changed","message":"has changed since the plan was made"}
  {"type":"group","size":5,"saving":10,"xxh128":"7e1402559176eb98e66aa82c39de3587","files":[{"paths":[{"text":"u/a"}]},{"paths":[{"text":"u/c"}]},{"paths":[{"text":"u/e"}]}]}
  {"type":"summary","complete":true,"files":3,"read":3,"small":0,"groups":1,"directories":0,"duplicates":2,"hard_links":0,"saving":10,"shared":0,"bytes":15,"unreadable":1,"changed":2,"special":0,"links":0,"filtered":0,"excluded":0,"seconds":...}
  ! weir: u/b: has changed since the plan was made
  ! weir: u/d: No such file or directory
  ! weir: nothing: has changed since the plan was made
  ! weir: 6 files examined, 3 read, 1 could not be read, 2 changed while being read
  [3]

## the directory of the plan is entered, and -C replaces it
  $ tree 30; weir hash t >whole 2>/dev/null; plan 3 t; mkdir elsewhere; cp -r t elsewhere; rm elsewhere/t/fifo
  > mkdir other; (cd other
  >   for k in 0 1 2; do weir hash --plan ../P --shard $k/3 --out D; done 2>/dev/null)
  > weir merge --plan P other/D 2>/dev/null | cmp - whole
  $ rm -r t; for k in 0 1 2; do
  >   weir hash -C $PWD/elsewhere --allow-changed --plan $PWD/P --shard $k/3 --out $PWD/E 2>/dev/null; done
  $ weir merge --plan P E 2>/dev/null | cmp - whole

## a merge into a file replaces none by a forgotten word, and never a ledger or a letter
  $ tree 20; rm t/fifo; verb=hash; plan 3 t; shards; weir hash t >whole 2>/dev/null; row() { eval "$1"
  >   weir merge --plan P D -o M $o 2>&1; echo $?; }
  $ each row <<'END'
  > : => 0
  > cmp M whole; ls => D;M;P;t;whole;weir: M: is a manifest and is left unchanged; add --replace to forget what it says;2
  > o=--replace => 0
  > weir hash -o other t; cp other.mtree M.mtree => weir: M.mtree: is the ledger of M, which weir merge does not bring up to date; name another FILE, or remove the ledger;2
  > rm M.mtree; echo dear diary >M; o= => weir: M: is not a manifest and is left unchanged; choose another name, or remove it;2
  > END
  $ cat M
  dear diary

## without a plan each file is in exactly one shard, in the order of the run
  $ tree 100; weir hash t 2>/dev/null >all; for n in 1 3 7; do
  >   for k in $(seq 0 $((n - 1))); do weir hash --shard $k/$n t 2>/dev/null >part; grep -axFf part all | cmp - part
  >     cat part; done | sort >parts
  >   sort all | cmp - parts
  > done; weir count -zc t 2>/dev/null | tr '\0\n' '\n\0' | sed '$d; s/^ *//' | sort >all; for n in 1 3 7; do
  >   for k in $(seq 0 $((n - 1))); do weir count -zc --shard $k/$n t 2>/dev/null | tr '\0\n' '\n\0'
  >   done | grep -av ' total$' | sed 's/^ *//' | sort | cmp - all
  > done

## options and plans that do not apply to duplicates are refused
  $ mkdir t; echo >t/a; plan 2 --by size t; row() { weir duplicates --plan P --shard 0/2 --out D $1 2>&1; echo $?; }
  $ each row <<'END'
  >  => weir: duplicates needs a plan by size-class, and this one is by size; use weir plan --by size-class; see weir duplicates --help;2
  > END
  $ plan 2 --by size-class t; each row <<'END'
  > --unordered => weir: --unordered does not apply to a shard of a plan, which writes a part; see weir duplicates --help;2
  > --allow-changed => weir: --allow-changed does not apply to a shard of a plan, which writes a part; see weir duplicates --help;2
  > t => weir: with --plan, the plan names the files; give PATHs and filters to weir plan instead; see weir duplicates --help;2
  > --max-depth=2 => weir: --max-depth belongs to weir plan, which walks; see weir duplicates --help;2
  > END
  $ weir duplicates --resume t
  ! weir: --resume needs --plan FILE; see weir duplicates --help
  [2]
