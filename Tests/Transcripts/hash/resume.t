weir hash --resume, after any interruption and any changes.

`partial FILE...` makes M.partial as a run over these files leaves it before the end.

  $ mkdir d; for f in a b d/a; do printf $f >$f; done
  $ partial() { rm -f M*; weir hash -o M "$@"; mv M.mtree M.partial; rm M; cp M.partial whole; }

## other arguments are an error that names the difference and loses nothing
  $ partial a b; row() { weir hash -o M --resume $1 2>&1 | sed 's/.*cannot be continued: //'; cmp M.partial whole; }
  $ each row <<'END'
  > -amd5 a b => other --algorithm
  > a => other PATH
  > b a => other PATH
  > a b --exclude *.o => other --exclude
  > --tag a b => other --tag
  > --follow --max-depth=3 a b => other --follow, --max-depth
  > --format=mtree a b => other --format
  > --update a b => other --update
  > -C d a b => other working directory
  > END
  $ echo d/a >l; partial a --files-from l b; weir hash -o M --resume a b --files-from l
  ! weir: M.partial: was started with other arguments and cannot be continued: other order of the inputs
  [2]
A run without --resume does not overwrite it either. The number of lanes does not matter.
  $ weir hash -o M a b
  ! weir: M.partial: an earlier run was interrupted; continue it with --resume, or remove the file
  [2]
  $ cmp M.partial whole; weir hash -o M --resume -j3 a --files-from l b

## a digest stands for very many names, and tells them from others
  $ mkdir t; seq -f t/%0200.0f 400 >l; for f in $(cat l); do echo $f >$f; done; partial $(cat l)
  $ echo $(($(head -n 1 whole | wc -c) < 1000))
  1
  $ weir hash -o M --resume $(sed 1d l); cmp M.partial whole
  ! weir: M.partial: was started with other arguments and cannot be continued: other names or filters
  $ weir hash -o M --resume $(cat l); wc -l <M
  400

## without records a new run starts; a foreign file stays
  $ partial a; line=$(($(head -n 1 whole | wc -c) / 2)); row() {
  >   rm -f M*; eval "$1"; weir hash -o M --resume a 2>&1; echo $?; ls M* | xargs; [ ! -e M.partial ] || cat M.partial
  > }
  $ each row '0;M M.mtree' <<'END'
  > :
  > : >M.partial
  > head -c $line whole >M.partial
  > head -c 5 whole >M.partial
  > head -c 3 /dev/zero >M.partial
  > END
  $ each row <<'END'
  > printf 'my notes' >M.partial => weir: M.partial: was not written by weir and is left unchanged; choose another name;2;M.partial;my notes
  > echo my notes >M.partial => weir: M.partial: was not written by weir and is left unchanged; choose another name;2;M.partial;my notes
  > printf '#mtree\n./a type=file\n' >M.partial => weir: M.partial: was not written by weir and is left unchanged; choose another name;2;M.partial;#mtree;./a type=file
  > END

## the unfinished records of 0.16 are continued
Until 0.16 a run that continued another one wrote its records to M.partial.next.
  $ for version in 0.11.0 0.16.1; do
  >   fresh; mkdir t; for i in 1 2 3 4; do echo $i >t/$i; done; weir hash -o M t; mv M old
  >   sed "1s/weir [^ ]*/weir $version/" M.mtree >r; rm M.mtree; sed '/3 type/,$d' r >M.partial
  >   printf '#weir rot\n./t/4 type=fi' >>M.partial; sed '1p;/3 type/p;d' r >M.partial.next
  >   weir hash -o M --resume --summary t; cmp M old; ls | xargs
  > done
  M M.mtree old r t
  M M.mtree old r t
  ! weir: 1 file read, 3 known without reading; 2 B in ...
  ! weir: 1 file read, 3 known without reading; 2 B in ...
