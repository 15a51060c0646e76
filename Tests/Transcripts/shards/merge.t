weir merge and weir status: parts that are not the whole. Each fault is named, has its exit status, and nothing is
written.

A tree with hostile names, a plan of six shards, and their parts.

  $ plan() { weir plan --shards 6 -o set.plan t >/dev/null; }
  $ make() {
  >   fresh; mkdir -p t/d t/order; for i in $(seq 40); do echo $i >"t/f $i"; echo $i >"t/d/$(printf '\001\n%s' $i)"; done
  >   echo 1 >t/order/x; echo 2 >t/order.txt; ln -s nowhere t/link; plan
  > }
  $ part() { echo parts/shard-0000$1-of-00006.part; }
  $ shard() {
  >   k=$1 v=$2; shift 2; weir $v --plan set.plan --shard $k/6 --out parts "$@" 2>err
  >   set -- $?; grep -v '^weir: shard ' err >&2; return $1
  > }
  $ shards() { make; for k in 3 0 5 1 4 2; do shard $k hash; done; }
  $ merge() {
  >   echo old >M; weir merge --plan set.plan -o M parts 2>/dev/null; echo $?; cat M; rm M
  >   weir merge --plan set.plan parts 2>&1 | sed 's/byte [0-9]*/byte N/; s/[0-9]* bytes/N bytes/; s/(.*, not [0-9a-f]*)/(N)/'
  > }

## missing shards: 3, and a line that makes them, which is run as printed
  $ shards; weir merge --plan set.plan parts >whole; for k in 1 4 5; do rm $(part $k); done; merge
  3
  old
  weir: shards 1,4-5 of 6 are missing
  weir: nothing is written; run these shards again: for k in 1 4 5; do weir hash --plan set.plan --shard $k/6 --out parts --resume; done
  $ eval "$(weir merge --plan set.plan parts 2>&1 | sed -n 's/.*again: //p')" 2>/dev/null; weir merge --plan set.plan parts | cmp - whole

## a Slurm array is submitted again with sbatch
  $ make; export SLURM_JOB_ID=20 SLURM_ARRAY_JOB_ID=20 SLURM_ARRAY_TASK_COUNT=2 SLURM_PROCID=0
  $ for k in 0 2 3; do SLURM_ARRAY_TASK_ID=$k weir hash --tag --plan set.plan --shard auto --out parts 2>/dev/null; done; merge
  3
  old
  weir: shards 1,4-5 of 6 are missing
  weir: nothing is written; run these shards again: sbatch --array=1,4-5 --wrap 'weir hash --tag --plan set.plan --shard auto --out parts --resume'

## parts of another plan: 4, also of one with another number of shards
  $ merged() { merge | sed 's/-0000[0-5]-/-0000K-/' | uniq -c | sed 's/^ *1 //; s/^ *//'; }; shards; echo more >t/more; plan; merged
  4
  old
  6 weir: parts/shard-0000K-of-00006.part: belongs to another plan (N)
  weir: nothing is written; name the plan of these parts, or the directory of those of this plan
  $ weir plan --shards 5 -o set.plan t >/dev/null; merged
  3
  old
  6 weir: parts/shard-0000K-of-00006.part: belongs to no shard of this plan of 5
  weir: shards 0-4 of 5 are missing
  weir: nothing is written; run these shards again: for k in 0 1 2 3 4; do weir VERB --plan set.plan --shard $k/5 --out parts --resume; done
A shard refuses to replace the part of another plan.
  $ shards; cp $(part 2) before; echo more >t/more; plan; shard 2 hash 2>&1 | sed "s,(.*,,"
  weir: $top/t/parts/shard-00002-of-00006.part: belongs to another plan\x20 (esc)
  $ cmp $(part 2) before

## each fault is named, has its status, and several have the lowest
  $ shards; cp -r parts whole; n=$(stat -c %s $(part 3)); for v in 'hash --tag' count; do weir $v --plan set.plan --shard 3/6 --out other 2>/dev/null; mv other/* "$v"; done
  $ row() { rm -r parts; cp -r whole parts; eval "$1"; merge; }
  $ each row <<'END'
  > truncate -s $((n * 2 / 3)) $(part 3) => 5;old;weir: parts/shard-00003-of-00006.part: is cut short after N bytes;weir: nothing is written; remove the parts named above, and run these shards again: for k in 3; do weir hash --plan set.plan --shard $k/6 --out parts --resume; done
  > printf X | dd of=$(part 3) bs=1 seek=$((n / 2)) conv=notrunc 2>/dev/null => 5;old;weir: parts/shard-00003-of-00006.part: is damaged: the block at byte N differs from its checksum;weir: nothing is written; remove the parts named above, and run these shards again: for k in 3; do weir hash --plan set.plan --shard $k/6 --out parts --resume; done
  > cp $(part 3) $(part 4) => 4;old;weir: parts/shard-00004-of-00006.part: is the part of shard 3/6, not of 4/6;weir: nothing is written; remove the parts named above, and run these shards again: for k in 4; do weir hash --plan set.plan --shard $k/6 --out parts --resume; done
  > cp $(part 3) 'parts/shard-00003-of-00006 (copy).part' => 4;old;weir: 'parts/shard-00003-of-00006 (copy).part': belongs to no shard of this plan of 6;weir: nothing is written; remove the files named above
  > cp 'hash --tag' $(part 3) => 4;old;weir: parts/shard-00003-of-00006.part: was made by another command (weir hash --tag, not weir hash);weir: nothing is written; remove the parts named above, and run these shards again: for k in 3; do weir hash --plan set.plan --shard $k/6 --out parts --resume; done
  > cp count $(part 3) => 4;old;weir: parts/shard-00003-of-00006.part: was made by another command (weir count, not weir hash);weir: nothing is written; remove the parts named above, and run these shards again: for k in 3; do weir hash --plan set.plan --shard $k/6 --out parts --resume; done
  > truncate -s $((n - 9)) $(part 3); cp $(part 2) $(part 1); rm $(part 0) => 3;old;weir: parts/shard-00003-of-00006.part: is cut short after N bytes;weir: parts/shard-00001-of-00006.part: is the part of shard 2/6, not of 1/6;weir: shard 0 of 6 is missing;weir: nothing is written; remove the parts named above, and run these shards again: for k in 0 1 3; do weir hash --plan set.plan --shard $k/6 --out parts --resume; done
  > END
A shard does not take a part that is cut for done, and sees that others are of another command.
  $ truncate -s $((n - 9)) $(part 3); shard 3 hash 2>&1 | sed 's/[0-9]* bytes/N bytes/'
  weir: $top/t/parts/shard-00003-of-00006.part: is cut short after N bytes
  $ rm $(part 3); shard 3 hash --tag
  ! weir: $top/t/parts/shard-00001-of-00006.part: was made by another command (weir hash, not weir hash --tag)
  [2]

## counts of characters depend on the locale, and digests do not
  $ shards; rm $(part 3); LC_ALL=C shard 3 hash; weir merge --plan set.plan parts >/dev/null
  $ rm -r parts; for k in 0 1 2 3 4; do shard $k count; done; LC_ALL=C shard 5 count
  ! weir: $top/t/parts/shard-00000-of-00006.part: was made by another command (weir count 'locale=UTF-8', not weir count 'locale=ANSI_X3.4-1968')
  [2]

## a plan that is damaged: 2, and a shard makes no part of it
  $ shards; printf X | dd of=set.plan bs=1 seek=$(($(stat -c %s set.plan) - 3)) conv=notrunc 2>/dev/null; merge
  2
  old
  weir: set.plan: is damaged: its SHA-256 differs
  $ rm $(part 2); shard 2 hash
  ! weir: set.plan: is damaged: its SHA-256 differs
  [2]
  $ ls parts | grep 00002
  [1]

## a node without the files of the plan makes no part
  $ make; mkdir unmounted; weir hash -C $PWD/unmounted --plan $PWD/set.plan --shard 0/6 --out $PWD/none 2>&1 | tail -n 1
  weir: none of the first 82 files of the plan is here, not even 't/d/'$'\001\n''1'; mount their file system, or use -C DIR
  $ ls none 2>/dev/null

## --exit-zero: 0 once the part is written, and 3 at the merge
  $ make; rm t/order.txt; for i in 1 2; do for k in 0 1 2 3 4 5; do shard $k hash --exit-zero 2>/dev/null || echo $?; done; done; weir merge --plan set.plan parts >/dev/null
  ! weir: t/order.txt: No such file or directory
  ! weir: 81 files read, 1 could not be read, 1 symbolic link skipped
  [3]

## status: done, begun, missing and unusable shards, and 0 only if all are done
  $ shards; weir status --plan set.plan parts
  6 of 6 shards done, 82 files
  $ rm $(part 1); head -c 300 $(part 4) >$(part 4).tmp.host.17.1; rm $(part 4); truncate -s -1 $(part 3); weir status --plan set.plan parts 2>&1 | sed 's/[0-9]* bytes/N bytes/'
  3 of 6 shards done, 41 files
  shard 4: begun, 0 of 14 files
  missing: 1
  unusable: 3
  weir: parts/shard-00003-of-00006.part: is cut short after N bytes
  $ weir status --format json --plan set.plan parts 2>/dev/null | sed 's/,"engine.*}/}/'
  {"type":"shard","shard":0,"state":"done","files":13,"answered":13,"differences":0,"unreadable":0}
  {"type":"shard","shard":1,"state":"missing","files":13}
  {"type":"shard","shard":2,"state":"done","files":14,"answered":14,"differences":0,"unreadable":0}
  {"type":"shard","shard":3,"state":"unusable","files":14}
  {"type":"shard","shard":4,"state":"begun","files":14,"answered":0}
  {"type":"shard","shard":5,"state":"done","files":14,"answered":14,"differences":0,"unreadable":0}
  {"type":"summary","shards":6,"done":3,"begun":1,"missing":1,"unusable":1}
