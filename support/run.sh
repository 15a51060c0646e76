#!/bin/sh
# run.sh TOOL [DIR]: hashes a real tree and verifies it with sha256sum: DIR, or
# this repository's files and the system's share directory.
set -eu

tool=$1
directory=${2-}

# What this repository consists of: what git tracks, or, where this is no git
# checkout, everything but what was built.
repository_files() {
    if [ -e .git ] && command -v git >/dev/null 2>&1; then
        git -c core.quotePath=false ls-files
    else
        find . -name '.build*' -prune -o -type f -print
    fi
}

manifest=$(mktemp -d "${TMPDIR:-/tmp}/weir-run.XXXXXX")/manifest.sha256

if [ -n "$directory" ]; then
    what=$directory
    set -- "$directory"
else
    what="this repository and /usr/share"
    newline='
'
    IFS=$newline
    set -f
    # One name a line: the names in this repository are tame.
    # shellcheck disable=SC2046
    set -- $(repository_files) /usr/share
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

if command -v sha256sum >/dev/null 2>&1; then
    verify="sha256sum"
else
    verify="shasum -a 256"
fi
echo "$verify -c --quiet: the same files once more, by another program"
$verify -c --quiet "$manifest"

lines=$(wc -l <"$manifest")
echo "all $((lines)) files agree; the manifest is $manifest"
