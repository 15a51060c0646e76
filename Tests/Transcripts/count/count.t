weir count: trees, lists and files that cannot be read. wc.t compares it with wc.

  $ printf 'hello wörld\n\ttab\n' >a; : >empty; printf '%012345d' 0 >long; printf 'x\ny' >'new
  > line'
  $ mkdir -p t/u; for f in t/b t/u/c t/z; do echo "$f is it" >$f; done

## a directory is walked, in order, and the columns are seven wide
  $ weir count t
        1       3      10 t/b
        1       3      12 t/u/c
        1       3      10 t/z
        3       9      32 total
  $ weir count t | sort >all; for o in --unordered -j1 '-j 7'; do weir count t $o | sort | cmp - all; done

## the columns of a list are as wide as those of wc
  $ printf 'a\0long\0t/b\0' >list; for l in list -; do weir count --files0-from $l <list >ours; wc --files0-from=$l <list | cmp - ours; done; cat ours
      2     3    18 a
      0     1 12345 long
      1     3    10 t/b
      3     7 12373 total

## unreadable files are reported, the others are counted, and the status is 3
  $ mkfifo fifo; weir count a gone fifo
        2       3      18 a
        2       3      18 total
  ! weir: gone: No such file or directory
  ! weir: fifo: is a FIFO; to read it, use: weir count - < fifo
  ! weir: 1 file read, 1 could not be read, 1 special file not opened
  [3]
  $ weir count gone
  ! weir: gone: No such file or directory
  ! weir: 0 files read, 1 could not be read
  [3]

## --zero ends lines with NUL and quotes no names
  $ weir count -lz a 'new
  > line' | tr '\0' '|'
   2 a| 1 new
  line| 3 total| (no-eol)

## the JSON matches its schema: files, errors, the total and the summary
  $ row() { weir count --format=json $1 a gone t 'new
  > line' 2>/dev/null; }
  $ row
  {"type":"file","path":{"text":"a"},"lines":2,"words":3,"bytes":18}
  {"type":"error","path":{"text":"gone"},"kind":"unreadable","message":"No such file or directory"}
  {"type":"file","path":{"text":"t/b"},"lines":1,"words":3,"bytes":10}
  {"type":"file","path":{"text":"t/u/c"},"lines":1,"words":3,"bytes":12}
  {"type":"file","path":{"text":"t/z"},"lines":1,"words":3,"bytes":10}
  {"type":"file","path":{"text":"new\nline"},"lines":1,"words":2,"bytes":3}
  {"type":"total","lines":6,"words":14,"bytes":53}
  {"type":"summary","complete":true,"files":5,"bytes":53,"unreadable":1,"changed":0,"special":0,"links":0,"filtered":0,"excluded":0,"seconds":...}
  [3]
  $ row -l | cut -c-40 >lines; row | cut -c-40 | diff - lines; row -lwmcL | grep longest | head -n 1; row -z | tr '\0' '\n' | cut -c-40 | cmp - lines
  7c7
  < {"type":"total","lines":6,"words":14,"by
  ---
  \x3e {"type":"total","lines":6} (esc)
  {"type":"file","path":{"text":"a"},"lines":2,"words":3,"characters":17,"bytes":18,"longest":11}
  - lines differ: byte 272, line 7
  [1]

## bytes alone need no open, unless the size is a multiple of a page
needs strace
  $ for n in 1 4095 4097 100000 0 4096 8192 16777216; do head -c $n /dev/zero >f$n; done
  $ strace -f -o trace -e trace=open,openat,openat2 weir count -c f* | xargs; grep -o '"f[0-9]*"' trace | sort -u | xargs
  0 f0 1 f1 100000 f100000 16777216 f16777216 4095 f4095 4096 f4096 4097 f4097 8192 f8192 16897697 total
  f0 f16777216 f4096 f8192
  $ weir count -c /proc/version | awk '{ print ($1 > 10) }'
  1

## works with eight descriptors and a file that all cores share
  $ yes 'some words ' | head -c 25000000 >big; (ulimit -n 8; weir count -lw big t a) | head -n 1 | xargs; wc -lw big | xargs
  2083333 4166667 big
  2083333 4166667 big

## invalid values of options are usage errors
  $ weir count --characters
  ! weir: unknown option --characters; see weir count --help
  [2]
  $ weir count --format mtree
  ! weir: --format takes text or json, not mtree; see weir count --help
  [2]
