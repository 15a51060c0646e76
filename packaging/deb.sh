#!/bin/sh
# deb.sh: makes the Debian packages of the last commit in .build/dist, from the archive
# that dist.sh has made of it, from `make install-lib` and from weir-demo.
# WEIR_MAINTAINER="NAME <ADDRESS>" is their maintainer.
#
# DESIGN
# - weir has the static executable of the archive. So the package installs without
#   another one and without a network, on any Debian or Ubuntu, and its bytes are those
#   that `make test-dist` has tested. Rejected: an executable with a shared libcrypto. It would
#   follow Debian's updates of OpenSSL, but weir only computes digests with it, would
#   start later (docs/decisions.md), and the package would not install offline.
# - dpkg-dev's programs make the packages from deb/control. Rejected: a debian/ folder
#   with debhelper. Debian 12 has no Swift to build a source package with, and its lists of
#   files would be a second truth beside support/install.sh.
# - Debian 12 has no libdispatch. Programs share it with libweir, since queues and
#   times cross the interface, so it cannot be hidden inside libweir. The library's package
#   contains that of the toolchain, in a directory that no other program searches. The
#   name of the package, and that directory, follow the soname (Debian Policy, 8.1).
set -eu

. support/shell.sh

for program in dpkg-gencontrol dpkg-shlibdeps dpkg-deb strip; do
    command -v "$program" >/dev/null 2>&1 || fail "$program is not installed; use apt-get install dpkg-dev"
done
[ -z "$(git status --porcelain --untracked-files=no)" ] ||
    fail "the packages are those of a commit; commit your changes first"
archive=.build/dist/$(dist_name).tar.gz
[ -f "$archive" ] || fail "$archive is not there; use make dist"

umask 022
export LC_ALL=C TZ=UTC
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
revision=$(full_version)-1
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
libraries=usr/lib/$triplet
abi=$(soname)
abi=${abi#libweir.so.}
library=libweir$abi
toolchain=$(toolchain)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$work/source
root=$work/root
mkdir -p "$source/debian" "$root/usr"

# ---- all files, in one root directory ------------------------------------------

tool() {
    tar -C "$work" -xzf "$archive"
    top=$work/$(dist_name)
    grep -q "commit $(git rev-parse HEAD)" "$top/share/doc/weir/weir.spdx.json" ||
        fail "$archive is of another commit; use make dist"
    cp -R "$top/bin" "$top/share" "$root/usr/"
    mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
    rm "$root/usr/share/doc/weir/CHANGELOG.md"
    # Debian has these two licenses already.
    ln -sf ../../../common-licenses/LGPL-2.1 "$root/usr/share/doc/weir/licenses/LGPL-2.1.txt"
    sed -i 's|is in LICENSE|is in /usr/share/common-licenses|' "$root/usr/share/doc/weir/licenses/README"
}

dropins() {
    DESTDIR=$root BINDIR=/usr/bin sh support/dropins.sh install /usr/lib/weir/dropins
    for link in "$root"/usr/lib/weir/dropins/*; do
        ln -sfn ../../../bin/weir "$link"
    done
}

# The library's own directory for libdispatch. The names are those that the linker and
# libdispatch itself search.
dispatch() {
    directory=/$libraries/weir/$abi
    for name in libdispatch libBlocksRuntime; do
        DESTDIR=$root file 644 "$toolchain/lib/swift/linux/$name.so" "$directory"
        DESTDIR=$root file 644 "$toolchain/lib/swift_static/linux/$name.a" "$directory"
    done
}

c_library() {
    git archive HEAD | tar -C "$source" -xf -
    env CC=clang CFLAGS="$(dpkg-buildflags --get CFLAGS | sed 's/-ffile-prefix-map=[^ ]*//') -ffile-prefix-map=$source=." \
        CPPFLAGS="$(dpkg-buildflags --get CPPFLAGS)" LDFLAGS="-Wl,-z,relro -Wl,-z,now" \
        WEIR_DISPATCH_SHARED="$toolchain/lib/swift/linux" \
        WEIR_DISPATCH_STATIC="$toolchain/lib/swift_static/linux" \
        WEIR_DISPATCH_INCLUDE="$toolchain/lib/swift" WEIR_DISPATCH_INSTALLED="/$libraries/weir/$abi" \
        make -s -C "$source" CC=clang PREFIX=/usr LIBDIR="/$libraries" DESTDIR="$root" install-lib
    dispatch
    chmod 644 "$root/$libraries"/libweir.so.*.*
    strip --strip-unneeded --remove-section=.comment --remove-section=.note \
        "$root/$libraries"/libweir.so.*.* "$root/$libraries/weir/$abi"/*.so
    strip --strip-debug --enable-deterministic-archives "$root/$libraries"/*.a "$root/$libraries/weir/$abi"/*.a
}

# With Swift's libraries inside, as Debian has none.
demo() {
    # shellcheck disable=SC2046
    swift build -c release --static-swift-stdlib --disable-local-rpath $(lld) -Xlinker --strip-all \
        --package-path examples/demos --scratch-path .build/packages/demos --product weir-demo
    PREFIX=/usr BINDIR=/usr/bin MANDIR=/usr/share/man DATADIR=/usr/share DESTDIR=$root \
        sh support/install.sh demos .build/packages/demos/release/weir-demo
}

# ---- packages -------------------------------------------------------------------

# take PACKAGE PATH...: moves these paths of the root directory to the package's.
take() {
    into=$work/$1
    shift
    mkdir -p "$into/DEBIAN"
    for path; do
        mkdir -p "$into/$(dirname "$path")"
        mv "$root/$path" "$into/$path"
    done
}

# changelog: the newest section of CHANGELOG.md in Debian's form.
changelog() {
    echo "weir ($revision) stable; urgency=medium"
    awk '/^## / { sections++; next }
        sections > 1 { exit }
        function put() { if (text != "") print text; text = "" }
        { gsub(/\*\*|`/, "") }
        /^### / { put(); print "\n[ " substr($0, 5) " ]"; next }
        /^- / { put(); text = "* " substr($0, 3); next }
        /^  / && text != "" { text = text substr($0, 2); next }
        { put() }
        END { put() }' CHANGELOG.md | sed 's/\[\([^]]*\)\]([^)]*)/\1/g' |
        fold -s -w 74 | sed '/^\*/!s/^\([^[]\)/  \1/; s/^\(.\)/  \1/; s/ *$//'
    printf '\n -- %s  %s\n' "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")"
}

# documents PACKAGE
documents() {
    export DESTDIR="$work/$1/"
    file 644 packaging/deb/copyright "usr/share/doc/$1"
    file 644 "$source/debian/changelog" "usr/share/doc/$1" changelog.Debian
    file 644 CHANGELOG.md "usr/share/doc/$1" changelog
    [ ! -f "packaging/deb/$1.README.Debian" ] ||
        file 644 "packaging/deb/$1.README.Debian" "usr/share/doc/$1" README.Debian
    find "$DESTDIR/usr/share/doc/$1"/changelog* "$DESTDIR/usr/share/man" -type f 2>/dev/null |
        of_each_line gzip -9n
}

# package PACKAGE: makes the package of its directory.
package() {
    place=$work/$1
    documents "$1"
    (cd "$place" && find usr -type f | LC_ALL=C sort | of_each_line md5sum >DEBIAN/md5sums)
    : >"$source/debian/substvars"
    programs=
    case $1 in
    "$library") programs=$(find "$place/$libraries" -name '*.so*' -type f) ;;
    weir-demo) programs=$place/usr/bin/weir-demo ;;
    esac
    # shellcheck disable=SC2086
    [ -z "$programs" ] || (
        cd "$source"
        # It warns of the names of libdispatch's files, which have no version.
        dpkg-shlibdeps -Tdebian/substvars -l"$place/$libraries/weir/$abi" --ignore-missing-info \
            $programs 2>"$work/warnings" || { cat "$work/warnings" >&2 && exit 1; }
    )
    (cd "$source" && dpkg-gencontrol -p"$1" -P"$place" -Tdebian/substvars -fdebian/files)
    dpkg-deb --root-owner-group --build "$place" .build/dist >/dev/null
}

maintainer=${WEIR_MAINTAINER:-Weir developers <weir-developers@lists.invalid>}
changelog >"$source/debian/changelog"
tool
dropins
c_library
sed "s|@MAINTAINER@|$maintainer|; s|@LIBRARY@|$library|" packaging/deb/control >"$source/debian/control"
demo

cd "$root"
take weir-dropins usr/lib/weir
take weir-demo usr/bin/weir-demo usr/share/weir-demo usr/share/man/man1/weir-demo.1
# shellcheck disable=SC2046
take "$library" $(ls -d "$libraries"/libweir.so.* "$libraries/weir/$abi"/*.so)
take libweir-dev usr/include "$libraries" usr/share/man/man3 usr/share/man/man7
rmdir usr/lib
take weir usr
cd - >/dev/null

echo "libweir $abi $library (>= $(full_version))" >"$work/$library/DEBIAN/shlibs"
echo "activate-noawait ldconfig" >"$work/$library/DEBIAN/triggers"
for name in weir weir-dropins "$library" libweir-dev weir-demo; do
    package "$name"
done
write_sums

made=$(ls .build/dist/*_"$revision"_*.deb)
for name in $made; do
    say "$name, $(($(wc -c <"$name") / 1000)) kB"
done
if command -v lintian >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    lintian --allow-root --suppress-tags initial-upload-closes-no-bugs --fail-on error $made
    say "lintian: no error"
else
    say "lintian: not installed"
fi
