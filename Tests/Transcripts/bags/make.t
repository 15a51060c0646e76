weir hash --bagit DIR: a bag made in place, and brought up to date.

  $ . "$transcripts/bags/bag.sh"
  $ bagit() { weir hash --bagit b "$@"; }

## without -a the digest is SHA-512, and an empty directory is an empty bag
  $ mkdir t; weir hash --bagit t/; ls t | xargs; cat t/manifest-sha512.txt; weir check --quiet t
  bag-info.txt bagit.txt data manifest-sha512.txt tagmanifest-sha512.txt

## an update lists what differs, keeps what others wrote, and replaces nothing that is equal
  $ make 'rm data/a.txt; echo x >data/sub/b.txt; echo new >data/n; mkdir m; echo y >m/tag'; bagit
  b/m/tag: new
  b/data/a.txt: gone
  b/data/n: new
  b/data/sub/b.txt: edited
  $ head -n 3 b/bag-info.txt; weir check b | grep tag:
  Contact-Name: A
    B
  Payload-Oxum: 6.2
  b/m/tag: OK
  $ stat -c '%i %Y %n' b/* >before; bagit; stat -c '%i %Y %n' b/* | cmp - before
  $ bagit -a sha512; ls b/manifest* | xargs; weir check --quiet b
  b/manifest-md5.txt b/manifest-sha256.txt b/manifest-sha512.txt

## a bag of version 0.97 stays one, with its percent signs
  $ make "declare 0.97 UTF-8; tags; echo x >data/50%25; echo y >\"\$(printf 'data/a\\nb')\""; bagit
  b/data/50%25: new
  'b/data/a'$'\n''b': new
  $ sed 's/.*  //' b/manifest-md5.txt; weir check --quiet b
  data/50%25
  data/a%0Ab
  data/a.txt
  data/sub/b.txt

## what a bag cannot hold, or an update would lose, is an error before anything changes
  $ v='BagIt-Version: 1.0\nTag-File-Character-Encoding: '; row() {
  >   fresh; eval "$1"; find b -ls >before 2>/dev/null; bagit 2>&1; echo $?; find b -ls 2>/dev/null | cmp before -
  > }
  $ each row <<'END'
  > mkdir b; echo x >b/x; ln -s x b/l => weir: b/l: is a symbolic link, which a bag does not keep; replace or remove it;2
  > mkdir b; echo x >b/x; mkfifo b/f => weir: b/f: is not a regular file, which a bag does not keep; replace or remove it;2
  > mkdir -p b/d; echo x >b/x; echo y >"$(printf 'b/d/\377')" => weir: 'b/d/'$'\377': has a name that is not UTF-8; rename it;2
  > : >b => weir: b/: Not a directory;2
  > : => weir: b/: No such file or directory;2
  > mkdir b; echo x >b/bagit.txt; mkdir b/data => weir: b/bagit.txt: has no first line BagIt-Version: M.N;2
  > mkdir b; printf "${v}UTF-8\n" >b/bagit.txt => weir: b/: has bagit.txt, but no data; restore data, or remove bagit.txt;2
  > mkdir -p b/data; printf "${v}UTF-8\n" >b/bagit.txt; echo http://x - data/x >b/fetch.txt => weir: b/data/x: is listed in fetch.txt; fetch it before an update;2
  > mkdir -p b/data; printf "${v}UTF-16\n" >b/bagit.txt => weir: b/bagit.txt: has another encoding than UTF-8; convert the tag files;2
  > mkdir -p b/data; printf "${v}UTF-8\n" >b/bagit.txt; : >b/manifest-tiger.txt => weir: b/manifest-tiger.txt: is of an algorithm that is not supported; remove it, or keep it up to date;2
  > END
  $ fresh; mkdir b; echo x >b/x; exec 9<b; flock 9; FLOCKED=1 weir hash --bagit b 2>&1 | sed 's/run.*/run/'; ls b
  weir: b/: is in use by another run
  x

## an update of a damaged bag is refused, and changes nothing
  $ row() { fresh; mkdir b; echo 1 >b/f; echo 2 >b/g; bagit; eval "$1"; cp -a b before; bagit 2>&1; echo $?; diff -r b before; }
  $ each row <<'END'
  > rm b/manifest-sha512.txt; echo rot >b/data/f => weir: b/manifest-sha512.txt: is missing, and tagmanifest-sha512.txt lists it; see weir check b/, and restore the file, or add --accept manifest-sha512.txt to record it as it is;2
  > echo rot >b/data/f; : >b/manifest-sha512.txt => weir: b/manifest-sha512.txt: is not as tagmanifest-sha512.txt says; see weir check b/, and restore the file, or add --accept manifest-sha512.txt to record it as it is;2
  > rm b/bag-info.txt => weir: b/bag-info.txt: is missing, and tagmanifest-sha512.txt lists it; see weir check b/, and restore the file, or add --accept bag-info.txt to record it as it is;2
  > echo C: d >>b/bag-info.txt => weir: b/bag-info.txt: is not as tagmanifest-sha512.txt says; see weir check b/, and restore the file, or add --accept bag-info.txt to record it as it is;2
  > rm b/bagit.txt => weir: b/: has tagmanifest-sha512.txt, but no bagit.txt; restore bagit.txt, or remove the other;2
  > echo x >>b/manifest-sha512.txt => weir: b/manifest-sha512.txt: line 3 is not a digest and a name; mend or remove the line;2
  > echo x >>b/tagmanifest-sha512.txt => weir: b/tagmanifest-sha512.txt: line 4 is not a digest and a name; mend or remove the line;2
  > rm b/tag*; echo x >>b/manifest-sha512.txt => weir: b/manifest-sha512.txt: line 3 is not a digest and a name; mend or remove the line;2
  > END

## tag files of others that changed are listed as the payload is, and the bag is valid again
  $ make 'echo x >edited.xml; echo x >gone.xml; tags; echo y >edited.xml; rm gone.xml; : >n.xml'; bagit
  b/edited.xml: edited
  b/gone.xml: gone
  b/n.xml: new
  $ weir check --quiet b

## --bag-info writes, replaces and removes lines of bag-info.txt, and the bag is valid
  $ mkdir b; echo 1 >b/f
  $ bagit --bag-info 'Contact-Name=Jane Doe' --bag-info External-Identifier=a=b --bag-info Keeper=one --bag-info Keeper=two
  $ grep -v -e ^Bagging -e ^Bag-Soft b/bag-info.txt; weir check --quiet b
  Payload-Oxum: 2.1
  Contact-Name: Jane Doe
  External-Identifier: a=b
  Keeper: one
  Keeper: two
  $ bagit --bag-info contact-name='J. D.' --bag-info Keeper= --bag-info Bagging-Date=2020-02-02
  $ grep -v ^Bag-Soft b/bag-info.txt; weir check --quiet b
  Bagging-Date: 2020-02-02
  Payload-Oxum: 2.1
  contact-name: J. D.
  External-Identifier: a=b
  $ cp -a b before; bagit --bag-info contact-name='J. D.'; diff -r before b
  $ for f in x =x a:b=c ' a=b' 'a=b
  > c' payload-oxum=2.1; do bagit --bag-info "$f"; done
  ! weir: --bag-info takes FIELD=VALUE in one line of UTF-8, with a FIELD without a colon, not x; see weir hash --help
  ! weir: --bag-info takes FIELD=VALUE in one line of UTF-8, with a FIELD without a colon, not '=x'; see weir hash --help
  ! weir: --bag-info takes FIELD=VALUE in one line of UTF-8, with a FIELD without a colon, not 'a:b=c'; see weir hash --help
  ! weir: --bag-info takes FIELD=VALUE in one line of UTF-8, with a FIELD without a colon, not ' a=b'; see weir hash --help
  ! weir: --bag-info takes FIELD=VALUE in one line of UTF-8, with a FIELD without a colon, not 'a=b'$'\n''c'; see weir hash --help
  ! weir: --bag-info takes each FIELD but Payload-Oxum, which weir counts, not 'payload-oxum=2.1'; see weir hash --help
  [2]
  $ weir hash --bag-info a=b
  ! weir: --bag-info needs --bagit DIR; see weir hash --help
  [2]

## with --accept the tag manifests follow an edit by hand, and of nothing else
  $ mkdir b; echo 1 >b/f; bagit; echo Keeper: me >>b/bag-info.txt; cp -a b before; bagit --accept bagit.txt
  ! weir: b/bag-info.txt: is not as tagmanifest-sha512.txt says; see weir check b/, and restore the file, or add --accept bag-info.txt to record it as it is
  [2]
  $ diff -r before b; bagit --accept bag-info.txt
  b/bag-info.txt: edited
  $ grep Keeper b/bag-info.txt; weir check --quiet b
  Keeper: me

## a bag whose tag manifests a killed run removed is completed; new ones keep the mode
  $ make 'chmod 640 tagmanifest-md5.txt; echo x >data/n; cp -a ../b ../killed; cd ../killed; rm tagmanifest*; sed -i \$d manifest-md5.txt'
  $ for d in b killed; do weir hash --bagit $d; weir check --quiet $d; done
  b/data/n: new
  killed/data/n: new
  $ stat -c %a b/tagmanifest-md5.txt
  640

## the output of the run is no file of the bag, and a user's file is not taken for a remainder
  $ row() { fresh; mkdir b; eval "$1"; bagit 2>&1; echo $?; find b -name data; }
  $ each row <<'END'
  > mkdir -p b/.weir-bag/data; echo x >b/.weir-bag/data/f => weir: b/.weir-bag/: is no directory that weir has made; rename it;2;b/.weir-bag/data
  > echo x >b/.weir-bag => weir: b/.weir-bag/: is no directory that weir has made; rename it;2
  > END
  $ fresh; mkdir b; echo x >b/f; row() {
  >   mkdir -p b/d; bagit 2>&1 >$1; echo $?; rm $1; bagit; for t in mine 2024.11; do echo x >b/bag-info.txt.tmp.$t; done; bagit
  > }
  $ each row <<'END'
  > b/log => weir: b/log: is the output of this run, and would differ from its digest; choose a file outside the bag;2;b/bag-info.txt.tmp.2024.11: new;b/bag-info.txt.tmp.mine: new
  > b/d/log => weir: b/d/log: is the output of this run, and would differ from its digest; choose a file outside the bag;2
  > b/data/log => weir: b/data/log: is the output of this run, and would differ from its digest; choose a file outside the bag;2
  > END
  $ cat b/bag-info.txt.tmp.*; weir check --quiet b
  x
  x

## half of the payload, or as much as --max-gone permits, may be gone
  $ make 'rm -r data/*'; cp b/manifest-md5.txt before; bagit
  ! weir: b: is left unchanged, since 2 of its 2 files would be gone, more than --max-gone 50%; mount what is missing, or add --max-gone 100%
  [2]
  $ bagit --max-gone 1
  ! weir: b: is left unchanged, since 2 of its 2 files would be gone, more than --max-gone 1; mount what is missing, or add --max-gone 100%
  [2]
  $ cmp b/manifest-md5.txt before; bagit --max-gone 100%
  b/data/a.txt: gone
  b/data/sub/b.txt: gone
  $ weir check --quiet b

## a report, metrics or a trace in the bag is refused before it is written
  $ make 'ln -s b/data ../l'; row() { for o in --report --metrics --trace; do eval "weir $1"; done 2>&1 | sort | uniq -c | sed 's/^ *//'; }
  $ each row <<'END'
  > hash --bagit b $o b/r => 3 weir: b/r: is in b, where no manifest would list it; choose a name outside the bag
  > hash --bagit b $o b/data/r => 3 weir: b/data/r: is in b, where no manifest would list it; choose a name outside the bag
  > hash --bagit b $o l/r => 3 weir: l/r: is in b, where no manifest would list it; choose a name outside the bag
  > hash --bagit b $o ../t/b/r => 3 weir: ../t/b/r: is in b, where no manifest would list it; choose a name outside the bag
  > hash --bagit . -C b $o b/r => 3 weir: b/r: is in ., where no manifest would list it; choose a name outside the bag
  > hash --bagit b $o b.r$o =>
  > check b $o b/r => 3 weir: b/r: is in b, where no manifest would list it; choose a name outside the bag
  > check b $o b/data/r => 3 weir: b/data/r: is in b, where no manifest would list it; choose a name outside the bag
  > check b $o l/r => 3 weir: l/r: is in b, where no manifest would list it; choose a name outside the bag
  > check b $o ../t/b/r => 3 weir: ../t/b/r: is in b, where no manifest would list it; choose a name outside the bag
  > check . -C b $o b/r => 3 weir: b/r: is in ., where no manifest would list it; choose a name outside the bag
  > check --status b $o b.r$o =>
  > END
  $ weir check --quiet b

## a payload file that cannot be read leaves the manifests as they were
  $ make 'echo x >data/a.txt; chmod 0 data/sub/b.txt'; cp b/manifest-md5.txt before; chmod 777 . b; chown -R 65534 b 2>/dev/null
  $ nobody weir hash --bagit b
  ! weir: b/data/sub/b.txt: Permission denied
  ! weir: 1 file read, 1 could not be read; the manifests are left as they were; mend this and run the command again
  [3]
  $ cmp b/manifest-md5.txt before; ls b | grep tmp
  [1]

## a PATH and options that do not apply are usage errors
  $ row() { bagit $1 2>&1; echo $?; }
  $ each row <<'END'
  > x => weir: --bagit takes one directory and no PATH, and x is another; see weir hash --help;2
  > --update => weir: --update does not apply to --bagit; see weir hash --help;2
  > -o M => weir: --output does not apply to --bagit; see weir hash --help;2
  > --tag => weir: --tag does not apply to --bagit; see weir hash --help;2
  > --follow => weir: --follow does not apply to --bagit; see weir hash --help;2
  > --files-from x => weir: --files-from does not apply to --bagit; see weir hash --help;2
  > END
