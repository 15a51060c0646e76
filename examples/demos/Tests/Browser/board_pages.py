"""The checks of the pages: a run of each, its timeline, its moments, and what is its own."""
import collections
import functools
import re

from board_tools import PAGES, Visit, begin, screen_of

# Runs of real threads that take some seconds.
REAL = {
    "downloads": {"speed": 10}, "images": {"speed": 8}, "gallery": {"speed": 1, "tasks": 6},
    "loops": {"speed": 0.001}, "queues": {"speed": 1},
    "groups": {"speed": 2},
}


def check_bars(check, page, events):
    """Compares the bars of the timeline with the states in the events. Returns their number."""
    more = page.locator(".timeline-more")
    if more.is_visible() and more.inner_text().startswith("Show all"):
        more.click()
    expected = collections.Counter(state for event in events for _, state, _ in event.get("set", ()))
    found = {kind: page.locator(f".timeline-svg rect.bar.{kind}").count()
             for kind in ("queued", "running", "waiting", "suspended")}
    for kind, count in found.items():
        wanted = expected[kind[0].upper()]
        check.expect(count == wanted, f"{count} {kind} bars, not {wanted}")
    return sum(found.values())


def check_steps(check, page):
    """Goes through the run by keys, forth and back: a moment looks the same each time. Returns the
    number of moments."""
    page.evaluate("document.activeElement.blur()")
    total = page.evaluate("Number(document.getElementById('scrubber').max) + 1")
    now = lambda: page.locator("#now").inner_text()

    def moment(key):
        page.keyboard.press(key)
        return now(), screen_of(page)

    page.keyboard.press("End")
    last = screen_of(page)
    first = moment("Home")
    check.expect(first[0].startswith(f"1 of {total},"), f"after Home: {first[0]!r}")
    forth = [first]
    for number in range(2, min(total, 14)):
        forth.append(moment("ArrowRight"))
        check.expect(forth[-1][0].startswith(f"{number} of {total},"), f"a step: {forth[-1][0]!r}")
    compare_back(check, forth, lambda: moment("ArrowLeft"))

    def jump(index):
        page.locator("#scrubber").evaluate("""(range, index) => {
          range.value = index;
          range.dispatchEvent(new Event("input"));
        }""", index)
        return now(), screen_of(page)

    places = sorted({total * part // 12 for part in range(1, 12)} - {total - 1})
    far = [jump(place) for place in places]
    remaining = iter(reversed(places[:-1]))
    compare_back(check, far, lambda: jump(next(remaining)))
    check.expect(len({screen for _, screen in far}) > min(3, len(far) - 1) or total < 12,
                 "the screen hardly changes in the run")
    page.keyboard.press("End")
    check.expect(screen_of(page) == last, "the end looks different after the steps")
    check.expect(now() == "", f"at the end: {now()!r}")
    check.expect(page.locator(".timeline-cursor").get_attribute("visibility") == "hidden",
                 "the cursor is shown at the end")
    page.evaluate("document.activeElement.blur()")
    return len(forth) + len(far)


def compare_back(check, forth, step):
    for wanted in reversed(forth[:-1]):
        found = step()
        if found != wanted:
            place = next((i for i, (a, b) in enumerate(zip(found[1], wanted[1])) if a != b), 0)
            check.expect(False, f"{wanted[0]!r} looks different from the other side:"
                         f" {found[1][place - 20:place + 60]!r},"
                         f" {wanted[1][place - 20:place + 60]!r}")
            return


def check_zoom(page, check, log):
    """Zooms by keys; the statistics follow."""
    caption = lambda: page.locator(".timeline-statistics caption").inner_text()
    if log[-1]["t"] == 0 or not page.locator(".timeline-statistics tbody tr").count():
        return
    if caption().endswith(", as shown"):  # a view that begins with a part of its run
        page.keyboard.press("z")
    whole = page.locator(".timeline-statistics tbody").inner_text()
    check.expect(caption() == "The whole run", f"before a zoom: {caption()!r}")
    page.keyboard.press("Home")
    page.keyboard.press("+")
    check.expect(caption().endswith(", as shown"), f"after +: {caption()!r}")
    page.keyboard.press("-")
    check.expect(caption() == "The whole run", f"after -: {caption()!r}")
    check.expect(page.locator(".timeline-statistics tbody").inner_text() == whole,
                  "the statistics of the whole run are gone")


def check_page(check, browser, server, name):
    """A run of real threads ends by itself; its timeline and its moments agree with its events."""
    with Visit(browser, check, server.address) as visit:
        visit.open(name, **REAL[name])
        visit.start()
        end = visit.finish()
        check.expect(end["reason"] == "finished", f"the run ended: {end}")
        results = visit.of_kind("result")
        check.expect(len(results) == 1 and results[0].get("lost", 0) == 0, f"result: {results}")
        verdict = visit.text(".verdict")
        check.expect(results and results[0]["verdict"].lower() == verdict.lower(),
                     f"verdict {verdict!r}")
        events = visit.of_kind("event")
        bars = check_bars(check, visit.page, events)
        moments = check_steps(check, visit.page)
        check_zoom(visit.page, check, events)
        check.figure(f"{len(events)} events, {bars} bars, {moments} moments forth and back")


def check_reload(check, browser, server, name):
    """A page that is loaded again in the middle of a run shows the run from its beginning."""
    with Visit(browser, check, server.address) as visit:
        page = visit.page
        begin(visit, name)()
        events = "boardMessages.filter(message => message.kind === 'event')"
        visit.until(f"{events}.length > 12", "events")
        first = page.evaluate(f"{events}.slice(0, 12)")
        page.reload()
        visit.until(f"{events}.length >= 12", "events after the reload")
        visit.until(visit.is_running, "the page knows that the run goes on", 5)
        middle = page.evaluate(f"{events}.length")
        check.expect(page.evaluate(f"{events}.slice(0, 12)") == first, "the first events differ")
        check.expect(page.locator("#start").is_disabled() and page.locator("#stop").is_enabled(),
                     "Start and Stop do not fit a run that goes on")
        visit.finish()
        found = visit.of_kind("event")
        total = len(found)
        check.expect(middle < total, f"the run was over after the reload: {middle} of {total}")
        check_bars(check, page, found)
        page.reload()
        visit.until(f"{events}.length === {total}", "the events of the ended run")
        page.wait_for_timeout(300)
        check.expect(not visit.is_running(), "an ended run goes on after a reload")
        check.figure(f"reload at {middle} of {total} events")


# What is particular to a page


def check_frozen(check, browser, server):
    """Images, step 5: the main thread waits, and the phone and a reader say so."""
    with Visit(browser, check, server.address) as visit:
        page = visit.open("images", step=5, speed=5).page
        visit.start()
        visit.until(lambda: visit.count(".main-words.stopped") == 1, "the main thread waits")
        words = visit.text(".main-words")
        check.expect("main thread waits at the semaphore" in words, f"it says {words!r}")
        check.expect(page.locator(".phone-frozen").is_visible(), "the phone is not frozen")
        visit.finish()
        heard = page.evaluate("boardLives")
        check.expect(any("The main thread waits" in text for text in heard), f"announced: {heard}")
        check.expect(visit.count(".main-words.stopped") == 0, "the main thread waits at the end")
        waits = visit.text(".timeline-statistics tr:has(> th:text-is('main'))").split("\t")[3]
        check.expect(float(waits.split()[0]) > 15, f"the main queue waited for {waits}")
        check.figure(f"the main queue waited for {waits}")


def check_rows(check, browser, server):
    """Images, step 3: the rows of the list fill."""
    with Visit(browser, check, server.address) as visit:
        page = visit.open("images", step=3, speed=8).page
        page.evaluate("""() => {
          window.fills = [];
          new MutationObserver(() => {
            const count = document.querySelectorAll(".phone-rows svg").length;
            if (fills.at(-1) !== count) fills.push(count);
          }).observe(document.querySelector(".screen"), { subtree: true, childList: true });
        }""")
        visit.start()
        visit.finish()
        fills = page.evaluate("fills")
        check.expect(fills == sorted(fills) and fills[-1] == 15 and len(fills) > 3,
                     f"filled rows: {fills}")
        lines = visit.count(".console li")
        check.expect(lines == 30, f"{lines} lines of the program, not 30")
        check.figure(f"{fills[-1]} of 15 rows in {len(fills)} looks, {lines} lines")


def check_gallery(check, browser, server):
    """Two columns; a failure loses one picture, or all."""
    with Visit(browser, check, server.address) as visit:
        page = visit.open("gallery", tasks=6, fail=3, failure="status", speed=2).page
        visit.start()
        visit.finish()
        columns = page.evaluate("""new Set([...document.querySelectorAll(".gallery-grid li")]
          .map(item => item.getBoundingClientRect().left)).size""")
        shown = visit.count(".gallery-grid li.shown svg")
        remark = visit.text(".gallery-remark")
        check.expect(columns == 2, f"{columns} columns")
        check.expect(shown == 5 and "1 picture is missing" in remark, f"{shown} shown: {remark!r}")
        page.locator("[data-knob=form] select, select#knob-form").select_option("throwing")
        visit.start()
        visit.finish()
        panel = visit.text(".gallery-panel")
        check.expect("status 500" in panel, f"the throwing group: {panel!r}")
        check.figure(f"{columns} columns, {shown} of 6 shown")


def check_loops(check, browser, server):
    """A bar for each stride, whose parts are as high as the bar, and two threads share the rows."""
    with Visit(browser, check, server.address) as visit:
        page = visit.open("loops", speed=0.001).page
        visit.start()
        visit.finish()
        bars = page.evaluate("""[...document.querySelectorAll(".curve-bar")].map(bar => [bar.clientHeight,
          [...bar.children].reduce((sum, part) => sum + part.getBoundingClientRect().height, 0)])""")
        check.expect(len(bars) == 9, f"{len(bars)} bars")
        check.expect(all(abs(bar - parts) < 2 for bar, parts in bars), f"bars and parts: {bars}")
        loads = [[int(number.replace(",", "")) for number in re.findall(r"([\d,]+) (?:row|block)", row)]
                 for row in page.locator(".loads li").all_inner_texts()]
        check.expect([sum(column) for column in zip(*loads)] == [2048, 32], f"loads: {loads}")
        check.figure(f"{len(bars)} bars, loads {loads}")


def check_queues(check, browser, server):
    """Each queue finishes its blocks."""
    with Visit(browser, check, server.address) as visit:
        page = visit.open("queues", speed=2).page
        visit.start()
        visit.finish()
        check.expect("checked" in visit.text(".notes"), f"{visit.text('.notes')!r}")
        done = page.evaluate("""Object.fromEntries([...document.querySelectorAll(".pipe")].map(
          pipe => [pipe.getAttribute("aria-label").slice(6),
            pipe.querySelectorAll(".pipe-finished .block").length]))""")
        check.expect(done["serial"] == done["concurrent"] == 4 and done["other"] == 1,
                     f"finished: {done}")
        left = visit.count(".pipe-queued .block") + visit.count(".pipe-begun .block")
        check.expect(left == 0, f"{left} blocks are queued or running at the end")
        check.figure(f"finished {done}")


CHECKS = {
    **{f"page: {name}": functools.partial(check_page, name=name) for name in PAGES},
    **{f"reload: {name}": functools.partial(check_reload, name=name) for name in PAGES},
    "images: frozen": check_frozen, "images: rows": check_rows,
    "gallery: failures": check_gallery, "loops: bars": check_loops, "queues: blocks": check_queues,
}
