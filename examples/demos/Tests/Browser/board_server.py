"""The checks of the server with its pages: a lost server, and a class."""
import time

from playwright.sync_api import Error

from board_tools import Server, Visit

LOST = ("net::ERR_", "Failed to load resource")


def check_killed(check, browser):
    """The server is killed in a run: the page says that the server is lost."""
    with Server() as server, Visit(browser, check, server.address, quiet=LOST) as visit:
        visit.open("downloads", speed=1)
        visit.start()
        visit.until("boardMessages.length > 20", "messages")
        server.kill()
        begin = time.monotonic()
        visit.until(lambda: "lost" in visit.text("#status"), "it says that the server is lost")
        check.figure(f"said after {time.monotonic() - begin:.1f} s")


# The class


def check_class(check, browser):
    """A class of 2 pages: the same tables, answers counted. ClassTests.swift has the server's part."""
    with Server("--class") as server, \
            Visit(browser, check, server.address) as presenter:
        presenter.open("downloads", tasks=12, max=8, speed=5)
        presenter.page.wait_for_timeout(600)
        visits = [Visit(browser, check, server.class_address) for _ in range(2)]
        try:
            for visit in visits:
                visit.page.goto(server.class_address)
                check.expect(is_at(visit, "downloads", "max", 8),
                             "a follower's page goes where the presenter is")
                visit.page.locator(".question").first.wait_for()
            check_phone(check, server, browser)
            check_answers(check, presenter, visits)
            presenter.page.locator("#start").click()
            presenter.until(lambda: presenter.run_number(), "the run begins")
            presenter.finish()
            check_screens(check, presenter, visits)
            check_navigation(check, presenter, visits)
        finally:
            for visit in visits:
                visit.close()


def check_phone(check, server, browser):
    """On a phone the question and its button are on the first screen."""
    code = server.class_address.rstrip("/").split("/")[-1]
    check.expect(len(code) == 8 and code.isalpha(), f"the code {code}")
    with Visit(browser, check, server.class_address,
               viewport={"width": 400, "height": 700}) as phone:
        phone.page.goto(server.class_address.replace(code, code.lower()).rstrip("/"))
        is_at(phone, "downloads", "max", 8)
        box = phone.page.get_by_role("button", name="Send my prediction").bounding_box()
        bottom = box["y"] + box["height"]
        check.expect(bottom <= 700, f"the button ends at {bottom:.0f} of 700 pixels")
        check.figure(f"a phone's button ends at {bottom:.0f} pixels")


def is_at(visit, name, knob, value):
    """True once a follower's page shows a page and the value of a knob."""
    try:
        visit.page.wait_for_url(f"**/{name}*", timeout=10000)
        visit.page.locator("h1").wait_for()
    except Error:
        return False
    return visit.until(lambda: visit.page.locator(f"#knob-{knob}").input_value() == str(value),
                       f"a follower's page has {knob} {value}", 10)


def check_answers(check, presenter, visits):
    """Sends answers by two pages; the presenter sees their counts, and the followers none."""
    for visit, answer in zip(visits, ("8", "7")):
        visit.page.fill("#question-0", answer)
        visit.page.get_by_role("button", name="Send my prediction").click()
        visit.until(lambda visit=visit: "is counted" in visit.text(".notice"), "an answer is sent")
    numbers = lambda: presenter.page.locator(".class-bar dd").all_inner_texts()
    presenter.until(lambda: numbers() == ["2", "2"],
                    "the numbers of the class", 10)
    check.expect(not presenter.page.locator(".votes").is_visible(),
                 "the votes are shown before the presenter opens them")
    presenter.page.get_by_text("Show the predictions").click()
    votes = presenter.page.locator(".votes > div").all_inner_texts()
    counts = [vote.split() for vote in votes]
    check.expect(counts == [["7", "1"], ["8", "1"]],
                 f"the votes: {counts}, the numbers: {numbers()}")
    check.figure(f"followers and answers {'/'.join(numbers())}, votes {counts}")


def check_screens(check, presenter, visits):
    """Compares the followers' pages with the presenter's page."""
    for visit in visits:
        visit.finish()
        check.expect(visit.screen() == presenter.screen(), "a follower's screen is another one")
        found = [text for text in visit.page.locator("button").all_inner_texts()
                 if text in ("Start", "Stop")]
        check.expect(not found, f"a follower's page has the buttons {found}")
        for key in ("Home", "ArrowRight"):
            presenter.page.keyboard.press(key)
            visit.page.keyboard.press(key)
            check.expect(visit.screen() == presenter.screen(), f"another screen after {key}")
        for page in (presenter.page, visit.page):
            page.keyboard.press("End")
    marks = [visit.text(".question p >> nth=0") for visit in visits]
    check.expect("right" in marks[0] and "not 7" in marks[1], f"the followers' marks: {marks}")


def check_navigation(check, presenter, visits):
    """The followers' pages go where the presenter goes."""
    begin = time.monotonic()
    presenter.open("gallery", tasks=7)
    for visit in visits:
        check.expect(is_at(visit, "gallery", "tasks", 7),
                     "a follower's page goes to the gallery with its knobs")
    check.figure(f"followed to the gallery within {time.monotonic() - begin:.1f} s")


ALONE = {"server killed": check_killed, "class": check_class}
