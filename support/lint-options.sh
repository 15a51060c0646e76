#!/bin/sh
# lint-options.sh: an option of the tool is told once. A string that is the name of an
# option and nothing else, such as "--jobs" or "-j, --jobs N", stands only where a table
# declares the option, or gives a constant its name. Sentences may name options. The
# drop-in names have the options of GNU's tools and are left out. Prints each fault as
# FILE:LINE: REASON, then fails.
set -eu

sh support/sources.sh 'Sources/*.swift' | grep -v '/DropIns/' | tr '\n' '\0' | xargs -0 awk '
FNR == 1 { before = "" }
!/^[ \t]*\/\// {
    rest = $0
    begin = ""
    while (match(rest, /"(-[A-Za-z], )?--[a-z][a-z0-9-]*(=| [A-Z][A-Z\/]*)?"/)) {
        begin = begin substr(rest, 1, RSTART - 1)
        text = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        place = (begin ~ /^[ \t]*(flag: |answer: )?$/ ? before : "") begin
        if (place !~ /Option(<[A-Za-z]*>)?\([ \t]*(flag: |answer: )?$/ && place !~ /Name\)? = [^=]*$/) {
            print FILENAME ":" FNR ": " text " stands outside of the table of its verb"
            bad = 1
        }
        begin = begin text
    }
    before = $0
}
END { exit bad }'
