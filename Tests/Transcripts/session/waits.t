What takes seconds: `make test-waits` runs these commands.

needs waits

## a check whose time is over after files that are missing is no success
  $ for i in 1 2 3 4 5 6; do echo $i >f$i; done; sha256sum f* >S; rm f*
  > (head -n 3 S; sleep 8; tail -n 3 S) | weir check --ignore-missing --max-time 4
  ! weir: no file was verified
  [1]

## --progress never and auto show nothing without a terminal
The input takes one and a half times the delay of progress.
  $ for when in never auto; do { echo hello; sleep 0.75; } | weir hash --progress $when | wc -l; done
  1
  1

## SIGUSR1 reports a file that takes ten seconds, and none before
  $ printf a >a; mkfifo in; exec 7<>in; printf hello >&7; : >err; start weir hash a - <in >out 2>>err 7>&-; run=$!
  > await '[ -s out ]'; ask $run ', 6 B, '; grep -c 'working on' err; ask $run ' has been working on - for 1'; exec 7>&-; ended $run
  0
  0

## after an interrupt a slow reader gets the whole output of what has ended
  $ mkfifo out; perl -e '
  >   while (my $count = sysread STDIN, my $piece, 65536) { $n += $count; select undef, undef, undef, 0.05 }
  >   print "$n\n"' <out >count & reader=$!
  $ start weir run -j2 --joblog L 1 2 3 -- sh -c '[ $1 != 1 ] || exec sleep 1000; head -c 4M /dev/zero' sh >out 2>err
  > run=$!; await "grep -qs ^3 L"; kill $run; ended $run; wait $reader; cat count
  TERM
  8388608
