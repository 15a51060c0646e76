# shellcheck shell=sh
# shell.sh: functions for the other scripts, which source it.

# say WORD...: prints a message of the script that sources this file.
say() {
    script=${0##*/}
    printf '%s: %s\n' "${script%.sh}" "$*"
}

# fail WORD...: ends the script with a message.
fail() {
    say "$*" >&2
    exit 1
}

# assign NAME VALUE: prints an assignment for eval.
assign() {
    printf "%s='%s'\n" "$1" "$(printf '%s' "$2" | sed "s/'/'\\\\''/g")"
}

# version PART: prints MAJOR, MINOR or PATCH of include/weir/base.h.
version() {
    sed -n "s/^#define WEIR_VERSION_$1 \([0-9]*\)$/\1/p" include/weir/base.h
}

# full_version: prints the three parts, as 1.2.3.
full_version() {
    echo "$(version MAJOR).$(version MINOR).$(version PATCH)"
}

# dist_name: prints the name of this version's archive for this architecture.
dist_name() {
    echo "weir-$(full_version)-linux-$(uname -m)"
}

# write_sums: writes SHA256SUMS of this version's files in .build/dist. A package of deb.sh
# has a version of its own form; both begin with the same number.
write_sums() (
    number=$(full_version)
    cd .build/dist || exit
    find . -maxdepth 1 -type f \( -name "*[-_]${number}[-.]*" -o -name weir.rb \) ! -name '*sig' |
        sed 's|^\./||' | LC_ALL=C sort | of_each_line sha256sum -- >SHA256SUMS
)

# version_date: prints the date of the newest version, so that the same sources give the
# same pages.
version_date() {
    sed -n 's/^## .*\([0-9]\{4\}-[0-9][0-9]-[0-9][0-9]\).*/\1/p' CHANGELOG.md | head -n 1
}

# file MODE FILE DIRECTORY [NAME]: installs a file, in a directory below $DESTDIR.
file() {
    install -d "$DESTDIR$3"
    install -m "$1" "$2" "$DESTDIR$3/${4-${2##*/}}"
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
    dispatch_include='' dispatch_shared='' dispatch_static='' dispatch_installed=''
    # shellcheck source=/dev/null
    . ./.build/lib/config
}

# toolchain: prints the usr folder of the Swift toolchain in PATH.
toolchain() {
    swift -print-target-info 2>/dev/null |
        sed -n 's/.*"runtimeResourcePath": *"\(.*\)\/lib\/swift".*/\1/p'
}

# lld: prints the flags that make `swift build` link with the toolchain's lld, if it
# has one. gold, the default, warns of code that is not Weir's: a mktemp in the
# static Foundation, symbols of the address sanitizer.
lld() {
    ! [ -x "$(toolchain)/bin/ld.lld" ] || echo "-Xswiftc -use-ld=lld"
}

# clang_format ARGUMENT...: runs clang-format 14 on the C sources, if it is installed.
# Another version breaks lines at other places.
clang_format() {
    for name in clang-format-14 clang-format; do
        if command -v "$name" >/dev/null 2>&1 && "$name" --version | grep -q ' 14\.'; then
            sh support/sources.sh '*.c' '*.h' | of_each_line "$name" "$@"
            return
        fi
    done
    echo "clang-format 14 is not installed: skipped the layout of the C sources" \
        "(Debian 12: apt-get install clang-format)" >&2
}

# of_each_line COMMAND...: runs the command with the lines of its input as arguments.
of_each_line() {
    tr '\n' '\0' | xargs -0 "$@"
}

# The suites of campaigns with random inputs, which `make test-random` runs; the tests that measure
# seconds, which `make test-waits` runs; and of the other Swift tests, those of the libraries, and
# those of the tool. These start thousands of processes: beside them, tests of tasks would wait for
# a thread for minutes.
random_suites='LedgerModelTests CallKillTests FaultTests LibraryFaultTests RaceTests'
wait_tests="ChildTimeTests"
# shellcheck disable=SC2034
library_suites='^(WeirTests|FileJobsTests|FuzzTests)\.' tool_suites='^(WeirToolTests|ReliabilityTests)\.'

# without SUITE...: prints the options that leave out suites.
without() {
    for suite; do
        echo "--skip $suite"
    done
}

# The options of Swift tests, which the folder of the build follows. Debug information would take a
# sixth of the time of the build. Whole modules take a fifth less than parts, each of which reads the
# rest of its module; an object for each file, as SwiftPM expects, needs the number of threads.
test_flags='--disable-xctest -Xswiftc -gnone -Xswiftc -wmo -Xswiftc -disable-batch-mode
    -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -no-emit-module-separately-wmo --scratch-path'

# build_tests FOLDER OPTION...: builds the Swift tests in a folder.
# shellcheck disable=SC2086
build_tests() {
    swift build $test_flags "$@" --build-tests
}

# swift_tests MINUTES FOLDER OPTION...: runs Swift tests, built in a folder.
# shellcheck disable=SC2086
swift_tests() {
    minutes=$1 folder=$2
    shift 2
    limited "$minutes" swift test $test_flags "$folder" "$@"
}

# use_memory: has tests make their directories in memory, unless TMPDIR says where, or less than 4 GB
# are free. ext4 gives no inode that was freed in the last seconds: beside tests that remove
# thousands of files, the search for one takes a third of their time. The long targets stay on disk.
use_memory() {
    [ -z "${TMPDIR-}" ] && [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] &&
        [ "$(df -Pk /dev/shm | awk 'NR == 2 { print $4 }')" -gt 4000000 ] || return 0
    TMPDIR=$(mktemp -d /dev/shm/weir-tests.XXXXXX) || fail "no directory can be made in /dev/shm"
    chmod 1777 "$TMPDIR" # as /tmp: some tests are another user
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
    trap 'exit 130' INT TERM
}

# limited MINUTES COMMAND...: ends the command at its time limit; $priority may be `nice -n 5`. The
# tests are a process group of their own, which `swift test` ends on an interrupt, from here or from the
# terminal.
priority=
# shellcheck disable=SC2086
limited() {
    limit=$1
    shift
    if command -v timeout >/dev/null 2>&1; then
        timeout --foreground --signal=INT --kill-after=20 "${limit}m" $priority "$@"
    else
        $priority "$@"
    fi
}

# use_sanitizer thread|address: sets the options of the tests with this sanitizer,
# and `scratch` to its build directory.
use_sanitizer() {
    case $1 in
    thread) scratch=.build-tsan ;;
    address) scratch=.build-asan ;;
    *)
        echo "$(basename "$0" .sh): thread or address, not $1" >&2
        exit 2
        ;;
    esac
    export SWIFT_BACKTRACE=enable=no
    export TSAN_OPTIONS="allocator_may_return_null=1:suppressions=$PWD/support/races-of-others.txt"
    export ASAN_OPTIONS="allocator_may_return_null=1"
    export LSAN_OPTIONS="suppressions=$PWD/support/leaks-of-others.txt:print_suppressions=0"
}
