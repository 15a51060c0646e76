#!/bin/sh
# sources.sh PATTERN...: prints the files of this repository whose paths match a
# pattern, one a line: the files that git tracks or would track; outside a git
# checkout all files but the built ones. No symbolic links, no deleted files.
set -eu

if [ -e .git ] && git rev-parse >/dev/null 2>&1; then
    git -c core.quotePath=false ls-files --cached --others --exclude-standard
else
    find . -name '.build*' -prune -o -print | sed 's|^\./||'
fi | while IFS= read -r name; do
    if [ -L "$name" ] || ! [ -f "$name" ]; then
        continue
    fi
    for pattern; do
        # Unquoted, so that the pattern is one.
        # shellcheck disable=SC2254
        case $name in
        $pattern)
            printf '%s\n' "$name"
            break
            ;;
        esac
    done
done
