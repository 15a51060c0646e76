#!/bin/sh
# lld.sh: prints the flags that make `swift build` link with the toolchain's
# own linker, or nothing where it has none. gold, the default, warns of things
# that are no fault of ours: a mktemp inside the static Foundation, symbols of
# the address sanitizer.
set -eu

libraries=$(swift -print-target-info |
    sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
! [ -x "${libraries%/lib/swift}/bin/ld.lld" ] || echo "-Xswiftc -use-ld=lld"
