JSON output: its objects are in order, and it preserves any name and any bytes.

## files, errors and skipped files are in order
  $ mkdir t; for f in a c e t/x; do printf $f >$f; done; mkfifo t/f p
  > weir hash --format json -a md5,xxh3 a none c t p e
  {"type":"file","path":{"text":"a"},"size":1,"digests":{"md5":"0cc175b9c0f1b6a831c399e269772661","xxh3":"e6c632b61e964e1f"}}
  {"type":"error","path":{"text":"none"},"kind":"unreadable","message":"No such file or directory"}
  {"type":"file","path":{"text":"c"},"size":1,"digests":{"md5":"4a8a08f09d37b73795649038408b5f33","xxh3":"8c40219a46b9f81b"}}
  {"type":"skipped","path":{"text":"t/f"},"kind":"special","message":"is a FIFO"}
  {"type":"file","path":{"text":"t/x"},"size":3,"digests":{"md5":"1de1731a964e8e4164b424ee3e3b49d4","xxh3":"92ad73fe781cbf78"}}
  {"type":"error","path":{"text":"p"},"kind":"special","message":"is a FIFO"}
  {"type":"file","path":{"text":"e"},"size":1,"digests":{"md5":"e1671797c52e15f763380b45e841ec32","xxh3":"e5e72e5e3bec4a78"}}
  {"type":"summary","complete":true,"files":4,"bytes":6,"unreadable":1,"changed":0,"special":2,"links":0,"filtered":0,"excluded":0,"seconds":...}
  ! weir: none: No such file or directory
  ! weir: t/f: skipped: is a FIFO
  ! weir: p: is a FIFO; to read it, use: weir hash - < p
  ! weir: 4 files read, 1 could not be read, 2 special files not opened
  [3]
  $ for a in md5 md5,sha512,xxh3 md5,blake3,blake2b-256,sm3,sha3-256,sha512/256; do
  >   weir hash --format json -a $a a none c t p e 2>/dev/null |
  >     grep -o '"type":"[a-z]*"\|"\(sm3\|sha[0-9-]*\|blake[0-9a-z-]*\|md5\|xxh3\)"' | tr -d '"' | paste -sd ' '; done
  type:file md5 type:error type:file md5 type:skipped type:file md5 type:error type:file md5 type:summary
  type:file md5 sha512 xxh3 type:error type:file md5 sha512 xxh3 type:skipped type:file md5 sha512 xxh3 type:error type:file md5 sha512 xxh3 type:summary
  type:file md5 blake3 blake2b-256 sm3 sha3-256 sha512-256 type:error type:file md5 blake3 blake2b-256 sm3 sha3-256 sha512-256 type:skipped type:file md5 blake3 blake2b-256 sm3 sha3-256 sha512-256 type:error type:file md5 blake3 blake2b-256 sm3 sha3-256 sha512-256 type:summary

## the output of commands comes in pieces of text, which together are the output
Characters across pieces, and bytes that are no characters.
  $ mkdir t; mkfifo t/p; echo abc >t/a; { yes äöü€𝄞 | head -n 20000 | tr -d '\n'; printf '\377\303'; } >odd
  > { echo err; cat odd; } >odd.err
  $ weir run --format json t b -- sh -c 'cat odd; echo err >&2; cat odd >&2; case $1 in t/a) exit 3 ;; esac' sh >out 2>/dev/null
  [1]
  $ cat >pieces <<'END'
  > use JSON::PP; use MIME::Base64;
  > while (<STDIN>) {
  >   next if !/^{"type":"output","command":2,/ || !/"stream":"$ARGV[0]"/; my $o = decode_json $_;
  >   my ($text, $bytes) = @{$o->{data}}{"text", "bytes"}; utf8::encode $text if defined $text; print $text // decode_base64 $bytes;
  > }
  > END
  $ for s in stdout: stderr:.err; do perl pieces ${s%:*} <out | cmp - odd${s#*:}; done
  > grep -v '"output"' out | sed 's/"start.*/.../'; grep -c '"bytes"' out
  {"type":"command","command":1,"items":[{"text":"t/a"}],"arguments":[{"text":"sh"},{"text":"-c"},{"text":"cat odd; echo err >&2; cat odd >&2; case $1 in t/a) exit 3 ;; esac"},{"text":"sh"},{"text":"t/a"}],"status":3,"timed_out":false,"attempts":1,...
  {"type":"skipped","path":{"text":"t/p"},"kind":"special","message":"is a FIFO"}
  {"type":"command","command":2,"items":[{"text":"b"}],"arguments":[{"text":"sh"},{"text":"-c"},{"text":"cat odd; echo err >&2; cat odd >&2; case $1 in t/a) exit 3 ;; esac"},{"text":"sh"},{"text":"b"}],"status":0,"timed_out":false,"attempts":1,...
  {"type":"summary","complete":true,"commands":2,"failed":1,"retried":0,"items":2,"done_before":0,"failed_before":0,"unreadable":0,"special":1,"links":0,"filtered":0,"excluded":0,"seconds":...}
  8

## JSON preserves any name
  $ forest t 400; walk t >names; for z in '' -z; do
  >   weir hash $z -axxh64 --format=json t | tr '\0' '\n' | perl -MJSON::PP -MMIME::Base64 -ne '
  >     my $p = decode_json($_)->{path} or next; my $t = $p->{text}; utf8::encode $t if defined $t; print $t // decode_base64($p->{bytes}), "\0"' | cmp - names
  > done
