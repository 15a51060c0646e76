# shellcheck shell=sh
# wait.sh: functions to wait for conditions, and to compare. Sourced.

seconds() {
    date +%s.%N
}

# since SECONDS: prints the time that has passed, in seconds.
since() {
    echo "$1 $(seconds)" | awk '{ printf "%.1f s", $2 - $1 }'
}

ok() {
    printf 'ok %s\n' "$*"
}

# explain WORD...: the result of the current check.
explain() {
    printf '%s' "$*" >>log/said
}

# bad WORD...: ends the run with what differed.
bad() {
    ps axfo pid,stat,args >log/processes
    printf 'not ok %s\n' "$*" >&2
    exit 1
}

# wait_for SECONDS COMMAND...: repeats the command until it is true.
wait_for() {
    limit=$1
    shift
    end=$(($(date +%s) + limit))
    until "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt "$end" ] || bad "after $limit s still not: $*"
        sleep 0.05
    done
}

# same FILE FILE: fails if the contents differ.
same() {
    cmp "$1" "$2" >&2 || bad "$2 differs from $1"
}

# has FILE PATTERN: fails unless a line of the file matches.
has() {
    grep -q "$2" "$1" || bad "no line with $2 in $1: $(cat "$1")"
}

# expect STATUS COMMAND...: runs the command; fails if it has another exit status. Its
# output is in log/out and log/err.
expect() {
    wanted=$1
    shift
    got=0
    "$@" >log/out 2>log/err </dev/null || got=$?
    [ "$got" -eq "$wanted" ] || {
        tail -n 20 log/err >&2
        bad "status $got, not $wanted: $*"
    }
}
