# helpers.sh: functions for the commands of all transcripts.

# rot FILE...: changes the letters of files, and neither their sizes nor their times.
rot() {
    for file; do
        touch -r "$file" "$top/time" && tr a-z0-9 b-za1-90 <"$file" >"$top/content" &&
            cat "$top/content" >"$file" && touch -r "$top/time" "$file"
    done
}

# nobody COMMAND...: runs a program as a user without rights.
nobody() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid 65534 --clear-groups --inh-caps=-all "$@"
    else
        "$@"
    fi
}

# ordinary COMMAND...: runs a program without the privileges of root over files.
ordinary() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --bounding-set=-dac_override,-dac_read_search \
            --inh-caps=-dac_override,-dac_read_search "$@"
    else
        "$@"
    fi
}

# fresh: empties the working directory of the section, and returns there.
fresh() {
    cd "$top" && rm -rf t && mkdir t && cd t || exit
}

# each FUNCTION [OUTPUT]: calls a function for each line "ARGUMENT => OUTPUT" of the input, in which
# OUTPUT has ";" for the ends of lines, or for lines with an argument alone. Prints the line as it
# should be if the function writes something else. A line that begins with "# " is a comment.
each() {
    grep -v '^# ' | while IFS= read -r row; do
        argument=${row%% =>*}
        output=${row#"$argument =>"}
        [ "$row" != "$argument" ] || output=${2-}
        said=$("$1" "$argument" </dev/null | sed "s,$top,\$top,g" | paste -sd ';' -)
        [ "$said" = "${output# }" ] ||
            printf '%s =>%s\n' "$argument" "${said:+ $said}"
    done
}

# await CONDITION: waits until a command succeeds; the transcript has a time limit.
await() {
    until eval "$1"; do sleep 0.01; done
}
