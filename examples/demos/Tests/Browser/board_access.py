"""The checks of access: rules of axe-core, narrow pages, keyboard."""
import functools
import pathlib

import axe_playwright_python

from board_tools import PAGES, SCHEMES, Visit, begin

AXE = pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
# The places of the parts, in the order of the keyboard.
FOCUSED = """() => {
  const element = document.activeElement;
  if (element === document.body) return null;
  if (!element.dataset.order) element.dataset.order = ++window.orders;
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const label = element.closest("label");
  const outline = [element, label].filter(Boolean).some(one => {
    const style = getComputedStyle(one);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  });
  return { order: Number(element.dataset.order), outline,
    name: element.tagName.toLowerCase() + (element.id ? "#" + element.id : "")
      + " " + (element.getAttribute("aria-label") || element.textContent || "").slice(0, 30),
    width: box.width, height: box.height, opacity: style.opacity };
}"""
# The elements that the keyboard has to reach, in the order of the document.
REACHABLE = """() => {
  window.orders = 0;
  const seen = new Set();
  return [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
    .filter(element => element.tabIndex >= 0 && !element.disabled && element.checkVisibility()
      && !element.closest("fieldset:disabled"))
    .filter(element => {
      if (element.type !== "radio") return true;
      const group = [...document.querySelectorAll(`input[name="${element.name}"]`)];
      return element === (group.find(one => one.checked) || group[0]);
    }).map(element => { element.dataset.wanted = ""; return element.tagName; }).length;
}"""
MISSED = """() => [...document.querySelectorAll("[data-wanted]:not([data-order])")].map(element =>
  element.outerHTML.slice(0, 90))"""
OUT_OF_ORDER = """() => [...document.querySelectorAll("[data-order]")].map(element =>
  [Number(element.dataset.order), element.outerHTML.slice(0, 60)]).filter(([order], index, all) =>
  index && order < all[index - 1][0])"""


def faults_of(page):
    """Returns the violations of axe-core's rules on a page: rule, element, and the reason."""
    if page.evaluate("typeof window.axe") == "undefined":
        page.evaluate(AXE.read_text())
    found = page.evaluate("""async rules => {
      const found = await axe.run(document, { runOnly: { type: "tag", values: rules },
        resultTypes: ["violations"], preload: false });
      return found.violations.flatMap(rule => rule.nodes.map(node => [rule.id,
        node.target.join(" "), (node.any[0] || node.all[0] || node.none[0] || {}).message || ""]));
    }""", RULES)
    return [f"{rule}: {target}: {text[:160]}" for rule, target, text in found]


def check_axe(check, browser, server, name):
    """No rule of axe-core is broken before, during and after a run, and no page overflows. A window of
    1280 pixels has 640 at a zoom of 200 %."""
    looks = 0
    with Visit(browser, check, server.address, reduced_motion="reduce") as visit:
        start = begin(visit, name)
        for moment in ("before", "during", "after"):
            for scheme in SCHEMES:
                for width in (360, 640, 1280):
                    if moment == "during" and not visit.is_running():
                        start()
                        visit.page.wait_for_timeout(500)
                    visit.page.set_viewport_size({"width": width, "height": 900})
                    visit.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                    visit.page.wait_for_timeout(200)
                    looks += 1
                    for fault in faults_of(visit.page):
                        check.expect(False, f"{moment}, {width} {scheme}: {fault}")
                    wide = visit.page.evaluate("document.documentElement.scrollWidth")
                    check.expect(wide <= width, f"{wide} of {width} pixels {moment} the run: "
                                 + visit.page.evaluate(WIDEST))
            if moment == "during":
                visit.finish()
    check.figure(f"{looks} looks, {len(check.faults)} violations")


def check_keyboard(check, browser, server, name):
    """Tab reaches every control in the order of the document, with a visible focus."""
    with Visit(browser, check, server.address) as visit:
        begin(visit, name, speed=1000)()
        visit.finish()
        page = visit.page
        page.evaluate("document.body.tabIndex = -1; document.body.focus()")
        wanted = page.evaluate(REACHABLE)
        reached = 0
        for _ in range(2 * wanted + 20):
            page.keyboard.press("Tab")
            place = page.evaluate(FOCUSED)
            if place is None:
                break
            reached += 1
            if place["order"] < reached:
                break
            check.expect(place["outline"], f"no visible focus: {place['name']}")
            check.expect(place["width"] > 1 and place["height"] > 1, f"too small: {place['name']}")
        missed = page.evaluate(MISSED)
        check.expect(not missed, f"{len(missed)} not reached: {missed[:4]}")
        wrong = page.evaluate(OUT_OF_ORDER)
        check.expect(not wrong, f"out of order: {wrong[:3]}")
        check.figure(f"{wanted - len(missed)} of {wanted} controls reached")


# The outermost elements that reach beyond the window, and are in no box that scrolls.
WIDEST = """() => [...document.querySelectorAll("body *")].filter(element => {
  if (element.getBoundingClientRect().right <= innerWidth + 1) return false;
  for (let one = element.parentElement; one; one = one.parentElement) {
    if (getComputedStyle(one).overflowX !== "visible") return false;
  }
  return true;
}).slice(0, 3).map(element => element.outerHTML.slice(0, 80)).join(" | ")"""


CHECKS = {
    f"{word}: {name}": functools.partial(function, name=name)
    for word, function in (("axe", check_axe), ("keyboard", check_keyboard))
    for name in PAGES
}
