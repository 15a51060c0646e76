weir check with the records beside a manifest, M.mtree.

  $ mkdir d; for f in edited gone rotten same touched; do printf "content of $f" >d/$f; done; printf odd >'d/new
  > line'
  $ change() { printf x >>d/edited; rm d/gone; rot d/rotten; touch -d 2001-01-01 d/touched; }

## a link in the place of a file that a walk has found differs; a named or followed one is read
  $ mkdir t t/d; echo 1 >t/f; echo 2 >t/d/g; ln -s f t/l; ln -s t u
  $ weir hash -o M t; weir hash -o N u/ t/l; weir hash --follow -o F t; sha256sum t/f >S
  $ check() { weir check --quiet $1 2>/dev/null; echo $?; }
  $ check N; check F; mv t/f o; ln -s ../o t/f; mv t/d p; ln -s ../p t/d
  0
  0
  $ each check <<'END'
  > M => t/d/g: FAILED (is a symbolic link);t/f: FAILED (is a symbolic link);1
  > M.mtree => t/d/g: FAILED (is a symbolic link);t/f: FAILED (is a symbolic link);1
  > N => u/d/g: FAILED (is a symbolic link);u/f: FAILED (is a symbolic link);1
  > S => 0
  > END
  $ mkdir v v/d; echo 3 >v/d/f; ln -s d v/l; weir hash -o V v v/l/f; check V
  0

## the records tell rot from an edit, by the names and the order of the manifest
  $ weir hash -o 1 d; weir hash -o 2 --tag d; weir hash -o 3 -a md5,blake3 d; weir hash -o 4 -z d; weir hash -o 5 -a xxh128 d
  $ change; weir check 1
  d/edited: FAILED (edited)
  d/gone: FAILED (missing)
  \d/new\nline: OK
  d/rotten: FAILED (rot)
  d/same: OK
  d/touched: OK (touched)
  ! weir: d/gone: No such file or directory
  ! weir: WARNING: 1 listed file is missing
  ! weir: WARNING: 1 listed file was edited
  ! weir: WARNING: 1 listed file has ROT
  [1]
  $ weir check 1 >out 2>/dev/null
  [1]
  $ same() { sort $1 >sorted; sort out | cmp - sorted; }
  $ weir check --summary 3 2>&1 >/dev/null | sed '1,4d; s/;.*//'
  weir: WARNING: 1 listed file has ROT
  weir: 12 lines: 3 right (1 with another time), 1 edited, 1 rotten, 1 missing, 6 more of the same files
  $ for m in 2 3 '4 -z' 5; do weir check $m 2>/dev/null | uniq >o; same o; done; weir check 3 2>/dev/null | grep -c .
  12
  $ for m in 1 2 3 '4 -z' 5; do for k in 0 1 2; do weir check --shard $k/3 $m; done 2>/dev/null | sort | uniq >o; same o; done

## the records beside a manifest whose name is a link are those of its file
  $ mkdir real; ln -s real/M M; weir hash -o M d; printf X >d/same; touch -d @1 d/same
  $ weir check --quiet M 2>/dev/null; weir check --quiet --audit . -C . M 2>/dev/null
  d/same: FAILED (edited)
  d/same: FAILED (edited)
  [1]

## a file below what became a file is missing in each format
  $ mkdir d/s; cp d/same d/s; weir hash d/s >M; weir hash --format mtree d/s >T; rm -r d/s; echo >d/s
  $ for m in M T; do weir check --format json $m 2>/dev/null | grep -c '/same".*"status":"missing"'; done
  1
  1

## other content of a pipe is no rot, whatever the record of standard input is
  $ weir hash -o M - <d/same; echo x | weir check M
  -: FAILED
  ! weir: WARNING: 1 computed checksum did NOT match
  [1]
  $ weir check M <d/same
  -: OK

## records are used as far as they agree with the manifest, and a sentence says so
  $ weir hash -o M d; sed -i 2d M; change; weir check M
  d/edited: FAILED (edited)
  \d/new\nline: OK
  d/rotten: FAILED
  d/same: OK
  d/touched: OK
  ! weir: M: line 2 and what follows differ from M.mtree, which is therefore not used: rot cannot be told from an edit
  ! weir: WARNING: 1 computed checksum did NOT match
  ! weir: WARNING: 1 listed file was edited
  [1]
  $ weir check M 2>/dev/null | sed 's/ (edited)//' >without
  $ for m in 'printf nonsense >M.mtree' 'rm M.mtree' 'mkfifo M.mtree'; do
  >   rm -f M.mtree; eval "$m"; weir check M 2>err | cmp - without; grep M.mtree err
  > done
  weir: M.mtree: cannot be read or has no records of M, and is therefore not used: rot cannot be told from an edit
  weir: M.mtree: cannot be read or has no records of M, and is therefore not used: rot cannot be told from an edit
  ! rm: cannot remove 'M.mtree': No such file or directory

## replaced: a ledger that a run is about to replace, after its manifest, is awaited
The run has replaced M, and not yet M.mtree. The check has 10 s instead of a half: a busy machine needs more.
  $ echo 'int poll(void *, long, int); int usleep(unsigned n) { return poll(0, 0, n / 50); }' | cc -shared -fPIC -o slow.so -xc -
  $ weir hash -o M d; cp M.mtree former; rm d/gone; printf x >>d/edited; weir hash -o M --update --quiet --accept-gone d
  $ mv M.mtree next; mv former M.mtree; : >M.partial; env LD_PRELOAD=./slow.so weir check --quiet M & run=$!
  $ await 'ls -l /proc/$run/fd 2>/dev/null | grep -q M.mtree || ! kill -0 $run'; mv next M.mtree; rm M.partial; wait $run

## another digest than that of the records is a difference, and so is a line less
The first shard reports what concerns the manifest as a whole.
  $ weir hash -o M d; cp M N; sed -i 2d M; weir check --quiet M
  ! weir: M: line 2 and what follows differ from M.mtree, which is therefore not used: rot cannot be told from an edit
  [1]
  $ cp N M; digest=$(echo other >d/same; sha256sum <d/same | cut -c1-64); sed -i "s,^.*  d/same,$digest  d/same," M
  $ weir check --quiet M
  ! weir: M: line 5 and what follows differ from M.mtree, which is therefore not used: rot cannot be told from an edit
  [1]
  $ weir plan -o P --shards 2 d >/dev/null; for k in 0 1; do weir check --quiet --plan P --shard $k/2 --out D M 2>/dev/null; echo $?; done
  1
  0
  $ weir merge --plan P D
  [1]
