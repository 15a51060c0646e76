#!/bin/sh
# browser.sh: opens HTML reports in a headless Chromium.
#
# browser.sh check [FILE...]     checks them: console, requests, bars, steps by keyboard
# browser.sh pictures [FILE...]  makes pictures of them: .build/pictures
#
# Without a FILE: a report of each demo, as the tool writes it, and for the check pages of
# the tests with hostile, long and empty logs.
set -eu

verb=$1
shift
tool=${TOOL:-.build/release/weir}
pages=.build/pages
. support/chromium.sh

if [ $# -eq 0 ]; then
    mkdir -p "$pages"
    for demo in ${DEMOS:-basics downloads images gallery loops queues starvation gate tasks \
        descriptors groups}; do
        timeout 120 "$tool" demo "$demo" --virtual --html "$pages/$demo.html" </dev/null >/dev/null
        set -- "$@" "$pages/$demo.html"
    done
    if [ "$verb" = check ]; then
        sh support/test.sh WEIR_TEST_PAGES="$PWD/$pages" HTMLReportTests >/dev/null
        set -- "$@" "$pages"/test-*.html
    fi
fi

case $verb in
check) exec timeout 900 "$python" Tests/Browser/report.py check "$@" ;;
pictures) exec timeout 900 "$python" Tests/Browser/report.py pictures .build/pictures "$@" ;;
esac
