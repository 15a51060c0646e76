#!/bin/sh
# run.sh TOOL [DIR]: hashes a tree and verifies the digests with sha256sum. The
# tree is DIR, or by default this repository's files and /usr/share.
set -eu

tool=$1
directory=${2-}

# Outside of both trees. Kept for the user, unless the manifest is incomplete.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/weir-run.XXXXXX")
manifest=$scratch/manifest.sha256
trap 'rm -rf "$scratch"' EXIT

if [ -n "$directory" ]; then
    subject=$directory
    set -- "$directory"
else
    subject="this repository and /usr/share"
    # One name a line: no name in this repository contains a newline.
    newline='
'
    IFS=$newline
    set -f
    # shellcheck disable=SC2046
    set -- $(sh support/sources.sh '*') /usr/share
    set +f
    unset IFS
fi

echo "weir hash: $subject"
status=0
"$tool" hash --summary -- "$@" >"$manifest" || status=$?
# Status 3: this user may not read some of the files. weir has named them.
if [ "$status" -ne 0 ] && [ "$status" -ne 3 ]; then
    echo "run: weir hash failed with status $status" >&2
    exit "$status"
fi

files=$(($(wc -l <"$manifest")))
if [ "$files" -eq 0 ]; then
    echo "run: no readable file in $subject" >&2
    exit 1
fi
trap - EXIT

if command -v sha256sum >/dev/null 2>&1; then
    verify="sha256sum"
else
    verify="shasum -a 256"
fi
echo "$verify -c --quiet: the same files again, with another program"
$verify -c --quiet "$manifest"
echo "all $files files agree; the manifest is $manifest"
