#!/bin/sh
# lld.sh: prints the flags that make `swift build` link with the toolchain's lld,
# or nothing if the toolchain has none. gold, the default, warns of code that is
# not Weir's: a mktemp in the static Foundation, symbols of the address sanitizer.
set -eu

libraries=$(swift -print-target-info |
    sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
! [ -x "${libraries%/lib/swift}/bin/ld.lld" ] || echo "-Xswiftc -use-ld=lld"
