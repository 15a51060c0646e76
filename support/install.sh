#!/bin/sh
# install.sh lib | tool FILE | demos FILE | uninstall: installs what was built, or removes it.
# PREFIX, LIBDIR, INCLUDEDIR, MANDIR, BINDIR and DATADIR are the destinations.
# DESTDIR comes before each of them, and no installed file contains it.
# ${} in single quotes is for pkg-config.
# shellcheck disable=SC2016
set -eu

. support/shell.sh

PREFIX=${PREFIX:-/usr/local}
LIBDIR=${LIBDIR:-$PREFIX/lib}
INCLUDEDIR=${INCLUDEDIR:-$PREFIX/include}
MANDIR=${MANDIR:-$PREFIX/share/man}
BINDIR=${BINDIR:-$PREFIX/bin}
DATADIR=${DATADIR:-$PREFIX/share}
DESTDIR=${DESTDIR-}

place=.build/lib
whole=libweir.so.$(version MAJOR).$(version MINOR).$(version PATCH)

# True for directories that the dynamic linker searches by default.
is_known() {
    case $1 in
    /lib | /usr/lib | /usr/local/lib | /lib/* | /usr/lib/*-linux-*) return 0 ;;
    esac
    return 1
}

# ---- weir.pc ----------------------------------------------------------------

# Escapes blanks, which separate words in a pkg-config file.
escaped() {
    printf '%s' "$1" | sed 's/[ "\\]/\\&/g'
}

# under DIRECTORY: the directory, with ${prefix} in place of the prefix.
under() {
    case $1 in
    "$PREFIX"/*) printf '${prefix}%s' "$(escaped "${1#"$PREFIX"}")" ;;
    *) escaped "$1" ;;
    esac
}

# True if weir.pc may give its prefix relative to its own place, so that the
# installation can be moved. Not with blanks, which pkg-config would not protect,
# nor in /usr: there pkg-config must see that the compiler searches it by default.
can_be_moved() {
    case $PREFIX in
    *[[:space:]]* | /usr | /usr/*) return 1 ;;
    esac
    case $LIBDIR in
    "$PREFIX"/*) return 0 ;;
    esac
    return 1
}

prefix() {
    if can_be_moved; then
        echo "${LIBDIR#"$PREFIX"/}/pkgconfig" |
            sed 's|[^/]\{1,\}|..|g; s|^|${pcfiledir}/|'
    else
        escaped "$PREFIX"
    fi
}

# dispatch_flags DIRECTORY FLAG: the compiler flag for a directory of libdispatch.
dispatch_flags() {
    [ -z "$1" ] || [ "$1" = none ] || printf ' %s%s' "$2" "$(escaped "$1")"
}

# The run path of programs, as one word: pkg-config does not protect the blanks of
# two words alike. Empty if the dynamic linker searches the directories by default.
rpath() {
    directories=
    is_known "$LIBDIR" || directories='${libdir}'
    [ -z "$dispatch_shared" ] ||
        directories=$directories${directories:+:}$(escaped "$dispatch_shared")
    [ -z "$directories" ] || printf ' -Wl,-rpath,%s' "$directories"
}

# "-static" makes the linker take libweir.a and libdispatch.a instead of the shared
# libraries before them. The variable `archives` is for programs that contain the
# libraries and use a shared libc.
pkg_config_file() {
    shared=$(dispatch_flags "$dispatch_shared" -L)
    static=$(dispatch_flags "$dispatch_static" -L)
    cat <<END
prefix=$(prefix)
includedir=$(under "$INCLUDEDIR")
libdir=$(under "$LIBDIR")
blocks=$blocks
archives=\${libdir}/libweir.a$static${static_libraries:+ $(of_archives)}

Name: Weir
Description: Bounded concurrency on Grand Central Dispatch
Version: ${whole#libweir.so.}
Cflags: -I\${includedir}$(dispatch_flags "$dispatch_include" "-isystem ")
Libs: -L\${libdir} -lweir$shared -ldispatch${runtime:+ $runtime}$(rpath)
Libs.private: -static$static${static_libraries:+ $static_libraries}
END
}

# The static libraries by file name, for a program with a shared libc.
of_archives() {
    echo "$static_libraries" | sed 's/-ldispatch/-l:libdispatch.a/
        s/-lBlocksRuntime/-l:libBlocksRuntime.a/'
}

# ---- the library ------------------------------------------------------------

# pages FOLDER...: installs the manual pages of these folders, man1 and the like.
pages() {
    for folder in "$@"; do
        for page in "$folder"/*; do
            file 644 "$page" "$MANDIR/${folder##*/}"
        done
    done
}

library() {
    read_config
    if [ -n "$dispatch_installed" ]; then
        dispatch_shared=$dispatch_installed dispatch_static=$dispatch_installed dispatch_include=none
    fi
    file 644 "$place/libweir.a" "$LIBDIR"
    file 755 "$place/libweir.so" "$LIBDIR" "$whole"
    ln -sf "$whole" "$DESTDIR$LIBDIR/$(soname)"
    ln -sf "$(soname)" "$DESTDIR$LIBDIR/libweir.so"
    # Not below .build, which may belong to another user.
    written=$(mktemp)
    pkg_config_file >"$written"
    file 644 "$written" "$LIBDIR/pkgconfig" weir.pc
    rm -f "$written"
    file 644 include/weir.h "$INCLUDEDIR"
    for header in include/weir/*.h; do
        file 644 "$header" "$INCLUDEDIR/weir"
    done
    if [ "$blocks" = no ]; then
        base=$DESTDIR$INCLUDEDIR/weir/base.h
        sed 's/\(define WEIR_LIBRARY_HAS_BLOCKS\) 1/\1 0/' include/weir/base.h >"$base"
    fi
    pages .build/man/man3 .build/man/man7
    # Renews the dynamic linker's cache.
    if is_known "$LIBDIR" && [ -z "$DESTDIR" ] && [ "$(id -u)" -eq 0 ] &&
        command -v ldconfig >/dev/null 2>&1; then
        ldconfig
    fi
}

# ---- the tool ---------------------------------------------------------------

# completions COMMAND: calls COMMAND for each shell, with the shell's directory of
# completions and the name of the file in it.
completions() {
    "$1" bash "$DATADIR/bash-completion/completions" weir
    "$1" zsh "$DATADIR/zsh/site-functions" _weir
    "$1" fish "$DATADIR/fish/vendor_completions.d" weir.fish
}

# release.sh has made the files.
install_completion() {
    file 644 ".build/tool/$1" "$2" "$3"
}

remove_completion() {
    rm -f "$DESTDIR$2/$3"
}

tool() {
    file 755 "$1" "$BINDIR" weir
    pages .build/man/man1 .build/tool/man1
    completions install_completion
}

# The program finds the files of its pages by its own place, so both can be moved.
pagedir=${BINDIR%/*}/share/weir-demo/page

demos() {
    file 755 "$1" "$BINDIR" weir-demo
    source=examples/demos/Sources/Demos/Page
    find "$source" -type f | while read -r name; do
        folder=$(dirname "$pagedir${name#"$source"}")
        file 644 "$name" "$folder"
    done
    page=$(mktemp)
    sed "s/@DATE@//; s/@VERSION@/${whole#libweir.so.}/" examples/demos/weir-demo.1 >"$page"
    file 644 "$page" "$MANDIR/man1" weir-demo.1
    rm -f "$page"
}

# ---- removal ----------------------------------------------------------------

uninstall() {
    for name in libweir.a libweir.so "$(soname)" "$whole" pkgconfig/weir.pc; do
        rm -f "$DESTDIR$LIBDIR/$name"
    done
    for header in include/weir.h include/weir/*.h; do
        rm -f "$DESTDIR$INCLUDEDIR/${header#include/}"
    done
    [ ! -d "$DESTDIR$INCLUDEDIR/weir" ] || rmdir "$DESTDIR$INCLUDEDIR/weir"
    for page in .build/man/man?/*; do
        rm -f "$DESTDIR$MANDIR/${page#.build/man/}"
    done
    rm -f "$DESTDIR$BINDIR/weir" "$DESTDIR$BINDIR/weir-demo" "$DESTDIR$MANDIR"/man1/weir-*.1
    rm -rf "$DESTDIR${pagedir%/page}"
    completions remove_completion
}

case ${1-} in
lib) library ;;
tool) tool "$2" ;;
demos) demos "$2" ;;
uninstall) uninstall ;;
*)
    echo "usage: install.sh lib | tool FILE | demos FILE | uninstall" >&2
    exit 2
    ;;
esac
