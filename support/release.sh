#!/bin/sh
# release.sh: builds the tool for release, with Swift's libraries inside it
# where the toolchain has them for that: it then runs on machines without
# Swift, and starts in half the time.
set -eu

static=--static-swift-stdlib
resources=$(swift -print-target-info -static-stdlib |
    sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
if ! [ -d "$resources" ]; then
    static=
    echo "release: this toolchain has no static Swift libraries;" \
        "the tool will need the shared ones where it runs" >&2
fi

# shellcheck disable=SC2086
exec swift build -c release $static --product weir
