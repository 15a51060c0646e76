#!/bin/sh
# test-course.sh: tests the schedule game with node, and the course in a headless Chromium.
#
# Without node the first part is skipped, and the second as well: it asks node for the solutions of
# the levels.
set -eu

if ! command -v node >/dev/null 2>&1; then
    echo "test-course: skipped: node is missing (Debian: apt install nodejs)"
    exit 0
fi
timeout 300 node --test examples/course/tests/
sh support/course.sh
. support/chromium.sh
exec timeout 1800 "$python" examples/demos/Tests/Browser/course.py .build/course
