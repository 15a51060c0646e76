# shellcheck shell=sh
# shell.sh: functions for the other scripts, which source it.

# assign NAME VALUE: prints an assignment for eval.
assign() {
    printf "%s='%s'\n" "$1" "$(printf '%s' "$2" | sed "s/'/'\\\\''/g")"
}

# version PART: prints MAJOR, MINOR or PATCH of include/weir/base.h.
version() {
    sed -n "s/^#define WEIR_VERSION_$1 \([0-9]*\)$/\1/p" include/weir/base.h
}

# soname: prints the soname of the library. Before 1.0 a minor version may change
# the ABI, so the soname contains it.
soname() {
    case $(version MAJOR) in
    0) echo "libweir.so.0.$(version MINOR)" ;;
    *) echo "libweir.so.$(version MAJOR)" ;;
    esac
}

# read_config: reads the variables that `lib.sh configure` has written.
# shellcheck disable=SC2034
read_config() {
    blocks='' runtime='' static_libraries=''
    dispatch_include='' dispatch_shared='' dispatch_static=''
    # shellcheck source=/dev/null
    . ./.build/lib/config
}

# limited MINUTES COMMAND...: ends the command at its time limit. The tests are a
# process group of their own, which `swift test` ends on an interrupt, from here
# or from the terminal.
limited() {
    limit=$1
    shift
    if command -v timeout >/dev/null 2>&1; then
        timeout --foreground --signal=INT --kill-after=20 "${limit}m" "$@"
    else
        "$@"
    fi
}
