#!/bin/sh
# browser.sh: opens HTML reports in a headless Chromium.
#
# browser.sh check [FILE...]     checks them: console, requests, bars, steps by keyboard
# browser.sh pictures [FILE...]  makes pictures of them: .build/pictures
#
# Without a FILE: a report of each demo, as the tool writes it, and for the check pages of
# the tests with hostile, long and empty logs. Installs chromium with apt-get if it is
# missing, and playwright in .build/browser.
set -eu

verb=$1
shift
tool=${TOOL:-.build/release/weir}
pages=.build/pages
python=.build/browser/bin/python

if ! command -v "${CHROMIUM:-chromium}" >/dev/null 2>&1; then
    echo "browser: installing chromium" >&2
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
if ! "$python" -c 'import playwright' 2>/dev/null; then
    echo "browser: installing playwright in .build/browser" >&2
    python3 -m venv .build/browser
    "$python" -m pip install --quiet playwright
fi

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
