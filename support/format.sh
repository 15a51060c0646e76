#!/bin/sh
# format.sh: formats the Swift sources with the toolchain's swift-format, and the
# C sources with clang-format.
set -eu

of_each_line() {
    tr '\n' '\0' | xargs -0 "$@"
}

sh support/sources.sh '*.swift' | of_each_line swift format --in-place --parallel
if formatter=$(sh support/clang-format.sh); then
    sh support/sources.sh '*.c' '*.h' | of_each_line "$formatter" -i
fi
