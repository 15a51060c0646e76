#!/bin/sh
# test-programs.sh DIRECTORY: makes DIRECTORY, with links to the installed ones of the
# programs in support/test-programs.txt. Tests that run with it as their PATH cannot
# call another program, so that what happens to be installed here is not needed
# elsewhere. A test that calls another program adds it to the list.
set -eu

directory=$1
rm -rf "$directory"
mkdir -p "$directory"
while read -r name; do
    IFS=:
    for place in $PATH; do
        [ -x "$place/$name" ] && [ ! -d "$place/$name" ] || continue
        ln -s "$place/$name" "$directory/$name"
        break
    done
    unset IFS
done <support/test-programs.txt
