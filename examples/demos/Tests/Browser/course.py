"""Goes through the course in Chromium, from a file, by keyboard alone.

usage: course.py DIR   at 400, 900, 1280 and 1600 pixels, light and dark, with the rules of axe-core

The pages are static, so a check is one walk: each page is answered, stepped or solved by keys, and
the answers come from the recordings and from the levels.
"""
import base64
import json
import pathlib
import subprocess
import sys

from playwright.sync_api import sync_playwright

from board_access import faults_of
from board_tools import SCHEMES, WIDTHS, launch

KINDS = ("serial", "forget-leave", "sync-own-queue", "average", "level-20", "level-10", "level-22",
         "editor")

# The lanes of some levels after their shortest schedule: a caller of sync is blocked.
LANES = {
    10: ["1 button Q W W W", "2 task R - R R", "3 completion - - - Q"],
    16: ["1 user R R - - - -", "2 save Q Q R W W W", "3 load - Q Q Q R W"],
}


class Walk:
    """A browser page of the course, and the faults that were found."""

    def __init__(self, browser, folder, width, scheme, name):
        self.address = pathlib.Path(folder, "index.html").resolve().as_uri()
        self.context = browser.new_context(viewport={"width": width, "height": 900},
                                           color_scheme=scheme, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.name = name
        self.faults = []
        self.page.on("console", lambda message: self.expect(
            message.type not in ("error", "warning"), f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.expect(False, f"error: {error}"))
        self.page.on("request", lambda request: self.expect(
            request.url.startswith(("file:", "data:")), f"a request to {request.url}"))

    def expect(self, holds, text):
        if not holds:
            self.faults.append(f"{self.name} {self.page.url.split('#')[-1]}: {text}")

    def open(self, name):
        self.page.goto(f"{self.address}#{name}")
        # A recording comes from a file of its own.
        self.page.wait_for_function("""id => document.querySelector(".course-body *")
          && document.querySelector("#menu [aria-current]")?.hash === "#" + id.split(":")[0]""",
                                    arg=name)

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, selector, most=250):
        """Presses Tab until an element has the focus."""
        for _ in range(most):
            self.press("Tab")
            if self.page.evaluate("(s) => document.activeElement.matches(s)", selector):
                return True
        self.expect(False, f"Tab does not reach {selector}")
        return False

    def look(self):
        """Examines the page as it is: axe, and the width."""
        for fault in faults_of(self.page):
            self.expect(False, fault)
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        self.expect(wide <= 0, f"{wide} pixels too wide")


def answer(walk, is_looked_at):
    """Answers the question of a page by keys, and steps through its run."""
    page = walk.page
    walk.expect(page.locator(".course-run *, .course-ask ~ div p").count() == 0,
                "the run is shown before the prediction")
    if is_looked_at:
        walk.look()
    if page.locator(".course-ask input[type=text]").count():
        walk.tab_to(".course-ask input")
        page.keyboard.type("1.5")
        walk.press("Enter")
    else:
        walk.tab_to(".course-ask input")
        walk.press("Space", "Enter")
    mark = page.locator(".course-ask > p")
    walk.expect(mark.inner_text() != "", "no mark")
    walk.expect(mark.evaluate("mark => mark === document.activeElement"), "the mark has no focus")
    if page.locator(".course-run .scrub").count():
        walk.expect("1 of" in walk.text(".now"), walk.text(".now"))
        walk.tab_to(".scrub button[data-step=next]")
        walk.press("Enter", "ArrowRight")
        walk.expect("3 of" in walk.text(".now"), walk.text(".now"))
        walk.expect(page.url.endswith(":2"), f"no step in the address: {page.url}")
        walk.expect(page.locator(".timeline-svg .bar").count() > 3, "no timeline")
    if is_looked_at:
        walk.look()


def solve(walk, level, is_looked_at):
    """Solves a level by its keys, or mends it with the fix of the level."""
    page = walk.page
    if level["fix"]:
        walk.tab_to(".schedule-editor textarea")
        walk.press("Control+Enter")
        walk.expect("Not yet" in walk.text(".schedule-findings"), "the broken program is not refuted")
        if is_looked_at:
            walk.look()
        # Chromium types a text at once as an input method would.
        walk.press("Control+A")
        page.keyboard.insert_text(level["fix"])
        walk.press("Control+Enter", "Control+A")
        page.keyboard.insert_text("thread A {")
        walk.press("Control+Enter")
        walk.expect("Proved" not in walk.text(".schedule-banner"), "a text with a fault is proved")
        walk.press("Control+A")
        page.keyboard.insert_text(level["fix"])
        walk.press("Control+Enter")
    else:
        for step in level["solution"]:
            walk.press(step)
        walk.expect(page.url.endswith(":" + ",".join(level["solution"])), f"the address {page.url}")
        lanes = page.locator(".schedule-lanes tr").evaluate_all(
            "rows => rows.map(row => [...row.cells].map(cell => cell.textContent || '-').join(' '))")
        walk.expect(lanes == LANES.get(level["number"], lanes), f"the lanes {lanes}")
    wanted = "Proved" if level["fix"] else "Goal reached"
    walk.expect(wanted in walk.text(".schedule-banner"), f"not {wanted}")
    if is_looked_at:
        walk.look()


def edit(walk, is_looked_at):
    """Writes a program: a fault with its line, then a search, and a schedule that is played."""
    page = walk.page
    walk.tab_to(".schedule-editor textarea")
    walk.press("Control+A")
    page.keyboard.insert_text("semaphore s 0\nthread A {\n  wait t\n}\n")
    walk.press("Control+Enter")
    walk.expect("Line 3: There is no semaphore or group" in walk.text(".schedule-fault"),
                walk.text(".schedule-fault"))
    walk.press("Control+A")
    page.keyboard.insert_text("semaphore s 0\nthread A {\n  wait s\n}\n")
    walk.press("Control+Enter")
    walk.expect("Deadlock: A waits for ever" in walk.text(".schedule-findings"),
                walk.text(".schedule-findings"))
    walk.tab_to(".schedule-findings button")
    walk.press("Enter")
    walk.expect("Deadlock" in walk.text(".schedule-banner"), "the schedule is not played")
    if is_looked_at:
        walk.look()


def page_is_done(walk):
    """Returns true if the page shows its answer, its proof, its goal or its findings."""
    return any(walk.page.locator(selector).first.inner_text() for selector in (
        ".course-ask > p", ".schedule-banner", ".schedule-findings", "[tabindex='-1'] > .code-figure")
        if walk.page.locator(selector).count())


def from_node(script):
    """Returns what a script of node's prints as JSON."""
    found = subprocess.run(["node", "--input-type=module", "-e", script], check=True,
                           capture_output=True, text=True)
    return json.loads(found.stdout)


def glossary():
    """Returns the words of the glossary."""
    return set(from_node("""import { glossary } from "./examples/course/glossary.js";
      console.log(JSON.stringify(glossary.map(([word]) => word)));"""))


def known_levels():
    """Returns the solution and the fix of each level, from the files of the game."""
    found = from_node("""import { exploreLevel, isMend, levels, solution } from "./examples/course/game/levels.js";
      console.log(JSON.stringify(levels.map(level => ({ number: level.number,
        solution: isMend(level) ? [] : solution(level, exploreLevel(level)),
        fix: level.goal.fix || "" }))));""")
    return {f"level-{level['number']}": level for level in found}


def check(browser, folder):
    levels = known_levels()
    faults = []
    for width in WIDTHS:
        for scheme in SCHEMES:
            walk = Walk(browser, folder, width, scheme, f"{width} {scheme}")
            walk.open("level-1")
            ids = walk.page.evaluate(
                "[...document.querySelectorAll('#menu a')].map(link => link.hash.slice(1))")
            walk.expect(len(ids) == len(set(ids)) > 50, f"{len(ids)} pages")
            # All pages at one width, a page of each kind at the others.
            words = set()
            for name in ids if (width, scheme) == (400, "light") else KINDS:
                walk.open(name)
                is_looked_at = name in KINDS or width == 400
                words.update(walk.page.locator(".course-words dt").all_text_contents())
                if name in levels:
                    solve(walk, levels[name], is_looked_at)
                elif name == "editor":
                    edit(walk, is_looked_at)
                elif walk.page.locator(".course-ask").count():
                    answer(walk, is_looked_at)
                else:
                    walk.tab_to("#page .primary")
                    walk.press("Enter")
                    walk.expect(walk.page.locator(".code-figure").count() == 1, "no program is shown")
            if (width, scheme) == (400, "light"):
                walk.expect(f"{len(ids)} of {len(ids)} pages done" in walk.text("#progress"),
                            walk.text("#progress"))
                known = glossary()
                walk.expect(words == known, f"words that no page uses: {known - words}")
                # The progress and an address survive a reload.
                walk.open("level-10:2,1,2,2")
                walk.page.reload()
                walk.expect("Goal reached" in walk.text(".schedule-banner"), "the steps are lost")
                walk.expect(f"{len(ids)} of" in walk.text("#progress"), "the progress is lost")
                # A page that was answered opens answered, with the program that was written.
                for name in KINDS:
                    walk.open(name)
                    walk.expect(page_is_done(walk), f"{name} opens as if it were not done")
                print(f"{len(ids)} pages by keyboard at 400 pixels")
            if walk.page.locator("#menu-box").get_attribute("open") is None:
                walk.tab_to("#menu-box > summary")
                walk.press("Enter")
            walk.look()
            walk.context.close()
            print(f"{walk.name}: {len(walk.faults)} faults")
            faults += walk.faults
    # A browser that keeps nothing.
    walk = Walk(browser, folder, 900, "light", "no storage")
    walk.page.add_init_script("Object.defineProperty(window, 'localStorage',"
                              " { get() { throw new Error('refused'); } });")
    walk.open("level-10")
    walk.press("2", "1", "2", "2")
    walk.expect("Goal reached" in walk.text(".schedule-banner"), "no game without storage")
    # A link brings a program, and leads nowhere else if it is cut off.
    program = "# Größe\nthread A {\n  print 7\n}\n"
    walk.open("editor:1::" + base64.urlsafe_b64encode(program.encode()).decode().rstrip("="))
    walk.expect(walk.page.locator(".schedule-editor textarea").input_value() == program
                and "prints 7" in walk.text(".schedule-past"), "a link does not bring its program")
    walk.page.get_by_text("Copy a link to this program").click()
    walk.page.reload()
    walk.expect("print 7" in walk.page.locator(".schedule-editor textarea").input_value(),
                "the address has no program")
    for hash in ("%", "editor:::%%%"):
        walk.page.goto(f"{walk.address}#{hash}")
        walk.expect(walk.page.locator("#page h1").count() == 1, f"blank at #{hash}")
    # The address has the answer; a run that plays stops with its page, and the way back finds it.
    walk.open("concurrent")
    answer(walk, False)
    walk.page.locator(".scrub button[data-step=play]").click()
    walk.open("gate:0")
    walk.expect("49.90 s" in walk.text(".timeline-statistics"), "the waits of the gate do not end")
    walk.open("suspend")
    walk.page.wait_for_timeout(500)
    walk.expect(walk.page.url.endswith("#suspend"), f"the run plays on: {walk.page.url}")
    walk.page.go_back()
    walk.page.go_back()
    walk.page.locator("h1", has_text="concurrent").wait_for()
    walk.page.locator(".course-run .scrub").wait_for()
    walk.expect("concurrent" in walk.text("h1"), f"the way back leads to {walk.text('h1')}")
    walk.expect(page_is_done(walk), "the way back loses the answer")
    walk.open("serial")
    answer(walk, False)
    walk.page.reload()
    walk.page.locator(".course-run .scrub").wait_for()
    walk.expect("3 of" in walk.text(".now"), "the answer is lost without storage")
    faults += walk.faults
    # The line at which the tasks are, and the chart, are on one screen while one steps.
    for width in WIDTHS:
        walk = Walk(browser, folder, width, "light", f"{width} pair")
        walk.open("limit")
        answer(walk, False)
        walk.press(*["ArrowRight"] * 60)
        first, last = walk.page.evaluate("""() => {
          const box = selector => document.querySelector(".course-run " + selector).getBoundingClientRect();
          document.querySelector(".course-run .scrub").scrollIntoView();
          return [box(".scrub").top, Math.max(box(".timeline-chart").bottom, box(".here").bottom)];
        }""")
        walk.expect(last - first <= 900, f"{last - first:.0f} pixels from the steps to the code line")
        walk.context.close()
        faults += walk.faults
    for fault in dict.fromkeys(faults):
        print(f"  {fault}")
    print(f"course: {len(faults)} faults")
    return 1 if faults else 0


def main():
    with sync_playwright() as playwright:
        return check(launch(playwright), sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
