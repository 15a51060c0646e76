#!/bin/sh
# lint-layout.sh: checks the layout of the sources: the direction of the includes
# between the rooms of the C library, cycles of includes and of calls, names of
# headers, sizes of folders and files, conditions on the system. Prints each fault as FILE:LINE: REASON, then fails.
set -eu

# The rooms of Sources/CWeir, from the bottom to the top. A file includes headers
# of its own room and of those to the left of it.
rooms="base system trace permits loops queues process storage walk
    files/processor files/readers files/file files/lane files/batch files/feed files/run files"

most_files=16
most_lines=500

sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
sh support/sources.sh 'Sources/*.[ch]' 'Sources/*.swift' 'include/*.h' >"$sources/all"
grep '^Sources/CWeir/' "$sources/all" >"$sources/library"

# One line an include: FILE:LINE and the header.
tr '\n' '\0' <"$sources/library" |
    xargs -0 awk '/^#[ \t]*include "/ { split($0, part, "\""); print FILENAME ":" FNR, part[2] }' \
        >"$sources/includes"

arrows() {
    awk -v rooms="$rooms" '
    # The number of the room of a path, by the longest name that matches.
    function room(path,    i, best) {
        for (i = 1; i <= count; i++)
            if (index(path, name[i] "/") == 1 && length(name[i]) > length(name[best]))
                best = i
        return best
    }
    BEGIN { count = split(rooms, name, " ") }
    {
        file = $1
        sub(/^Sources\/CWeir\//, "", file)
        from = room(file)
        to = room($2)
        if (!from || !to) {
            sub(/\/[^\/]*$/, "", file)
            print $1 ": " (from ? $2 : file) " is in no room of support/lint-layout.sh"
        } else if (to > from)
            print $1 ": includes " $2 ", which is above"
    }' "$sources/includes"
}

# tsort names the files of each cycle.
cycles() {
    sed 's/^Sources\/CWeir\///; s/:[0-9]* / /' "$sources/includes" |
        tsort 2>&1 >/dev/null | sed -n '/loop/!s/^tsort: /part of an include cycle: /p'
}

# The same for sources that call each other: a line USER DEFINER for each call.
call_cycles() {
    grep '^Sources/.*\.c$' "$sources/all" | tr '\n' '\0' | xargs -0 awk '
    { line = $0; gsub(/"[^"]*"/, "", line); is_code = !/^ *(\*|\/\*)/ }
    /^[a-z]/ { is_head = 1; head = "" }
    is_head && head == "" && match($0, /(weir|kernel)_[a-z0-9_]+\(/) { head = substr($0, RSTART, RLENGTH - 1) }
    /[;}]$/ { is_head = 0 }
    /[{]$/ { if (is_head && head != "") { definer[head] = FILENAME; defines[FILENAME, head] } is_head = 0 }
    is_code {
        while (match(line, /(weir|kernel)_[a-z0-9_]+\(/)) {
            uses[FILENAME, substr(line, RSTART, RLENGTH - 1)] = 1
            line = substr(line, RSTART + RLENGTH)
        }
    }
    END {
        for (use in uses) {
            split(use, part, SUBSEP)
            # A function of the room `system` has a definition for each system.
            if (part[2] in definer && !((part[1], part[2]) in defines))
                print part[1], definer[part[2]]
        }
    }' | tsort 2>&1 >/dev/null | sed -n '/loop/!s/^tsort: \(.*\)/\1:1: calls a source that calls it/p'
}

# Private headers with the name of a public one.
names() {
    sed -n 's/^include\/.*\/\(.*\.h\)$/\/\1/p' "$sources/all" >"$sources/public"
    grep '\.h$' "$sources/library" | grep -F -f "$sources/public" |
        awk -v list="$sources/public" '
        BEGIN { while ((getline name < list) > 0) is_public[name] = 1 }
        {
            base = $0
            sub(/.*\//, "/", base)
            if (base in is_public)
                print $0 ":1: has the name of a public header"
        }'
}

folders() {
    grep '^Sources/' "$sources/all" | sed 's/\/[^\/]*$//' | sort | uniq -c |
        awk -v most="$most_files" '$1 > most { print $2 ": has " $1 " sources, more than " most }'
}

# A long file says why in its first comment: "Long because ...".
lengths() {
    tr '\n' '\0' <"$sources/all" | xargs -0 awk -v most="$most_lines" '
    function put() {
        if (lines > most && !has_reason)
            print file ":1: has " lines " lines, more than " most \
                ", and its first comment has no \"Long because\""
    }
    FNR == 1 { put(); file = FILENAME; has_reason = 0; is_first = 1 }
    is_first && /Long because/ { has_reason = 1 }
    !/^(\/[\/*]| \*)/ { is_first = 0 }
    { lines = FNR }
    END { put() }'
}

# Systems are told apart in a few places: the room for them, WeirLibC, and Platform.swift.
systems() {
    grep -E '^Sources/.*\.swift$|^Sources/CWeir/' "$sources/all" |
        grep -vE '^Sources/(WeirLibC/|CWeir/system/|Weir/Internals/Platform\.swift)' | tr '\n' '\0' |
        xargs -0 awk '
        /^ *# *(if|ifdef|ifndef|elif|elseif) / &&
        (/os\(/ || /canImport\((Glibc|Musl|Darwin)\)/ || /__(linux|APPLE|FreeBSD)__/ || /WEIR_(POSIX|SYSTEM)/) {
            print FILENAME ":" FNR ": tells systems apart; that is a matter of Sources/CWeir/system"
        }'
}

faults=$(arrows && cycles && call_cycles && names && folders && lengths && systems)
[ -z "$faults" ] || {
    printf '%s\n' "$faults"
    exit 1
}
