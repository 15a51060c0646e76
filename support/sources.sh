#!/bin/sh
# sources.sh PATTERN...: the files of this repository whose names match, one a
# line: what git tracks or would track; where this is no git checkout, what is
# there besides what was built. Each file once: not through a link, not one
# that is deleted.
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
        # A pattern is meant to match as one.
        # shellcheck disable=SC2254
        case $name in
        $pattern)
            printf '%s\n' "$name"
            break
            ;;
        esac
    done
done
