#!/bin/sh
# run.sh TOOL [DIR]: hashes a real tree and verifies it with sha256sum: DIR, or
# this repository's files and the system's share directory.
set -eu

tool=$1
directory=${2-}

# Outside of both. Kept for the user to look at, unless it is not complete.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/weir-run.XXXXXX")
manifest=$scratch/manifest.sha256
trap 'rm -rf "$scratch"' EXIT

if [ -n "$directory" ]; then
    what=$directory
    set -- "$directory"
else
    what="this repository and /usr/share"
    # One name a line: the names in this repository are tame.
    newline='
'
    IFS=$newline
    set -f
    # shellcheck disable=SC2046
    set -- $(sh support/sources.sh '*') /usr/share
    set +f
    unset IFS
fi

echo "weir hash: $what"
status=0
"$tool" hash --summary -- "$@" >"$manifest" || status=$?
# 3: there were files that this user may not read. They were named, the rest
# is there.
if [ "$status" -ne 0 ] && [ "$status" -ne 3 ]; then
    echo "run: weir hash failed with status $status" >&2
    exit "$status"
fi

files=$(($(wc -l <"$manifest")))
if [ "$files" -eq 0 ]; then
    echo "run: there is no file in $what that could be read" >&2
    exit 1
fi
trap - EXIT

if command -v sha256sum >/dev/null 2>&1; then
    verify="sha256sum"
else
    verify="shasum -a 256"
fi
echo "$verify -c --quiet: the same files once more, by another program"
$verify -c --quiet "$manifest"
echo "all $files files agree; the manifest is $manifest"
