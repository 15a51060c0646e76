weir run without free processes: it waits for its own commands, fails if none is running, and ends at a signal.

The limit of processes is set from outside during the run, which belongs to another user, since it does not apply to root.

needs waits root setpriv prlimit

  $ chmod 777 .; cp "$(command -v weir)" weir; chmod a+rx weir; as() { setpriv --reuid $((100000 + $$)) --clear-groups "$@"; }
  $ allow() { as prlimit --pid $run --nproc=$1:; }
  $ begin() {
  >   rm -f began* go*; o=$1; shift; for i; do mkfifo go$i; chmod 666 go$i; done
  >   start setpriv --reuid $((100000 + $$)) --clear-groups ./weir run $o "$@" -- sh -c ': >began$1; read -r x <go$1; echo $1' sh >out 2>err; run=$!
  > }
  $ go() { for i; do echo x >go$i; done; }

## a command waits for another one to end, and that is reported once
Longer than it would wait without a running command.
  $ begin -j2 1 2 3 4; await '[ -e began1 ] && [ -e began2 ]'; allow 1; go 1; await 'grep -q "commands wait" err'
  > sleep 4.5; allow 1000; go 2 3 4; ended $run; cat out err
  0
  1
  2
  3
  4
  weir: commands wait because no process can be started: Resource temporarily unavailable; use a smaller -j or raise ulimit -u

## if no command is running, one that cannot be started fails, and the run continues
  $ begin -j1 1 2 3; await '[ -e began1 ]'; allow 1; go 1; await 'grep -q "2: sh could not be started" err'; allow 1000; go 3
  > ended $run; cat out err
  1
  1
  3
  weir: commands wait because no process can be started: Resource temporarily unavailable; use a smaller -j or raise ulimit -u
  weir: 2: sh could not be started: Resource temporarily unavailable; use a smaller -j or raise ulimit -u
  weir: 3 commands run, 1 failed

## a signal ends the run, even without a free thread
  $ for j in 1 2; do begin -j$j 1 2 3 4; await "[ -e began1 ] && [ -e began$j ]"; allow 1; go 1
  >   await 'grep -q "commands wait" err'; kill -INT $run; ended $run; cat out; done
  INT
  1
  INT
  1
