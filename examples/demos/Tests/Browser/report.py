#!/usr/bin/env python3
"""Opens HTML reports in a headless Chromium.

usage: report.py check FILE...              check each page; exits with 1 after a fault
       report.py pictures DIRECTORY FILE... make a picture of each page at 400, 900 and 1600
                                            pixels, light and dark

CHROMIUM names the browser [default: chromium in PATH]. Needs the package playwright, but none of
its browsers. `make test-browser` and `make pictures` bring both.
"""
import json
import os
import pathlib
import shutil
import sys
import time

from playwright.sync_api import Error, sync_playwright

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


def bars_of(log):
    """Counts the bars that a log must have: queued and running ones of tasks, and the least and
    the most waiting ones, since a wait is drawn for its thread, its task or both."""
    queued, running, known = set(), set(), set()
    counts = {"queued": 0, "running": 0, "waits": 0}
    for event in log:
        kind, job = event["ev"], (event.get("obj", event["q"]), event.get("task"))
        if kind == "wait":
            counts["waits"] += 1
        if job[1] is None:
            continue
        if kind == "submit" and job not in queued:
            queued.add(job)
            counts["queued"] += 1
        elif kind == "start":
            queued.discard(job)
            if job not in running:
                running.add(job)
                counts["running"] += 1
        elif kind == "end":
            running.discard(job)
        elif kind == "cancel":
            queued.discard(job)
    return counts


def check_bars(page, faults, log):
    count = lambda selector: page.locator(selector).count()
    expected = bars_of(log)
    if "rows are left out" in page.locator("#run").inner_text():
        return
    for kind in ("queued", "running"):
        found = count(f"#timeline g.task rect.{kind}")
        faults.expect(found == expected[kind], f"{found} {kind} bars, not {expected[kind]}")
    waits = expected["waits"]
    found = count("#timeline rect.waiting")
    faults.expect(waits <= found <= 2 * waits, f"{found} waiting bars for {waits} waits")
    faults.expect(count("#timeline rect.bar") == count("#timeline rect.bar > title"),
                  "a bar has no title")


def check_steps(page, faults, log):
    now = lambda: page.locator("#now").inner_text()
    state = lambda: page.locator("#state").inner_text()
    at = lambda number: f"(event {number} of {len(log)})" in now()
    cursor = lambda: float(page.locator("#cursor").get_attribute("x1").rstrip("%"))

    def press(key, number):
        page.keyboard.press(key)
        faults.expect(at(number), f"after {key}: {now()!r}, not event {number}")

    press("End", len(log))
    last, last_place = state(), cursor()
    press("Home", 1)
    if len(log) > 1:
        press("ArrowRight", 2)
        press("ArrowLeft", 1)
        press("ArrowLeft", 1)
    faults.expect(len(log) < 3 or state() != last, "the state panel is the same at both ends")
    faults.expect(log[-1]["t"] == 0 or cursor() < last_place, "the cursor does not move")
    page.locator("#scrubber").focus()
    press("ArrowRight", min(2, len(log)))
    text = page.locator("#scrubber").get_attribute("aria-valuetext")
    faults.expect(text == now(), "the scrubber does not say where it is")
    page.evaluate("document.activeElement.blur()")
    check_play(page, faults, len(log))


def check_play(page, faults, count):
    button = page.locator("[data-step=play]")
    page.keyboard.press("Home")
    if count < 3:
        return
    page.keyboard.press(" ")
    faults.expect(button.get_attribute("aria-label") == "Pause", "space does not play")
    deadline = time.monotonic() + 25
    while "(event 1 of" in page.locator("#now").inner_text() and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    faults.expect(time.monotonic() < deadline, "playing does not move")
    if button.get_attribute("aria-label") == "Pause":
        page.keyboard.press(" ")
    faults.expect(button.get_attribute("aria-label") == "Play", "space does not pause")


def check_code(page, faults):
    tabs = page.locator("[role=tab]")
    for index in range(tabs.count()):
        tabs.nth(index).click()
        faults.expect(page.locator(f"#code{index}").is_visible(), f"tab {index} shows nothing")
        faults.expect(page.locator(".code:visible").count() == 1, "two listings are shown")


def check_structure(page, faults):
    count = lambda selector: page.locator(selector).count()
    faults.expect(count("h1") == 1 and count("main") == 1 and count("header") >= 1,
                  "h1, main or header is missing or not alone")
    faults.expect(count("table") == count("table > caption"), "a table has no caption")
    faults.expect(count("#run button:not([aria-label])") == 0, "a button has no name")
    unnamed = page.evaluate("""() => [...document.querySelectorAll('section')].filter(
        s => !s.className.includes('extra') && !s.hasAttribute('aria-label') &&
        !document.getElementById(s.getAttribute('aria-labelledby') ?? '')).length""")
    faults.expect(unnamed == 0, "a section has no name")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth")
        faults.expect(wide <= width, f"the page is {wide} pixels wide in {width}")


def check_page(page, faults):
    if page.locator("#log").count():
        log = json.loads(page.locator("#log").text_content())
        check_bars(page, faults, log)
        check_steps(page, faults, log)
        check_code(page, faults)
    check_structure(page, faults)


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
            check_page(page, faults)
        except Error as error:
            faults.expect(False, str(error).splitlines()[0])
        faults.expect(requests == [file.as_uri()], f"requests: {requests[1:4]}")
        context.close()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    faults.expect(not page.locator("#controls").is_visible(), "controls that cannot work")
    hidden = page.locator(".code").count() - page.locator(".code:visible").count()
    faults.expect(hidden == 0, "without a script a listing is hidden")
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
