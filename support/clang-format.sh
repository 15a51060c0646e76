#!/bin/sh
# clang-format.sh: prints the name of clang-format 14, or fails if there is none.
# Another version breaks lines at other places.
set -eu

for name in clang-format-14 clang-format; do
    if command -v "$name" >/dev/null 2>&1 && "$name" --version | grep -q ' 14\.'; then
        echo "$name"
        exit 0
    fi
done
echo "clang-format 14 is not installed: skipped the layout of the C sources" \
    "(Debian 12: apt-get install clang-format)" >&2
exit 1
