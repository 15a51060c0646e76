#!/bin/sh
# test-aarch64.sh: builds libdispatch, the C library and its programs for aarch64 Linux, and
# runs the programs under qemu-user beside those of this machine: the kind of the status and the
# lines have to be the same, apart from their order and from numbers. DISPATCH_SOURCE is a
# checkout of
# https://github.com/swiftlang/swift-corelibs-libdispatch; without it, one is cloned.
#
# The programs are those of man/examples and examples/guide, as one executable each without
# shared libraries, and Tests/Kernels, whose lines have to be the same to the last digit.
# qemu-user on x86_64 keeps the order of memory of x86_64, so this shows
# that the library works there, and no missing barrier.
set -eu

. support/shell.sh

place=$PWD/.build/aarch64
target="--target=aarch64-linux-gnu --gcc-toolchain=/usr -isystem /usr/aarch64-linux-gnu/include"
link="-fuse-ld=lld -static -B/usr/aarch64-linux-gnu/lib -L/usr/aarch64-linux-gnu/lib
    -L/usr/lib/gcc-cross/aarch64-linux-gnu/12"
mkdir -p "$place/objects" "$place/here" "$place/there"

for program in qemu-aarch64-static aarch64-linux-gnu-gcc ninja clang; do
    command -v "$program" >/dev/null || fail "$program is missing; install qemu-user-static" \
        "gcc-aarch64-linux-gnu libstdc++-12-dev-arm64-cross ninja-build, and clang"
done

# The sources need a newer cmake than Debian 12 has.
[ -x "$place/venv/bin/cmake" ] || {
    python3 -m venv "$place/venv"
    "$place/venv/bin/pip" install -q cmake==4.4.5
}
source=${DISPATCH_SOURCE:-$place/libdispatch}
[ -d "$source" ] ||
    git clone -q --depth 1 https://github.com/swiftlang/swift-corelibs-libdispatch "$source"

say "libdispatch"
cxx="-isystem /usr/aarch64-linux-gnu/include/c++/12
    -isystem /usr/aarch64-linux-gnu/include/c++/12/aarch64-linux-gnu"
"$place/venv/bin/cmake" -G Ninja -S "$source" -B "$place/dispatch" \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=clang \
    -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_COMPILER_WORKS=1 -DCMAKE_C_FLAGS="$target" \
    -DCMAKE_CXX_FLAGS="$target $(echo $cxx)" -DCMAKE_EXE_LINKER_FLAGS="$(echo $link)" \
    -DBUILD_SHARED_LIBS=NO -DENABLE_SWIFT=NO -DBUILD_TESTING=NO -DCMAKE_BUILD_TYPE=Release \
    >"$place/log" 2>&1
ninja -C "$place/dispatch" >>"$place/log" 2>&1 || fail "see $place/log"
there="$place/dispatch/src/libdispatch.a $place/dispatch/src/BlocksRuntime/libBlocksRuntime.a"
eval "$(sh support/dispatch.sh)"

say "the library"
export place target
# shellcheck disable=SC2016
find Sources/CWeir -name '*.c' | xargs -P "$(nproc)" -n 1 sh -c '
    object=$place/objects/$(printf %s "$1" | tr / _)
    clang $target -std=c11 -O2 -fblocks -Iinclude -ISources/CWeir -c "$1" -o "$object.there" &&
        clang -std=c11 -O2 -fblocks -Iinclude -ISources/CWeir -c "$1" -o "$object.here"' compile ||
    fail "a source does not compile"

# build SIDE NAME SOURCE: builds one program for one side.
build() {
    case $1 in
    there) clang $target $link -O2 -fblocks -Iinclude "$3" "$place"/objects/*.there $there \
        -I"$source" -lm -o "$place/there/$2" ;;
    here) clang -O2 -fblocks -Iinclude -I"$source" "$3" "$place"/objects/*.here -L"$dispatch_shared" \
        -Wl,-rpath,"$dispatch_shared" -ldispatch -lBlocksRuntime -lm -o "$place/here/$2" ;;
    esac 2>>"$place/log"
}

# The programs that need an argument or input, and what they get.
arguments() {
    case $1 in
    pool) echo tree/a tree/sub/b ;;
    lines | weir_files | weir_file | weir_walk | weir_storage) echo tree ;;
    esac
}

# Numbers are times, addresses and threads; blanks make columns of them. A trap is another
# signal on each processor, of which the shell tells.
outcome() {
    (
        cd "$place" || exit
        status=0
        printf 'tree/a\0tree/sub/b\0' | timeout 60 "$@" || status=$?
        case $status in
        0) echo "status: success" ;;
        124) echo "status: late" ;;
        132 | 133) echo "status: trap" ;;
        *) echo "status: failure" ;;
        esac
    ) 2>&1 |
        sed '/^qemu: /d; /core dumped/d; /^Trace/d; /^Illegal/d
            s/[0-9a-f]*[0-9][0-9a-f.,]*/N/g; s/  */ /g; s/^ //' | sort
}

# qemu-user refuses clone(2) with the memory of the parent, by which weir_spawn starts children.
refused='weir_spawn'

mkdir -p "$place/tree/sub"
printf '1\n2\n3\n' >"$place/tree/a"
printf 'no end' >"$place/tree/sub/b"
failed=0 count=0
begin=$(date +%s)
for program in man/examples/*.c examples/guide/*.c; do
    name=$(basename "$program" .c)
    case " $refused " in *" $name "*)
        say "$name: not run, qemu-user cannot start its child"
        continue
        ;;
    esac
    if ! build here "$name" "$program" || ! build there "$name" "$program"; then
        say "$name: does not build"
        failed=$((failed + 1))
        continue
    fi
    # Some outcomes depend on how fast threads come: one equal pair of five is enough.
    for attempt in 1 2 3 4 5; do
        # shellcheck disable=SC2046
        here=$(outcome "here/$name" $(arguments "$name"))
        # shellcheck disable=SC2046
        there_text=$(outcome qemu-aarch64-static "there/$name" $(arguments "$name"))
        [ "$here" != "$there_text" ] || break
    done
    count=$((count + 1))
    [ "$here" = "$there_text" ] || {
        say "$name: differs, $attempt times"
        printf '%s\n--- aarch64:\n%s\n' "$here" "$there_text" | head -40
        failed=$((failed + 1))
    }
done
kernels=Sources/CFileKernels
for side in here there; do
    # shellcheck disable=SC2086
    clang $([ $side = here ] || echo $target $link) -std=c11 -O2 -I$kernels/include \
        Tests/Kernels/kernels.c $kernels/blake3/*.c $kernels/sums/*.c $kernels/count/*.c \
        -o "$place/$side/kernels"
    for locale in C C.UTF-8; do # a processor with several widths prints a line for each
        $([ $side = here ] || echo qemu-aarch64-static) "$place/$side/kernels" $locale | uniq
    done >"$place/$side/kernels.text"
done
cmp "$place/here/kernels.text" "$place/there/kernels.text" || failed=$((failed + 1))
say "aarch64: $(wc -l <"$place/there/kernels.text") lines of kernels"

say "aarch64: $count programs in $(($(date +%s) - begin)) s, $failed failed"
[ "$failed" -eq 0 ]
