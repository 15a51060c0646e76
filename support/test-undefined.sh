#!/bin/sh
# test-undefined.sh: the package's own tests under the undefined behaviour
# sanitizer, which looks at the C sources; a finding ends the tests. SwiftPM
# refuses `--sanitize undefined`, because Swift's compiler has none; clang's is
# asked for by hand, and its runtime linked in whole.
set -eu

minutes=${TEST_MINUTES:-40}
export SWIFT_BACKTRACE=enable=no
export UBSAN_OPTIONS=print_stacktrace=1

. support/shell.sh

# The clang that SwiftPM compiles with, and the runtime that is made for it.
resources=$(swift -print-target-info |
    sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
clang=${resources%/lib/swift}/bin/clang
runtime=$("$clang" --print-file-name="libclang_rt.ubsan_standalone-$(uname -m).a")
if ! [ -f "$runtime" ]; then
    echo "test-undefined: $clang has no runtime of the sanitizer" >&2
    exit 1
fi

printf '\n== undefined behaviour sanitizer\n'
# shellcheck disable=SC2046
limited "$minutes" swift test $(sh support/lld.sh) --disable-xctest \
    --skip PackageTests --skip CostTests --scratch-path .build-ubsan \
    -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined \
    -Xlinker --whole-archive -Xlinker "$runtime" -Xlinker --no-whole-archive \
    </dev/null
