#!/usr/bin/env python3
"""Opens HTML reports in a headless Chromium.

usage: report.py FILE...   exits with 1 after a fault

CHROMIUM names the browser [default: chromium in PATH]. Needs the packages playwright, but none of
its browsers, and axe-playwright-python. `make test-browser` brings all.
"""
import json
import pathlib
import sys
import time

from playwright.sync_api import Error, sync_playwright

from board_access import faults_of
from board_pages import check_bars, check_steps, check_zoom
from board_tools import SCHEMES, WIDTHS, Check, launch


def check_play(page, faults, count):
    page.keyboard.press("Home")
    if count >= 3:
        page.keyboard.press(" ")
        # The page's policy forbids the evaluation that wait_for_function needs.
        deadline = time.monotonic() + 60
        while page.locator("#now").inner_text().startswith("1 of ") and time.monotonic() < deadline:
            page.wait_for_timeout(50)
        faults.expect(time.monotonic() < deadline, "playing does not move")
    page.keyboard.press("Home")


def check_code(page, faults):
    tabs = page.locator("[role=tab]")
    for index in range(tabs.count()):
        # A listing that is alone has no tab that is seen.
        if tabs.count() > 1:
            tabs.nth(index).click()
        faults.expect(page.locator(f"#code{index}").is_visible(), f"tab {index} shows nothing")
        faults.expect(page.locator(".code:visible").count() == 1, "two listings are shown")
    page.evaluate("document.activeElement.blur()")


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
        if page.locator(".timeline-more").is_visible():
            page.locator(".timeline-more").click()
        check_bars(faults, page, log)
        check_steps(faults, page)
        check_play(page, faults, len(log))
        check_zoom(page, faults, log)
        check_code(page, faults)
    check_structure(page, faults, motion)


def check(browser, file):
    faults = Check(file.name)
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
    faults.show()
    return len(faults.faults)


def main(names):
    if not names:
        sys.exit(__doc__)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        return 1 if sum(check(browser, pathlib.Path(name).resolve()) for name in names) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
