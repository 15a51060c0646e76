#!/bin/sh
# release.sh: builds the optimized tool. Links Swift's libraries statically if the
# toolchain has static ones: the tool then runs without Swift, and starts sooner.
set -eu

. support/shell.sh

if [ -d "$(toolchain)/lib/swift_static" ]; then
    static=--static-swift-stdlib
else
    static=
    echo "release: this toolchain has no static Swift libraries;" \
        "the tool will need the shared ones" >&2
fi

# Both are lists of words.
# shellcheck disable=SC2046,SC2086
swift build -c release $static $(lld) --product weir

# The shell completions. Made here, because root may not be able to run the tool.
mkdir -p .build/completions
for shell in bash zsh fish; do
    .build/release/weir --generate-completion-script "$shell" \
        >".build/completions/$shell"
done
