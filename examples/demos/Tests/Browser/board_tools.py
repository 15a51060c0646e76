"""The tools of the board's tests: the server, streams without a browser, pages, and checks."""
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse

from playwright.sync_api import Error

PAGES = ("downloads", "images", "gallery", "loops", "queues", "groups")
SCHEMES = ("light", "dark")
WIDTHS = (400, 900, 1280, 1600)
# Seconds for anything that a page or the server does by itself.
PATIENCE = 30

# The knobs of a simulated run of some seconds: the middle of the run has all that a page shows.
KNOBS = {
    "downloads": {"tasks": 8, "max": 3, "speed": 4}, "images": {"step": 5, "speed": 4},
    "gallery": {"form": "map", "tasks": 8, "fail": 3, "failure": "status", "speed": 0.5},
    "loops": {"speed": 0.0002}, "queues": {"speed": 0.5},
    "groups": {"speed": 0.6},
}

# The page's own list of messages, beside the page's code, which cannot see it.
LISTEN = """
const Source = window.EventSource;
window.boardMessages = [];
window.boardLives = [];
window.EventSource = class extends Source {
  constructor(address) {
    super(address);
    this.addEventListener("messages", event => {
      for (const message of JSON.parse(event.data)) {
        if (message.kind === "hello" || message.kind === "run") boardMessages.length = 0;
        boardMessages.push(message);
      }
    });
  }
};
new MutationObserver(() => {
  const text = document.getElementById("live")?.textContent;
  if (text && text !== boardLives.at(-1)) boardLives.push(text);
}).observe(document, { subtree: true, childList: true, characterData: true });
"""


class Check:
    """A named check: its faults, and the figure that its line shows."""

    def __init__(self, name):
        self.name = name
        self.faults = []
        self.figures = []

    def expect(self, condition, text):
        """Adds a fault if a condition does not hold. Returns the condition."""
        if not condition and text not in self.faults:
            self.faults.append(text)
        return condition

    def figure(self, text):
        self.figures.append(text)

    def show(self):
        word = "FAIL" if self.faults else "ok"
        print(f"{word:4} {self.name}: {', '.join(self.figures) or '-'}", flush=True)
        for fault in self.faults[:40]:
            print(f"     {self.name}: {fault}", file=sys.stderr, flush=True)


class Server:
    """A board, and its process."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [os.environ.get("BOARD", ".build/board/release/board"), "--port", "0", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
        text = ""
        deadline = time.monotonic() + PATIENCE
        while "Ctrl-C" not in text:
            left = deadline - time.monotonic()
            if not select.select([self.process.stdout], [], [], max(0, left))[0]:
                self.kill()
                sys.exit(f"board.py: the server does not start: {text!r}")
            piece = os.read(self.process.stdout.fileno(), 4096)
            if not piece:
                self.kill()
                sys.exit(f"board.py: the server ended: {text!r}")
            text += piece.decode()
        lines = dict(line.split(": ", 1) for line in text.splitlines() if ": http" in line)
        self.address = lines["The board"]
        self.class_address = lines.get("The class")

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def stop(self):
        """Ends the server as Ctrl-C does; kills it if it does not end."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
            self.process.stdout.close()
        except subprocess.TimeoutExpired:
            self.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()

    def workers(self):
        """Returns the processes of runs."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task")
        return [int(child) for task in children.iterdir()
                for child in (task / "children").read_text().split()]


class Visit:
    """A page of the board in a browser's context of its own."""

    def __init__(self, browser, check, address, quiet=(), **options):
        options.setdefault("viewport", {"width": 1280, "height": 900})
        self.check = check
        self.address = address
        self.quiet = list(quiet)
        self.context = browser.new_context(**options)
        self.context.add_init_script(LISTEN)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE * 1000)
        origin = "http://" + urllib.parse.urlsplit(address).netloc + "/"
        self.page.on("request", lambda request: check.expect(
            request.url.startswith((origin, "data:", "blob:")), f"a request to {request.url}"))
        self.page.on("response", self.see)
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: check.expect(False, f"an error: {error}"))

    def see(self, response):
        if response.status >= 400 and not self.quiet:
            path = "/".join(urllib.parse.urlsplit(response.url).path.split("/")[2:])
            self.check.expect(False, f"{response.request.method} {path}: {response.status}")

    def hear(self, message):
        if message.type in ("error", "warning"):
            known = any(text in message.text for text in (*self.quiet, "status of 4"))
            self.check.expect(known, f"console: {message.text}")

    def open(self, name, **knobs):
        """Opens a page by its name. Returns once it shows the run from before, if there is one."""
        query = urllib.parse.urlencode(knobs)
        self.page.goto(self.address + name + ("?" + query if query else ""))
        self.page.locator("h1").wait_for()
        self.until("boardMessages.length > 1 || boardMessages[0] && !boardMessages[0].run", "the run from before")
        self.page.wait_for_timeout(300)
        return self

    def close(self):
        self.context.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Waits

    def until(self, question, what, seconds=PATIENCE):
        """Waits until an expression in JavaScript, or a function, is true."""
        deadline = time.monotonic() + seconds
        ask = question if callable(question) else lambda: self.page.evaluate(question)
        while not (found := ask()):
            if time.monotonic() > deadline:
                self.check.expect(False, f"not within {seconds} s: {what}")
                return found
            self.page.wait_for_timeout(30)
        return found

    # The run

    def start(self):
        """Starts a run. Returns once its first message has come."""
        before = self.run_number()
        self.page.locator("#start").click()
        self.until(lambda: self.run_number() not in (None, before), "the run begins")

    def is_running(self):
        return self.page.evaluate("document.body.classList.contains('running')")

    def run_number(self):
        return self.page.evaluate(
            "boardMessages.findLast(message => message.kind === 'run')?.run ?? null")

    def finish(self, seconds=60):
        """Waits for the end of the run. Returns its last message."""
        self.until("boardMessages.some(message => message.kind === 'end')", "the run ends", seconds)
        self.until("!document.body.classList.contains('running')", "the page shows the end")
        self.page.wait_for_timeout(250)
        end = self.of_kind("end")
        return end[-1] if end else {"reason": "none"}

    def of_kind(self, kind):
        """Returns the messages of a kind, in the order in which they came."""
        return self.page.evaluate(
            "kind => boardMessages.filter(message => message.kind === kind)", kind)

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def count(self, selector):
        return self.page.locator(selector).count()

    def screen(self):
        return screen_of(self.page)


def screen_of(page):
    """Returns all that the view's screen says: texts, names, values of progress."""
    return page.evaluate("""() => {
      const screen = document.querySelector(".screen");
      const values = [...screen.querySelectorAll("[aria-label], [aria-valuenow], progress")]
        .filter(element => element.checkVisibility()).map(element =>
          [element.getAttribute("aria-label"), element.getAttribute("aria-valuenow"),
            element.value]);
      return screen.innerText + JSON.stringify(values);
    }""")


def begin(visit, name, **more):
    """Opens a page and returns a function that starts its run."""
    visit.open(name, virtual=1, **{**KNOBS[name], **more})
    return visit.start


def launch(playwright):
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    return playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])


def run_check(name, function, *arguments):
    """Runs a check, prints its line, and returns true if it found no fault."""
    check = Check(name)
    begin = time.monotonic()
    try:
        function(check, *arguments)
    except (Error, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        check.expect(False, f"{type(error).__name__}: {str(error).splitlines()[0]}")
    check.figure(f"{time.monotonic() - begin:.0f} s")
    check.show()
    return not check.faults
