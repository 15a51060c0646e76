The C library as its users get it: installed, found by pkg-config, and linked in every way by every compiler.

needs pkg-config
  $ . "$transcripts/package/package.sh"; clone; client=$transcripts/package/client.c
  $ plain="$version apply 4950 lanes 10 gate 3" blocks='blocks: apply 4950 lanes 10 copied 5'
The functions that the headers declare, after a change of the text, and the names that a library defines.
  $ declared() { cat "$root"/include/weir/*.h | perl -0777 -pe "$1" | perl -0777 -ne 'print "$1\n" while /WEIR_EXPORT[^;]*?(weir_[a-z0-9_]+)\(/g' | sort -u; }
  $ defined() { nm $1 --defined-only "$2" | sed -n 's/.* [A-Z] //p' | sort; }

## the library of clang, in a directory with a blank: every compiler and kind of linking, its names, its soname
  $ installed clang "$PWD/with a blank"; grep -c 'with the block forms' report; pkg-config --variable=blocks weir
  1
  yes
Which libraries a program needs follows from the kind: with archives none of ours, and without shared libraries none at all.
A linker may leave out libdispatch if the program itself calls nothing of it.
  $ linked() {
  >   build "$1" "$client" $2; ./p | xargs
  >   case "$2 $(needed | sed -n 's/^lib\(weir\|dispatch\|BlocksRuntime\|c\)\.so.*/\1/p' | sort | xargs)" in
  >   '--libs '*'c dispatch weir' | '--libs c weir' | '--variable=archives c' | '--static --libs ') ;; *) needed ;; esac
  > }
  $ for c in 'gcc -std=c11 -Wpedantic' 'g++ -std=c++17 -Wpedantic' 'clang -std=c11 -fblocks' 'clang++ -std=c++17 -fblocks' '/usr/bin/clang -std=c11 -fblocks'; do
  >   ! command -v ${c%% *} >/dev/null || for l in '--libs' '--static --libs' '--variable=archives'; do echo "$c: $l"; done
  > done | sampled | while IFS= read -r row; do
  >   case $row in *-fblocks*) expected="$plain $blocks" ;; *) expected=$plain ;; esac
  >   said=$(linked "${row%: *}" "${row#*: }"); [ "$said" = "$expected" ] || echo "$row: $said"
  > done
  $ declared '' >all; wc -l <all | awk '{ print ($1 > 70) }'; defined -D 'with a blank/lib/libweir.so' | diff all -
  1
  $ defined -g 'with a blank/lib/libweir.a' >archive; wc -l <archive | awk '{ print ($1 > 70) }'; grep -v ^weir_ archive
  1
  [1]
  $ build clang "$client" --libs; soname=libweir.so.$(echo "$version" | sed 's/^\(0\.[0-9]*\).*/\1/; t; s/\..*//'); needed | grep -c "^$soname\$"
  1
  $ readelf -d 'with a blank/lib/libweir.so' | grep -c "SONAME.*\[$soname\]"; [ $(pkg-config --modversion weir) = $version ] || pkg-config --modversion weir
  1
  $ cd 'with a blank/lib'; readlink libweir.so $soname | sed "s/$version/VERSION/; s/$soname/SONAME/"
  SONAME
  libweir.so.VERSION

## the library is found by a Makefile, and can be moved
  $ installed clang "$PWD/first"; mv first second; export PKG_CONFIG_PATH="$PWD/second/lib/pkgconfig"; cp "$client" client.c
  $ cat >Makefile <<'END'
  > CFLAGS = -std=c11 -Wall $(shell pkg-config --cflags weir)
  > LDLIBS = $(shell pkg-config --libs weir)
  > client: client.c
  > END
  $ make -s && ./client | sed s/^$version/VERSION/; readelf -d client | grep -c first
  VERSION apply 4950 lanes 10 gate 3
  0
  [1]

## gcc builds it without the block forms, and reports that
A compiler with blocks sees no block forms either, which the library lacks.
  $ installed gcc "$PWD/prefix"; grep -c 'without the block forms' report; pkg-config --variable=blocks weir
  1
  no
  $ without='s/#ifdef WEIR_BLOCKS.*?#endif//sg'; declared '' >all; declared "$without" >plain; comm -23 all plain | wc -l | awk '{ print ($1 > 5) }'
  1
  $ defined -D prefix/lib/libweir.so | diff plain -; for c in gcc 'clang -std=c11 -fblocks'; do build "$c" "$client" --static --libs && ./p; done | sed s/^$version/VERSION/
  VERSION apply 4950 lanes 10 gate 3
  VERSION apply 4950 lanes 10 gate 3

## it is installed without Swift, as packagers do below a directory that no installed file names, and removed again
  $ eval "$(cd weir && sh support/dispatch.sh)"; mkdir bin; ln -s /sbin/* /bin/* bin 2>/dev/null; rm -f bin/swift*
  $ packaged() { PATH=$PWD/bin WEIR_DISPATCH_SHARED=$dispatch_shared make -C weir $1 PREFIX=/usr LIBDIR=/usr/lib/some-linux-gnu "DESTDIR=$PWD/stage"; }
  $ packaged install | grep -c 'swift is not in PATH'; find stage/usr/include -name '*.h' | wc -l | awk '{ print ($1 > 12) }'
  1
  1
  $ cd stage/usr; ls lib/some-linux-gnu/libweir.a lib/some-linux-gnu/libweir.so share/man/man3/weir_gate_wait.3 share/man/man7/weir.7
  lib/some-linux-gnu/libweir.a
  lib/some-linux-gnu/libweir.so
  share/man/man3/weir_gate_wait.3
  share/man/man7/weir.7
  $ grep '^prefix=\|stage' lib/some-linux-gnu/pkgconfig/weir.pc
  prefix=/usr
  $ cd ../..; packaged uninstall >log; find stage ! -type d

## the tool is installed with its pages and completions, and removed again
  $ cd weir; export DESTDIR="$top/a stage" PREFIX=/usr; sh support/man.sh; sh support/tool-files.sh "$built"; sh support/install.sh tool "$built"
  $ cd "$DESTDIR/usr"; { sed -n 's,^## weir \([a-z]*\)$,share/man/man1/weir-\1.1,p' "$root/docs/options.md"; cat <<'END'
  > bin/weir
  > share/bash-completion/completions/weir
  > share/fish/vendor_completions.d/weir.fish
  > share/man/man1/weir.1
  > share/zsh/site-functions/_weir
  > END
  > } | LC_ALL=C sort | diff - "$(find * ! -type d | LC_ALL=C sort >$top/files; echo $top/files)"
  $ bash -n share/bash-completion/completions/weir; cd "$top/t/weir"; sh support/install.sh uninstall; find "$DESTDIR" ! -type d
