#!/bin/sh
# dist-archive.sh: builds the tool and its archive in the current directory, a copy of
# the sources that dist.sh has made. The environment is that of dist.sh: SOURCE_DATE_EPOCH,
# LC_ALL, TZ and umask.
#
# The executable contains all its libraries, libc too: with a shared libc it would
# need one as new as this machine's, and a program without a dynamic linker starts
# in two thirds of the time. It is position-independent (-static-pie), and loads
# nothing at run time (Sources/CFileKernels/process/standalone.c and locale.c).
set -eu

. support/shell.sh
. support/components.sh

name=$(dist_name)
built=.build-dist/release/weir
place=.build/dist
top=$place/$name
DESTDIR=$top/ # for `file`

toolchain=$(toolchain)

# ---- building ---------------------------------------------------------------

# archive LIBRARY PACKAGE: fails if the static library is missing.
archive() {
    [ "$(cc -print-file-name="$1")" != "$1" ] ||
        fail "this system has no $1; Debian's package $2 contains it"
}

# In a build directory of its own, because the flags differ. The executable contains
# no path of this machine. A run path would make libc end the program at once.
build() {
    archive libc.a libc6-dev
    archive libcrypto.a libssl-dev
    [ -d "$toolchain/lib/swift_static" ] ||
        fail "this toolchain has no static Swift libraries"
    # Before the first resolution, SwiftPM knows no dependency by its name.
    swift package --scratch-path .build-dist resolve
    grep '^swift-' support/dist-versions.txt | while read -r dependency wanted; do
        swift package --scratch-path .build-dist resolve --version "$wanted" "$dependency"
    done
    # shellcheck disable=SC2046
    swift build -c release --scratch-path .build-dist --product weir \
        --disable-local-rpath \
        $(lld) -Xcc -DWEIR_ALONE -Xcc -DWEIR_STATIC_LIBCRYPTO \
        -Xcc "-ffile-prefix-map=$PWD=." \
        -Xswiftc -file-prefix-map -Xswiftc "$PWD=." \
        -Xswiftc -static-executable \
        -Xswiftc -Xclang-linker -Xswiftc -static-pie \
        -Xlinker --strip-all -Xlinker --build-id=none
}

# Replaces the compiler's hashes of its modules by zeros: they depend on the working
# directory, and nothing reads them.
without_hashes() {
    cp "$1" "$2"
    # shellcheck disable=SC2046
    set -- "$2" $(readelf -SW "$1" |
        sed -n 's/^.* \.swift_modhash *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) *\([0-9a-f]*\) .*/\1 \2/p')
    [ $# -eq 3 ] || return 0
    dd if=/dev/zero of="$1" bs=1 seek=$((0x$2)) count=$((0x$3)) conv=notrunc status=none
}

# ---- contents ---------------------------------------------------------------

# output DIRECTORY NAME COMMAND...
output() {
    install -d "$top/$1"
    written=$top/$1/$2
    shift 2
    "$@" >"$written"
    chmod 644 "$written"
}

tool() {
    install -d "$top/bin"
    without_hashes "$built" "$top/bin/weir"
    chmod 755 "$top/bin/weir"
    file 755 support/dropins.sh . dropins
    file 644 LICENSE .
    for page in .build/man/man1/* .build/tool/man1/*; do
        file 644 "$page" share/man/man1
    done
    file 644 CHANGELOG.md share/doc/weir
    for page in cli reference formats options fixity cluster; do
        file 644 "docs/$page.md" share/doc/weir
    done
    for schema in docs/schema/*; do
        file 644 "$schema" share/doc/weir/schema
    done
    file 644 .build/tool/bash share/bash-completion/completions weir
    file 644 .build/tool/zsh share/zsh/site-functions _weir
    file 644 .build/tool/fish share/fish/vendor_completions.d weir.fish
}

# The course, whose runs are recorded by the demos of this commit. They are built for this machine.
course() {
    swift build -c release --package-path examples/demos --scratch-path .build-demos --product weir-demo
    DEMO=.build-demos/release/weir-demo sh support/course.sh
    for page in .build/course/*; do
        file 644 "$page" share/doc/weir/course
    done
}

# license NAME FILE...: installs the first of the files that exists.
license() {
    as=$1
    shift
    for text in "$@"; do
        if [ -f "$text" ]; then
            file 644 "$text" share/doc/weir/licenses "$as"
            return
        fi
    done
    fail "the license of ${as%.txt} is not in $*"
}

licenses() {
    documents=/usr/share/doc
    license swift.txt "$toolchain/share/swift/LICENSE.txt"
    license swift-system.txt .build-dist/checkouts/swift-system/LICENSE.txt
    license openssl.txt $documents/libssl-dev/copyright
    license xxhash.txt $documents/libxxhash-dev/copyright
    license gcc-libraries.txt $documents/libstdc++-*-dev/copyright
    license glibc.txt $documents/libc6-dev/copyright
    license LGPL-2.1.txt /usr/share/common-licenses/LGPL-2.1
    output share/doc/weir/licenses README inside
}

inside() {
    cat <<END
What is inside bin/weir besides Weir itself, and under which license:

$(component_list)

The versions are those of the packages of $(system). The
Apache License 2.0, which openssl.txt names, is in LICENSE. The same
list for programs is ../weir.spdx.json.

The GNU C library is under the LGPL, version 2.1. Its section 6 gives you the
right to make this program anew with another version of that library: Weir's
sources are free, and \`make dist\` in them, on a system that has the other
library, does it. Who hands this archive on has to offer the sources of the GNU
C library of this version as well.
END
}

readme() {
    cat <<END
Weir $(version MAJOR).$(version MINOR).$(version PATCH), for Linux on $(uname -m)

bin/weir needs nothing else: no library, no Swift, no /proc, no network.

    bin/weir hash /srv > /tmp/manifest       digests of a tree
    bin/weir check --quiet /tmp/manifest     and their verification
    bin/weir check SHA256SUMS                this archive's own files
    bin/weir help

It is used where it is, or by all users:

    cp -R bin share /usr/local
    man weir

    ./dropins install DIR      links as md5sum, sha256sum and their like, in DIR,
                               which comes before /usr/bin in your PATH
    ./dropins uninstall DIR    takes them away

share/doc/weir/course/index.html is a course about concurrency with a game: open it in a browser.

The manual is share/doc/weir/cli.md, with the pages that it names beside it.
Weir is under the Apache License 2.0 (LICENSE); share/doc/weir/licenses says what else is inside.

What this executable does otherwise than one that is built on your machine: it
knows the locale C and those of the system that are UTF-8, and it does not read
the system's settings for OpenSSL (openssl.cnf).
END
}

# ---- the archive ------------------------------------------------------------

# needs: prints the requirements of the executable.
needs() {
    libraries=$(readelf -d "$built" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    if [ -z "$libraries" ]; then
        echo "needs no shared library, so no symbol of glibc"
    else
        newest=$(readelf -W --dyn-syms "$built" |
            sed -n 's/.*@\(GLIBC_[0-9.]*\).*/\1/p' | sort -Vu | tail -n 1)
        echo "needs $newest and $(echo "$libraries" | tr '\n' ' ')"
    fi
}

build
sh support/man.sh
sh support/tool-files.sh "$built"
mkdir -p "$place"
tool
course
licenses
output share/doc/weir weir.spdx.json bill_of_materials
output . README readme
(cd "$top" && ./bin/weir hash LICENSE README bin dropins share) >"$place/sums"
install -m 644 "$place/sums" "$top/SHA256SUMS"
rm "$place/sums"

tar -C "$place" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" | gzip -9n >"$top.tar.gz"
rm -rf "$top"

say "bin/weir $(needs)"
differences | while read -r difference; do
    say "the archive may differ from others of this version: $difference"
done
