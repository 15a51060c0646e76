#!/bin/sh
# release.sh: builds the tool for release, with Swift's libraries inside it
# where the toolchain has them for that: it then runs on machines without
# Swift, and starts sooner.
set -eu

libraries=$(swift -print-target-info -static-stdlib |
    sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
if [ -d "$libraries" ]; then
    static=--static-swift-stdlib
else
    static=
    echo "release: this toolchain has no static Swift libraries;" \
        "the tool will need the shared ones where it runs" >&2
fi

# Lists of words.
# shellcheck disable=SC2046,SC2086
swift build -c release $static $(sh support/lld.sh) --product weir

# What the shells complete. Here, since who installs may not be able to run it.
mkdir -p .build/completions
for shell in bash zsh fish; do
    .build/release/weir --generate-completion-script "$shell" \
        >".build/completions/$shell"
done
