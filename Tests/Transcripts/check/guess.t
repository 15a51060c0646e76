Lines of 64 digits without an algorithm: SHA-256 or BLAKE3.

needs b3sum
  $ for f in a b c d; do printf "content of $f" >$f; done; sha256sum a b >S; b3sum c d >B; cat S B >M

## a line matches by either digest, alone or mixed, on any number of lanes
  $ row() {
  >   cat $1 >N; cp N B3SUMS; cp N N.b3; weir check N >one; cat one
  >   for m in N B3SUMS N.b3; do for j in 1 4; do weir check -j$j $m | cmp - one; done; done
  > }
  $ each row <<'END'
  > S => a: OK;b: OK
  > B => c: OK;d: OK
  > S B S => a: OK;b: OK;c: OK;d: OK;a: OK;b: OK
  > B S => c: OK;d: OK;a: OK;b: OK
  > END
  $ cat B S | weir check
  c: OK
  d: OK
  a: OK
  b: OK

## -a allows no other algorithm
  $ weir check --quiet -a sha256 M
  c: FAILED
  d: FAILED
  ! weir: WARNING: 2 computed checksums did NOT match
  [1]
  $ weir check --quiet -a blake3 M
  a: FAILED
  b: FAILED
  ! weir: WARNING: 2 computed checksums did NOT match
  [1]
  $ weir check --quiet -a sha256,blake3 M

## the summary and the JSON tell by which algorithm a line matched
  $ weir check --quiet --summary M
  ! weir: 4 lines: 4 right (2 by BLAKE3, as their files show); ...
  $ weir check --format json M | grep '"type":"file"' | grep -o '"algorithm":"[a-z0-9]*"'
  "algorithm":"sha256"
  "algorithm":"sha256"
  "algorithm":"blake3"
  "algorithm":"blake3"

A tagged line names its algorithm: there is nothing to tell.
  $ weir hash -a blake3 c >T; weir check --quiet --summary T
  ! weir: 1 line: 1 right; 12 B in ...
  $ weir check --format json T | grep algorithm
  [1]

## names of one file take no digest over by the wrong algorithm
  $ for n in c1 c2 c3; do ln c $n; done; for n in c c1 c2 c3; do echo "$(head -c 64 B)  $n"; done >M
  $ row() { weir check -j $1 M; }; printf '%s\n' 1 3 | each row 'c: OK;c1: OK;c2: OK;c3: OK'

## an audit finds moved files of either digest, whatever the other lines and the name are
  $ mkdir t; mv a b c d t; cat S B >B3SUMS; for f in a b c d; do mv t/$f t/new-$f; done
  $ row() { weir check --audit t $1 2>/dev/null; }; each row <<'END'
  > S => new-c: new;new-d: new;a: moved to new-a;b: moved to new-b
  > B => new-a: new;new-b: new;c: moved to new-c;d: moved to new-d
  > B3SUMS => a: moved to new-a;b: moved to new-b;c: moved to new-c;d: moved to new-d
  > END
