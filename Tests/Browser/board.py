#!/usr/bin/env python3
"""Tests the board, which shows the demos as a page, in a headless Chromium.

usage: board.py check [WORD...]      check the pages and the server; exits with 1 after a fault
       board.py pictures DIRECTORY   make pictures of each page at 400, 900 and 1600 pixels
       board.py cost                 measure the browser, and whether a run is slowed

A WORD selects the checks whose names contain it. BOARD names the program [default:
.build/board/release/board], CHROMIUM the browser. Needs the packages playwright and
axe-playwright-python. `make test-board`, `make board-pictures` and `make bench-board` bring all.
"""
import pathlib
import sys

from playwright.sync_api import sync_playwright

import board_access
import board_downloads
import board_pages
import board_server
from board_tools import Server, launch, run_check

# Checks of one server that all of them share.
SHARED = {**board_downloads.CHECKS, **board_pages.CHECKS, **board_server.CHECKS,
          **board_access.CHECKS}
# Checks that start servers of their own.
ALONE = board_server.ALONE


def check(browser, words):
    is_wanted = lambda name: not words or any(word in name for word in words)
    faulty = []
    with Server() as server:
        for name, function in SHARED.items():
            if is_wanted(name) and not run_check(name, function, browser, server):
                faulty.append(name)
            if server.process.poll() is not None:
                sys.exit(f"board.py: the server ended by itself: {server.process.returncode}")
    for name, function in ALONE.items():
        if is_wanted(name) and not run_check(name, function, browser):
            faulty.append(name)
    if faulty:
        print(f"board.py: {len(faulty)} checks failed: {', '.join(faulty)}", file=sys.stderr)
    return 1 if faulty else 0


def main(arguments):
    verb = arguments[0] if arguments else ""
    if verb not in ("check", "pictures", "cost"):
        sys.exit(__doc__)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        if verb == "check":
            return check(browser, arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
