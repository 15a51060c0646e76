#!/bin/sh
# course.sh: writes the course as static pages: .build/course
#
# The modules become one classic script, which a browser also loads from a file. Each run is
# recorded by weir-demo, simulated, so that the same sources give the same pages. The pitfalls ran
# for real once: weir-demo pitfalls all --json >pitfalls.jsonl
#
# DEMO names the program [default: .build/demos/release/weir-demo].
set -eu

demo=${DEMO:-.build/demos/release/weir-demo}
out=.build/course
course=examples/course
page=examples/demos/Sources/Demos/Page

rm -rf "$out"
mkdir -p "$out"
cp "$course/index.html" "$out/index.html"
cat "$page/style/base.css" "$page/style/timeline.css" \
    "$page/style/listings.css" "$page/style/loops.css" "$course/game/game.css" "$course/course.css" >"$out/course.css"
{
    echo '"use strict";'
    echo 'const modules = {};'
    for module in "$page"/code/dom.js "$page"/code/kept.js "$page"/code/words.js "$page"/code/listings.js \
        "$page"/code/timeline/rows.js "$page"/code/timeline/statistics.js "$page"/code/timeline/timeline.js \
        "$page"/code/timeline/scrubber.js "$page"/code/player.js \
        "$page"/views/loops/model.js "$page"/views/loops/curve.js "$page"/views/loops/screen.js "$course"/game/language.js \
        "$course"/game/machine.js "$course"/game/search.js "$course"/game/levels.js "$course"/game/game.js \
        "$course"/glossary.js "$course"/pages.js "$course"/draw.js "$course"/course.js; do
        # The names of a module are its own, as in the pages of a run: its file becomes a function.
        name=$(basename "$module" .js)
        echo "modules.$name = (() => {"
        sed -e ':join' -e '/^import [^;]*$/{' -e N -e b\ join -e '}' \
            -e 's/^import \({[^}]*}\)[^"]*".*\/\([a-z]*\)\.js";/const \1 = modules.\2;/' \
            -e 's/^export //' "$module"
        sed -n 's/^export [a-z]* \([A-Za-z]*\).*/\1/p' "$module" | paste -sd, | sed 's/.*/return { & };/'
        echo '})();'
    done
} >"$out/course.js"

# record WORDS: records a run of weir-demo. Its data are those of the run's page.
record() {
    words=$1
    # The words are several arguments.
    # shellcheck disable=SC2086
    timeout 60 "$demo" $words --virtual --html "$out/run.html" </dev/null >/dev/null || {
        echo "course.sh: weir-demo $words failed" >&2
        exit 1
    }
    printf '"%s":\n' "$words"
    sed -n -e 's/.* id="data">//' -e '/^{"run":/,/<\/script>$/ s/<\/script>$/,/' -e '/^{"run":/,/^\]}/p' "$out/run.html"
    rm -f "$out/run.html"
}

# escaped FILE: prints a file as the inside of a JSON string.
escaped() {
    awk '{ gsub(/\\/, "\\\\\\\\"); gsub(/"/, "\\\""); printf "%s\\n", $0 }' "$1"
}

{
    echo 'globalThis.weirCourse = {'

    # The runs that the pages name, and the pitfalls.
    tr '\n' ' ' <"$course/pages.js" | grep -oE '(run|asked)\("[^"]*", "[^"]*", +"[^"]*"' |
        sed 's/"$//; s/.*"//' | sort -u >"$out/runs.txt"
    while read -r words; do record "$words"; done <"$out/runs.txt"
    sed 's/.*,"name":"\([^"]*\)".*/"pitfalls \1": &,/' "$course/pitfalls.jsonl"

    # The programs that are shown, with what they printed.
    for program in "$course"/programs/*.swift; do
        printf '"program %s": { "code": "%s", "output": "%s" },\n' "$(basename "$program" .swift)" \
            "$(escaped "$program")" "$(escaped "${program%.swift}.txt")"
    done

    # The programs of the course: the blocks of Swift after its heading.
    echo '"programs": ['
    awk '/^## A course of four weeks/ { isCourse = 1 }
        isCourse && /^```swift/ { isCode = 1; text = ""; next }
        isCode && /^```/ { isCode = 0; printf "\"%s\",\n", text; next }
        isCode { gsub(/\\/, "\\\\\\\\"); gsub(/"/, "\\\""); text = text $0 "\\n" }' examples/README.md
    echo ']};'
} >"$out/runs.js"
rm -f "$out/runs.txt"
echo "$out/index.html"
