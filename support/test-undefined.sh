#!/bin/sh
# test-undefined.sh: runs the tests with clang's undefined behavior sanitizer in the C
# sources; a finding ends the tests. SwiftPM has no `--sanitize undefined`, because
# Swift's compiler has no such sanitizer. So the flags are passed to clang, and its
# runtime is linked as a whole archive.
set -eu

minutes=${TEST_MINUTES:-40}
export SWIFT_BACKTRACE=enable=no
export SANITIZER=undefined # for check-lib.sh, and `needs unsanitized` of transcripts
export UBSAN_OPTIONS=print_stacktrace=1

. support/shell.sh

# The clang of SwiftPM, and the runtime for it.
clang=$(toolchain)/bin/clang
runtime=$("$clang" --print-file-name="libclang_rt.ubsan_standalone-$(uname -m).a")
[ -f "$runtime" ] || fail "$clang has no runtime for the sanitizer"

# part OPTION...: runs tests, in the parts of test.sh.
part() {
    # shellcheck disable=SC2046
    limited "$minutes" swift test $(lld) --disable-xctest --scratch-path .build-ubsan \
        -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined \
        -Xlinker --whole-archive -Xlinker "$runtime" -Xlinker --no-whole-archive \
        "$@" </dev/null
}

printf '\n== undefined behavior sanitizer\n'
sh support/check-lib.sh
# shellcheck disable=SC2046,SC2086
part --no-parallel --filter '^WeirTests' --filter FileJobsTests --filter FuzzTests $(without $wait_tests)
part --filter WeirToolTests
part --filter ReliabilityTests
