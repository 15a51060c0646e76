#!/bin/sh
# install.sh lib | tool FILE | uninstall: puts what was built in place, or takes it
# away. Where, is in PREFIX, LIBDIR, INCLUDEDIR, MANDIR, BINDIR and DATADIR;
# DESTDIR comes before each of them, and is nowhere else.
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

# Directories that the dynamic linker knows by itself.
is_known() {
    case $1 in
    /lib | /usr/lib | /usr/local/lib | /lib/* | /usr/lib/*-linux-*) return 0 ;;
    esac
    return 1
}

# ---- weir.pc ----------------------------------------------------------------

# In a pkg-config file a blank parts two words.
escaped() {
    printf '%s' "$1" | sed 's/[ "\\]/\\&/g'
}

# under DIRECTORY: with ${prefix} for its beginning where that is the prefix.
under() {
    case $1 in
    "$PREFIX"/*) printf '${prefix}%s' "$(escaped "${1#"$PREFIX"}")" ;;
    *) escaped "$1" ;;
    esac
}

# Whether the file may say where it is from where it stands itself, so that the
# whole can be moved. Not where there are blanks, which pkg-config would not
# protect, nor for the system's own: there pkg-config has to see that the
# compiler looks there anyway.
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

# Where libdispatch is, in the compiler's words.
dispatch_flags() {
    [ -z "$1" ] || [ "$1" = none ] || printf ' %s%s' "$2" "$(escaped "$1")"
}

# Where programs look for the shared libraries when they run, as one word:
# pkg-config does not protect the blanks of two alike. Empty where the dynamic
# linker looks by itself.
rpath() {
    directories=
    is_known "$LIBDIR" || directories='${libdir}'
    [ -z "$dispatch_shared" ] ||
        directories=$directories${directories:+:}$(escaped "$dispatch_shared")
    [ -z "$directories" ] || printf ' -Wl,-rpath,%s' "$directories"
}

# "-static" makes the linker take libweir.a and libdispatch.a, which it would
# else pass over for the shared ones that stand before. The archives are for
# programs that shall have the libraries within and libc outside.
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

# The static libraries by file name, for a program whose libc is shared.
of_archives() {
    echo "$static_libraries" | sed 's/-ldispatch/-l:libdispatch.a/
        s/-lBlocksRuntime/-l:libBlocksRuntime.a/'
}

# ---- the library ------------------------------------------------------------

# file MODE FILE DIRECTORY [NAME]
file() {
    install -d "$DESTDIR$3"
    install -m "$1" "$2" "$DESTDIR$3/${4-${2##*/}}"
}

# pages SECTION...: the manual pages of these sections.
pages() {
    for section in "$@"; do
        for page in ".build/man/man$section"/*; do
            file 644 "$page" "$MANDIR/man$section"
        done
    done
}

library() {
    read_config
    file 644 "$place/libweir.a" "$LIBDIR"
    file 755 "$place/libweir.so" "$LIBDIR" "$whole"
    ln -sf "$whole" "$DESTDIR$LIBDIR/$(soname)"
    ln -sf "$(soname)" "$DESTDIR$LIBDIR/libweir.so"
    # Not below .build: who installs may be another than who builds.
    written=$(mktemp)
    pkg_config_file >"$written"
    file 644 "$written" "$LIBDIR/pkgconfig" weir.pc
    rm -f "$written"
    file 644 include/weir.h "$INCLUDEDIR"
    for header in include/weir/*.h; do
        file 644 "$header" "$INCLUDEDIR/weir"
    done
    pages 3 7
    # The dynamic linker's own list, where it is for us to renew.
    if is_known "$LIBDIR" && [ -z "$DESTDIR" ] && [ "$(id -u)" -eq 0 ] &&
        command -v ldconfig >/dev/null 2>&1; then
        ldconfig
    fi
}

# ---- the tool ---------------------------------------------------------------

# completions COMMAND: calls it for each shell, with the directory where that
# looks for completions, and the file's name there.
completions() {
    "$1" bash "$DATADIR/bash-completion/completions" weir
    "$1" zsh "$DATADIR/zsh/site-functions" _weir
    "$1" fish "$DATADIR/fish/vendor_completions.d" weir.fish
}

# release.sh has made them.
install_completion() {
    [ ! -f ".build/completions/$1" ] ||
        file 644 ".build/completions/$1" "$2" "$3"
}

remove_completion() {
    rm -f "$DESTDIR$2/$3"
}

tool() {
    file 755 "$1" "$BINDIR" weir
    pages 1
    completions install_completion
}

# ---- taking away ------------------------------------------------------------

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
    rm -f "$DESTDIR$BINDIR/weir"
    completions remove_completion
}

case ${1-} in
lib) library ;;
tool) tool "$2" ;;
uninstall) uninstall ;;
*)
    echo "usage: install.sh lib | tool FILE | uninstall" >&2
    exit 2
    ;;
esac
