#!/bin/sh
# man.sh [DIR]: makes the manual pages in .build/man or DIR: section 3 from the
# headers, one page per header; weir(1) and weir(7) from the folder man. The pages
# of the verbs are those of tool-files.sh. The programs of the pages are in man/examples.
set -eu

. support/shell.sh

to=${1:-.build/man}
number=$(version MAJOR).$(version MINOR).$(version PATCH)
date=$(version_date)

rm -rf "$to"
mkdir -p "$to/man1" "$to/man3" "$to/man7"
set --
for header in include/weir/*.h; do
    # The substitute for libdispatch's headers has no page: libdispatch has its own.
    [ "$header" = include/weir/libdispatch.h ] || set -- "$@" "$header"
done
awk -v to="$to/man3" -v version="$number" -v date="$date" -v examples=man/examples \
    -f support/man-example.awk -f support/man.awk "$@"
for page in man/*.[17]; do
    sed "s/@VERSION@/$number/g; s/@DATE@/$date/g" "$page" |
        awk -v examples=man/examples -f support/man-example.awk \
            -f support/man-page.awk >"$to/man${page##*.}/${page##*/}"
done
