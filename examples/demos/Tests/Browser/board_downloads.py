"""The checks of the page of the downloads, and of what every page has in common with it."""
import urllib.parse

from board_tools import Visit

# Looks at both tables after each change of the screen, and remembers what it saw.
WATCH = """() => {
  const [pending, completed] = document.querySelectorAll(".downloads-list");
  window.seen = { looks: 0, most: 0, pending: [], completed: [], wrong: [], progress: [] };
  const look = () => {
    const rows = list => list.querySelectorAll("tbody tr").length;
    const title = list => Number(/\\((\\d+)\\)/.exec(list.querySelector("h2").textContent)[1]);
    const bars = [...pending.querySelectorAll("progress:not([hidden])")];
    seen.looks += 1;
    seen.most = Math.max(seen.most, bars.length);
    for (const bar of bars) seen.progress.push(bar.value);
    for (const [list, name] of [[pending, "pending"], [completed, "completed"]]) {
      const [found, named] = [rows(list), title(list)];
      if (found !== named) seen.wrong.push(`${name}: ${found} rows, ${named}`);
      if (seen[name].at(-1) !== title(list)) seen[name].push(title(list));
    }
  };
  new MutationObserver(look).observe(document.querySelector(".screen"),
    { subtree: true, childList: true, attributes: true, characterData: true });
}"""


def query_of(page):
    return dict(urllib.parse.parse_qsl(page.evaluate("location.search.slice(1)")))


def check_knobs(check, browser, server):
    """Sliders move by key and by mouse, and the address keeps their values."""
    with Visit(browser, check, server.address) as visit:
        page = visit.open("downloads").page
        value = lambda knob: page.locator(f"#knob-{knob}").input_value()
        shown = lambda knob: page.locator(f"[data-knob={knob}] output").inner_text()

        def is_at(knob, wanted, how):
            check.expect(value(knob) == shown(knob) == wanted,
                         f"{knob} by {how}: {value(knob)}, shown {shown(knob)}, not {wanted}")
            check.expect(query_of(page).get(knob) == wanted,
                         f"{knob} by {how}: {query_of(page)} in the address")

        page.locator("#knob-tasks").focus()
        page.keyboard.press("ArrowRight")
        is_at("tasks", "16", "a key")
        box = page.locator("#knob-max").bounding_box()
        page.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
        is_at("max", "10", "mouse")
        # The labels of the translation, which stay.
        page.locator(".downloads-language").click()
        for how in ("a click", "a reload"):
            heading = page.locator(".downloads-list h2").first.inner_text()
            check.expect(heading.startswith("下载队列"), f"the language after {how}: {heading}")
            page.reload()
            page.locator(".downloads-list h2").first.wait_for()
        page.locator(".downloads-language").click()
        is_at("max", "10", "mouse")
        page.locator("#knob-randomize").focus()
        page.keyboard.press(" ")
        check.expect(query_of(page).get("randomize") == "1", "randomize is not in the address")
        check.figure(f"the address ends with ?{urllib.parse.urlsplit(page.url).query}")


def check_run(check, browser, server):
    """A run from its start to the alert."""
    with Visit(browser, check, server.address) as visit:
        page = visit.open("downloads", speed=10, tasks=12, max=3).page
        page.evaluate(WATCH)
        visit.start()
        states = page.evaluate("""() => ({
          enabled: [...document.querySelectorAll(".form input, .form select, .question input")]
            .filter(input => !input.disabled).map(input => input.id || input.name),
          start: document.getElementById("start").disabled,
          stop: document.getElementById("stop").disabled })""")
        check.expect(states == {"enabled": [], "start": True, "stop": False},
                     f"during the run: {states}")
        alert = page.locator(".downloads-alert")
        visit.until(alert.is_visible, "the alert")
        visit.finish()
        seen = page.evaluate("seen")
        check.expect(not seen["wrong"], f"titles: {seen['wrong'][:3]}")
        check.expect(max(seen["pending"]) == 12 and seen["pending"][-1] == 0,
                     f"the first table had {seen['pending']} rows")
        check.expect(seen["completed"][-1] == 12 and seen["completed"] == sorted(seen["completed"]),
                     f"the second table had {seen['completed']} rows")
        check.expect(seen["most"] == 3, f"{seen['most']} were in progress at once, not 3")
        check.expect(len(set(seen["progress"])) > 3, f"progress: {sorted(set(seen['progress']))}")
        check.expect("All downloads are completed" in alert.inner_text()
                     or "complete" in alert.inner_text(), f"the alert says {alert.inner_text()!r}")
        alert.get_by_role("button", name="OK").click()
        check.expect(not alert.is_visible(), "OK does not close the alert")
        disabled = visit.count(".form :disabled, .question :disabled")
        check.expect(disabled == 0 and page.locator("#start").is_enabled()
                     and page.locator("#stop").is_disabled(), "the controls stay disabled")
        events = len(visit.of_kind("event"))
        check.figure(f"12 of 12 files, {seen['most']} of 3 in progress at most,"
                     f" {seen['looks']} looks, {events} events")


def check_stop(check, browser, server):
    """Stop ends a run in its middle."""
    with Visit(browser, check, server.address) as visit:
        page = visit.open("downloads", speed=1).page
        page.fill("#question-0", "3")
        visit.start()
        visit.until("boardMessages.length > 20", "messages")
        page.click("#stop")
        end = visit.finish()
        check.expect(end["reason"] == "stopped", f"the run ended: {end}")
        check.expect("stopped" in visit.text(".verdict"), f"it says {visit.text('.verdict')!r}")
        check.expect(visit.count(".question p.wrong") == 0, "a stopped run is marked")
        check.expect(page.locator("#start").is_enabled(), "Start stays disabled")
        visit.until(lambda: not server.workers(), "the worker ends", 5)
        check.figure(f"ended {end['reason']}")


def check_prediction(check, browser, server):
    """Answers are marked; a text that is no number is refused."""
    with Visit(browser, check, server.address) as visit:
        page = visit.open("downloads", speed=1000, virtual=1).page
        before = visit.run_number()
        page.fill("#question-0", "many")
        page.click("#start")
        check.expect("no number" in visit.text(".complaint"),
                     f"an answer in words: {visit.text('.complaint')!r}")
        check.expect(visit.run_number() == before, "a run began all the same")
        page.fill("#question-0", "5")
        page.fill("#question-1", "1,5 s")
        visit.start()
        visit.finish()
        marks = page.evaluate("[...document.querySelectorAll('.question p')].map(p =>"
                              " [p.className, p.textContent])")
        check.expect(marks[0][0] == "right" and marks[0][1].startswith("✓ 5"),
                     f"a right answer: {marks[0]}")
        check.expect(marks[1][0] == "wrong" and "not 1.50 s" in marks[1][1],
                     f"a wrong answer: {marks[1]}")
        focus = page.evaluate("document.activeElement.id")
        check.expect(focus == "question-0-answer", f"after the run the focus is at {focus!r}")
        check.figure(f"{marks[0][1]!r}, {marks[1][1]!r}")


def check_link(check, browser, server):
    """The address of a run has its knobs in another browser."""
    with Visit(browser, check, server.address) as visit:
        page = visit.open("downloads", speed=1000, virtual=1).page
        page.locator("#knob-tasks").fill("7")
        page.locator("#knob-max").fill("4")
        page.locator("#knob-randomize").check()
        page.locator("details.more summary").click()
        page.locator("[data-knob=form] select").select_option("gate")
        page.locator("#knob-seed").fill("7")
        page.locator("#knob-seed").press("Tab")
        visit.start()
        visit.finish()
        link = page.url
        values = """[...document.querySelectorAll('.form input, .form select')].map(input =>
          [input.id, input.type, input.value, input.checked])"""
        knobs = page.evaluate(values)
        peaks = visit.of_kind("result")[0]["answers"]
        with Visit(browser, check, server.address) as other:
            other.page.goto(link)
            other.page.locator("h1").wait_for()
            found = other.page.evaluate(values)
            check.expect(found == knobs, f"the knobs differ: {found} {knobs}")
            other.start()
            other.finish()
            again = other.of_kind("result")[0]["answers"]
            check.expect(again == peaks, f"the simulated run differs: {again} {peaks}")
        page.goto(link.replace("tasks=7", "tasks=9"))
        visit.until(lambda: visit.of_kind("end"), "the run from before")
        page.wait_for_timeout(300)
        check.expect(page.locator("#knob-tasks").input_value() == "9",
                     "a link does not stand above the run from before")
        check.figure(f"{len(knobs)} controls alike at ?{urllib.parse.urlsplit(link).query}")


CHECKS = {
    "downloads: knobs": check_knobs, "downloads: run": check_run, "downloads: stop": check_stop,
    "downloads: prediction": check_prediction, "downloads: link": check_link,
}
