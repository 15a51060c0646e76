weir run: outputs are whole and in order, and each command has its arguments.

  $ run() { s=$1; shift; weir run "$@" -- sh -c "$s" sh; }

## the output of commands is whole, in order, and on its stream
Some commands take longer, and some write more than a pipe takes.
  $ cat >s <<'END'
  > n=$(($1 * 7919 % 25)); [ $n = 0 ] && n=3000
  > [ $(($1 % 13)) = 0 ] && sleep 0.05
  > seq -f "out $1 %g and some more of it so that it is long" $n
  > echo "err $1" >&2
  > END
  $ seq 30 >N; for i in $(seq 30); do sh s $i; done >expected 2>expected.err; for j in 1 2 9; do
  >   weir run -j$j --files-from N -- sh s >out 2>err; cmp out expected; cmp err expected.err
  >   weir run -j$j --unordered --files-from N -- sh s 2>err | sort >out; sort expected | cmp - out
  >   sort expected.err >e; sort err | cmp - e
  > done

## batches have every item once, in order, and fit the limit of the system
The arguments of one command take at most 128 KiB.
  $ x=$(printf %0200d 0 | tr 0 x); seq 3000 | sed "s/$/$x/" >long; head -n 100 long >short
  $ row() { run 'echo $#; printf "%s\n" "$@"' -n${1#* } --files-from ${1% *} >out; grep x out | cmp - ${1% *}
  >   grep -v x out | uniq -c | sed 's/^ *//'; }
  $ each row <<'END'
  > short 2 => 50 2
  > short 7 => 14 7;1 2
  > long 1000 => 1 612;1 611;2 609;1 559
  > long 1000000 => 1 612;1 611;2 609;1 559
  > END
The long items come last, so that an equal share of the items has too many of them.
  $ { yes x | head -n 2000; tail -n 1000 long; } >U
  > run 'printf %s "$*" | wc -c' -j4 -n1000000 --files-from U |
  >   awk '{ n++; if ($1 >= 131072) print } END { print (n > 1) }'
  1
An item too long for a command is reported, and the others run.
  $ row() { { echo a; head -c $1 /dev/zero | tr '\0' y; echo; echo b; } >H
  >   weir run --files-from H -- echo 2>err; echo $?; head -n 1 err | tail -c 31; }
  $ printf '%s\n' 131072 140000 200000 | each row 'a;b;3;yyyyyy: Argument list too long'

## items are bytes; no file is examined, and a leading dash is kept
  $ printf '%s\0' -rf 'no such' "$(printf '\377\n\047')" '' -- "$(printf 'a\\b\t')" - / {} >N
  > run 'printf "%s\0" "$@"' --files0-from N | cmp - N
  $ run 'printf "%s\0" "$@"' --files0-from - <N | cmp - N
  > weir run 'no such' "$(printf '\377\n')" '' {} -- printf '%s|' | od -c | cut -c 9- | xargs
  n o s u c h | 377 | | { } |

## a directory is walked as by weir hash
  $ forest t 120; mkfifo t/fifo; ln -s .. t/link; row() {
  >   eval "weir hash -z $1 t" 2>err | perl -0pe 's/^.{66}//s' >names
  >   eval "weir run -n50 $1 t -- printf '%s\\0'" 2>own | cmp - names; head -n 1 err >e; head -n 1 own | cmp - e
  >   tr -dc '\0' <names | wc -c
  > }
  $ each row <<'END'
  >  => 120
  > --max-depth 1 => 25
  > --exclude '*a*' --include '*b*' => 111
  > END
  $ mkdir closed; chmod 0 closed; chown 65534 closed 2>/dev/null; chmod 755 .; nobody weir run closed x -- echo
  x
  ! weir: closed: Permission denied
  ! weir: 1 command run, 1 could not be read
  [3]

## a command starts with default signals and descriptors
With the sources for POSIX nobody may reset the signals that the C library uses itself.
needs linux
Its three, and the one by which ls reads the directory.
  $ cat >s <<'END'
  > sed -n 's/^Sig[BIC][lg][knt]:.//p' /proc/self/status; readlink /proc/self/fd/0
  > ls /proc/self/fd | wc -l; [ $(ulimit -n) = $LIMIT ] && [ $(ps -o pgid= $$) -eq $$ ] && echo leads
  > END
  $ export LIMIT=$(ulimit -n); (trap '' INT PIPE; exec weir run -j3 a b c -- sh s) | paste -d ' ' - - - - - - | uniq -c
        3 0000000000000000 0000000000000000 0000000000000000 /dev/null 4 leads

## few descriptors are enough
With the sources for POSIX a fork reports through a pipe, so a command takes two descriptors more.
needs linux
  $ mkdir t; seq -f t/%g 100 130 >expected; xargs touch <expected
  $ for n in 8 16 33; do (ulimit -n $n; exec weir run -j20 --joblog L$n t -- echo) | cmp - expected; done

## -n does not wait for more items than one command takes
  $ mkfifo in; exec 7<>in; printf '1\n2\n' >&7; start weir run -n2 -j4 --files-from - -- echo <in >out 7>&-
  > await '[ -s out ]'; exec 7>&-; ended $!; cat out
  0
  1 2
