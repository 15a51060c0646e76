#!/bin/sh
# release.sh: builds the tool for release, with Swift's libraries inside it
# where the toolchain has them for that: it then runs on machines without
# Swift, and starts sooner.
set -eu

libraries=$(swift -print-target-info -static-stdlib |
    sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
if [ -d "$libraries" ]; then
    set -- --static-swift-stdlib
    # The toolchain's own linker, where it has one: gold, the default, warns
    # of a mktemp inside Foundation.
    ! [ -x "${libraries%/lib/swift_static}/bin/ld.lld" ] ||
        set -- "$@" -Xswiftc -use-ld=lld
else
    set --
    echo "release: this toolchain has no static Swift libraries;" \
        "the tool will need the shared ones where it runs" >&2
fi

exec swift build -c release --product weir "$@"
