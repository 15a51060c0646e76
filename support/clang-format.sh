#!/bin/sh
# clang-format.sh: prints which clang-format to use, or says on standard error
# why none is and fails. Another version than 14 breaks lines elsewhere.
set -eu

for name in clang-format-14 clang-format; do
    if command -v "$name" >/dev/null 2>&1 && "$name" --version | grep -q ' 14\.'; then
        echo "$name"
        exit 0
    fi
done
echo "there is no clang-format 14: the layout of the C sources is left alone" \
    "(Debian 12: apt-get install clang-format)" >&2
exit 1
