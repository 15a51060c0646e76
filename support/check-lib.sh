#!/bin/sh
# check-lib.sh [PART OF A PROGRAM'S NAME]...: builds and runs the tests of the C library, with a
# C compiler that has blocks and a libdispatch, without Swift. `headers` and `schedules` are parts
# of them, too. What measures real waits, waits_*_tests.c, runs only if it is named.
#
# SANITIZER=thread, address or undefined builds them with that one; POSIX=1 with the sources
# for POSIX alone, without linux_*_tests.c. Each variant has a folder of its own, and `times`
# in it the time of each test.
set -eu

. support/shell.sh

sh support/lib.sh configure
read_config
CC=$(sed -n "s/^CC='\(.*\)'$/\1/p" .build/lib/config)
variant=${SANITIZER-}${POSIX:+posix}
place=.build/check${variant:+-$variant}
mkdir -p "$place"

flags="-std=c11 -D_GNU_SOURCE -fblocks -O1 -g -gdwarf-4 -Wall -Wextra -Werror"
[ -z "${POSIX-}" ] || flags="$flags -DWEIR_POSIX"
[ -z "$dispatch_include" ] || flags="$flags -isystem $dispatch_include"
if [ -n "${SANITIZER-}" ]; then
    flags="$flags -fsanitize=$SANITIZER -fno-sanitize-recover=all -fno-omit-frame-pointer"
    export WEIR_TEST_SLOWNESS="${WEIR_TEST_SLOWNESS:-6}"
    [ "$SANITIZER" = undefined ] || use_sanitizer "$SANITIZER"
fi
link="-L$dispatch_shared -Wl,-rpath,$dispatch_shared -ldispatch $runtime -lpthread -lm"

# chosen PROGRAM PART...: true if the program is to run.
chosen() {
    program=$1
    [ $# -gt 1 ] || case $program in
        waits_*) return 1 ;;
        *) return 0 ;;
    esac
    shift
    for part; do
        case $program in *"$part"*) return 0 ;; esac
    done
    return 1
}

sources=
for source in $(find Tests/CLibrary -name '*_tests.c' ${POSIX:+! -name 'linux_*'} | sort -r); do
    ! chosen "$(basename "$source" .c)" "$@" || sources="$sources $source"
done
[ -n "$sources" ] || chosen headers "$@" || chosen schedules "$@" || fail "no program is named $*"
make -f Tests/CLibrary/check.mk -j "$(nproc)" --no-print-directory \
    SOURCES="$sources" PLACE="$place" CC="$CC" FLAGS="$flags" LINK="$link"

# One more at a time than cores: many tests fill them, and some wait. The longest come first.
status=0
rm -f "$place"/*.log
{
    [ -n "$variant" ] || ! chosen schedules "$@" || echo "schedules sh support/test-schedules.sh sample"
    [ -n "$variant" ] || ! chosen headers "$@" || echo "headers sh support/check-headers.sh"
    for source in $sources; do
        program=$(basename "$source" .c)
        echo "$program $place/$program -v"
    done
} | xargs -r -P $(($(nproc) + 1)) -L 1 sh -c 'log=$0/$1.log name=$1
    shift
    "$@" >"$log" 2>&1 </dev/null || echo "FAILED: $name" >>"$log"
    grep -v "^ *[0-9.]* [a-z_]*/" "$log"' "$place" || status=$?
cat "$place"/*_tests.log 2>/dev/null | sed -n 's/^ *\([0-9.]* [a-z_]*\/.*\)/\1/p' | sort -rn >"$place/times"
! grep -qs "^FAILED: " "$place"/*.log || status=1
[ -z "$sources" ] || awk '/ passed, .* skipped, / { passed += $2; failed += $4; skipped += $6 }
    END { printf "check-lib: %d passed, %d failed, %d skipped\n", passed, failed, skipped }' \
    "$place"/*_tests.log
exit "$status"
