#!/bin/sh
# dispatch.sh: finds libdispatch. Prints three assignments for eval, or fails with a
# message:
#
#   dispatch_include  the directory with dispatch/dispatch.h
#   dispatch_shared   the directory with libdispatch.so
#   dispatch_static   the directory with libdispatch.a
#
# A value is empty if the compiler finds the file by itself, and "none" if there is
# no such file. The order of search: the variables WEIR_DISPATCH_INCLUDE,
# WEIR_DISPATCH_SHARED and WEIR_DISPATCH_STATIC; the system's libdispatch; the one
# of a Swift toolchain whose swift or clang is in PATH.
set -eu

. support/shell.sh

# finds_alone WORD...: true if the compiler, with these words, builds a program that
# calls libdispatch.
finds_alone() {
    printf 'extern void dispatch_main(void);\nint main(void) { dispatch_main(); }\n' |
        "${CC:-cc}" -x c - -o /dev/null "$@" >/dev/null 2>&1
}

has_header_alone() {
    printf '#if !__has_include(<dispatch/dispatch.h>)\n#error none\n#endif\n' |
        "${CC:-cc}" -E -x c - >/dev/null 2>&1
}

# use_toolchain DIRECTORY: uses the libdispatch of the toolchain with this lib directory.
use_toolchain() {
    [ -f "$1/swift/linux/libdispatch.so" ] || return 1
    dispatch_shared=$1/swift/linux
    dispatch_static=none
    [ ! -f "$1/swift_static/linux/libdispatch.a" ] ||
        dispatch_static=$1/swift_static/linux
    dispatch_include=none
    [ ! -f "$1/swift/dispatch/dispatch.h" ] || dispatch_include=$1/swift
}

system() {
    finds_alone -ldispatch || return 1
    dispatch_shared=
    dispatch_static=none
    ! finds_alone -static -ldispatch -lBlocksRuntime -lpthread ||
        dispatch_static=
    dispatch_include=none
    ! has_header_alone || dispatch_include=
}

# The toolchain prints its own path, even if swift is a link or a launcher.
beside_swift() {
    command -v swift >/dev/null 2>&1 || return 1
    usr=$(toolchain)
    [ -n "$usr" ] && use_toolchain "$usr/lib"
}

beside_clang() {
    for name in "${CC:-clang}" clang; do
        program=$(command -v "$name" 2>/dev/null) || continue
        program=$(readlink -f "$program") || continue
        use_toolchain "${program%/bin/*}/lib" && return 0
    done
    return 1
}

if [ -n "${WEIR_DISPATCH_SHARED-}" ]; then
    dispatch_shared=$WEIR_DISPATCH_SHARED
    dispatch_static=none
    dispatch_include=none
elif ! system && ! beside_swift && ! beside_clang; then
    echo "no libdispatch: the compiler finds none, and PATH has no Swift toolchain." \
        "Set WEIR_DISPATCH_SHARED to the directory of libdispatch.so (and" \
        "WEIR_DISPATCH_STATIC to that of libdispatch.a, WEIR_DISPATCH_INCLUDE to" \
        "that of dispatch/dispatch.h)" >&2
    exit 1
fi

assign dispatch_include "${WEIR_DISPATCH_INCLUDE-$dispatch_include}"
assign dispatch_shared "$dispatch_shared"
assign dispatch_static "${WEIR_DISPATCH_STATIC-$dispatch_static}"
