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
import board_cost
import board_downloads
import board_pages
import board_server
from board_tools import PAGES, SCHEMES, Check, Server, Visit, begin, finish, launch, run_check

WIDTHS = (400, 900, 1600)
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


def pictures(browser, directory):
    """Makes pictures of each page in the middle of a simulated run, and at its end."""
    directory.mkdir(parents=True, exist_ok=True)
    check = Check("pictures")
    with Server() as server:
        for name in ("", *PAGES):
            with Visit(browser, check, server.address, reduced_motion="reduce") as visit:
                if not name:
                    visit.open("")
                    shoot(visit, directory, "pages", "list", lambda: None)
                    continue
                start = begin(visit, name)
                shoot(visit, directory, name, "middle", start)
                finish(visit, name)
                shoot(visit, directory, name, "end", lambda: None)
    for fault in check.faults:
        print(f"board.py: {fault}", file=sys.stderr)
    return 1 if check.faults else 0


def shoot(visit, directory, name, moment, start):
    """Makes pictures at all widths, in both schemes. Starts the run if none goes on."""
    for scheme in SCHEMES:
        for width in WIDTHS:
            if moment == "middle" and not visit.is_running():
                start()
                visit.page.wait_for_timeout(900)
            visit.page.set_viewport_size({"width": width, "height": 900})
            visit.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            visit.page.wait_for_timeout(250)
            path = directory / f"{name}-{moment}-{width}-{scheme}.png"
            visit.page.screenshot(path=path, full_page=True)
            print(path)


def main(arguments):
    verb = arguments[0] if arguments else ""
    if verb not in ("check", "pictures", "cost"):
        sys.exit(__doc__)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        if verb == "check":
            return check(browser, arguments[1:])
        if verb == "pictures" and len(arguments) == 2:
            return pictures(browser, pathlib.Path(arguments[1]))
        if verb == "cost":
            return board_cost.measure(browser)
        sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
