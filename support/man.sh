#!/bin/sh
# man.sh [DIR]: makes the manual pages, into .build/man or DIR: section 3 from
# the headers' comments, one page a header; weir(7) and the tool's, section 1,
# from man.
set -eu

. support/shell.sh

to=${1:-.build/man}
number=$(version MAJOR).$(version MINOR).$(version PATCH)
# The day of the newest version, so that the same sources make the same pages.
date=$(sed -n 's/^## .*\([0-9]\{4\}-[0-9][0-9]-[0-9][0-9]\).*/\1/p' CHANGELOG.md |
    head -n 1)

rm -rf "$to"
mkdir -p "$to/man1" "$to/man3" "$to/man7"
set --
for header in include/weir/*.h; do
    # What stands in for libdispatch's headers has libdispatch's pages.
    [ "$header" = include/weir/libdispatch.h ] || set -- "$@" "$header"
done
awk -v to="$to/man3" -v version="$number" -v date="$date" -f support/man.awk "$@"
for page in man/*.[17]; do
    sed "s/@VERSION@/$number/g; s/@DATE@/$date/g" "$page" \
        >"$to/man${page##*.}/${page##*/}"
done
