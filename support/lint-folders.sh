#!/bin/sh
# lint-folders.sh: the rooms of a Swift target stand in one order, and each uses only those
# before it; no folders use each other in a circle. A folder uses another if it names a
# type, a function or a constant that a file of the other declares at the left margin.
# Prints each fault as FILE:LINE: REASON, then fails. With -v, prints every arrow between
# two folders, with the names that it stands for.
set -eu

# The rooms of each target, from the bottom to the top; "." is the target's own folder.
order='
Weir Internals Tracing Gate Lanes Groups Loops Tasks Walk Files Processes .
FileJobs Ground Processor . Digests Manifests Output Plan Parts Hash Count Duplicates Command Bags Inventory Ledger Check Proof Audit Update Known Compare
WeirTool Text Output Options Session Shards Commands DropIns Help .
'

sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
sh support/sources.sh 'Sources/*.swift' | grep -E '^Sources/(Weir|FileJobs|WeirTool)/' >"$sources/files"

# Every file is read twice: first for what it declares, then for what it uses.
cat "$sources/files" "$sources/files" | tr '\n' '\0' |
    xargs -0 -s 1000000 awk -v order="$order" -v arrows="$sources/arrows" '
function declared(line) {
    while (sub(/^(@[A-Za-z]+(\([^)]*\))?|public|package|internal|final|indirect|nonisolated(\(unsafe\))?) +/, "", line)) {}
    if (!sub(/^(struct|class|enum|actor|protocol|typealias|func|let|var) /, "", line))
        return ""
    match(line, /^[A-Za-z_][A-Za-z0-9_]*/)
    return RLENGTH > 0 ? substr(line, 1, RLENGTH) : ""
}
function uses(word, here, there) {
    if (!((here, there, word) in names)) {
        names[here, there, word]
        print here, there, word, FILENAME ":" FNR >arrows
    }
    if (target "/" room != roomOf[there] && rank[roomOf[there]] > rank[target "/" room] && !((FILENAME, word) in found)) {
        found[FILENAME, word]
        print FILENAME ":" FNR ": uses " word " of " there ", which is above"
    }
}
BEGIN {
    for (i = split(order, line, "\n"); i > 0; i--)
        for (j = split(line[i], item, " "); j > 1; j--)
            rank[item[1] "/" item[j]] = j
}
FNR == 1 {
    isDeclaring = !(FILENAME in read)
    read[FILENAME]
    count = split(FILENAME, part, "/")
    target = part[2]
    room = count > 3 ? part[3] : "."
    here = FILENAME
    sub(/^Sources\//, "", here)
    sub(/\/[^\/]*$/, "", here)
    roomOf[here] = target "/" room
    if (isDeclaring && !(roomOf[here] in rank)) {
        print FILENAME ":1: " here " is in no room of support/lint-folders.sh"
        rank[roomOf[here]] = 0
    }
}
isDeclaring {
    name = declared($0)
    if (name != "") {
        isTwice[target, name] = ((target, name) in home) && home[target, name] != here
        home[target, name] = here
    }
    next
}
{
    code = $0
    gsub(/"([^"\\]|\\.)*"/, " ", code)
    sub(/\/\/.*/, "", code)
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(code, RSTART, RLENGTH)
        isMember = RSTART > 1 && substr(code, RSTART - 1, 1) == "."
        code = substr(code, RSTART + RLENGTH)
        # A name in lower case counts if it is called.
        if (!isMember && ((target, word) in home) && !isTwice[target, word] && home[target, word] != here \
            && (word ~ /^[A-Z]/ || code ~ /^\(/))
            uses(word, here, home[target, word])
    }
}' >"$sources/faults"

[ "${1:-}" != -v ] || sort "$sources/arrows" | awk '
{ arrow = $1 " -> " $2; if (arrow != last) printf "%s%s:", (last ? "\n" : ""), arrow; last = arrow; printf " %s", $3 }
END { print "" }'

# tsort names the folders of each circle.
awk '{ print $1, $2 }' "$sources/arrows" | sort -u | tsort 2>&1 >/dev/null |
    sed -n '/loop/!s/^tsort: \(.*\)/Sources\/\1:1: is part of a circle of folders/p' | sort -u >>"$sources/faults"
cat "$sources/faults"
[ ! -s "$sources/faults" ]
