#!/bin/sh
# scenarios.sh DIRECTORY [COMPILER]: compiles the C library, the scenarios and the
# library for LD_PRELOAD into a directory; the default is clang, which has blocks,
# else cc. To inject a fault by hand:
#
#     cd DIRECTORY && LD_PRELOAD=./faults.so ./scenarios walk 1
set -eu

mkdir -p "$1"
place=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../.."
tests=Tests/ReliabilityTests

CC=${2-}
if [ -z "$CC" ]; then
    CC=cc
    ! command -v clang >/dev/null 2>&1 || CC=clang
fi
export CC
found=$(sh support/dispatch.sh)
eval "$found"

blocks=
if echo 'int main(void) { return ^{ return 0; }(); }' |
    $CC -fblocks -fsyntax-only -x c - >/dev/null 2>&1; then
    blocks=-fblocks
fi
set -- -O1 -g -Wall -Wextra -Werror -Iinclude -fno-optimize-sibling-calls
[ -z "$blocks" ] || set -- "$@" $blocks
case $dispatch_include in
none) set -- "$@" -DWEIR_NO_DISPATCH_HEADERS ;;
?*) set -- "$@" -isystem "$dispatch_include" ;;
esac
libraries="-ldispatch -lBlocksRuntime -lpthread"
[ -z "$dispatch_shared" ] ||
    libraries="-L$dispatch_shared -Wl,-rpath,$dispatch_shared $libraries"

# The library of its own keeps the scenarios' calls apart from the library's.
# shellcheck disable=SC2046,SC2086
$CC -std=c11 "$@" -fPIC -shared -ISources/CWeir -o "$place/libweir-faults.so" \
    $(find Sources/CWeir/ -name "*.c") $tests/Programs/look_ahead.c $libraries
$CC -std=gnu11 "$@" -fPIC -shared -o "$place/faults.so" $tests/Preloads/*.c -ldl
# shellcheck disable=SC2086
$CC -std=gnu11 "$@" -rdynamic -o "$place/scenarios" $tests/Programs/scenario*.c \
    -L"$place" -Wl,-rpath,"$place" -lweir-faults $libraries
