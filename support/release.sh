#!/bin/sh
# release.sh: builds the optimized tool.
#
# Half the time of a short run, such as one small file in a script's loop, is the
# start of the program. So all libraries but libc are linked statically, if the
# toolchain and the system have static ones, and at fixed addresses: no library is
# searched for, and none of 60,000 addresses is computed. docs/decisions.md has the figures.
set -eu

. support/shell.sh

libraries=$PWD/.build/static-libraries

# static_library NAME: makes the linker find the static library. It prefers a shared one
# of the same directory, so this one gets a directory of its own. Fails if there is none.
static_library() {
    path=$(cc -print-file-name="$1")
    [ "$path" != "$1" ] && ln -sf "$path" "$libraries/"
}

if [ -d "$(toolchain)/lib/swift_static" ]; then
    rm -rf "$libraries"
    mkdir -p "$libraries"
    set --
    ! static_library libcrypto.a || set -- -Xcc -DWEIR_STATIC_LIBCRYPTO
    static_library libstdc++.a || :
    set -- "$@" --static-swift-stdlib --disable-local-rpath \
        -Xswiftc -L -Xswiftc "$libraries" \
        -Xswiftc -Xclang-linker -Xswiftc -static-libgcc \
        -Xswiftc -Xclang-linker -Xswiftc -no-pie
else
    set --
    echo "release: this toolchain has no static Swift libraries;" \
        "the tool will need the shared ones" >&2
fi

# Swift would check each access to a property of an object, 6 % of an update without changes: the
# tests, which are not optimized, do.
# No symbol is exported, so that unused functions are left out; none is kept, nor is debug information,
# which takes an eighth of the time of the build.
# shellcheck disable=SC2046
swift build -c release "$@" $(lld) -Xlinker --no-export-dynamic \
    -Xlinker --strip-all -Xswiftc -enforce-exclusivity=unchecked -Xswiftc -gnone --product weir

# The completions and manual pages. Made here, because root may not be able to run the tool.
sh support/tool-files.sh .build/release/weir
