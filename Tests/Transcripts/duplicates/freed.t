weir duplicates --action: the figures are what the kernel frees, and the script changes nothing else: the times of
directories, owners, modes, and names elsewhere.

  $ act() { weir duplicates --action "$@"; }

## a file that cannot be reached is named, and the status is 1
needs root setpriv
  $ mkdir x y; echo s >x/a; echo s >y/b; chmod 755 .; act delete --files-only x y >s; chmod 700 y; nobody sh s
  ! weir: ./y/b: is gone, no regular file or out of reach; left as it is
  [1]
  $ ls y; chmod 755 y; mv y z; sh s
  b
  ! weir: ./y/b: is gone, no regular file or out of reach; left as it is
  [1]
  $ mv z y; sh s; sh s; ls y

## a file with names elsewhere frees nothing, and keeps them
  $ echo abc >a; cp a b; ln b c; weir duplicates a b
  # 2 files of 4 bytes: 0 bytes could be saved, 4 bytes are shared already
  a
  b
   (esc)
  $ row() { act $1 --summary a b 2>err >s; grep -c "^$1 './" s; grep -o '0 B could be saved' err; sh s; }
  $ printf '%s\n' delete link reflink | each row '0;0 B could be saved'
  $ act link --keep last a b >s; sh s; [ a -ef c ] && [ b -ef c ]

## holes are not counted, and a file without blocks is left
  $ saving() { weir duplicates --format json $1 | grep -o '"saving":[0-9]*' | tail -n 1 | tr -dc 0-9; }
  $ truncate -s 1M a b; mkdir t; act delete --files-only . | grep -c "^delete './"
  0
  [1]
  $ saving .; echo; rm a b; for i in 1 2 3; do head -c 65536 /dev/zero | tr '\0' x >t/$i; truncate -s 8M t/$i; done
  0
  $ before=$(du -s --block-size=1 t | cut -f 1); s=$(saving t); act delete t | sh; after=$(du -s --block-size=1 t | cut -f 1)
  $ echo $((before - after - s))
  0

## directories keep their times
  $ row() {
  >   fresh; mkdir -p t/a t/b 't/c d'; for i in $(seq 20); do for d in a b 'c d'; do echo $i >"t/$d/$i"; done; done
  >   touch -d '2001-02-03 04:05:06.789' t/*; find t -type d -printf '%T@ %p\0' | sort -z >before; act $1 --files-only t >s; sh s; echo $?
  >   find t -type d -printf '%T@ %p\0' | sort -z | cmp - before && find t -type f -printf '%i\n' | sort -u | wc -l
  > }
  $ row delete | xargs; row link | xargs
  0 20
  0 20

## links keep owner and mode apart, and are made on each device
needs root
  $ for place in /dev/shm /var/tmp; do [ $(stat -c %d $place) = $(stat -c %d .) ] || break; done
  $ d=$(mktemp -d $place/weir.XXXXXX); for f in a b m n u $d/a $d/b; do echo same >$f; done; chmod 600 m n; chown 65534 u
  $ act link a b m n u $d >s; sh s
  ! weir: ./u: no other copy has its device, owner and mode; left as it is
  [1]
  $ stat -c '%h %a %u' a b m n u $d/a $d/b | uniq -c; [ a -ef b ] && [ m -ef n ] && [ $d/a -ef $d/b ]; echo $?; rm -r $d
        2 2 644 0
        2 2 600 0
        1 1 644 65534
        2 2 644 0
  0
  $ echo same >c; act link a c >s; chmod 640 c; sh s
  ! weir: ./c: has another owner or mode than the file to keep; left as it is
  [1]

## a duplicate takes at most three processes besides its cmp, and in one directory two
The first pass links all, so that nothing is left for the second. Sixteen steps are done at a time.
  $ mkdir bin t; for p in cmp stat mv rm cp touch tr lsattr mktemp ln; do
  >   printf '#!/bin/sh\necho >>"%s/count"\nexec /usr/bin/%s "$@"\n' "$PWD" $p >bin/$p; chmod +x bin/$p; done
  $ counted() { : >count; PATH=$PWD/bin:$PATH sh s; [ $(wc -l <count) -le $1 ] || wc -l <count; }
  $ for i in $(seq 32); do mkdir t/$i; echo $i >t/a$i; echo $i >t/b$i; echo $i >t/$i/f; done
  $ for a in link delete; do act $a --files-only t >s; counted $((64 * 4)); grep -c "^$a '" s; done
  64
  0
  [1]
  $ for i in $(seq 32); do echo x$i >t/b$i; echo x$i >t/c$i; done; act delete t >s; counted $((32 * 5 / 2)); grep -c "^delete '" s
  32

## --across lists only groups that span PATHs
  $ mkdir x y; for f in x/a x/b y/c; do echo same >$f; done; echo two >x/d; cp x/d x/e
  $ mkdir -p x/p x/q; echo three >x/p/f; cp x/p/f x/q; weir duplicates --across --files-only x y
  # 3 files of 5 bytes: 10 bytes could be saved
  x/a
  x/b
  y/c
   (esc)
  $ echo three >y/g; weir duplicates --across x y; find x -type f >l
  # 3 files of 6 bytes: 12 bytes could be saved
  x/p/f
  x/q/f
  y/g
   (esc)
  # 3 files of 5 bytes: 10 bytes could be saved
  x/a
  x/b
  y/c
   (esc)
  $ weir duplicates --across --files-from l y | head -n 1; weir duplicates --across x
  # 3 files of 6 bytes: 12 bytes could be saved
  ! weir: --across needs two PATHs or more: only groups that span them are listed; see weir duplicates --help
  [2]

## a file is not deleted for itself, which an overlay shows under another device
needs mount
  $ cat >s <<'END'
  > mount -t tmpfs none .; cd "$PWD"; mkdir low up work all
  > mount -t overlay overlay -o lowerdir=low,upperdir=up,workdir=work all
  > echo only >up/f; for k in up all; do weir duplicates --action delete --keep $k up all >d; sh d; cat up/f all/f; done 2>&1
  > grep -v 'by another mount' d | sed 's/elif .*identity .*/elif false; then :/' >e; sh e 2>&1; cat up/f
  > END
  $ unshare -m sh s
  weir: ./all/f: may be the file to keep, by another mount; left as it is
  only
  only
  weir: ./up/f: may be the file to keep, by another mount; left as it is
  only
  only
  weir: ./up/f: has changed or cannot be removed; left as it is
  only

## atRest: a script keeps each content, does what it says once, and leaves nothing of its own
A cp that copies where no blocks can be shared. The numbers are those of the files, of the inodes, and of the files that
stay as they were. The rows of make test have each action and each word of --keep.
  $ mkdir copies; printf '#!/bin/sh\n[ "$1" != --reflink=always ] || shift\nexec /bin/cp "$@"\n' >copies/cp; chmod +x copies/cp
  $ contents() { find t -type f -exec sha256sum -z {} + | cut -zc -64 | sort -zu; }
  $ inodes() { find t -type f -exec stat -c '%i %w' {} + | sort -u; }
  $ row() {
  >   rm -rf t; forest t 20; mkdir t/keep; for f in t/keep/-rf t/a t/z "t/$(printf '\377\nb')"; do echo same >"$f"; done; ln t/z t/zz
  >   touch -d @1 t/z; touch -d @9 t/a "$f"; touch -d @20 t/keep/-rf; contents >before; inodes >old; act $1 --files-only t >s
  >   for i in 1 2; do PATH=$PWD/copies:$PATH sh s || echo $?; contents | cmp - before; find t -name '.weir*'; done
  >   echo $(find t -type f -printf x | wc -c) $(inodes | wc -l) $(inodes | comm -12 - old | wc -l)
  >   find t/keep/-rf t/a t/z -printf '%f\n' 2>/dev/null | paste -sd ' '
  > }
  $ sed "$([ "$tables" ] || echo '2d; 4,5d; 7d; 9d')" <<'END' | each row
  > delete => 21 21 21;a
  > delete --keep last => 21 21 21;
  > delete --keep oldest => 22 21 21;z
  > delete --keep newest => 21 21 21;-rf
  > delete --keep t/keep => 21 21 21;-rf
  > delete --keep t/keep --keep last => 21 21 21;-rf
  > link => 25 21 21;-rf a z
  > link --keep newest => 25 21 21;-rf a z
  > reflink => 25 24 21;-rf a z
  > reflink --keep last => 25 24 21;-rf a z
  > END

## nothing is lost in a tree that changed after the script was printed
Of three equal files the first one stays. A row prints the messages, and the contents that are left.
  $ row() {
  >   rm -rf t t2; mkdir t; for f in a b c; do echo same >t/$f; done; act ${1%%: *} --files-only t >s; eval "${1#*: }"
  >   sh s 2>&1; echo $?; find t/ -type f -exec cat {} + | sort -u | paste -sd ' '
  > }
  $ each row <<'END'
  > delete: echo new >t/b => weir: ./t/b: has changed or cannot be read; left as it is;1;new same
  > delete: echo new >t/a => weir: ./t/b: has changed or cannot be read; left as it is;weir: ./t/c: has changed or cannot be read; left as it is;1;new same
  > delete: rm t/a => weir: ./t/b: the file to keep is gone, a link or out of reach; left as it is;weir: ./t/c: the file to keep is gone, a link or out of reach; left as it is;1;same
  > delete: rm t/b; ln -s c t/b => weir: ./t/b: is gone, no regular file or out of reach; left as it is;1;same
  > delete: rm t/a; ln -s b t/a => weir: ./t/b: the file to keep is gone, a link or out of reach; left as it is;weir: ./t/c: the file to keep is gone, a link or out of reach; left as it is;1;same
  > delete: rm t/b; mkfifo t/b => weir: ./t/b: is gone, no regular file or out of reach; left as it is;1;same
  > delete: rm t/b; mkdir t/b => weir: ./t/b: is gone, no regular file or out of reach; left as it is;1;same
  > delete: rm t/a; ln t/b t/a => weir: ./t/b: is the file to keep, by another name; left as it is;1;same
  > delete: mv t t2; ln -s t2 t => 0;same
  > link: echo new >t/b => weir: ./t/b: has changed or cannot be read; left as it is;1;new same
  > link: rm t/a; echo same >t/a => 0;same
  > link: rm t/b; ln -s c t/b => weir: ./t/b: is gone, no regular file or out of reach; left as it is;1;same
  > END

## changing: nothing is lost in a tree that changes in the middle of a step
After their work cmp and cp change one of the two files, and note what they wrote, which has no other copy then.
  $ mkdir hooks; cat >hooks/cmp <<'END'
  > #!/bin/sh
  > program=${0##*/}
  > /usr/bin/$program "$@" || exit
  > case $program in
  > cmp) kept=$2 name=$3 ;;
  > cp) [ "$1" = -lT ] || exit 0; kept=$2 name=$2 ;;
  > esac
  > read -r count <"$HOOKS/count"; count=$((count + 1)); echo $count >"$HOOKS/count"
  > [ $((count * SEED % 7)) -lt 3 ] || exit 0
  > written() { [ -f "$HOOKS/written/$(cksum <"$1")" ]; } 2>/dev/null
  > ! written "$name" && ! written "$kept" || exit 0
  > [ $((count * SEED % 2)) = 0 ] && name=$kept
  > case $((count * SEED % 5)) in
  > 0) echo "$count" >>"$name" ;;
  > 1) printf %s "$count" | dd of="$name" conv=notrunc 2>/dev/null ;;
  > 2) rm "$name"; echo "$count" >"$name" ;;
  > 3) rm "$name"; exit 0 ;;
  > 4) echo "$count" >"$name.tmp"; mv "$name.tmp" "$name" ;;
  > esac
  > /usr/bin/cp "$name" "$HOOKS/written/$(cksum <"$name")"
  > exit 0
  > END
  $ cp hooks/cmp hooks/cp; chmod +x hooks/*; export HOOKS=$PWD/hooks
  $ contents() { find "$@" -type f -exec sha256sum {} + | sed 's/^\\//' | cut -c -64 | sort -u; }
  $ row() {
  >   for seed in $([ "$tables" ] && seq 60 || echo 1); do
  >     rm -rf t hooks/written; mkdir hooks/written; echo 0 >hooks/count; forest t 9; for i in 1 2 3 4 5 6 7 8 9; do
  >       for f in "t/$(printf '\377\n')$i" t/-rf$i t/a$i; do echo $((i % 4)) >"$f"; done; ln t/a$i t/z$i; done
  >     contents t >before; act $1 --files-only t >s; SEED=$seed PATH=$PWD/hooks:$PATH sh s 2>err; [ $? -lt 2 ] || cat err
  >     contents t >after; comm -23 before after; contents hooks/written | comm -23 - after; ls hooks/written | wc -l >>changes
  >   done
  > }
  $ sed "$([ "$tables" ] || echo 2,3d)" <<'END' | each row ''
  > delete
  > delete --keep newest
  > link
  > link --keep last
  > END
  $ awk '{ n += $1 } END { print (n > 4) }' changes
  1

## a name beyond PATH_MAX is left, and the status is 1
  $ p=$(printf %0200d 0); mkdir t; (cd t; for i in $(seq 25); do mkdir $p; cd -P $p; done; printf same >f); printf same >a
  $ for action in delete link; do for keep in first last; do
  >   act $action --files-only --keep $keep a t >s; sh s 2>err; echo $?; grep -c 'left as it is' err
  > done; done | xargs; cat a; echo
  1 1 1 1 1 1 1 1
  same

## shared: what df shows after the script is the figure, on file systems that share blocks
needs root mount unsanitized
The contents come from another file system, since cat shares blocks too. XFS frees blocks some time after the removal.
  $ cat >scene <<'END'
  > mkdir m; mount -o loop image m || exit; cd m; mkdir in out; [ $system = xfs ] || btrfs -q subvolume create in/sub
  > clone() { cp --reflink=always in/$1 $2; }; new() { for f; do cat ../r >in/$f; done; }
  > eval "$scene"; sync; used() { df -B1 --output=used . | tail -n 1; }; before=$(used)
  > saving=$(weir duplicates --files-only --format json in | grep -o '"saving":[0-9]*' | tail -n 1)
  > weir duplicates --files-only --action $action in >../s; sh ../s; echo $?
  > cd ..; umount m; mount -o loop image m; cd m; freed=$((before - $(used))) saving=${saving#*:}
  > [ $((freed - saving)) -ge -16384 ] && [ $((freed - saving)) -le 16384 ] || echo $saving, freed $freed
  > weir duplicates --files-only --action $action in | grep -c "^$action ."
  > END
  $ row() {
  >   export scene=${1#*: } action system; for system in ${1%%: *}; do command -v mkfs.$system >/dev/null || continue
  >     for action in delete link reflink; do
  >       rm -f image; truncate -s 400M image; mkfs.$system -q image >mkfs 2>&1; noise 2000000 >r
  >       unshare -m sh scene 2>err | paste -sd ' ' - | grep -v '^0 0$'; ! grep -v 'mount\|loop' err; rmdir m
  >     done; done
  > }
  $ each row '' <<'END'
  > btrfs xfs: new 1 2 3; clone 1 in/4
  > btrfs xfs: new 1 2; clone 2 in/3
  > btrfs xfs: new 1 2; clone 2 out/3
  > btrfs xfs: new 1 2 4; ln in/2 in/3; ln in/4 out/5
  > btrfs xfs: new 1 2 3; truncate -s 8M in/1 in/2 in/3
  > btrfs: new sub/1 sub/2; clone sub/2 in/sub/3; sync; btrfs -q subvolume snapshot in/sub out/snap; new 4
  > btrfs: new sub/1 sub/2; sync; btrfs -q subvolume snapshot in/sub in/snap
  > END

## a clone has the owner, mode, times, attributes and flags of the file that it replaces
needs root mount mkfs.btrfs chattr
  $ cat >scene <<'END'
  > mkdir m; mount -o loop image m || exit; cd m; mkdir d; for f in a b 'c
  > e' i; do cat ../r >"d/$f"; done; chattr +A d/c*; chattr +cd d/b; chattr +i d/i
  > chown 65534:65533 d/b; chmod 4711 d/b; touch -d 2001-02-03 d/b d; sync
  > show() { stat -c '%a %u %g %y' d d/b; lsattr -d d/b d/c* | cut -c 1-22; }
  > show >../before; weir duplicates --action reflink d >../s; sh ../s 2>../err; echo $?
  > show | cmp - ../before; grep -c '^weir: ./d/i: is immutable; left as it is' ../err
  > weir duplicates d | grep -c '100,000 bytes could be saved, 200,000 bytes are shared already'; chattr -i d/i
  > END
  $ truncate -s 400M image; mkfs.btrfs -q image >mkfs 2>&1; noise 100000 >r; unshare -m sh scene 2>err | paste -sd ' ' -
  1 1 1
