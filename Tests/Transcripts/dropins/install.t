`make install-dropins`: links with the names of other tools; no other file is replaced.

needs make

  $ mkdir -p usr/bin; printf '#!/bin/sh\necho weir as ${0##*/}\n' >usr/bin/weir; chmod +x usr/bin/weir
  $ run() { env -u MAKEFLAGS -u MAKELEVEL make -s -C "$transcripts/../.." "$@" >out 2>err; echo $?; }
  $ links() { run $1-dropins PREFIX=$PWD/usr DIR="$PWD/a place/links"; sed 's/.*: is no link/is no link/; /^make/d' err; ls a*/links | xargs; }

## they are links that run the tool, and are removed again
  $ row() { links $1; links $1; }; row install; for f in a*/links/*; do [ "$("$f")" = "weir as ${f##*/}" ] || echo $f; done
  0
  b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum wc
  0
  b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum wc
  $ echo mine >'a place/links/sum'; links uninstall; links uninstall
  0
  sum
  0
  sum

## they replace no file and no other link
  $ mkdir -p 'a place/links'; row() { eval "$1 'a place/links/sha256sum'"; links install; links uninstall; rm a*/links/sha256sum; }
  $ printf '%s\n' 'echo mine >' 'ln -s /nowhere/sha256sum' |
  >   each row '2;dropins: $top/t/a place/links/sha256sum exists and is no link to weir;sha256sum;0;sha256sum'

## they are made in DESTDIR, with the final path of the tool
  $ run install-dropins PREFIX=/usr DESTDIR=$PWD DIR=/opt/links; readlink opt/links/md5sum
  0
  /usr/bin/weir
