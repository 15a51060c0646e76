The answers to the options and commands of other tools, and to arguments without /proc.

## guesses: a guess is answered with what weir has instead, and the answer is true
As people who know other tools make them. What is printed is a guess without an answer, or an option that its answer
names and that is not there.
  $ for v in hash check compare count duplicates run plan merge; do weir $v --help >$v.help; done; : >guesses
  $ guess() { while read -r words; do for w in $words; do echo "$verb:$w"; done; done >>guesses; }
  $ verb=; guess <<'END'
  > sum md5sum sha256sum b3sum cksum rhash hashdeep digest create verify validate scrub audit update sync bag wc
  > lines diff cmp rsync dupes dedupe fdupes jdupes rmlint fclones rdfind xargs parallel exec map shard split join
  > record version ulimit info backup restore list find fix prune copy snapshots -C -r -j -v -q
  > END
  $ verb=hash; guess <<'END'
  > -c --check --verify -u --md5 --sha1 --sha256 --blake3 -b --binary -t --text -l --length -H -s --audit --bag
  > --save --force --overwrite --bsd --simple --base64 --num-threads -r -R --recursive -P --threads -T -0 --null
  > --from0 --files -x --xdev -L --dereference --hidden --no-ignore -e -g --filter --regex --skip -d --depth -q
  > --silent -v -n --json --csv --eta --no-progress -y --nice --log --time --memory --color --compress
  > --ignore-missing --status --strict -w --keyed --sha3-256 --tiger --no-names --raw --hex --base32 --uppercase
  > --magnet --percents --speed --benchmark --skip-ok --brief --template -k -M -X -f -W --processes --contact-name
  > --source-organization --fast --validate --mode --exclude-from --patterns-from --exclude-caches --compression
  > --comment --timestamp --host --parent --hash --sort --checkers --transfers --max-size --max-age
  > --follow-symlinks --untagged
  > END
  $ verb=check; guess <<'END'
  > -c --check -k -m -x --missing -p --strip-components -b --fix --repair --update --accept --limit --age --fast
  > --size-only --bag --drop-cache -r -P -0 -L -q -v -n --json --ignore --threads --ignore-case --checkfile
  > --read-data --read-data-subset --verify-data --skip-ok --max-age --sha256
  > END
  $ verb=compare; guess <<'END'
  > -c --checksum -q --brief -s -p --perms -o --output --out --group --times --size-only --archive -n -i --delete
  > --existing --strip --one-way -r --recursive -x -L --ignore -v --json -u --force --download --ignore-times
  > --ignore-existing --missing-on-dst --differ --match --unified -w -N --inplace --checkers --exclude-from
  > END
  $ verb=count; guess <<'END'
  > --files --by-file --total --size -r -P -0 -v -q --json --threads --exclude-dir --max-filesize
  > END
  $ verb=duplicates; guess <<'END'
  > -d --delete --hardlink --hardlinks -L -H --dedupe --symlink -n --noempty -s --size -f --omitfirst -m --summarize
  > --sameline -1 -Q --quick --paranoid -N --noprompt --priority --isolate --unique --cache -r -R -q -v --json
  > --threads --hash-db --print-unique -o --order --reverse --rf-over --hash-fn --skip-hash --partial-only
  > --match-links -A --no-hidden --zero-match --one-fs -t --max-size --symbolic-links
  > END
  $ verb=run; guess <<'END'
  > -P --max-procs -I -i --replace -0 --null -a --arg-file -k --keep-order -u --line-buffer -t -r --no-run-if-empty
  > -L --max-lines -X -m -s --fail-fast --log -x --bar --eta --workdir -q -v --group --tag --results --pipe --block
  > --colsep -d --delimiter --delay --load --memfree --shuf --quote --will-cite --batch-size --exec-batch
  > --list-details --sshlogin --basefile --max-results --changed-within
  > END
  $ some 120 <guesses | while IFS=: read -r v w; do echo "$v $w: $(weir $v $w 2>&1 </dev/null)"; done | perl -ne '
  >   BEGIN { for (glob "*.help") { my ($v) = /(.*).help/; open F, $_; local $/; $known{$v} = { map { $_ => 1 } <F> =~ /--\w[\w-]*/g } } }
  >   my ($verb, $guess, $answer) = /^(\w*) ?(\S+): .*?(\(.*\))/ or print, next;
  >   my @asked = grep { $_ eq $verb || $answer =~ /weir $_\b/ } keys %known or next;
  >   for my $o ($answer =~ /--\w[\w-]*/g) { print "$o: $_" unless grep { $known{$_}{$o} } @asked }'; wc -l <guesses
  352

## a file in the place of the verb is answered with the command that reads it
  $ mkdir 'a b' fsck; weir 'a b'; weir fsck; weir count1
  ! weir: unknown command 'a b' (for a file or a directory of this name: weir hash 'a b'); see weir --help
  ! weir: unknown command fsck (use weir check); see weir --help
  ! weir: unknown command count1 (did you mean count?); see weir --help
  [2]

## algorithms are named in any case, and times of several units are read
  $ printf abc >f; weir hash -a MD5,SHA-256 f | sed 's/ .*//'; weir hash -a md5 f >M; weir check --max-time 1h30m M
  MD5
  SHA256
  f: OK
  $ weir check --max-time 1h30x M
  ! weir: --max-time takes a time such as 10, 0.5, 2m or 1h30m, not 1h30x; see weir check --help
  [2]

## arguments are complete without /proc
As in a bare chroot, where Swift does not find them. The undefined behavior sanitizer reports that it does not find its own name.
needs mount unsanitized
  $ printf x >"$(printf 'no\377utf8')"; ln -s "$(command -v weir)" sha256sum; row() {
  >   unshare --mount sh -c "mount -t tmpfs none /proc && exec $1 no*utf8" 2>&1 |
  >     grep -av '==WARNING: '
  > }
  $ row 'weir hash'; row ./sha256sum
  2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881  no\xffutf8 (esc)
  2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881  no\xffutf8 (esc)

## the nearest weir-demo runs, with the same arguments and its own exit status
POSIX does not report the path of the program.
needs linux
The one beside weir, in ../libexec, or in PATH.
  $ mkdir bin libexec path; cp "$(command -v weir)" bin/weir; PATH=$PWD/path:$PATH; bin/weir demo groups 2>none; echo $?
  > bin/weir --help | grep -c 'weir demo'
  2
  0
  [1]
  $ row() {
  >   printf '#!/bin/sh\necho %s "$#" "$@"; exit 7\n' $1 >$1/weir-demo; chmod +x $1/weir-demo
  >   bin/weir demo groups 'a b' --help; echo $?
  >   bin/weir --help | grep -c 'weir demo'; rm $1/weir-demo
  > }
  $ each row <<'END'
  > path => path 3 groups a b --help;7;1
  > libexec => libexec 3 groups a b --help;7;1
  > bin => bin 3 groups a b --help;7;1
  > END
