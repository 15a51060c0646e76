#!/bin/sh
# lint-words.sh: checks the English of the documentation. In each target, at most
# 2 % of the summaries of doc comments may begin with What, Whether, Where, Who,
# It, Those or How; in a public header "where" is for places, not for conditions.
# Prints each fault as FILE:LINE: TEXT, then fails.
set -eu

# The nouns of a place that may stand before "where"; "where to" is allowed too.
places="place|directory|folder|position|offset|point|thread|queue|lane|buffer"

# summaries TARGET PATTERN...: the share of the summaries of these files.
summaries() {
    target=$1
    shift
    sh support/sources.sh "$@" | tr '\n' '\0' | xargs -0 awk -v target="$target" '
    function summary(text, line) {
        sub(/^[ \t*]+/, "", text)
        if (text == "")
            return 0
        all++
        if (text ~ /^(What|Whether|Where|Who|It|Its|Those|How)[^A-Za-z]/)
            found[++bad] = FILENAME ":" line ": " text
        return 1
    }
    FNR == 1 { was_comment = wants = 0 }
    FILENAME ~ /\.swift$/ {
        is_comment = /^[ \t]*\/\/\//
        if (is_comment && !was_comment) {
            sub(/^[ \t]*\/\/\//, "")
            summary($0, FNR)
        }
        was_comment = is_comment
        next
    }
    # In a header: the text after @abstract, else the first text of the comment.
    /^\/\*/ || /^[ \t]*\/\*!/ { wants = 1; sub(/^[ \t]*\/\*!?/, "") }
    wants && /@abstract/ { sub(/.*@abstract/, "") }
    wants && /@(param|result|discussion|field|constant)/ { wants = 0 }
    wants && !/@/ { wants = !summary($0, FNR) }
    /\*\// { wants = 0 }
    END {
        if (bad * 50 <= all)
            exit 0
        for (i = 1; i <= bad; i++)
            print found[i]
        printf "%s: %d of %d summaries begin with a question word or a pronoun\n", target, bad, all
        exit 1
    }'
}

where() {
    sh support/sources.sh 'include/*.h' | tr '\n' '\0' | xargs -0 awk -v places="$places" '
    {
        text = tolower($0)
        gsub(/where to[^a-z]/, "", text)
        gsub("(" places ")s? where[^a-z]", "", text)
        if (text ~ /(^|[^a-z_])where([^a-z_]|$)/) {
            print FILENAME ":" FNR ": \"where\" is for a place:" $0
            bad = 1
        }
    }
    END { exit bad }'
}

failed=
summaries "include" 'include/*.h' || failed=yes
for target in Weir FileJobs WeirTool; do
    summaries "$target" "Sources/$target/*.swift" || failed=yes
done
summaries "Demos" "examples/demos/Sources/*.swift" || failed=yes
summaries "CFileKernels" 'Sources/CFileKernels/*.h' || failed=yes
where || failed=yes
[ -z "$failed" ]
