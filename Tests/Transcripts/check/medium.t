weir check --no-read, which opens no file; --from-disk, which reads past the page cache; and --background.

## --no-read opens no file, and compares what the status says
needs strace
  $ mkdir d; for i in $(seq 0 19); do echo $i >d/listed$i; done; echo out >listed20; sha256sum d/* listed20 >S
  $ weir hash -o M d listed20; weir hash --format mtree d listed20 >T; rot d/listed3; echo x >>d/listed4
  > touch -d 2001-01-01 d/listed5
  $ rm d/listed6 d/listed7; mkdir d/listed6; chmod 0 d/listed8; row() {
  >   strace -f -e trace=open,openat,openat2 -o trace weir check --no-read --summary $1 2>err | grep -v ': OK$'
  >   grep -c "\"$1\"" trace; grep listed trace; grep -o 'contents were not read; 0 B' err | tr ';' ,
  > }
  $ i='d/listed4: FAILED (edited);d/listed5: FAILED (edited);d/listed6: FAILED (is a directory);d/listed7: FAILED (missing)'
  $ row S; printf '%s\n' M T | each row "$i;1;contents were not read, 0 B"
  d/listed6: FAILED open or read
  d/listed7: FAILED open or read
  1
  contents were not read, 0 B

## --from-disk finds a byte that changed beneath the page cache
needs losetup mkfs.ext4 filefrag loop
  $ cat >s <<'END'
  > set -e; truncate -s 16M image; mkfs.ext4 -q -b 4096 -F image; mkdir m
  > loop=$(losetup -f --show image) && mount $loop m; trap 'umount m; losetup -d $loop' EXIT
  > head -c 1000000 /dev/urandom >m/a; cp m/a m/b; sync; (cd m; sha256sum a b >../S)
  > block=$(filefrag -v m/a | awk '$1 == "0:" { print $4 + 0 }')
  > byte=$(dd if=image bs=1 skip=$((block * 4096 + 99)) count=1 2>/dev/null | od -An -tu1)
  > printf "\\$(printf %o $((255 - byte)))" | dd of=image bs=1 seek=$((block * 4096 + 99)) conv=notrunc 2>/dev/null
  > cat m/a m/b >/dev/null; weir check -C m S
  > weir check -C m --from-disk S
  > END
  $ unshare -m sh s 2>/dev/null
  a: OK
  b: OK
  a: FAILED
  b: OK
  [1]

## --from-disk maps no file
needs linux
In Linux 6.5 and later cachestat(2) is asked before a file is mapped.
needs strace
  $ head -c 12000000 /dev/zero >f; sha256sum f >S; for o in '' --from-disk; do
  >   strace -f -o trace weir check $o S 2>/dev/null; grep -q 'cachestat\|syscall_0x1c3' trace; echo $?
  > done
  f: OK
  0
  f: OK
  1

## --from-disk counts the files that stay in memory
  $ f=$(mktemp /dev/shm/weir.XXXXXX); echo x >$f; sha256sum $f >S; weir check --quiet --from-disk S
  > weir check --quiet S; rm $f
  ! weir: WARNING: 1 file could not be dropped from memory, and may not come from the disk

## --background gives all threads the idle priority
With the sources for POSIX the nice value is raised.
needs linux
needs strace
  $ echo >f; sha256sum f >S
  > strace -f -o trace -e trace=clone,clone3,sched_setscheduler,ioprio_set weir check --background S
  f: OK
  $ sed '/clone/q' trace | grep -o 'SCHED_IDLE\|IOPRIO_CLASS_IDLE' | sort -u
  IOPRIO_CLASS_IDLE
  SCHED_IDLE
