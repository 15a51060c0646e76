#!/bin/sh
# check-headers.sh: checks that each public header compiles alone, as C11 and C++17, with each
# compiler that is installed, with and without libdispatch's own headers, without a message; that
# Weir's replacements for these declare the same; and that structs can grow. check-lib.sh calls it.
# Headers that have passed are not compiled again until they, a compiler, or libdispatch's headers
# change; `make clean` forgets that they have.
set -eu

. support/shell.sh

read_config
place=.build/check/headers
passed=$place.passed
# The clang of the PATH, and the system's if that is another one.
compilers="gcc g++ clang $(find /usr/bin -name clang -o -name 'clang-[1-9]*' | sort | tail -n 1)"
set -- include support/check-headers.sh .build/lib/config
[ ! -d "$dispatch_include/dispatch" ] || set -- "$@" "$dispatch_include/dispatch"
for compiler in $compilers; do
    ! program=$(command -v "$compiler") || set -- "$@" "$program"
done
# The time of the status changes also when an older file takes the place of another one.
[ -n "$(find -H "$@" -cnewer $passed 2>&1)" ] || {
    say "passed, and unchanged since"
    exit 0
}
rm -rf "$place"
mkdir -p "$place/with" "$place/without"
# What changes from here on is compiled again next time.
touch "$passed.new"
failed=
fault() {
    printf '%s\n' "headers: $*"
    failed=yes
}

# The end of a source, which compiles with the intended set of libdispatch's headers alone.
with='#ifndef WEIR_HAS_DISPATCH_HEADERS
#error wrong headers
#endif
int x;'
without=$(echo "$with" | sed 's/ifndef/ifdef/')
for header in $(cd include && find weir* -name '*.h'); do
    name=$(echo "$header" | tr ./ __).c
    printf '#include <%s>\n%s\n' "$header" "$with" >"$place/with/$name"
    printf '#include <%s>\n%s\n' "$header" "$without" >"$place/without/$name"
done
# The replacements after the declarations of libdispatch.
printf '#define WEIR_LIBDISPATCH_CHECK 1\n#include <weir/libdispatch.h>\n%s\n' "$with" \
    >"$place/with/replacements.c"

# flags SET: prints the flags for a set of libdispatch's headers.
flags() {
    echo "-Wall -Wextra -Werror -Iinclude"
    case $1 in
    without) echo "-DWEIR_NO_DISPATCH_HEADERS" ;;
    *) [ -z "$dispatch_include" ] || echo "-isystem $dispatch_include" ;;
    esac
}

# alone COMPILER FLAG...: compiles all sources.
alone() {
    command -v "$1" >/dev/null 2>&1 || {
        say "$1 is not installed"
        return
    }
    for set in with without; do
        # shellcheck disable=SC2046
        "$@" $(flags "$set") -fsyntax-only "$place/$set"/*.c >"$place/messages" 2>&1 &&
            [ ! -s "$place/messages" ] || fault "$* $set libdispatch: $(head -n 20 "$place/messages")"
    done
}

alone gcc -std=c11 -Wpedantic
alone g++ -x c++ -std=c++17 -Wpedantic
for clang in ${compilers#gcc g++ }; do
    alone "$clang" -std=c11 -fblocks
    alone "$clang" -x c++ -std=c++17 -fblocks
    alone "$clang" -std=c11 -Wpedantic
    alone "$clang" -x c++ -std=c++17 -Wpedantic
done

# ---- constants -------------------------------------------------------------------

# A program prints the same values of all replaced macros with both sets of headers.
{
    printf '#include <stdio.h>\n#include <weir.h>\nint main(void) {\n'
    for value in DISPATCH_TIME_NOW DISPATCH_TIME_FOREVER NSEC_PER_SEC NSEC_PER_MSEC USEC_PER_SEC \
        NSEC_PER_USEC DISPATCH_QUEUE_PRIORITY_HIGH DISPATCH_QUEUE_PRIORITY_DEFAULT \
        DISPATCH_QUEUE_PRIORITY_LOW DISPATCH_QUEUE_PRIORITY_BACKGROUND QOS_CLASS_USER_INTERACTIVE \
        QOS_CLASS_USER_INITIATED QOS_CLASS_DEFAULT QOS_CLASS_UTILITY QOS_CLASS_BACKGROUND \
        QOS_CLASS_UNSPECIFIED '(intptr_t)DISPATCH_QUEUE_SERIAL' '(intptr_t)DISPATCH_APPLY_AUTO' \
        '(intptr_t)DISPATCH_TARGET_QUEUE_DEFAULT' 'sizeof(dispatch_time_t)' \
        'sizeof(dispatch_once_t)' 'sizeof(dispatch_qos_class_t)' \
        'DISPATCH_QUEUE_CONCURRENT != 0' 'dispatch_get_main_queue() != 0'; do
        printf 'printf("%s %%lld\\n", (long long)(%s));\n' "$value" "$value"
    done
    echo '}'
} >"$place/constants.c"
for set in with without; do
    # shellcheck disable=SC2046,SC2086
    $CC -std=c11 -fblocks $(flags "$set") -o "$place/constants" "$place/constants.c" .build/check/libweir.a \
        -L"$dispatch_shared" -Wl,-rpath,"$dispatch_shared" -ldispatch $runtime -lpthread -lm &&
        "$place/constants" >"$place/$set.txt" || fault "the constants $set libdispatch"
done
grep -q '^DISPATCH_TIME_FOREVER ' "$place/with.txt" || fault "no constants"
diff "$place/with.txt" "$place/without.txt" || fault "the constants differ"

# ---- structs ---------------------------------------------------------------------

# weir/base.h promises that structs can grow: by reserved fields at the end, or because they are
# read with the caller's size. The library alone makes events.
find include -name '*.h' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 awk '
    /^typedef struct \{/ { inside = 1; last = ""; next }
    inside && /^ / { last = $0; next }
    inside && /^\} [a-z_]+;$/ {
        name = substr($2, 1, length($2) - 1)
        grows[name] = last ~ /^ +uintptr_t reserved\[[0-9]+\];$/ || name == "weir_trace_event_t"
        count++
        inside = 0
        next
    }
    inside || /^(typedef )?struct weir[a-z_]* *\{/ {
        print "headers: " FILENAME ":" FNR ": a struct of another form"
        bad = 1
        inside = 0
    }
    { text = text " " $0 }
    END {
        for (name in grows)
            if (!grows[name] && text !~ "[^a-z_]" name " *\\*[a-z_]+, *size_t size\\)") {
                print "headers: " name " cannot grow"
                bad = 1
            }
        exit bad || count <= 15
    }' || fault "structs that can grow"

[ -z "$failed" ] || exit 1
mv "$passed.new" "$passed"
say "passed"
