#!/bin/sh
# docs.sh [DIR]: makes the documentation of the Swift modules in .build/docs or DIR: index.html, which
# a browser opens from the file, and Weir.doccarchive, which a web server can serve as it is. A warning
# is an error.
#
# With the toolchain's own tools: all users of Weir would have to fetch a plugin.
set -eu

to=${1:-.build/docs}

command -v docc >/dev/null || {
    echo "docs: docc is not in PATH; the Swift toolchain contains it" >&2
    exit 1
}

# PRODUCTS: the folder of a build that is up to date.
if [ -z "${PRODUCTS-}" ]; then
    swift build --target FileJobs
    PRODUCTS=$(swift build --show-bin-path)
fi
products=$PRODUCTS
modules=$products/Modules
checkouts=$(dirname "$(dirname "$(realpath "$products")")")/checkouts
target=$(swift -print-target-info | sed -n 's/.*"triple": *"\(.*\)".*/\1/p' | head -n 1)

rm -rf "$to"
mkdir -p "$to/symbols"
# The comments come from the modules, as the sources were when they were compiled.
for module in Weir FileJobs; do
    swift symbolgraph-extract -module-name "$module" -target "$target" \
        -I "$modules" -I Sources/CWeir/include -I "$products/CFileKernels.build" \
        -I "$checkouts/swift-system/Sources/CSystem/include" \
        -minimum-access-level public -skip-synthesized-members \
        -emit-extension-block-symbols -output-dir "$to/symbols"
done
# A twin documents only the parameters that the other form lacks.
docc convert Sources/Weir/Weir.docc \
    --additional-symbol-graph-dir "$to/symbols" --output-path "$to/Weir.doccarchive" \
    --fallback-display-name Weir --fallback-bundle-identifier weir \
    --disable-parameters-and-returns-validation --warnings-as-errors

# Each page as an entry of one script.
cp support/docs.html "$to/index.html"
data=$to/Weir.doccarchive/data
find "$data/documentation" -name '*.json' | LC_ALL=C sort | while IFS= read -r page; do
    name=${page#"$data"}
    printf 'pages["%s"] = ' "${name%.json}"
    cat "$page"
    echo
done >"$to/pages.js"
case $to in
/*) ;;
*) to=$PWD/$to ;;
esac
echo "docs: open file://$to/index.html in a browser, or serve the folder $to/Weir.doccarchive"
