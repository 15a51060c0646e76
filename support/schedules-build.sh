#!/bin/sh
# schedules-build.sh OUTPUT [SOURCES]: compiles Tests/Schedules with the C library
# in SOURCES (Sources/CWeir) to the program OUTPUT. The compiler is CC, or clang of
# the Swift toolchain, clang or gcc.
set -eu

output=$1
sources=${2:-Sources/CWeir}
here=Tests/Schedules
objects=$output.objects

compiler() {
    if [ -n "${CC:-}" ]; then
        echo "$CC"
        return
    fi
    swift=$(command -v swift || true)
    for name in ${swift:+"$(dirname "$(readlink -f "$swift")")/clang"} clang gcc; do
        if command -v "$name" >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    echo "schedules-build: neither clang nor gcc was found" >&2
    exit 1
}

cc=$(compiler)
flags="-std=c11 -D_GNU_SOURCE -DWEIR_NO_DISPATCH_HEADERS -g -O1 -fno-pie -U_FORTIFY_SOURCE
    -fno-omit-frame-pointer -Wall -Wextra -Iinclude -I$here"
rm -rf "$objects"
mkdir -p "$objects"

# The library alone is instrumented. One compiler call a room.
find "$sources" -name '*.c' | sort | while IFS= read -r file; do
    object=$objects/$(echo "$file" | tr / _).o
    # shellcheck disable=SC2086
    "$cc" $flags -fsanitize=thread -I"$sources" -c "$file" -o "$object"
done
for file in "$here"/*/*.c; do
    object=$objects/test_$(basename "$file").o
    # shellcheck disable=SC2086
    "$cc" $flags -c "$file" -o "$object"
done

wraps=
for name in $(cat "$here/wrapped.txt"); do
    wraps="$wraps -Wl,--wrap=$name"
done
# shellcheck disable=SC2086
"$cc" -no-pie $wraps "$objects"/*.o -o "$output" -lpthread
rm -rf "$objects"
