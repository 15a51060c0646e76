Files that cannot be read: one message each, in a fixed order; the others are hashed, and the exit status is 3.

  $ troubled() {
  >   mkdir t; for i in $(seq 100 199); do printf $i >t/f$i
  >     case $i in *5) ln -s nowhere t/f$i-dangling ;; *7) mkfifo t/f$i-fifo ;; esac; done
  >   mkdir t/f150-closed t/f160-loop; printf x >t/f150-closed/x; ln -s ../../t t/f160-loop/back; printf x >t/f170-secret
  >   chmod 0 t/f170-secret t/f150-closed
  > }

## a FIFO and a socket in a tree are skipped with a message
needs perl
  $ printf 1 >a; mkfifo f; printf 2 >z; perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, pack_sockaddr_un("s"))'; weir hash .
  6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  ./a
  d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35  ./z
  ! weir: ./f: skipped: is a FIFO
  ! weir: ./s: skipped: is a socket

## a named FIFO is an error at once, with a command that reads it
  $ mkfifo 'a pipe'; printf 1 >z; weir hash 'a pipe' z
  6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  z
  ! weir: 'a pipe': is a FIFO; to read it, use: weir hash - < 'a pipe'
  ! weir: 1 file read, 1 special file not opened
  [3]

## each unreadable file has one message, and the others are hashed
needs setpriv
  $ troubled; ordinary weir hash t >out 2>err
  [3]
  $ wc -l <out; grep -v 'is a FIFO$' err
  100
  weir: t/f150-closed: Permission denied
  weir: t/f170-secret: Permission denied
  weir: 100 files read, 2 could not be read, 10 special files not opened, 11 symbolic links skipped

--follow reports loops and dangling links.
  $ ordinary weir hash --follow t >out 2>err
  [3]
  $ wc -l <out; sed 's/f[0-9]*-\(fifo\|dangling\)/f-\1/' err | sort | uniq -c
  100
        1 weir: 100 files read, 13 could not be read, 10 special files not opened
       10 weir: t/f-dangling: No such file or directory
       10 weir: t/f-fifo: skipped: is a FIFO
        1 weir: t/f150-closed: Permission denied
        1 weir: t/f160-loop/back: Too many levels of symbolic links
        1 weir: t/f170-secret: Permission denied

Standard error is the same for any number of lanes and any run.
  $ follow() { ordinary weir hash --follow -j $1 none t none; }
  $ follow 1 >out 2>err; wc -l <err; for jobs in 2 16 3 16 16; do follow $jobs 2>e | cmp - out; cmp e err; done
  26

## a full device is a write error and ends the run
  $ for i in $(seq 500); do printf x >f$i; done; row() { weir $1 2>&1 >/dev/full; echo $?; }
  $ each row 'weir: write error: No space left on device;2' <<'END'
  > hash .
  > hash f1
  > limits
  > --help
  > --version
  > END

## closed standard output is a write error, and no file is written to
  $ printf content >a; weir hash a >&-
  ! weir: write error: Bad file descriptor
  [2]
  $ cat a; echo
  content

## a closed standard input or descriptor is never another file
One lane reads long enough for another one to reach the input.
  $ truncate -s 64M big; weir hash big >one; for j in 1 2 8; do weir hash -j $j big - /dev/fd/0 <&- 2>err | cmp - one; head -n 2 err; done
  weir: -: Bad file descriptor
  weir: /dev/fd/0: Bad file descriptor
  weir: -: Bad file descriptor
  weir: /dev/fd/0: Bad file descriptor
  weir: -: Bad file descriptor
  weir: /dev/fd/0: Bad file descriptor
  $ weir hash big /dev/fd/3 /dev/fd/4 /dev/fd/+0 3<&- 4<&- | cmp - one
  ! weir: /dev/fd/3: Bad file descriptor
  ! weir: /dev/fd/4: Bad file descriptor
  ! weir: /dev/fd/+0: No such file or directory
  ! weir: 1 file read, 3 could not be read
  $ for j in 1 2 4; do weir hash -j $j big /dev/fd/3 /dev/fd/4 /dev/fd/+0 3<&- 4<&- 2>err | cmp - one; head -n 3 err | grep -c Bad; done
  2
  2
  2

## a reader that closes the pipe ends the run by SIGPIPE, silently
The status is that of weir itself, as a shell reports it.
  $ mkdir t; cd t; seq 3000 | while read -r i; do echo $i >they-all-begin-like-this-$i; done; cd ..
  $ { weir hash t t t; echo $? >status; } | head -n 1 | wc -l; cat status
  1
  141
