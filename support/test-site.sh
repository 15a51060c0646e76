#!/bin/sh
# test-site.sh: opens every page of .build/site in a headless Chromium, at some widths, light and dark: axe, links,
# search, the game. WIDTHS names the widths [default: 400 1000 1600].
set -eu

. support/chromium.sh
exec timeout 3600 "$python" docs/site/check.py .build/site
