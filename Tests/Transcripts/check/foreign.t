Lists of other people: forms that other programs write, and names of other machines.

The files `f` (abc), `z` (BAD), `d/name.txt` and `café` (both abc).

  $ sum() { $1 f | cut -d' ' -f1; }
  $ b64() { "$1"sum $2 | perl -ne 'print pack("H*", (split)[0])' | base64 -w0; }
  $ make() {
  >   [ -d $top/made ] || (printf abc >f; printf BAD >z; mkdir d; cp f d/name.txt; cp f $(printf 'caf\303\251'); cp -r . ../made)
  >   cd $top && rm -rf t && cp -r made t && cd t
  > }
  $ make; md5=$(sum md5sum) sha=$(sum sha256sum) sha512=$(sum sha512sum) b2=$(sum b2sum)
  $ MD5=$(echo $md5 | tr a-f A-F) SHA=$(echo $sha | tr a-f A-F)

## forms that other programs write are verified, and no line is passed over
Lists of f, and of z if it fails: how they are written, the verdicts, and the status.
  $ row() { make; eval "$1"; weir check L 2>/dev/null; echo $?; }
  $ each row <<'END'
  > # SFV without leading zeros, after a comment or with a line that has all digits.
  > printf '; c\nf 352441C2\nz 33D3957\n' >L => f: OK;z: FAILED;1
  > printf 'f 352441C2\nz 33D3957\n' >L => f: OK;z: FAILED;1
  > printf '; c\n#f 352441C2\n' >L => #f: FAILED open or read;1
  > # SFV of names that end in a blank, or that look like digests; several blanks before the CRC.
  > cp f 'n '; printf '; c\nn  352441C2\n' >L => n : OK;0
  > cp f 'n '; cp z n; printf 'f 352441C2\nn  352441C2\n' >L => f: OK;n : OK;0
  > printf '; c\nf   352441C2\n' >L => f: OK;0
  > cp f abad1dea; printf '; c\nabad1dea 352441C2\n' >L => abad1dea: OK;0
  > cp f abad1dea; printf 'f 352441C2\nabad1dea 352441C2\n' >L => f: OK;abad1dea: OK;0
  > # Base64, tagged and not.
  > echo "SHA256 (f) = $(b64 sha256 f)" >L => f: OK;0
  > echo "SHA256 (f) = $(b64 sha256 z)" >L; echo "$sha  f" >>L => f: FAILED;f: OK;1
  > echo "$(b64 sha512 f)  f" >L => f: OK;0
  > echo "RMD160 (f) = $(b64 sha1 f)" >L; echo "$sha  f" >>L => f: OK;3
  > # xxhsum -H3, TeraCopy, a name before its digest.
  > echo 'XXH3_78af5f94892f3950  f' >L => f: OK;0
  > echo 'XXH3_78af5f94892f3951  f' >L => f: FAILED;1
  > echo "$sha ?SHA256*f" >L => f: OK;0
  > echo "$sha ?BLAKE2sp*f" >L => 3
  > echo "f  $sha" >L; echo "d/name.txt $md5" >>L => f: OK;d/name.txt: OK;0
  > echo "z  $sha" >L => z: FAILED;1
  > # rhash --bsd with two algorithms, openssl dgst -c, md5deep -z, b3sum -l.
  > printf 'MD5   (f) = %s\nSHA256  (z) = %s\n' $md5 $sha >L => f: OK;z: FAILED;1
  > printf 'MD5(f)= %s\n' $(echo $md5 | sed 's/../:&/g; s/://') >L => f: OK;0
  > printf 'MD5(z)= %s\n' $(echo $md5 | sed 's/../:&/g; s/://') >L => z: FAILED;1
  > printf 'MD5(f)= %s\n' $(echo $md5 | sed 's/../:&/g; s/:/0/') >L => 1
  > printf '         3  %s  f\n         3  %s  d/name.txt\n' $md5 $md5 >L => f: OK;d/name.txt: OK;0
  > cp f ' a b'; printf '         4  %s   a b\n' $md5 >L =>  a b: FAILED (edited);1
  > printf '         3  %s  f\nx  %s  z\n' $md5 $md5 >L => f: OK;1
  > printf 'BLAKE3-32 (f) = 6437b3ac\nBLAKE3-32 (z) = 6437b3ac\n' >L => f: OK;z: FAILED;1
  > # Control files of Debian, and Gentoo's manifests.
  > printf 'Format: 1.8\nDescription: a\n b\nChecksums-Sha256:\n %s 3 f\nFiles:\n' $sha >L; echo " $md5 3 devel optional f" >>L => f: OK;f: OK;0
  > printf 'Origin: x\nSHA256:\n %s 4 f\n' $sha >L => f: FAILED (edited);1
  > printf 'Date: Sat\nSHA256:\n %s 3 f\n' $sha >L => f: OK;0
  > printf 'DIST f 3 BLAKE2B %s SHA512 %s\nIGNORE x\n' $b2 $sha512 >L => f: OK;0
  > printf 'DIST f 3 WHIRLPOOL 00 SHA512 %s\n' $sha512 >L => f: OK;3
  > printf 'AUX x 3 SHA512 %s\n' $sha512 >L; mkdir files; cp f files/x => files/x: OK;0
  > # gpg --print-md, whose lines can continue.
  > echo 'f: A999 3E36 4706 816A BA3E  2571 7850 C26C 9CD0 D89D' >L => f: OK;0
  > printf 'f: BA7816BF 8F01CFEA 414140DE 5DAE2223 B00361A3 96177A9C B410FF61\n   F20015AE\n' >L => f: FAILED;1
  > printf 'f: \n   MD5 = %s\nf: \nSHA256 = %s\nf: \nRMD160 = %s\n' $MD5 $SHA AAAAAAAA >L => f: OK;f: OK;3
  > # mtree(5) of other programs.
  > # The last entry of a name counts; from a pipe each does.
  > printf './f type=file size=9\n./d type=dir\nf sha256=%s\n./z size=3\n./z size=4\n' $sha >L => f: OK;./z: FAILED (edited);1
  > printf '#mtree\r\n\r\n./f type=file \\\r\n size=3 sha256=%s\r\n' $sha >L => ./f: OK;0
  > printf '\r\n./f type=file sha512256digest=00\r\n' >L => 1
  > printf './f type=file sha256=%s foodigest=12\n' $sha >L => ./f: OK;3
  > touch -d @7.5 f; printf './f tar_time=7.0 sha256=%s\n' $sha >L => ./f: OK;0
  > # The armour of signed lists is no line; what only looks like it is one.
  > printf -- '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n%s  f\n' $sha >L; printf -- '-----BEGIN PGP SIGNATURE-----\n\niQEzBAEBCAAdFiEE=\n=ab\n-----END PGP SIGNATURE-----\n' >>L => f: OK;0
  > printf 'untrusted comment: x\nRWQabc+/=\nSHA256 (f) = %s\n' $sha >L => f: OK;0
  > printf -- '-----BEGIN PGP SIGNATURE-----\n%s  z\n' $sha >L => z: FAILED;1
  > printf -- '-----BEGIN PGP SIGNED MESSAGE-----\n%s  z\n' $sha >L => z: FAILED;1
  > printf 'untrusted comment: x\n%s  z\n' $sha >L => z: FAILED;1
  > # Damage that hides a line.
  > printf 'f: %s\nz: G%s\n' AAAA AAAA >L => 1
  > gpg() { echo "f: A999 3E36 4706 816A BA3E  2571 7850 C26C 9CD0 D89D"; }; gpg f >L; echo 'z: A9;9' >>L => f: OK;1
  > printf ';%s  f\n%s  f\n' $sha $sha >L => f: OK;1
  > printf './f mode=0644xsha256digest=%s\n' $sha >L => 3
  > printf '; x\nf 352441C2\nuntrusted comment: b 00000000\n' >L => f: OK;untrusted comment: b: FAILED open or read;1
  > printf 'Format: 3\nFiles:\n %s 3 f\nChecksums-Sha25x:\n %s 3 z\n' $md5 $sha >L => f: OK;1
  > printf 'untrusted comment: %s  z\n%s  f\n' $sha $sha >L => f: OK;1
  > printf '#mtree ./z sha256digest=%s\n./f sha256digest=%s\n' $sha $sha >L => ./f: OK;1
  > printf 'SHA256 (f) = %s\n' $(b64 sha256 f | sed 's/.=$/1=/') >L => 1
  > printf -- '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256%s  z\n\n%s  f\n' $sha $sha >L => f: OK;1
  > printf '%%%%%%%% HASHDEEP-1.0\n%%%%%%%% size,md5,filename\n3,%s,f\n%%%%%%%% HASHDEEP-1.03,%s,z\n' $md5 $md5 >L => f: OK;1
  > printf '%%%%%%%% HASHDEEP-1.0\n%%%%%%%% size,md5,filename\n## 3,%s,z\n## x\n3,%s,f\n' $md5 $md5 >L => f: OK;1
  > printf '%%%%%%%% HASHDEEP-1.0\n%%%%%%%% size,md5,filename\n## $ md5deep -r,3,%s,z\n3,%s,f\n' $md5 $md5 >L => f: OK;1
  > # A lone line of SFV that looks like another one; a directory as a file.
  > cp z '#1'; printf '#1 352441C2\nf 352441C2\n' >L => #1: FAILED;f: OK;1
  > cp f "$(printf 'z\r')"; printf '%s  z\r\n%s  f' $sha $sha >L => z: FAILED;f: OK;1
  > cp f $md5; printf "$md5 352441C2\n" >L => 352441C2: FAILED open or read;1
  > printf './d/ type=file\n' >L => ./d/: FAILED (is a directory);1
  > printf './f/ type=file size=3\n' >L => ./f/: FAILED (missing);1
  > # A malformed line is a difference.
  > printf '%s  f\n%s z\n' $sha $sha >L => f: OK;1
  > printf '%s  f\nhello\n' $sha >L => f: OK;1
  > END
  $ make; printf '%s  f\nhello\n' $sha >L; weir check --lenient L
  f: OK
  ! weir: WARNING: 1 line is improperly formatted

## the first digest of BLAKE2b or BLAKE3 decides on the length of all that have no tag
  $ row() { cat $1 | weir check -a $algorithm - 2>/dev/null; echo $?; }
  $ for tag in BLAKE2b BLAKE3; do
  >   algorithm=$(echo $tag | tr A-Z a-z); for n in 128 256 512; do weir hash -a $algorithm-$n f | sed "s/.*= \(.*\)/\1  f/" >$n; done
  >   cut -c1-64 512 | sed 's/$/  f/' >cut; echo "$tag-256 (f) = $(cut -c1-64 256)" >tagged
  >   each row <<'END'
  > 128 128 => f: OK;f: OK;0
  > 256 128 => f: OK;1
  > 128 512 => f: OK;1
  > 512 256 512 => f: OK;f: OK;1
  > 512 tagged 512 => f: OK;f: OK;f: OK;0
  > 512 cut => f: OK;1
  > tagged 128 256 => f: OK;f: OK;1
  > END
  > done

## a digest alone is that of the file that the name of its list says
  $ echo $sha >f.sha256; cp f.sha256 f.txt; echo $sha >d/z.SHA256; cp z d; echo $md5 >d/name.txt.md5; cp f.sha256 f.sha256sum
  $ row() { eval "weir check $1" 2>/dev/null; echo $?; }
  $ each row <<'END'
  > f.sha256 => f: OK;0
  > f.sha256sum => f: OK;0
  > f.txt => 1
  > d/z.SHA256 => d/z: FAILED;1
  > d/name.txt.md5 => d/name.txt: OK;0
  > - <f.sha256 => 1
  > END

With --beside once, also under --audit, and with -C in that directory.
  $ make; mkdir d/d e; cp f d/d/z; cp f e; cp z d; echo $sha >d/z.sha256; echo $sha >z.sha256; printf abc >z; printf '%s  f\n' $sha >e/L
  $ each row <<'END'
  > --beside d/z.sha256 => d/z: FAILED;1
  > -C d z.sha256 => z: FAILED;1
  > --audit e --beside e/L => f: OK;0
  > END

## a file of a known kind that is no list is named, with a way out
  $ table='"Algorithm","Hash","Path"\n"SHA256","%s","f"\n'
  $ row() { eval "$1" >L; weir check L 2>&1; echo $?; }
  $ each row <<'END'
  > printf '%s  f\n' $sha | gzip => weir: L: is compressed (gzip); use: gzip -dc L | weir check -;2
  > tar cf - f z => weir: L: is an archive (tar); extract it, and check the list or the bag in it;2
  > printf '<?xml version="1.0"?>\n<hashlist/>\n' => weir: L: is XML, perhaps a media hash list (MHL); use the program that has written it;2
  > printf "$table" $sha => weir: L: is a table of Get-FileHash in CSV; use: sed -n 's/^"\([^"]*\)","\([^"]*\)","\([^"]*\)".*/\1 (\3) = \2/p' L | weir check -;2
  > printf 'SHA256 hash of f:\n%s\nCertUtil: done.\n' $sha => weir: L: is the output of certutil; write its digest and the name of the file in one line;2
  > END

A name with other characters than those of ASCII stays FILE, and one that begins with - is no option.
  $ printf x | gzip | tee ./-x.gz >L$(printf '\302\2331m'); weir check -- -x.gz; weir check L?*
  ! weir: -x.gz: is compressed (gzip); use: gzip -dc ./-x.gz | weir check -
  ! weir: 'L'$'\302\233''1m': is compressed (gzip); use: gzip -dc FILE | weir check -
  [2]

The way out of the table works.
  $ printf "$table" $sha >L; eval "$(weir check L 2>&1 | sed 's/.*use: //')"
  f: OK
  ! weir: WARNING: 1 line is improperly formatted
  [1]

## names of other machines are found with an option, which a sentence names
  $ row() { make; eval "${1% -- *}" >L; weir check L 2>&1 | tail -n 1; weir check ${1#* -- } L; echo $?; }
  $ each row <<'END'
  > echo "$sha  /ci/out/f" -- --strip 3 => weir: most of the missing files exist with --strip 3;f: OK;0
  > echo "$sha  out/d/name.txt" -- --strip 1 => weir: most of the missing files exist with --strip 1;d/name.txt: OK;0
  > printf '%s *C:\\D\\NAME.TXT\r\n' $sha -- --windows-names => weir: most of the missing files exist with --windows-names;d/name.txt: OK;0
  > printf '%s  \\\\h\\s\\f\n%s *d\\name.txt\n' $md5 $sha | tail -n 1 -- --windows-names => weir: most of the missing files exist with --windows-names;d/name.txt: OK;0
  > END
  $ make; printf '%s  cafe\314\201\n' $sha >L; weir check L
  café: FAILED open or read
  ! weir: café: No such file or directory
  ! weir: WARNING: 1 listed file could not be read
  ! weir: the missing files exist under names in another form of Unicode; the list has NFD, to convert it use: uconv -x any-nfc
  [1]

A name that is no text is equal to itself alone.
  $ make; cp f "$(printf 'g\350')"; printf '%s  g\351\n' $sha >L; weir check --windows-names L >out 2>/dev/null
  [1]

Nothing is left of a name: no line is passed over.
  $ make; printf '%s  f\n%s  a/f\n' $sha $sha >L; weir check --strip 1 L 2>/dev/null
  f: OK
  [1]
  $ make; printf '%s  name.txt\n' $sha >d/M; echo "$sha  f" >L; weir check --beside d/M L
  d/name.txt: OK
  f: OK

## a carriage return after a name belongs to it as the files and the other lines show
  $ icon() { make; printf abc >"$(printf 'Icon\r')"; }
  $ icon; printf '%s  Icon\r\n%s  f\r\n' $sha $sha >L; weir check L
  Icon\r: OK (esc)
  f: OK
  $ icon; cp z Icon; printf '%s  Icon\r\n%s  f\n' $sha $sha >L; weir check L
  Icon\r: OK (esc)
  f: OK
  $ icon; mv Icon* d; printf '%s  Icon\r\n' $sha >d/M; weir check --beside d/M
  d/Icon\r: OK (esc)
  $ icon; cp f Icon; echo >Icon?; printf '%s  Icon\r\n%s  f\r\n' $sha $sha >L; weir check L
  Icon: OK
  f: OK

## digests of b3sum -l are verified by -a blake3
needs b3sum
  $ for l in 8 16 20 31 32 33 63 64; do
  >   make; b3sum -l $l f z >L; weir check -a blake3 L >/dev/null || echo $l
  >   weir hash -a blake3-$((8 * l)) --tag f z >T; weir check -a blake3 --quiet T || echo $l
  >   perl -ne 'print /= (.*)/' T >digests; b3sum -l $l --no-names f z | tr -d '\n' | cmp - digests || echo $l
  >   cp z f; weir check -a blake3 --quiet L 2>/dev/null || echo $?
  > done | sort | uniq -c
        8 1
        8 f: FAILED

What is left of a digest that was cut proves nothing.
  $ make; printf '%s  z\n%.14s  f\n' $(b3sum --no-names z f) >L; weir check -a blake3 L
  z: OK
  ! weir: WARNING: 1 line is improperly formatted
  [1]
  $ b3sum -l 64 f >L; weir check L
  f: FAILED
  ! weir: WARNING: 1 computed checksum did NOT match
  ! weir: L: no line matched as sha512; if the digests are of blake2b, use -a blake2b, if of b3sum -l, use -a blake3
  [1]

## a verdict has its reason: the recorded and the computed digest
  $ printf '%s  f\n%s  z\n' $sha $sha >L; weir check --format json L 2>/dev/null | grep failed
  {"type":"file","path":{"text":"z"},"status":"failed","manifest":{"text":"L"},"line":2,"algorithm":"sha256","expected":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","computed":"de6b9d5b9a7c9e99a9421d284164b52c8a53000380d39e9e52117f4c3da4caf9"}
  {"type":"manifest","path":{"text":"L"},"complete":true,"lines":2,"ok":1,"touched":0,"failed":1,"edited":0,"rot":0,"open":0,"others":0,"missing":0,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0}
  {"type":"summary","complete":true,"ok":1,"touched":0,"failed":1,"edited":0,"rot":0,"open":0,"others":0,"missing":0,"unreadable":0,"malformed":0,"unsupported":0,"undigested":0,"bytes":9,"seconds":...}
  $ sha256sum z; weir check --verbose --quiet L 2>&1 | grep recorded
  de6b9d5b9a7c9e99a9421d284164b52c8a53000380d39e9e52117f4c3da4caf9  z
  weir: z: sha256 is de6b9d5b9a7c9e99a9421d284164b52c8a53000380d39e9e52117f4c3da4caf9, recorded is ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad

Of several digests, the one that differs.
  $ echo "./f sha256=$sha md5=00000000000000000000000000000000" >L; weir check --verbose L 2>&1 | grep recorded
  weir: ./f: md5 is 900150983cd24fb0d6963f7d28e17f72, recorded is 00000000000000000000000000000000
