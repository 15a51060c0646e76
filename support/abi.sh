#!/bin/sh
# abi.sh [VERSION]: compares the C library with that of VERSION, a tag or any
# commit; by default the last tag of another version than this one. Fails if a
# program compiled against VERSION breaks under the same soname.
#
# abidiff (Debian: abigail-tools) compares the two libraries. support/abi.ini
# lists the changes that Weir's interface allows for.
set -eu

. support/shell.sh

command -v abidiff >/dev/null 2>&1 ||
    fail "abidiff is not installed; Debian's package abigail-tools contains it"
against=${1-}
if [ -z "$against" ]; then
    against=$(git describe --tags --abbrev=0 --exclude "v$(full_version)" 2>/dev/null) || {
        say "this repository has no tag to compare with; use AGAINST=COMMIT"
        exit 0
    }
fi

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/old" "$place/new"
git archive "$against" include Sources/CWeir >"$place/old.tar" || exit 2
tar -C "$place/old" -xf "$place/old.tar"
mkdir "$place/new/Sources"
cp -R include "$place/new"
cp -R Sources/CWeir "$place/new/Sources"
for tree in old new; do
    cp -R support "$place/$tree"
    (cd "$place/$tree" && CFLAGS="-g -O0" sh support/lib.sh configure && sh support/lib.sh build)
done
before=$(cd "$place/old" && . support/shell.sh && soname)
say "compared with $against ($before, now $(soname))"

# compare SUPPRESSIONS
compare() {
    abidiff --headers-dir1 "$place/old/include" --headers-dir2 include --drop-private-types \
        --suppressions "$1" --no-added-syms \
        "$place/old/.build/lib/libweir.so" "$place/new/.build/lib/libweir.so"
}

# Bits of the status: 1 and 2 for a failure of abidiff, 4 for a change.
status=0
compare support/abi.ini || status=$?
[ $((status & 3)) -eq 0 ] || exit 2
# A struct that grows into its reserved fields keeps its size. abidiff 2.2 has no
# rule for that.
awk -v RS= -v ORS='\n\n' '!/reserved\)/' support/abi.ini >"$place/statistics.ini"
if compare "$place/statistics.ini" | grep 'type size changed'; then
    status=4
fi
if [ "$status" -eq 0 ]; then
    say "programs compiled against $against keep working"
elif [ "$before" != "$(soname)" ]; then
    say "programs compiled against $against would break, and keep $before"
else
    say "FAILED: programs compiled against $against break, under the same soname"
    exit 1
fi
