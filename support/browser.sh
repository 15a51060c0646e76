#!/bin/sh
# browser.sh [FILE...]: opens HTML reports in a headless Chromium, and checks them: console,
# requests, bars, steps by keyboard, axe.
#
# Without a FILE: a report of each demo, as the tool writes it, and pages of the tests with
# hostile, long and empty logs.
set -eu

demo=${DEMO:-.build/demos/release/weir-demo}
pages=.build/pages
. support/chromium.sh

if [ $# -eq 0 ]; then
    mkdir -p "$pages"
    for name in ${DEMOS:-downloads images gallery loops queues groups}; do
        timeout 120 "$demo" "$name" --virtual --html "$pages/$name.html" </dev/null >/dev/null
        set -- "$@" "$pages/$name.html"
    done
    WEIR_TEST_PAGES="$PWD/$pages" swift test --disable-xctest --package-path examples/demos \
        --scratch-path .build/examples --filter HTMLReportTests >/dev/null
    set -- "$@" "$pages"/test-*.html
fi
exec timeout 900 "$python" examples/demos/Tests/Browser/report.py "$@"
