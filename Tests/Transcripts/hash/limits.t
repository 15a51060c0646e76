Little memory, few threads, and the cost of files: a run is complete, ends with a sentence, or dies where Swift has no error
for a lack of memory. It never stands still, and never gives a wrong result.

needs unsanitized

Several threads count a file of 8 MiB or more; `files` makes two of them, or all files of one size.
  $ files() {
  >   mkdir t; for i in 1 2 3; do yes "line $i" | head -c ${1-$((8400000 / i))} >t/$i; done; cp t/1 t/4; sha256sum t/* >M
  >   wc t/* >W; wc t/1 >W1
  >   chmod -R a+rX .; cp "$(command -v weir)" weir; chmod a+rwx .; for n in wc sha256sum; do ln -s weir $n; done
  > }
Another user, whom the limit applies to, and who has no other processes, also beside another run of the tests.
  $ bare() {
  >   n=$1; shift; if [ "$(id -u)" = 0 ]
  >   then setpriv --reuid $((100000 + $$)) --clear-groups bash -c "ulimit -u $n; exec \"\$@\"" bash "$@"
  >   else bash -c "ulimit -u $n; exec \"\$@\"" bash "$@"; fi
  > }

## littleMemory: little memory: complete, or a sentence
A shared library may not fit: 127.
  $ files 1200000; row() {
  >   (ulimit -v $n; exec weir $1) >out 2>err; s=$?
  >   case $s in
  >   0) [ "$1" != 'hash t' ] || cmp out M ;;
  >   2 | 3) grep -q 'weir: ' err || echo silent ;;
  >   1 | 4 | 127 | 13?) ;;
  >   *) echo $s ;;
  >   esac
  > }
  $ for n in 40000 50000 80000 200000; do
  >   each row '' <<'END'
  > hash t
  > count t
  > duplicates t
  > duplicates --verify t
  > check --quiet M
  > check --audit . M
  > run -j2 t -- true
  > END
  > done 2>/dev/null
The largest limit is enough for a run.
  $ (ulimit -v 200000; exec weir hash t) 2>/dev/null | cmp - M

## noThread: no thread: a sentence and status 2
needs setpriv bash
  $ files 9; row() { bare 1 ./weir $1 2>&1 | sed 's/started: .*/started/'; bare 1 ./weir $1 2>/dev/null; echo $?; }
  $ printf '%s\n' 'hash t' 'count t' 'check M' 'duplicates t' 'run t -- true' |
  >   each row 'weir: no thread can be started;2'

## fewThreads: few threads: the same results, and a sentence
needs setpriv bash
  $ files; for n in 4 20 40; do
  >   bare $n ./weir hash -j 64 t | cmp - M; bare $n ./weir check -j 64 --quiet M
  >   bare $n ./weir count -j 64 t | awk '{ print $1, $2, $3 }' >C; awk '{ print $1, $2, $3 }' W | cmp - C
  > done 2>&1 | sed 's/only [0-9]*/only N/; s/[0-9]* jobs/N jobs/' | sort | uniq -c
        3 weir: only N threads can be started: 1 job at once; raise ulimit -u or ulimit -v
        6 weir: only N threads can be started: N jobs at once; raise ulimit -u or ulimit -v

## dropIns: drop-in names need no thread, and say nothing
needs setpriv bash
  $ files; for n in 1 4; do bare $n ./wc t/* | cmp - W; bare $n ./wc t/1 | cmp - W1; bare $n ./sha256sum t/* | cmp - M
  >   bare $n ./sha256sum --quiet -c M; done

## descriptors: at ulimit -n 8 a state, a report and a trace have room; below, a sentence names the way out
needs linux
With the sources for POSIX the output of a command takes four descriptors.
  $ mkdir t; (cd t; seq 3000 | xargs touch); weir hash -o M t; for n in 8 8 7; do
  >   (ulimit -n $n; exec weir check --quiet --state S --report R --trace T M); rm -f J
  >   (ulimit -n $n; exec weir run -j2 --joblog J --report Q --trace U t/1 t/2 -- true); done; grep -c displayTime U
  1
  ! weir: only 7 descriptors are allowed, and 8 needed; raise ulimit -n
  ! weir: only 7 descriptors are allowed, and 8 needed; raise ulimit -n

## libc: no library defines a name of libc
The tool that was built with the tests contains all of them.
  $ libc=$(ldd "$built" | awk '$1 == "libc.so.6" { print $3 }')
  > nm -D --defined-only "$libc" | awk '{ sub("@.*", "", $3); print $3 }' | sort -u >libc
  $ nm -g --defined-only "$built" | awk '$3 !~ "@" { print $3 }' | sort -u >names
  > grep -cx 'weir_gate_create\|kernel_arguments' names; comm -12 libc names
  2

## four system calls for a small file, one of each kind
An unknown file system takes one call more for each file.
needs linux
A call that another thread interrupts has two lines.
needs strace
  $ for n in 1 1001; do mkdir t$n; perl -e 'for (1 .. $ARGV[1]) { open F, ">", "$ARGV[0]/f$_"; syswrite F, "x\n" }' t$n $n
  >   strace -f -o trace weir hash -j1 t$n >/dev/null
  >   grep -v ' resumed>\| futex(' trace | sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' >$n; done
  $ more() { echo $(($(grep -cx "$1" 1001) - $(grep -cx "$1" 1))); }
  $ m=$(more '.*'); [ $m -ge 3950 ] && [ $m -le 4250 ] || echo $m; for c in openat 'new\?fstat\(at\)\?' read close; do
  >   m=$(more $c); [ $m -ge 990 ] && [ $m -le 1060 ] || echo $m $c; done

## thirty thousand files need no more memory than three thousand
A single run of each is not enough: the lanes run ahead by varying amounts. Their number is fixed, since a busy machine may answer the
longer run so slowly that it gets more lanes. 85 bytes a file; the deeper tree alone takes up to 1.8 MiB more.
  $ perl -e 'for my $d ("few", "few/d1", "few/d2", "many", map { "many/d$_" } 1 .. 29) {
  >   mkdir $d; for (1 .. 1000) { open F, ">", "$d/f$_"; syswrite F, "x\n" } }'
  $ mkfifo in; most() {
  >   exec 7<>in; start weir hash -j8 $1 - <in >out 7>&-; await "[ \$(wc -l <out) = $2 ]"
  >   peak $!; exec 7>&-; ended $! >status
  > }
  $ few=$(for i in 1 2 3; do most few 3000; done | sort -n | tail -n 1); many=$(for i in 1 2; do most many 30000
  >   done | sort -n | head -n 1); [ $((many - few)) -lt 2304 ] || echo $few $many
