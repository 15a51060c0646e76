#!/usr/bin/env python3
"""Tests the board, which shows the demos as a page, in a headless Chromium.

usage: board.py [WORD...]   exits with 1 after a fault

A WORD selects the checks whose names contain it. BOARD names the program [default:
.build/board/release/board], CHROMIUM the browser. Needs the packages playwright and
axe-playwright-python. `make test-board` brings all.
"""
import sys

from playwright.sync_api import sync_playwright

import board_access
import board_downloads
import board_pages
import board_server
from board_tools import Server, launch, run_check

# Checks of one server that all of them share.
SHARED = {**board_downloads.CHECKS, **board_pages.CHECKS, **board_access.CHECKS}
# Checks that start servers of their own.
ALONE = board_server.ALONE


def check(browser, words):
    is_wanted = lambda name: not words or any(word in name for word in words)
    for word in words:
        if not any(word in name for name in (*SHARED, *ALONE)):
            sys.exit(f"board.py: no check has a name with {word}")
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


if __name__ == "__main__":
    with sync_playwright() as playwright:
        sys.exit(check(launch(playwright), sys.argv[1:]))
