The programs of the manual pages, which lie in man/examples: compiled without a message and run, in both languages and by both
compilers of each.

needs pkg-config
  $ . "$transcripts/package/package.sh"; clone; installed clang "$PWD/prefix"

## each prints what its page says, and ends so; one that could not write its output has not succeeded
A directory of files for the programs.
  $ mkdir tree tree/.git tree/sub special; printf '1\n2\n3\n' >tree/a; printf 'no end' >tree/sub/b; printf '#!/bin/sh\n' >tree/sub/script
  $ printf '%0100d\n' 0 >tree/.git/config; mkfifo special/fifo; : >special/empty; mkdir many; cd many; seq -f '%0100.0f' 1600 | xargs touch; cd ..
  $ for f in "$root"/man/examples/*.c; do
  >   for c in 'gcc -std=c11' 'g++ -std=c++17' 'clang -std=c11' 'clang++ -std=c++17'; do
  >     ! command -v ${c%% *} >/dev/null || echo "$(basename $f .c) $c"
  >   done
  > done | sampled | while read -r name compiler; do
  >   build "$compiler -Wpedantic -Wshadow" "$root/man/examples/$name.c" --libs || echo "by $compiler"; mv p $name
  > done
  $ row() { PATH=.:$PATH; eval "$1" 2>$top/err; s=$?; sed 's/^/! /' $top/err; [ $s = 0 ] || echo $s; }
  $ cat >rows <<'END'
  > pool tree/a /dev/null tree/sub/b => 6	tree/a;0	/dev/null;6	tree/sub/b
  > pool =>
  > pool tree/a none tree/sub/b => ! pool: none: No such file or directory;1
  > pool tree => ! pool: tree: Is a directory;1
  > pi => 3.1415926536
  > lines tree => 1	tree/.git/config;3	tree/a;0	tree/sub/b;1	tree/sub/script
  > cd tree; ../lines | head -n 2 => 1	./.git/config;3	./a
  > lines special => 0	special/empty;! lines: special/fifo: not a regular file;1
  > lines special/fifo => ! lines: special/fifo: not a regular file;1
  > lines none => ! lines: none: No such file or directory;1
  > # Output that is lost before the last write.
  > trap '' XFSZ; ulimit -f 8; lines many >limited => ! lines: File too large;1
  > weir_apply => found
  > weir_queue => total 40
  > weir_group => the job: No space left on device
  > weir_gate => never more than 4 MB
  > weir_lanes => 100 jobs
  > weir_descriptors => a budget below the limit
  > weir_walk tree => tree/a;tree/sub/b;tree/sub/script
  > weir_walk none => ! walk: none: No such file or directory;1
  > weir_files tree => 123 bytes in 4 files, 0 not read
  > weir_files none => 0 bytes in 0 files, 1 not read;1
  > printf 'tree/a\0tree/sub/script' | weir_sources => tree/sub/script
  > printf 'none\0tree/sub/script\0' | weir_sources => tree/sub/script;! sources: none: not read;1
  > weir_file tree => 100 bytes
  > weir_storage tree | sed 's/ .*, [0-9]* readers (.*)/ readers/' => tree: readers
  > weir_spawn => sorted
  > weir_trace | grep -o '"half way"' | sort -u => "half way"
  > { (weir_misuse; echo $(($? > 128))) 2>&1; } 2>&1 | grep -o '^fatal, please report it\|downloads\|^1$' | sort -u => 1;downloads;fatal, please report it
  > weir_inspect | sed 's/, running for .*//; s/\(process\|thread\) [0-9]*/\1 N/; s/of [0-9]* jobs/of N jobs/; / waits for the end/d' => weir: state of process N;gate "downloads": 1 of 1 permits in use;  job 1 of "" took 1, thread N;lanes "": 1 of N jobs running, 0 queued;  job 1 on lane 0, thread N
  > weir_base | sed "s/$version/VERSION/" => weir VERSION
  > weir_spi => 2 permits
  > END
  $ each row <rows; for f in "$root"/man/examples/*.c; do
  >   name=$(basename $f .c); case $name in pool) a=tree/a ;; lines | weir_walk | weir_file | weir_files | weir_storage) a=tree ;; *) a= ;; esac
  >   grep -q "\<$name\>" rows || echo "$name has no row"
  >   printf tree/sub/script | ./$name $a >/dev/full 2>&1 && echo "$name ends with 0"
  > done 2>/dev/null
  [1]

## valgrind: it understands the library, and reports nothing
needs valgrind
valgrind 3.19 ends at the DWARF 5 of clang, so the library has DWARF 4. It does not know openat2, by which a lane opens the
directory of files that it shares.
  $ row() {
  >   build 'clang -g -gdwarf-4' "$root/man/examples/$1.c" --libs; mkdir tree; echo x >tree/a
  >   valgrind -q --leak-check=full --error-exitcode=9 --suppressions="$root/support/valgrind.supp" ./p tree 2>&1 >out | grep -v ^--; rm -r tree
  > }
  $ printf '%s\n' lines weir_lanes weir_gate weir_group weir_queue | each row ''; row pool
  pool: tree: Is a directory
