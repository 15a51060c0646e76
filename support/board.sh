#!/bin/sh
# board.sh [WORD...]: opens the board in a headless Chromium, and checks its pages and the server.
#
# A WORD selects checks by name. BOARD names the program [default: .build/board/release/board].
set -eu

. support/chromium.sh
exec timeout 3600 "$python" examples/demos/Tests/Browser/board.py "$@"
