Called as sha256sum or wc, weir writes in the order of GNU's tools if a file or a list makes it wait, and takes very many
names. `same` runs a script with the tools of GNU and with weir, and compares its output, its messages and its status.

needs gnu

  $ for f in a b c; do echo $f >$f; done; mkdir ours; for f in sha256sum wc cksum; do ln -s "$(command -v weir)" ours/$f; done
  $ same() {
  >   for p in $PWD/ours /usr/bin; do
  >     (PATH=$p:$PATH; eval "$1") >out 2>err; echo $? >>out; cat err >>out; mv out ${p##*/}.out
  >   done; cmp ours.out bin.out; wc -l <ours.out
  > }

## the lines before a FIFO are written before the tool waits for the FIFO
  $ mkfifo f; ours/sha256sum a gone f b >out 2>err & await '[ -s out ] && [ -s err ]'; cut -c 67- out; echo c >f; wait $!
  a
  [1]
  $ cut -c 67- out; cat err
  a
  f
  b
  ours/sha256sum: gone: No such file or directory
  $ same 'mkfifo g h; cat a >g & cat b >h & sha256sum a g - h b <c; wait; rm g h'
  6
  $ mkfifo g; ours/wc -l a gone g a >out 2>err & await '[ -s out ] && [ -s err ]'; cat out; printf 'c\nd\n' >g; wait $!; cat out
        1 a
        1 a
        2 g
        1 a
        4 total

## the line of a manifest or a list in a pipe is answered before the next line arrives
  $ sha256sum a b >M; mkfifo in; exec 7<>in; cat M >&7; start ours/sha256sum -c <in >out 7>&-; await '[ $(wc -l <out) = 2 ]'
  $ exec 7>&-; ended $!; cat out; exec 7<>in; printf 'a\0a\0' >&7; start ours/wc -l --files0-from=- <in >out 7>&-
  0
  a: OK
  b: OK
  $ await '[ $(wc -l <out) = 2 ]'; exec 7>&-; ended $!; cat out
  0
  1 a
  1 a
  2 total
  $ mkfifo f; same 'sha256sum a b >m; sha256sum c >f & sha256sum -c m f m gone; wait'
  7

## the tool reads its own output file with the lines written so far
  $ row() { same "$1"; }
  $ each row <<'END'
  > sha256sum a gone b o c o >o 2>&1; cat o; rm o => 7
  > sha256sum -z a gone b o c o >o 2>&1; cat o; rm o => 2
  > sha256sum --tag a gone b e c 2>e; cat e; rm e => 6
  > sha256sum a /dev/null >m; printf '%064d  o\n' 0 >>m; sha256sum -c m >o; cat o; rm o => 5
  > END

## ten thousand names, half of them missing, and a long manifest
  $ same 'names=$(seq -f "a gone%g" 5000); sha256sum $names >o 2>e; echo $?; sha256sum <o; sed "s/^[^:]*//" e | sha256sum; rm o e'
  4
  $ line=$(sha256sum a); other=$(sha256sum b | sed 's/b$/a/')
  $ { yes "$line" | head -n 12000; echo "$other"; echo x; yes "$line" | head -n 3000; } >m
  $ same 'sha256sum -wc m >o 2>e; echo $?; sha256sum <o; sed "s/^[^:]*//" e; tail -n 3002 m | sha256sum --status -c; rm o e'
  6

## the last component of argument 0 decides the tool
needs bash
  $ row() { bash -c 'exec -a "$0" weir --version' "$1" | sed 's/ [0-9.]*$//; q'; }
  $ each row <<'END'
  > sha256sum => sha256sum (Weir)
  > ./sha256sum => sha256sum (Weir)
  > x/md5sum => md5sum (Weir)
  > b2sum => b2sum (Weir)
  > x/cksum => cksum (Weir)
  > weir => weir
  > sha256sum/ => weir
  > sha256 => weir
  > b1sum => weir
  > sum => weir
  > Sha256sum => weir
  >  => weir
  > END

## the rest after the descriptor's offset is counted, with the errors of wc
  $ for s in a:5000 b:8192 c:1048576; do head -c ${s#*:} /dev/zero | tr '\0' '\n' >${s%:*}; done
  $ same 'for f in a b c; do for at in 1 4097 9000; do for o in -c -l -m -w; do
  > { dd bs=$at count=1 of=/dev/null 2>/dev/null; wc $o; wc $o; } <$f; done; done; done'
  73

## a CRC is never that of a part: an error of a read is reported, unlike by GNU's cksum 9.1
  $ echo hello >f; mkdir d; for f in d /proc/self/mem; do ours/cksum $f f; done
  3015617425 6 f
  3015617425 6 f
  ! ours/cksum: d: Is a directory
  ! ours/cksum: /proc/self/mem: Input/output error
  [1]
