#!/usr/bin/env python3
"""Makes examples/images/board-*.png: pages of the board in the middle of a run.

usage: board_docs.py DIRECTORY

The runs are simulated, and the page is moved to an event by its scrubber, so a picture changes only
if the page does. Environment and packages are those of board.py; `make teaching-pictures` runs it.
"""
import pathlib
import sys

from playwright.sync_api import sync_playwright

from board_tools import Server, launch

WIDTH = 1120
# The page and its knobs, the share of the run's events that the picture shows, and the height.
PICTURES = {
    "downloads": ("tasks=8&max=3&speed=20", 0.55, 1440),
    "images": ("step=5&speed=20", 0.45, 1130),
}
MOST_BYTES = 204800


def picture(page, server, name, folder):
    knobs, share, height = PICTURES[name]
    page.goto(f"{server.address}{name}?{knobs}&virtual=1")
    page.wait_for_selector("#start:not(:disabled)")
    page.fill("#question-0", "5")
    page.click("#start")
    page.wait_for_selector(".verdict:not([hidden])", timeout=60000)
    page.keyboard.press("End")
    page.evaluate("""share => {
      const range = document.getElementById("scrubber");
      range.value = Math.round(range.max * share);
      range.dispatchEvent(new Event("input"));
      document.activeElement.blur();
      scrollTo(0, 0);
    }""", share)
    page.wait_for_timeout(500)
    file = folder / f"board-{name}.png"
    page.screenshot(path=file, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
    if file.stat().st_size > MOST_BYTES:
        sys.exit(f"board_docs.py: {file} has {file.stat().st_size} bytes, more than {MOST_BYTES}")


def main():
    folder = pathlib.Path(sys.argv[1])
    with sync_playwright() as playwright, Server() as server:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": WIDTH, "height": 1700}, color_scheme="light")
        for name in PICTURES:
            picture(page, server, name, folder)
        browser.close()


main()
