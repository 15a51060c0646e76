#!/bin/sh
# abi.sh [VERSION]: what has changed, for programs that were compiled against
# VERSION, a tag or any commit; without one, the last tag. Fails where something
# was taken away or became something else under the same soname: such a
# program, or its build, breaks. What is new is listed.
#
# The headers are compared by their text, and the libraries, where abidiff
# (abigail-tools) is there to do it, by their symbols and types.
set -eu

. support/shell.sh

say() {
    printf 'abi: %s\n' "$*"
}

against=${1-}
if [ -z "$against" ]; then
    against=$(git describe --tags --abbrev=0 2>/dev/null) || {
        say "there is no tag to compare with; AGAINST=COMMIT takes any commit"
        exit 0
    }
fi

here=$PWD
old=$(mktemp -d)
trap 'rm -rf "$old"' EXIT
git archive "$against" include Sources/CWeir >"$old/archive.tar" || exit 2
(cd "$old" && tar -xf archive.tar)
before=$(cd "$old" && . "$here/support/shell.sh" && soname)
say "compared with $against ($before, now $(soname))"

symbols() {
    awk -f "$here/support/symbols.awk" "$1"/include/weir/*.h | LC_ALL=C sort
}

# ---- the headers ------------------------------------------------------------

# A struct may grow at its end, and into what was reserved.
symbols "$old" >"$old/before"
symbols . >"$old/after"
status=0
awk '
function fields(shape) {
    sub(/[ ]*(uintptr_t reserved\[[0-9]+\]; )?}.*/, "", shape)
    return shape
}
{
    key = $1 " " $2
    shape = $0
    sub(/^[^ ]+ [^ ]+ /, "", shape)
}
NR == FNR { was[key] = shape; old[++olds] = key; next }
{ is[key] = shape; new[++news] = key }
END {
    for (i = 1; i <= olds; i++) {
        key = old[i]
        if (!(key in is)) {
            print "  removed: " key
            broken = 1
        } else if (is[key] != was[key]) {
            grown = index(was[key], "{") &&
                index(is[key], fields(was[key])) == 1
            print "  " (grown ? "grown" : "changed") ": " key
            print "    was " was[key]
            print "    is  " is[key]
            broken = broken || !grown
        }
    }
    for (i = 1; i <= news; i++)
        if (!(new[i] in was))
            print "  added: " new[i]
    exit broken
}' "$old/before" "$old/after" >"$old/differences" || status=$?
cat "$old/differences"
[ -s "$old/differences" ] || say "the headers declare the same"

# ---- the libraries ----------------------------------------------------------

if ! command -v abidiff >/dev/null 2>&1; then
    say "abidiff (abigail-tools) is not installed: the libraries are not compared"
else
    cp -R support "$old/support"
    for tree in "$old" "$here"; do
        (cd "$tree" && sh support/lib.sh configure && sh support/lib.sh build)
    done
    result=0
    abidiff --headers-dir1 "$old/include" --headers-dir2 include \
        --drop-private-types --no-added-syms \
        "$old/.build/lib/libweir.so" .build/lib/libweir.so || result=$?
    # Bits: 1 and 2, it could not be done; 4, a change; 8, one that breaks.
    if [ $((result & 3)) -ne 0 ]; then
        say "abidiff could not compare the libraries"
        exit 2
    fi
    [ $((result & 8)) -eq 0 ] || status=1
    [ "$result" -ne 0 ] || say "the libraries export the same types and symbols"
fi

if [ "$status" -eq 0 ]; then
    say "programs compiled against $against go on working"
elif [ "$before" != "$(soname)" ]; then
    say "programs compiled against $against would break, and keep $before"
else
    say "FAILED: programs compiled against $against break, under the same soname"
    exit 1
fi
