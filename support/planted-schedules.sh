#!/bin/sh
# planted-schedules.sh [NAME...]: plants each bug of Tests/Schedules/Planted in a copy
# of the C library, and checks that the schedules of its scenario find it.
set -eu

. support/shell.sh

here=$PWD
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
[ $# -gt 0 ] || set -- Tests/Schedules/Planted/*.patch

# changed_objects PATCH: prints the objects of the files that a patch changes; of a header, all.
changed_objects() {
    sed -n 's/^+++ //p' "$1" | tr / _ |
        sed -e "s|.*\\.h\$|$copy/schedules.objects/*.o|;t" -e "s|.*|$copy/schedules.objects/CWeir_&.o|"
}

missed=0
for patch; do
    name=$(basename "$patch" .patch)
    patch=Tests/Schedules/Planted/$name.patch
    scenario=$(sed -n 's/^scenario: //p' "$patch")
    rm -rf "$copy/CWeir"
    cp -Rp Sources/CWeir "$copy/CWeir"
    (cd "$copy/CWeir" && GIT_CEILING_DIRECTORIES=$copy git apply -p0 "$here/$patch")
    sh support/schedules-build.sh "$copy/schedules" "$copy/CWeir"
    # shellcheck disable=SC2046
    rm -f $(changed_objects "$patch")
    if found=$("$copy/schedules" --scenario "$scenario" --schedules 300000); then
        say "$name was not found"
        missed=1
    elif line=$(printf '%s\n' "$found" | grep FAILED); then
        printf '%-24s %s\n' "$name" "$line"
    else
        say "$name: the scenario did not run: $found"
        missed=1
    fi
done
exit $missed
