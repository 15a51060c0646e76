#!/bin/sh
# format.sh: formats the Swift sources with the toolchain's swift-format, and the
# C sources with clang-format.
set -eu

. support/shell.sh

sh support/sources.sh '*.swift' | of_each_line swift format --in-place --parallel
clang_format -i
