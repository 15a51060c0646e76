weir hash --output: the manifest appears complete or not at all, whatever fails.

  $ printf a >a

## a failed run leaves the output unchanged
NAME.partial and NAME.mtree fit into 255 bytes, NAME.partial.next does not.
  $ mkdir t d N.mtree O.partial; cp a t; mkfifo p; echo old >M; echo precious >F.old; ln -s elsewhere L.partial
  $ ln -s other one; ln -s one other; n=$(printf '%0245d' 0); ls -A >$top/before
  $ row() { weir hash --output "$1" t 2>&1 | sed "s/$n/NNN/"; ls -A | cmp - $top/before; cat M; }
  $ each row <<'END'
  > N => weir: N.mtree: Is a directory;old
  > O => weir: O.partial: was not written by weir and is left unchanged; choose another name;old
  > L => weir: L.partial: was not written by weir and is left unchanged; choose another name;old
  > F => weir: F.old: was not written by weir and is left unchanged; choose another name;old
  > one => weir: one: Too many levels of symbolic links;old
  > d => weir: d: Is a directory;old
  > d/. => weir: d/.: Is a directory;old
  > no/ne => weir: no/ne: No such file or directory;old
  > p => weir: p: is not a regular file and cannot be replaced;old
  >  => weir: '': No such file or directory;old
  > M/ => weir: M/: Not a directory;old
  > new/ => weir: new/: Is a directory;old
  > END
  $ row $n; weir hash --output d t >/dev/null 2>&1
  weir: NNN.partial.next: File name too long
  old
  [2]
  $ weir hash -o M --files-from none; ls -A | cmp - $top/before; cat M
  old
  ! weir: none: No such file or directory

## an output that is a link to a link is made and replaced where they lead
  $ echo a >a; mkdir d; ln -s d/L M; ln -s N d/L; weir hash -o M a; cat M
  87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  a
  $ echo b >a; weir hash --replace -o M a; cat d/N; ls . d | xargs
  0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f  a
  .: M a d d: L N N.mtree

## impossible combinations of options are usage errors
  $ row() { weir hash $1 2>&1; echo $?; ls M* 2>/dev/null; }
  $ each row <<'END'
  > -o - => weir: --output takes the name of a file; omit it for standard output; see weir hash --help;2
  > --resume => weir: --resume needs --output FILE; see weir hash --help;2
  > --update => weir: --update needs --output FILE; see weir hash --help;2
  > --accept-rot => weir: --accept-rot needs --output FILE; see weir hash --help;2
  > -oM --accept-rot => weir: --accept-rot needs --update, since nothing is compared without it; see weir hash --help;2
  > -oM --format json => weir: --output supports --format text and mtree only, and json with --update: the errors and the summary of json are not recorded; see weir hash --help;2
  > --dry-run => weir: --dry-run needs --output FILE; see weir hash --help;2
  > -oM --quiet => weir: --quiet needs --update, since nothing is compared without it; see weir hash --help;2
  > -oM --update --replace => weir: --update and --replace exclude each other: the second forgets FILE; see weir hash --help;2
  > -oM --unordered => weir: --output keeps the order of the files, which --resume relies on; omit --unordered; see weir hash --help;2
  > END

## a file is replaced only if it is a manifest in an exact sense
  $ d=0123456789abcdef0123456789abcdef; row() { printf "$(printf %s "$1" | sed "s/DD/$d/")\n" >M; cp M before; weir hash --replace -o M a 2>&1; echo $?; [ -s M.mtree ] || cmp M before; rm -f M*; }
  $ each row 0 <<'END'
  > DD  x
  > DD *x
  > DD x
  > \\DD  x
  > \357\273\277DD  x
  > \043 c\n\nDD  x
  > MD5 (x) = DD
  > 0123456789abcdef  x
  > ; by cksfv\nx 0A234567
  > #mtree v2.0
  > %%%%%%%% HASHDEEP-1.0
  > /set type=file\nx size=3
  > ./x size=3 md5=DD
  > \n\n
  > END
  $ each row "weir: M: is not a manifest and is left unchanged; choose another name, or remove it;2" <<'END'
  > invoice 20240101
  > invoice 20240101\nother 2024010a
  > ; mine\ninvoice 20240101
  > ; mine\nx 0A234567\nother words
  > 20240101  invoice
  > 2024010112345678 invoice
  > 01234567890123456789012345678901 x
  > DD
  > be  or not
  > MD5 of x
  > /usr/bin/x mode=0755
  > a text\nDD  x
  > END

## the record of a file that the update writes is kept, and the file is named once
  $ row() {
  >   mkdir t; : >t/log; echo a >t/a; weir hash -o M t; cp M before; eval "weir hash --update --quiet -o M t 2>e ${1% -- *}"; echo $?
  >   cmp M before; grep -c 'weir: t/log: written by this run, and not read' ${1#* -- }; rm -r t M*
  > }
  $ each row '0;1' <<'END'
  > >>t/log -- e
  > 2>>t/log -- t/log
  > >/dev/null --report t/log -- e
  > END

## sizeLimit: a limit on file sizes is an error, and leaves no silent half trace
Children have the default action.
needs unsanitized
  $ (ulimit -f 1; weir hash --trace T a)
  ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a
  ! weir: T: File too large; the trace in it is incomplete
  [2]
  $ ls -A | xargs; (ulimit -f 1; weir run a -- sh -c 'exec head -c 99999 /dev/zero >big') 2>&1 | head -n 1
  T a
  weir: a: sh was ended by signal 25 (File size limit exceeded)

## lostTrace: a trace that was removed or replaced during the run is not written
  $ row() { echo other >b; weir run --trace T a -- sh -c "$1" 2>&1; echo $?; cat T 2>/dev/null || :; }; each row <<'END'
  > rm T => weir: T: was removed or replaced during the run; the trace is lost;2
  > mv b T => weir: T: was removed or replaced during the run; the trace is lost;2;other
  > END

## the output does not replace an input
  $ row() { echo a >$name; eval "weir hash $1" 2>&1; echo $?; cat $name; rm -f M*; }
  $ for name in M M.mtree M.partial; do
  >   row "-o ./M --files-from $name"; row "-o M $name $name"; row "-o M --update $PWD/$name"
  > done | sort | uniq -c
        9 2
        9 a
        1 weir: $top/t/M.mtree: is an input, and --output would replace it
        1 weir: $top/t/M.partial: is an input, and --output would replace it
        1 weir: $top/t/M: is an input, and --output would replace it
        2 weir: M.mtree: is an input, and --output would replace it
        2 weir: M.partial: is an input, and --output would replace it
        2 weir: M: is an input, and --output would replace it

## the output among other names, as from the shell's *, is skipped
  $ weir hash a >$top/one; for i in 1 2; do weir hash --replace -o M *; cmp M $top/one; done

## a foreign file beside the output is reported and left unchanged
  $ weir hash --format mtree a >$top/listing; echo precious >$top/precious
  $ row() {
  >   for f in listing precious; do for o in '' --resume --update; do
  >     cp $top/$f $1; weir hash -o M a $o 2>&1; echo $?; ls M*; cmp $1 $top/$f; rm M*
  >   done; done | sort -u
  > }
  $ each row <<'END'
  > M.mtree => 2;M.mtree;weir: M.mtree: was not written by weir and is left unchanged; choose another name
  > M.partial => 2;M.partial;weir: M.partial: was not written by weir and is left unchanged; choose another name
  > M.partial.next => 2;M.partial.next;weir: M.partial.next: was not written by weir and is left unchanged; choose another name
  > M.partial.text => 2;M.partial.text;weir: M.partial.text: may be left from an interrupted run; remove it if it is not yours
  > END
A foreign file that the run does not write does not matter.
  $ echo precious >M.mtree; weir hash --format mtree -o M a; cat M.mtree
  precious

## the trace cannot be the output
  $ ln -s M l; row() { eval "weir hash -o M --trace $1 a" 2>&1; echo $?; ls M* 2>/dev/null; }; each row <<'END'
  > M => weir: M: is the file of --output; choose another one for --trace;2
  > ./M.partial => weir: ./M.partial: is the file of --output; choose another one for --trace;2
  > M.mtree => weir: M.mtree: is the file of --output; choose another one for --trace;2
  > $PWD/M.partial.next => weir: $top/t/M.partial.next: is the file of --output; choose another one for --trace;2
  > l => weir: l: is the file of --output; choose another one for --trace;2
  > END

## more arguments than fit the first line are recognized, or found by name
  $ names=$(seq -f "$(printf 'n%.0s' $(seq 50))%g" 0 1499); : | tee $names; set -- $names
  $ update() { weir hash --update --max-gone 100% "$@" 2>&1 | tail -n 1; }
  $ row() {
  >   o=$1; set -- $names; weir hash $o "$@"; update $o "$@"; shift; update $o "$@"; eval "update $o \$$#"
  > }
  $ none='read, 0 read, 0 replaced, 0 new'; printf '%s\n' '-o M' '--format mtree -o T' |
  >   each row "1,500 files not $none, 0 gone;1,499 files not $none, 1 gone;1 file not $none, 1,499 gone"

## a replaced output of another user keeps its mode, but gives no group or user more rights
needs root setpriv
  $ chmod 777 .; row() {
  >   rm -f M*; echo >M; chown ${1% *} M; chmod ${1#* } M; umask 022
  >   setpriv --reuid 65534 --regid 65534 --groups 777 weir hash -o M a; stat -c '%a %u:%g' M M.mtree | uniq
  > }
  $ each row <<'END'
  > 0:777 660 => 660 65534:777
  > 65534:777 2660 => 660 65534:777
  > 0:777 604 => 604 65534:777
  > 0:778 660 => 600 65534:65534
  > 65534:778 664 => 644 65534:65534
  > 0:778 604 => 600 65534:65534
  > END
