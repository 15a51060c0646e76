"""Opens every page of the site in Chromium, from its file.

usage: check.py DIR   WIDTHS="400 1000 1600" by default

Each page at each width, light and dark: the rules of axe-core, no message of the console, no request to another host,
no page that is wider than the window. Then every link, with its anchor; the search; a level of the game.
"""
import os
import pathlib
import re
import sys
import urllib.parse

from playwright.sync_api import Error, sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples/demos/Tests/Browser"))
from board_access import WIDEST, faults_of  # noqa: E402
from board_tools import SCHEMES, launch  # noqa: E402

WIDTHS = [int(width) for width in os.environ.get("WIDTHS", "400 1000 1600").split()]
LINKS = """() => [...document.querySelectorAll("a[href], img[src], link[href], script[src]")]
  .map(element => element.href || element.src)"""
# The theme's column scrolls by itself on a narrow page.
WIDE = """() => Math.max(...document.querySelectorAll("html, .content").values().map(
  element => element.scrollWidth - element.clientWidth))"""
NAMES = "() => [...document.querySelectorAll('[id], a[name]')].map(element => element.id || element.name)"
# The pages of Swift are entries of one file; its links are their names.
ENTRIES = """() => { const links = new Set(); for (const name in pages) { location.hash = name; show();
  for (const a of document.querySelectorAll('main a[href^="#"]')) links.add(a.getAttribute("href").slice(1)); }
  return { pages: Object.keys(pages), links: [...links] }; }"""


class Site:
    def __init__(self, browser, folder):
        self.browser = browser
        self.folder = pathlib.Path(folder).resolve()
        self.files = sorted(self.folder.rglob("*.html"))
        self.faults = []
        self.looks = self.followed = 0
        self.others = set()
        self.links, self.names = {}, {}

    def expect(self, holds, text):
        if not holds:
            self.faults.append(text)

    def page(self, width, scheme):
        """Returns a page whose faults are noted under its address."""
        context = self.browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme,
                                           reduced_motion="reduce")
        page = context.new_page()

        def at():
            return f"{page.url.removeprefix(self.folder.as_uri())} {width} {scheme}"
        page.on("console", lambda message: self.expect(
            message.type not in ("error", "warning"), f"{at()}: console: {message.text}"))
        page.on("pageerror", lambda error: self.expect(False, f"{at()}: error: {error}"))
        page.on("request", lambda request: self.expect(
            request.url.startswith(("file:", "data:")), f"{at()}: a request to {request.url}"))
        page.at = at
        return page

    def look(self, page):
        self.looks += 1
        for fault in faults_of(page):
            self.expect(False, f"{page.at()}: {fault}")
        wide = page.evaluate(WIDE)
        self.expect(wide <= 0, f"{page.at()}: {wide} pixels too wide: {wide > 0 and page.evaluate(WIDEST)}")

    def check_pages(self):
        for width in WIDTHS:
            for scheme in SCHEMES:
                page = self.page(width, scheme)
                for file in self.files:
                    page.goto(file.as_uri())
                    self.look(page)
                    self.links[file.as_uri()] = page.evaluate(LINKS)
                    self.names[file.as_uri()] = set(page.evaluate(NAMES))
                page.context.close()
                print(f"{len(self.files)} pages at {width} {scheme}: {len(self.faults)} faults so far", flush=True)

    def check_links(self):
        for source, links in self.links.items():
            for link in set(links):
                address, _, name = link.partition("#")
                if not address.startswith("file:"):
                    self.others.add(link)
                    continue
                self.followed += 1
                file = pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(address).path))
                # The course and the pages of Swift read their anchors themselves.
                is_known = file.is_file() and self.folder in file.parents and (
                    not name or file.parent.name in ("course", "swift", "reports")
                    or urllib.parse.unquote(name) in self.names[address])
                self.expect(is_known, f"{source.removeprefix(self.folder.as_uri())}: no {link}")
        page = self.page(1000, "light")
        page.goto((self.folder / "swift/index.html").as_uri())
        found = page.evaluate(ENTRIES)
        self.followed += len(found["links"])
        for link in set(found["links"]) - set(found["pages"]):
            self.expect(False, f"swift: no {link}")
        for name in found["pages"][::40]:
            page.goto((self.folder / "swift/index.html").as_uri() + "#" + name)
            self.look(page)

    def check_search(self):
        page = self.page(1000, "light")
        for words, wanted in (("weir_gate_try", "man/weir_gate.3.html"), ("slurm", "docs/cluster.html"),
                              ("mtree", "docs/formats.html"), ("FileProcessor", "swift.html")):
            page.goto((self.folder / "index.html").as_uri())
            page.locator("input[type=search], .sidebar-search").first.fill(words)
            page.keyboard.press("Enter")
            found = page.locator(f'#search-results a[href*="{wanted}"]').first
            found.wait_for(state="attached", timeout=20000)
            self.look(page)

    def check_game(self):
        page = self.page(400, "dark")
        page.goto((self.folder / "course/index.html").as_uri() + "#level-10")
        page.locator("summary", has_text="A shortest schedule").click()
        shown = page.get_by_text(re.compile(r"^Step [0-9, ]+\.$")).inner_text()
        for key in re.findall("[0-9]+", shown):
            page.keyboard.press(key)
        self.expect("Goal reached" in page.locator(".schedule-banner").inner_text(), "the game: goal not reached")
        self.look(page)


def main(folder):
    with sync_playwright() as playwright:
        site = Site(launch(playwright), folder)
        for check in (site.check_pages, site.check_links, site.check_search, site.check_game):
            try:
                check()
            except Error as error:
                site.expect(False, f"{check.__name__}: {str(error).splitlines()[0]}")
    for fault in dict.fromkeys(site.faults):
        print(f"  {fault}")
    print(f"site: {len(site.files)} pages, {site.looks} looks, {site.followed} links within the site,"
          f" {len(site.others)} to other hosts (not followed), {len(site.faults)} faults")
    return 1 if site.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
