#!/bin/sh
# browser.sh: opens HTML reports in a headless Chromium.
#
# browser.sh check [FILE...]     checks them: console, requests, bars, steps by keyboard, axe
# browser.sh pictures [FILE...]  makes pictures of them: .build/pictures
#
# Without a FILE: a report of each demo, as the tool writes it, and for the check pages of
# the tests with hostile, long and empty logs.
set -eu

verb=$1
shift
demo=${DEMO:-.build/demos/release/weir-demo}
pages=.build/pages
. support/chromium.sh

if [ $# -eq 0 ]; then
    mkdir -p "$pages"
    for name in ${DEMOS:-downloads images gallery loops queues starvation gate tasks \
        descriptors groups}; do
        timeout 120 "$demo" "$name" --virtual --html "$pages/$name.html" </dev/null >/dev/null
        set -- "$@" "$pages/$name.html"
    done
    if [ "$verb" = check ]; then
        WEIR_TEST_PAGES="$PWD/$pages" swift test --disable-xctest --package-path examples/demos \
            --scratch-path .build/examples --filter HTMLReportTests >/dev/null
        set -- "$@" "$pages"/test-*.html
    fi
fi

case $verb in
check) exec timeout 900 "$python" examples/demos/Tests/Browser/report.py check "$@" ;;
pictures) exec timeout 900 "$python" examples/demos/Tests/Browser/report.py pictures .build/pictures "$@" ;;
esac
