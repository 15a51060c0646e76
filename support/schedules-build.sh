#!/bin/sh
# schedules-build.sh OUTPUT [SOURCES]: compiles Tests/Schedules, with the C library in
# SOURCES (Sources/CWeir), to the program OUTPUT. The compiler is CC, or clang of the
# Swift toolchain, clang or gcc. Objects in OUTPUT.objects that are newer than their
# sources are used again, unless a header has changed.
set -eu

. support/shell.sh

output=$1
sources=${2:-Sources/CWeir}
here=Tests/Schedules
objects=$output.objects

compiler() {
    swift=$(command -v swift || true)
    for name in ${CC:-} ${swift:+"$(dirname "$(readlink -f "$swift")")/clang"} clang gcc; do
        if command -v "$name"; then
            return
        fi
    done
    fail "neither clang nor gcc was found"
}

# stale FILE NAME FLAG...: prints the arguments that compile a file, if its object is not newer.
stale() {
    file=$1
    object=$objects/$(printf '%s' "$2" | tr / _).o
    shift 2
    [ -n "$(find "$object" -newer "$file" 2>/dev/null)" ] || echo "$* -c $file -o $object"
}

cc=$(compiler)
mkdir -p "$objects"
if [ -n "$(find include "$sources" "$here" -name '*.h' -newer "$objects/begun" 2>&1)" ]; then
    rm -f "$objects"/*.o
fi
touch "$objects/begun"

# The library alone is instrumented.
{
    for file in "$sources"/*/*.c "$sources"/*/*/*.c; do
        stale "$file" "CWeir${file#"$sources"}" -fsanitize=thread -I"$sources"
    done
    for file in "$here"/*/*.c; do
        stale "$file" "${file#"$here/"}" -I"$here" -I"$sources"
    done
} | xargs -r -L 1 -P "$(nproc)" "$cc" -std=c11 -D_GNU_SOURCE -DWEIR_NO_DISPATCH_HEADERS \
    -U_FORTIFY_SOURCE -g -O1 -fno-pie -Wall -Wextra -Iinclude
wraps=
for name in $(cat "$here/wrapped.txt"); do
    wraps="$wraps -Wl,--wrap=$name"
done
# shellcheck disable=SC2086
"$cc" -no-pie $wraps "$objects"/*.o -o "$output" -lpthread
