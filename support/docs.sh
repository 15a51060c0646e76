#!/bin/sh
# docs.sh [DIR]: makes the documentation of the Swift module, into .build/docs or
# DIR: Weir.doccarchive, which any web server can serve as it is. A warning is an
# error. MODULES=... is where the modules were built; else they are built here.
#
# By the toolchain's own tools: a plugin would be one more package that all who
# use Weir have to fetch.
set -eu

to=${1:-.build/docs}

command -v docc >/dev/null || {
    echo "docs: there is no docc in PATH; it comes with the toolchain of Swift" >&2
    exit 1
}

if [ -z "${MODULES:-}" ]; then
    swift build --target Weir
    MODULES=$(swift build --show-bin-path)/Modules
fi
checkouts=$MODULES/../../../checkouts
target=$(swift -print-target-info | sed -n 's/.*"triple": *"\(.*\)".*/\1/p' | head -n 1)

rm -rf "$to"
mkdir -p "$to/symbols"
# The comments are read from the sources, as they were when they were compiled.
swift symbolgraph-extract -module-name Weir -target "$target" \
    -I "$MODULES" -I Sources/CWeir/include \
    -I "$checkouts/swift-system/Sources/CSystem/include" \
    -minimum-access-level public -skip-synthesized-members \
    -emit-extension-block-symbols -output-dir "$to/symbols"
docc convert Sources/Weir/Weir.docc \
    --additional-symbol-graph-dir "$to/symbols" --output-path "$to/Weir.doccarchive" \
    --fallback-display-name Weir --fallback-bundle-identifier weir \
    --warnings-as-errors
echo "docs: $to/Weir.doccarchive"
