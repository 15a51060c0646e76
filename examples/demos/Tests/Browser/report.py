#!/usr/bin/env python3
"""Opens HTML reports in a headless Chromium.

usage: report.py check FILE...              check each page; exits with 1 after a fault
       report.py pictures DIRECTORY FILE... make a picture of each page at 400, 900 and 1600
                                            pixels, light and dark

CHROMIUM names the browser [default: chromium in PATH]. Needs the packages playwright, but none of
its browsers, and axe-playwright-python. `make test-browser` and `make pictures` bring all.
"""
import json
import os
import pathlib
import shutil
import sys
import time

from playwright.sync_api import Error, sync_playwright

from board_access import faults_of
from board_pages import bars_of, check_zoom

WIDTHS = (400, 900, 1600)
SCHEMES = ("light", "dark")


class Faults:
    """The faults of one page."""

    def __init__(self, name):
        self.name = name
        self.count = 0

    def expect(self, condition, text):
        if not condition:
            self.count += 1
            print(f"{self.name}: {text}", file=sys.stderr)


def check_bars(page, faults, log):
    """Compares the bars of the timeline with the events."""
    if page.locator(".timeline-more").is_visible():
        page.locator(".timeline-more").click()
    expected = bars_of(log)
    found = {kind: page.locator(f".timeline-svg rect.bar.{kind}").count() for kind in expected}
    for kind in ("queued", "running"):
        faults.expect(found[kind] == expected[kind],
                      f"{found[kind]} {kind} bars, not {expected[kind]}")
    waits = expected["waiting"]
    faults.expect(waits <= found["waiting"] <= 2 * waits,
                  f"{found['waiting']} waiting bars for {waits} waits")


def check_steps(page, faults, log):
    """Goes through the run by keys: the screen and the timeline follow, and look the same from both
    sides."""
    now = lambda: page.locator("#now").inner_text()
    moment = lambda: (now(), page.locator(".screen").inner_html(), cursor())
    cursor = lambda: page.locator(".timeline-cursor").get_attribute("x1")
    place = lambda number: f"{number} of {len(log)}, "

    def press(key, number):
        page.keyboard.press(key)
        faults.expect(now().startswith(place(number)),
                      f"after {key}: {now()!r}, not event {number}")
        return moment()

    page.evaluate("document.activeElement.blur()")
    forth = [press("Home", 1)] + [press("ArrowRight", number)
                                  for number in range(2, min(len(log), 12))]
    for number in range(len(forth) - 1, 0, -1):
        faults.expect(press("ArrowLeft", number) == forth[number - 1],
                      f"event {number} looks different from the other side")
    first = press("ArrowLeft", 1)
    page.keyboard.press("End")
    faults.expect(len(log) < 3 or moment()[1] != first[1], "the screen does not follow the run")
    faults.expect(now() == "", f"at the end: {now()!r}")
    faults.expect(page.locator(".timeline-cursor").get_attribute("visibility") == "hidden",
                  "the cursor is shown at the end")
    page.keyboard.press("Home")
    page.locator("#scrubber").focus()
    page.keyboard.press("ArrowRight")
    text = page.locator("#scrubber").get_attribute("aria-valuetext")
    faults.expect(text.startswith(place(min(2, len(log)))), f"the scrubber is at {text!r}")
    page.evaluate("document.activeElement.blur()")
    check_play(page, faults, len(log))


def check_play(page, faults, count):
    page.keyboard.press("Home")
    if count < 3:
        return
    page.keyboard.press(" ")
    # The page's policy forbids the evaluation that wait_for_function needs.
    deadline = time.monotonic() + 60
    while page.locator("#now").inner_text().startswith("1 of ") and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    faults.expect(time.monotonic() < deadline, "playing does not move")
    page.keyboard.press("Home")


def check_code(page, faults, log):
    tabs = page.locator("[role=tab]")
    for index in range(tabs.count()):
        # A listing that is alone has no tab that is seen.
        if tabs.count() > 1:
            tabs.nth(index).click()
        faults.expect(page.locator(f"#code{index}").is_visible(), f"tab {index} shows nothing")
        faults.expect(page.locator(".code:visible").count() == 1, "two listings are shown")
    page.evaluate("document.activeElement.blur()")
    page.locator(".events-table summary").click()
    page.locator(".events-table tbody tr").first.wait_for()
    rows = page.locator(".events-table tbody tr").count()
    faults.expect(rows == min(3000, len(log)), f"{rows} rows of {len(log)} events")
    page.locator(".events-table summary").click()


def check_structure(page, faults, motion):
    count = lambda selector: page.locator(selector).count()
    faults.expect(count("h1") == 1 and count("main") == 1, "h1 or main is missing or not alone")
    faults.expect(page.title() == page.locator("h1").inner_text(), f"title: {page.title()!r}")
    page.set_viewport_size({"width": 1600, "height": 900})
    tall = page.evaluate("document.documentElement.scrollHeight")
    faults.expect(tall <= 1800, f"the page is {tall} pixels tall, more than two screens")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth")
        faults.expect(wide <= width, f"the page is {wide} pixels wide in {width}")
        for scheme in SCHEMES if motion == "reduce" else ():
            page.emulate_media(color_scheme=scheme, reduced_motion=motion)
            for fault in faults_of(page):
                faults.expect(False, f"axe at {width}, {scheme}: {fault}")


def check_page(page, faults, motion):
    log = json.loads(page.locator("#data").text_content())["events"]
    if log:
        check_bars(page, faults, log)
        check_steps(page, faults, log)
        check_zoom(page, faults, log)
        check_code(page, faults, log)
    check_structure(page, faults, motion)


def check(browser, file):
    faults = Faults(file.name)
    for motion in ("no-preference", "reduce"):
        context = browser.new_context(reduced_motion=motion)
        page = context.new_page()
        requests = []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: faults.expect(False, f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.expect(False, f"error: {error}"))
        page.on("dialog", lambda dialog: (faults.expect(False, "a dialog"), dialog.dismiss()))
        page.set_default_timeout(5000)
        page.goto(file.as_uri())
        try:
            check_page(page, faults, motion)
        except Error as error:
            faults.expect(False, str(error).splitlines()[0])
        faults.expect(requests == [file.as_uri()], f"requests: {requests[1:4]}")
        context.close()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    faults.expect("needs JavaScript" in page.locator("body").inner_text(), "no word on scripts")
    context.close()
    print(f"{file.name}: {'ok' if faults.count == 0 else f'{faults.count} faults'}")
    return faults.count


def pictures(browser, directory, file):
    for scheme in SCHEMES:
        for width in WIDTHS:
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            page.goto(file.as_uri())
            path = directory / f"{file.stem}-{width}-{scheme}.png"
            page.screenshot(path=path, full_page=True)
            print(path)
            context.close()


def main(arguments):
    if len(arguments) < 2 or arguments[0] not in ("check", "pictures"):
        sys.exit(__doc__)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not chromium:
        sys.exit("report.py: chromium is not in PATH; run 'make test-browser' or set CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        if arguments[0] == "pictures":
            directory = pathlib.Path(arguments[1])
            directory.mkdir(parents=True, exist_ok=True)
            for name in arguments[2:]:
                pictures(browser, directory, pathlib.Path(name).resolve())
            return 0
        return 1 if sum(check(browser, pathlib.Path(name).resolve())
                        for name in arguments[1:]) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
