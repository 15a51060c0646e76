#!/bin/sh
# board.sh: opens the board in a headless Chromium.
#
# board.sh check [WORD...]   checks the pages and the server; a WORD selects checks by name
# board.sh pictures          makes pictures of the pages: .build/pictures/board
# board.sh cost              measures the browser, and whether a run is slowed
#
# BOARD names the program [default: .build/board/release/board].
set -eu

verb=$1
shift
. support/chromium.sh

case $verb in
check) exec timeout 3600 "$python" examples/demos/Tests/Browser/board.py check "$@" ;;
pictures) exec timeout 1800 "$python" examples/demos/Tests/Browser/board.py pictures .build/pictures/board ;;
cost) exec timeout 1800 "$python" examples/demos/Tests/Browser/board.py cost ;;
esac
