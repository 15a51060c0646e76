# shellcheck shell=sh
# shell.sh: for other scripts to read.

# assign NAME VALUE: prints an assignment that a shell can eval.
assign() {
    printf "%s='%s'\n" "$1" "$(printf '%s' "$2" | sed "s/'/'\\\\''/g")"
}

# version PART: MAJOR, MINOR or PATCH, as the header states it.
version() {
    sed -n "s/^#define WEIR_VERSION_$1 \([0-9]*\)$/\1/p" include/weir/base.h
}

# soname: what programs are linked against. Before 1.0 a minor version may
# change what programs are compiled against, so it is part of the name.
soname() {
    case $(version MAJOR) in
    0) echo "libweir.so.0.$(version MINOR)" ;;
    *) echo "libweir.so.$(version MAJOR)" ;;
    esac
}

# read_config: takes over what `lib.sh configure` has found.
# shellcheck disable=SC2034
read_config() {
    blocks='' runtime='' static_libraries=''
    dispatch_include='' dispatch_shared='' dispatch_static=''
    # shellcheck source=/dev/null
    . ./.build/lib/config
}

# limited MINUTES COMMAND...: ends the command where it takes longer. An
# interrupt, from here or from the terminal, is what makes `swift test` end the
# tests, which are a process group of their own.
limited() {
    limit=$1
    shift
    if command -v timeout >/dev/null 2>&1; then
        timeout --foreground --signal=INT --kill-after=20 "${limit}m" "$@"
    else
        "$@"
    fi
}
