The common options -C and --trace.

## the last -C counts, joined or not, and standard output stays where the shell opened it
  $ mkdir -p t/u; for f in a t/a t/u/a; do printf $f >$f; done; row() { weir hash $1; }
  $ for f in t/a t/u/a; do weir hash $f; done
  84fda2e90cbc1b6775ab9b732d0c34571c7c9bf1e007758ba290843680dd521b  t/a
  126960771bffd33adde07223a67b72c9d06a26234b0f07a5a8738fb4a7d36cf5  t/u/a
  $ weir hash -C t a; for o in '-Ct/u' --directory=t/u '-C t -C t/u'; do weir hash $o a; done | uniq -c
  84fda2e90cbc1b6775ab9b732d0c34571c7c9bf1e007758ba290843680dd521b  a
        3 126960771bffd33adde07223a67b72c9d06a26234b0f07a5a8738fb4a7d36cf5  a
  $ weir hash -C t a >m; cat m
  84fda2e90cbc1b6775ab9b732d0c34571c7c9bf1e007758ba290843680dd521b  a

## -C is for names of data: files of the tool stay where they are
Files `a`, `d/a` and `b/a`, which have other contents below `t`. The manifest M has the digest of `t/a`. The
outputs are those with `-C t` and without it.
  $ w() { v=$1; shift; case $v in merge|status) weir $v "$@" ;; *) weir $v $o "$@" ;; esac; }
  $ here=$(echo here | sha256sum) there=$(echo there | sha256sum); row() {
  >   for o in '-C t' ''; do
  >     fresh; mkdir d b t t/d t/b; for i in a d/a b/a; do echo here >$i; echo there >t/$i; done
  >     echo a >L; printf 'a\0' >L0; echo "${there%-}a" >M
  >     (eval "$1" 2>e) | sed "s/${here%  -}/HERE/; s/${there%  -}/THERE/" | paste -sd ' '; cd t; [ "$(echo *)" = 'a b d' ] || ls
  >   done
  > }
  $ each row <<'END'
  > w hash a => THERE  a;HERE  a
  > w hash --files-from L => THERE  a;HERE  a
  > w hash --files0-from L0 => THERE  a;HERE  a
  > w hash -o N a; cat N; w check --quiet N => THERE  a;HERE  a
  > w hash -o N a; w hash -o N --update -a md5 a; ls N.old => 0 files not read, 1 read, 0 replaced, 0 new, 0 gone N.old;0 files not read, 1 read, 0 replaced, 0 new, 0 gone N.old
  > w check M => a: OK;a: FAILED
  > w check - <M => a: OK;a: FAILED
  > w check M --state S; grep -c = S => a: OK 1;a: FAILED 1
  > w check --audit d M => a: OK d/a: new;a: FAILED
  > w check --report R --metrics P --trace T M; ls P R T => a: OK P R T;a: FAILED P R T
  > w check --format json M | grep -o '"manifest":{"text":"M"}' | wc -l => 1;1
  > w compare --read M d => ;a: differs (sha256)
  > w compare --read d M => ;a: differs (sha256)
  > w duplicates --known M d => # in M d/a = a ;
  > w count -c --files-from L => 6 a;5 a
  > w run --joblog J a -- cat; wc -l <J => there 2;here 2
  > w plan --shards 1 -o p a >o; w hash --plan p --shard 0/1 --out q; w merge --plan p -o N q; cat N; w status --plan p q | grep -o done => THERE  a done;HERE  a done
  > w hash --bagit b; w check --quiet b; find . -name bagit.txt => ./t/b/bagit.txt;./b/bagit.txt
  > END

## a file of the tool that is in the directory of -C only is refused, with its name
  $ mkdir t; for f in M t/N t/a; do printf x >$f; done; row() {
  >   for d in t ./t/; do weir ${1%% *} -C $d ${1#* } 2>&1; echo $?; ls -R | cmp - $top/all; cat t/N; echo; done
  > }
  $ ls -R >$top/all; moved='files of the tool are relative to the working directory since 0.17'; no='No such file or directory; it is in'
  $ i="weir: N: $no t, but $moved: t/N" j="weir: N: $no ./t/, but $moved: ./t/N"; echo 'check N' | each row "$i;2;x;$j;2;x"
  $ o=', or, for a new one here, ./N'; echo 'hash -o N a' | each row "$i$o;2;x;$j$o;2;x"
  $ row() { for d in t ./t/; do weir ${1%% *} -C $d ${1#* } 2>&1 | sed 's/ it is.*0.17: \(t\|.*t\)\/N/ it is there/'; done; ls -R | cmp - $top/all; }
  $ i='weir: N: No such file or directory; it is there'; each row "$i;$i" <<'END'
  > compare N .
  > duplicates --known N .
  > count --files-from N
  > hash --files0-from N
  > check --plan N --shard 0/1 --out q M
  > check -- N
  > END
  $ o="$i, or, for a new one here, ./N"; each row "$o;$o" <<'END'
  > hash --update -o N a
  > check --state N M
  > plan -o N --shards 1 a
  > run --joblog=N a -- cat
  > hash --plan M --shard 0/1 --out N
  > hash --trace N a
  > END

## a new output in a tree that is walked is named once, and ./ makes one here
  $ mkdir -p t/d; echo x >t/a; row() { weir hash $1 2>&1; echo $?; }
  $ each row <<'END'
  > -o t/M -C t . => weir: t/M: lies in the tree of ., and is left out of it;0
  > -o t/M --update --quiet -C t . => 0
  > -o ./M -C t . => 0
  > -o t/d/N -C t --exclude d/ . => 0
  > -o O . => weir: O: lies in the tree of ., and is left out of it;0
  > -o P t => 0
  > END
  $ cut -c 67- t/M
  ./a

## a missing directory is reported, and the status is 2
  $ printf x >a; weir hash -C 'no ne' a
  ! weir: 'no ne': No such file or directory
  [2]
  $ weir hash -C a a
  ! weir: a: Not a directory
  [2]

## an empty value is a name without a file
  $ printf x >a; row() { for v in hash check; do eval "weir $v $1 a" 2>&1; echo $?; done; }
  $ i="weir: '': No such file or directory;2"; each row "$i;$i" <<'END'
  > -C ''
  > --directory=
  > --directory ''
  > --trace ''
  > --trace=
  > END

## --trace replaces no file but a trace, and not the output of the run
  $ echo x >a; echo mine >f; row() { weir hash --trace $1 a >o 2>e; echo $?; cat o e; }; each row <<'END'
  > f => 2;weir: f: is no trace and is left unchanged; choose another name, or remove it
  > o => 2;weir: o: is the output of the run, and --trace would overwrite it
  > /dev/stdout => 2;weir: /dev/stdout: is the output of the run, and --trace would overwrite it
  > e => 2;weir: e: is the output of the run, and --trace would overwrite it
  > END
  $ cat f; WEIR_TRACE=a weir hash a
  mine
  73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac  a
  ! weir: a: is no trace and is left unchanged

## a trace to a FIFO without a reader is an error at once
  $ printf x >a; mkfifo p; row() { weir ${1%% *} --trace p ${1#* } 2>&1; echo $?; }
  $ each row 'weir: p: is a FIFO without a reader; start the reader first, or choose another name;2' <<'END'
  > hash a
  > check a
  > count a
  > duplicates .
  > run a -- echo
  > END
