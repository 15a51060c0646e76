#!/bin/sh
# tool-files.sh TOOL: makes what the tool says about its options, in .build/tool: the
# completions of bash, zsh and fish, and the manual pages of the verbs.
set -eu

. support/shell.sh

to=.build/tool
rm -rf "$to"
mkdir -p "$to/man1"
for shell in bash zsh fish; do
    "$1" --generate-completion-script "$shell" >"$to/$shell"
done
date=$(version_date)
"$1" --generate-reference | sed -n 's/^## weir //p' | while read -r verb; do
    "$1" --generate-manual-page "$verb" | sed "s/@DATE@/$date/" >"$to/man1/weir-$verb.1"
done
