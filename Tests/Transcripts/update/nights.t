The nightly lines of the documentation, an update and a check, run as they stand over a month, but with a usual priority: beside
other work a run with an idle one may wait for long.

## a month of nights forgets no disk, no rot, no rename and no restore
The six files of a disk that is away, a rename, a loss and a restore. What each night prints, of files, and its two statuses;
a line of all files of the disk is there once, with their number.
  $ nightly() {
  >   sed -n 's/^    \(\$ \)\{0,1\}//p' $transcripts/../../docs/$1 | sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' |
  >     grep '^weir .*/var/lib/weir/srv.sums' |
  >     sed 's,/var/lib/weir,$PWD/var,g; s,-C /srv,-C $PWD/srv,g; s/ --background//' >lines
  >   update=$(grep -m 1 'hash --update' lines); check=$(grep -m 1 check lines)
  > }
  $ night() { (eval "$update"; u=$?; eval "$check"
  >     echo "$1: $u $?") 2>&1 | perl -ne '
  >   sub said { print $n > 1 ? "$n " : "", $last }
  >   next if /[0-9] files|WARN|No such file/; s/ since 20.*/ since/; s,disk.[1-6]: (FAILED \()?gone,disk/*: $1gone,;
  >   $n++, next if $_ eq $last; said; ($n, $last) = (1, $_); END { said }'; }
  $ month() {
  >   fresh; nightly $1; mkdir -p var srv/a srv/disk; : >var/log; for i in 1 2 3 4 5 6; do echo "a $i" >srv/a/$i
  >     echo "disk $i" >srv/disk/$i; done
  > find srv -type f -exec touch -d '2020-02-02 02:02:02.5' {} +; for i in 1 2 3 4; do night $i; done
  >   mv srv/disk away; mkdir srv/disk; for i in 5 6 7; do night $i; done; rot away/3; rmdir srv/disk
  >   mv away srv/disk; for i in 8 9; do night $i; done
  >   echo "disk 3" >srv/disk/3; night 10; night 11; mv srv/a/2 srv/a/two; night 12; rm srv/a/5; night 13
  >   echo "a 5" >srv/a/5; touch -d 2020-02-02 srv/a/5; for i in 14 15; do night $i; done
  >   cut -c 67- var/srv.sums | xargs
  > }
  $ month cli.md >$top/cli; cat $top/cli
  1: 0 0
  2: 0 0
  3: 0 0
  4: 0 0
  6 ./disk/*: gone
  6 ./disk/*: FAILED (gone since
  5: 1 1
  6 ./disk/*: gone since
  6 ./disk/*: FAILED (gone since
  6: 1 1
  6 ./disk/*: gone since
  6 ./disk/*: FAILED (gone since
  7: 1 1
  ./disk/3: rot
  ./disk/3: FAILED (rot since
  8: 1 1
  ./disk/3: rot since
  ./disk/3: FAILED (rot since
  9: 1 1
  10: 0 0
  11: 0 0
  12: 0 0
  ./a/5: gone
  ./a/5: FAILED (gone since
  13: 1 1
  14: 0 0
  15: 0 0
  ./a/1 ./a/3 ./a/4 ./a/5 ./a/6 ./a/two ./disk/1 ./disk/2 ./disk/3 ./disk/4 ./disk/5 ./disk/6
  $ month fixity.md | cmp - $top/cli
