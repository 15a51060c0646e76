#!/bin/sh
# source.sh [URL]: makes weir-VERSION.tar.gz of the last commit in .build/dist, the sources that
# package managers build; with the address of the repository also the Homebrew formula.
set -eu

. support/shell.sh

number=$(full_version)
archive=.build/dist/weir-$number.tar.gz
mkdir -p .build/dist
# gzip would store the time.
git archive --prefix="weir-$number/" HEAD | gzip -9n >"$archive"
if [ -n "${1-}" ]; then
    sum=$(sha256sum "$archive" | cut -d ' ' -f 1)
    sed -e "1,3d; s|@URL@|$1|; s|@VERSION@|$number|g; s|@SHA256@|$sum|" packaging/weir.rb >.build/dist/weir.rb
fi
write_sums
say "$archive, $(($(wc -c <"$archive") / 1000)) kB"
