weir check BAG/: the rules of RFC 8493 and of the versions before it, one case each.

  $ . "$transcripts/bags/bag.sh"

## a valid bag has no fault
A change of a valid bag, and the lines of unusual files.
  $ row() {
  >   make "${1#*: }"; weir check b/ >out 2>&1; echo $?
  >   grep -v '^b/\(data/a.txt\|data/sub/b.txt\|bagit.txt\|bag-info.txt\|manifest-[a-z0-9]*.txt\): OK$' out | tr '\r' R
  > }
  $ each row <<'END'
  > version 1.0: : => 0
  > version 0.97: declare 0.97 UTF-8; tags => 0
  > version 0.93: declare 0.93 UTF-8; mv bag-info.txt package-info.txt; tags => 0;b/package-info.txt: OK
  > the required elements only: rm tagmanifest* bag-info.txt manifest-md5.txt => 0
  > lines that end in CR LF: sed -i 's/$/\r/' bagit.txt manifest-md5.txt; tags => 0
  > lines that end in CR: for f in bagit manifest-md5; do tr '\n' '\r' <$f.txt >x; mv x $f.txt; done; tags => 0
  > blanks, tabs and asterisks before names, digits in upper case: sed -i 's/  / \t /' manifest-md5.txt; sed -i 's/  / */; s/^[^ ]*/\U&/' manifest-sha256.txt; tags => 0
  > names that begin with ./: sed -i 's,  data,  ./data,' manifest-md5.txt; tags => 0
  > encoded names: printf x >"$(printf 'data/a\nb')"; printf y >"$(printf 'data/a\rb')"; printf z >data/a%0Ab; for s in md5 sha256; do for n in 'a\nb' 'a\rb' a%%0Ab; do f=$(printf "data/$n"); e=$(printf %s "$f" | sed 's/%/%25/g; s/\r/%0d/; :a;N;s/\n/%0A/;ba'); printf '%s  %s\n' $("${s}sum" <"$f" | cut -d' ' -f1) "$e" >>manifest-$s.txt; done; done; printf 'Payload-Oxum: 21.5\n' >bag-info.txt; tags => 0;\b/data/a\nb: OK;b/data/aRb: OK;b/data/a%0Ab: OK
  > percent signs before version 1.0: declare 0.97 UTF-8; echo x >data/50%25; payload data/50%25; rm bag-info.txt; tags => 0;b/data/50%25: OK
  > other percent signs: echo x >data/%7Ea; payload data/%7Ea; rm bag-info.txt; tags => 0;b/data/%7Ea: OK
  > an empty payload: rm -r data/*; echo 'Payload-Oxum: 0.0' >bag-info.txt; for s in md5 sha256; do : >manifest-$s.txt; done; tags => 0
  > tag files in ISO-8859-1: declare 1.0 ISO-8859-1; echo x >data/é; payload data/é; rm bag-info.txt; for s in md5 sha256; do iconv -t ISO-8859-1 manifest-$s.txt >x; mv x manifest-$s.txt; done; tags => 0;b/data/é: OK
  > tag files in UTF-16: declare 1.0 UTF-16; tags; for f in manifest-md5 bag-info; do iconv -t UTF-16 $f.txt >x; mv x $f.txt; done; iconv -t UTF-16BE manifest-sha256.txt >x; mv x manifest-sha256.txt; tags; for s in md5 sha256; do iconv -t UTF-16 tagmanifest-$s.txt >x; mv x tagmanifest-$s.txt; done => 0
  > tag files in UTF-16 without a mark: declare 1.0 UTF-16LE; tags; for f in manifest-md5 manifest-sha256 bag-info; do iconv -t UTF-16LE $f.txt >x; mv x $f.txt; done; tags; for s in md5 sha256; do iconv -t UTF-16LE tagmanifest-$s.txt >x; mv x tagmanifest-$s.txt; done => 0
  > a payload that was fetched: echo 'http://localhost/a 6 data/a.txt' >fetch.txt; tags => 0;b/fetch.txt: OK
  > each file in one of the manifests, before version 1.0: declare 0.97 UTF-8; sed -i 1d manifest-md5.txt; sed -i 2d manifest-sha256.txt; tags => 0
  > a file listed twice with one digest, before version 1.0: declare 0.97 UTF-8; sed -i 1p manifest-md5.txt; tags => 0
  > a tag manifest of version 0.97 without a manifest of the payload: declare 0.97 UTF-8; tags; sed -i /manifest-md5/d tagmanifest-sha256.txt => 0
  > a bag in a bag: cp bagit.txt data; payload data/bagit.txt; rm bag-info.txt; tags => 0;b/data/bagit.txt: OK
  > links within the bag: ln -s a.txt data/l; ln -s sub data/d; payload data/l data/d/b.txt; echo Payload-Oxum: 24.3 >bag-info.txt; tags => 0;b/data/d/b.txt: OK;b/data/l: OK
  > labels with blanks before the colon: echo 'A  :  b' >>bag-info.txt; tags => 0
  > END

## a fault of a bag is found and named
  $ row() { make "${1#*: }"; weir check b/ >out 2>&1; s=$?; grep -v ': OK$\|WARNING' out; echo $s; }
  $ each row <<'END'
  > no declaration: rm bagit.txt => weir: b/: is a directory without bagit.txt, and so no bag; to hash it, use weir hash, to compare it with another or with a manifest, weir compare;2
  > a byte order mark: sed -i '1s/^/\xef\xbb\xbf/' bagit.txt; tags => b/bagit.txt: FAILED (has no first line BagIt-Version: M.N);1
  > a blank before a colon: sed -i 's/:/ :/' bagit.txt; tags => b/bagit.txt: FAILED (has no first line BagIt-Version: M.N);1
  > a version that is no number: declare .97 UTF-8; tags => b/bagit.txt: FAILED (has a version that is not two numbers);1
  > a version to come: declare 2.0 UTF-8; tags => weir: b/: BagIt 2.0 is not supported;3
  > no encoding: sed -i 2d bagit.txt; tags => b/bagit.txt: FAILED (has no second and last line Tag-File-Character-Encoding: NAME);1
  > an unknown encoding: declare 1.0 KOI8-R; tags => weir: b/: the encoding of its tag files is not supported;3
  > a third line: echo x: y >>bagit.txt; tags => b/bagit.txt: FAILED (has no second and last line Tag-File-Character-Encoding: NAME);1
  > no payload directory: mv data ..; tags => b/data/: FAILED (is missing);b/bag-info.txt: FAILED (Payload-Oxum is 18.2, the payload has 0.0);weir: b/data/a.txt: No such file or directory;b/data/a.txt: FAILED (missing);weir: b/data/sub/b.txt: No such file or directory;b/data/sub/b.txt: FAILED (missing);1
  > a payload directory that is a link: mv data ../store; ln -s ../store data => b/data/: FAILED (is a symbolic link);b/bag-info.txt: FAILED (Payload-Oxum is 18.2, the payload has 0.0);b/data/a.txt: FAILED (leads out of the bag, through a symbolic link);b/data/sub/b.txt: FAILED (leads out of the bag, through a symbolic link);1
  > a payload directory that is a link within the bag: mv data store; ln -s store data => b/data/: FAILED (is a symbolic link);b/bag-info.txt: FAILED (Payload-Oxum is 18.2, the payload has 0.0);1
  > bag-info.txt that is a directory: rm tagmanifest* bag-info.txt; mkdir bag-info.txt => weir: b/bag-info.txt: Invalid argument;b/bag-info.txt: FAILED open or read;3
  > no manifest: rm manifest*; tags => b/: FAILED (has no manifest of its payload);1
  > an unknown algorithm: : >manifest-tiger.txt => weir: b/: the algorithm of manifest-tiger.txt is not supported;3
  > a payload file that differs: echo Hello >data/a.txt => b/data/a.txt: FAILED;1
  > a digest that differs in one manifest: sed -i '1s/^./0/' manifest-md5.txt; tags => b/data/a.txt: FAILED;1
  > a tag file that differs: echo C: d >>bag-info.txt => b/bag-info.txt: FAILED;1
  > a payload file that is missing: rm data/a.txt => b/bag-info.txt: FAILED (Payload-Oxum is 18.2, the payload has 12.1);weir: b/data/a.txt: No such file or directory;b/data/a.txt: FAILED (missing);1
  > a tag file that is missing: rm bag-info.txt => weir: b/bag-info.txt: No such file or directory;b/bag-info.txt: FAILED (missing);1
  > a file in no manifest: echo x >data/x => b/bag-info.txt: FAILED (Payload-Oxum is 18.2, the payload has 20.3);b/data/x: FAILED (is in no manifest);1
  > a file in one manifest only: sed -i 1d manifest-md5.txt; tags => b/data/a.txt: FAILED (is not in manifest-md5.txt);1
  > a file listed twice with one digest: sed -i 1p manifest-md5.txt; tags => b/data/a.txt: FAILED (is listed twice in manifest-md5.txt);1
  > a file listed twice with two digests, before version 1.0: declare 0.97 UTF-8; sed -i '1p; 1s/^./0/' manifest-md5.txt; tags => b/data/a.txt: FAILED (is listed twice in manifest-md5.txt);1
  > an Oxum that differs: sed -i s/18/19/ bag-info.txt; tags => b/bag-info.txt: FAILED (Payload-Oxum is 19.2, the payload has 18.2);1
  > an Oxum that is no number: sed -i s/18.2/18/ bag-info.txt; tags => b/bag-info.txt: FAILED (Payload-Oxum is not two numbers);1
  > two Oxums: echo Payload-Oxum: 18.2 >>bag-info.txt; tags => b/bag-info.txt: FAILED (has several lines Payload-Oxum);1
  > a line without a label: echo x >>bag-info.txt; tags => b/bag-info.txt: FAILED (has a line that is not a label and a value);1
  > a line without a digest: echo data/a.txt >>manifest-md5.txt; tags => b/manifest-md5.txt: FAILED (line 3 is not a digest and a name);1
  > a digest of another length: sed -i '1s/^.//' manifest-md5.txt; tags => b/manifest-md5.txt: FAILED (line 1 is not a digest and a name);b/data/a.txt: FAILED (is not in manifest-md5.txt);1
  > a tag file in a payload manifest: md5sum bag-info.txt >>manifest-md5.txt; tags => b/manifest-md5.txt: FAILED (line 3 names a file that is not in data/);1
  > a name that leaves by dots: md5sum ../secret >>manifest-md5.txt; tags => b/manifest-md5.txt: FAILED (line 3 has a name that leaves the bag);1
  > a name that leaves by dots in data: md5sum data/../../secret >>manifest-md5.txt; tags => b/manifest-md5.txt: FAILED (line 3 has a name that leaves the bag);1
  > an absolute name: md5sum "$PWD/../secret" >>manifest-md5.txt; tags => b/manifest-md5.txt: FAILED (line 3 has a name that leaves the bag);1
  > a name in a home: echo 900150983cd24fb0d6963f7d28e17f72  '~/secret' >>manifest-md5.txt; tags => b/manifest-md5.txt: FAILED (line 3 has a name that leaves the bag);1
  > a name that leaves by an encoded newline: echo 900150983cd24fb0d6963f7d28e17f72  'data/../%0A/../../secret' >>manifest-md5.txt; tags => b/manifest-md5.txt: FAILED (line 3 has a name that leaves the bag);1
  > a tag file out of the bag: md5sum ../secret >>tagmanifest-md5.txt => b/tagmanifest-md5.txt: FAILED (line 5 has a name that leaves the bag);1
  > a file to fetch: rm data/a.txt; echo 'http://localhost/a - data/a.txt' >fetch.txt; tags => b/bag-info.txt: FAILED (Payload-Oxum is 18.2, the payload has 12.1);b/data/a.txt: FAILED (is missing; fetch.txt has its address);1
  > a file to fetch that no manifest lists: echo 'http://localhost/x - data/x' >fetch.txt; tags => b/data/x: FAILED (is in no manifest);b/data/x: FAILED (is missing; fetch.txt has its address);1
  > a file to fetch out of the bag: echo 'http://localhost/x - data/../../x' >fetch.txt; tags => b/fetch.txt: FAILED (line 1 has a name that leaves the bag);1
  > a tag file to fetch: echo 'http://localhost/x - bag-info.txt' >fetch.txt; tags => b/fetch.txt: FAILED (line 1 names a file that is not in data/);1
  > a malformed line to fetch: echo 'http://localhost/x data/x' >fetch.txt; tags => b/fetch.txt: FAILED (line 1 is not an address, a length and a name);1
  > a file to fetch that one manifest lists: echo 'http://localhost/x - data/a.txt' >fetch.txt; sed -i 1d manifest-md5.txt; tags => b/data/a.txt: FAILED (is not in manifest-md5.txt);1
  > an address that is no absolute URI: echo '/x - data/a.txt' >fetch.txt; tags => b/fetch.txt: FAILED (line 1 is not an address, a length and a name);1
  > a fetched file of another length: echo 'http://localhost/x 7 data/a.txt' >fetch.txt; tags => b/data/a.txt: FAILED (has 6 bytes, and fetch.txt says 7);1
  > a payload file in a tag manifest: md5sum data/a.txt >>tagmanifest-md5.txt => b/tagmanifest-md5.txt: FAILED (line 5 names a file in data/);1
  > a tag manifest in a tag manifest: md5sum tagmanifest-sha256.txt >>tagmanifest-md5.txt => b/tagmanifest-md5.txt: FAILED (line 5 names a manifest of tag files);1
  > a tag manifest without a manifest of the payload: sed -i /manifest-md5/d tagmanifest-sha256.txt => b/tagmanifest-sha256.txt: FAILED (does not list manifest-md5.txt);1
  > a link out of the bag: ln -s ../../secret data/l; payload data/l; rm bag-info.txt; tags => b/data/l: FAILED (is a symbolic link out of the bag);b/data/l: FAILED (leads out of the bag, through a symbolic link);1
  > a link to a directory out of the bag: ln -s ../.. data/l; payload data/l/secret; rm bag-info.txt; tags => b/data/l: FAILED (is a symbolic link out of the bag);b/data/l/secret: FAILED (leads out of the bag, through a symbolic link);1
  > a link to nothing: ln -s x data/l => b/data/l: FAILED (is a symbolic link to nothing);1
  > a FIFO in the payload: rm data/a.txt; mkfifo data/a.txt => b/bag-info.txt: FAILED (Payload-Oxum is 18.2, the payload has 12.2);b/data/a.txt: FAILED (is a FIFO);1
  > a directory in place of a file: rm data/a.txt; mkdir data/a.txt => b/bag-info.txt: FAILED (Payload-Oxum is 18.2, the payload has 12.1);b/data/a.txt: FAILED (is a directory);1
  > END

## names in another form of Unicode, and a byte order mark, are no fault; a lost bagit.txt is
  $ mkdir b; echo a >"b/$(printf 'caf\303\251')"; echo b >b/x; weir hash --bagit b; rm b/tagmanifest*
  $ sed -i "s/$(printf '\303\251')/$(printf 'e\314\201')/" b/manifest-sha512.txt
  $ sed -i "1s/^/$(printf '\357\273\277')/" b/manifest-sha512.txt; weir check b
  b/data/café: OK
  b/data/x: OK
  $ mkdir c; echo 1 >c/a; echo 2 >c/A; weir hash --bagit c; weir check --quiet c
  ! weir: c: warning: data/A and data/a differ only in case or in the form of Unicode, so that other file systems take them for one
  $ echo c >b/data/x; weir check --quiet b
  b/data/x: FAILED
  ! weir: WARNING: 1 computed checksum did NOT match
  [1]
  $ rm b/bagit.txt; weir hash --bagit b
  ! weir: b/: has manifest-sha512.txt, but no bagit.txt; restore bagit.txt, or remove the other
  [2]
  $ ls b | xargs
  bag-info.txt data manifest-sha512.txt

## a name that leaves the bag is never opened
A path from the working directory could lead through a directory that became a link.
needs strace
  $ make 'ln -s ../../secret data/l; ln -s ../.. data/d; payload ../secret data/../../secret data/l data/d/secret; md5sum ../secret >>tagmanifest-md5.txt'
  $ strace -f -o calls -e trace=open,openat,openat2 weir check --status b
  [1]
  $ grep -c 'a.txt"' calls; grep open calls | grep -v O_PATH | grep 'secret"\|data/l"'; grep '"b/data/' calls | grep -v 'O_PATH\|O_DIRECTORY'
  1
  [1]

## a file of several manifests is one line and one read, whatever their order and the lanes
  $ make 'tac manifest-md5.txt >x; mv x manifest-md5.txt; tags'; weir check -j 1 --summary b
  b/bag-info.txt: OK
  b/bagit.txt: OK
  b/data/a.txt: OK
  b/data/sub/b.txt: OK
  b/manifest-md5.txt: OK
  b/manifest-sha256.txt: OK
  ! weir: 6 lines: 6 right; 363 B in ...
  $ weir check -j 7 b >7; weir check -j 1 b | cmp - 7; weir check -C b . | sed 's,^.,b,' | cmp - 7

## a payload that cannot be read as a whole has no sum to compare
  $ make :; weir hash --bagit b; chmod 0 b/data/sub; chown -R 65534 . 2>/dev/null; nobody weir check --quiet b
  b/data/sub: FAILED open or read
  b/data/sub/b.txt: FAILED open or read
  ! weir: b/data/sub: Permission denied
  ! weir: b/data/sub/b.txt: Permission denied
  ! weir: WARNING: 2 listed files could not be read
  [3]

## a bag whose manifest or declaration cannot be read is not judged by it
  $ row() { make :; chmod 0 b/$1; chown -R 65534 . 2>/dev/null; nobody weir check --quiet b 2>&1; echo $?; }
  $ each row <<'END'
  > manifest-* => weir: b/manifest-md5.txt: Permission denied;b/manifest-md5.txt: FAILED open or read;weir: b/manifest-sha256.txt: Permission denied;b/manifest-sha256.txt: FAILED open or read;weir: b/manifest-md5.txt: Permission denied;b/manifest-md5.txt: FAILED open or read;weir: b/manifest-sha256.txt: Permission denied;b/manifest-sha256.txt: FAILED open or read;weir: WARNING: 4 listed files could not be read;3
  > manifest-md5.txt => weir: b/manifest-md5.txt: Permission denied;b/manifest-md5.txt: FAILED open or read;weir: b/manifest-md5.txt: Permission denied;b/manifest-md5.txt: FAILED open or read;weir: WARNING: 2 listed files could not be read;3
  > bagit.txt => weir: b/bagit.txt: Permission denied;b/bagit.txt: FAILED open or read;weir: WARNING: 1 listed file could not be read;3
  > END

## bags stand beside manifests, and their JSON is valid
  $ make 'rm data/a.txt; echo x >data/x'; sha256sum secret >S; weir check --format json S b 2>/dev/null
  {"type":"file","path":{"text":"secret"},"status":"ok","manifest":{"text":"S"},"line":1,"algorithm":"sha256"}
  {"type":"manifest","path":{"text":"S"},"complete":true,"lines":1,"ok":1,"touched":0,"failed":0,"edited":0,"rot":0,"open":0,"others":0,"missing":0,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0}
  {"type":"file","path":{"text":"b/bag-info.txt"},"status":"failed","manifest":{"text":"b"},"line":1,"message":"Payload-Oxum is 18.2, the payload has 14.2"}
  {"type":"file","path":{"text":"b/bag-info.txt"},"status":"ok","manifest":{"text":"b"},"line":1}
  {"type":"file","path":{"text":"b/bagit.txt"},"status":"ok","manifest":{"text":"b"},"line":2}
  {"type":"file","path":{"text":"b/data/a.txt"},"status":"missing","manifest":{"text":"b"},"line":1,"message":"No such file or directory"}
  {"type":"file","path":{"text":"b/data/sub/b.txt"},"status":"ok","manifest":{"text":"b"},"line":2}
  {"type":"file","path":{"text":"b/data/x"},"status":"failed","manifest":{"text":"b"},"line":1,"message":"is in no manifest"}
  {"type":"file","path":{"text":"b/manifest-md5.txt"},"status":"ok","manifest":{"text":"b"},"line":3}
  {"type":"file","path":{"text":"b/manifest-sha256.txt"},"status":"ok","manifest":{"text":"b"},"line":4}
  {"type":"manifest","path":{"text":"b"},"complete":true,"lines":12,"ok":5,"touched":0,"failed":2,"edited":0,"rot":0,"open":0,"others":0,"missing":1,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0}
  {"type":"summary","complete":true,"ok":6,"touched":0,"failed":2,"edited":0,"rot":0,"open":0,"others":0,"missing":1,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0,"bytes":364,"seconds":...}
  [1]
  $ weir check --status b
  ! weir: b/data/a.txt: No such file or directory
  [1]
  $ weir check --audit . b
  ! weir: --audit does not apply to b, a directory: a bag is verified as a whole; see weir check --help
  [2]
A directory named - is not standard input.
  $ mkdir ./-; sha256sum -z S | weir check -z -
  S: OK
