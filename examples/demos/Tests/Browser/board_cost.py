"""Measures the board: the browser's CPU time, and whether a run is slowed by those who watch it."""
import json
import os
import pathlib
import selectors
import socket
import statistics
import sys
import threading
import time

from board_tools import Check, Server, Visit, events_of

PAIRS = int(os.environ.get("PAIRS", "15"))
STREAMS = 50
TICK = os.sysconf("SC_CLK_TCK")
# Runs of real threads: one that computes on all cores, one that mostly waits.
WATCHED = {
    "loops": {"count": "2000", "stride": "4", "work": "1500000"},
    "starvation": {"jobs": "64", "max": "16", "seconds": "0.1"},
}


def times_of(number):
    """Returns the CPU seconds of a process, and of its children that have ended."""
    try:
        fields = pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0, 0
    user, system, of_children, system_of_children = map(int, fields[11:15])
    return (user + system) / TICK, (of_children + system_of_children) / TICK


def processes_of_browser():
    """Returns the browser's processes: those below this one."""
    parents = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)
                parents[int(folder.name)] = (int(fields[1].split()[1]), fields[0].split("(")[1])
            except OSError:
                pass
    found = []
    for number, (parent, name) in parents.items():
        while parent in parents and parent != os.getpid():
            parent = parents[parent][0]
        if parent == os.getpid() and name.startswith("chrom"):
            found.append(number)
    return found


def browser_seconds():
    return sum(times_of(number)[0] for number in processes_of_browser())


def measure_browser(browser, server):
    """Prints the CPU time of the browser in a run of about 60 events a second."""
    check = Check("cost")
    knobs = {"tasks": 20, "max": 2, "speed": 4.6}
    for _ in range(3):
        with Visit(browser, check, server.address) as visit:
            visit.open("downloads", **knobs)
            visit.page.wait_for_timeout(1500)
            idle = rate_of(lambda: time.sleep(4))[0]
            rate, seconds = rate_of(lambda: perform_in(visit))
            events = len(visit.of_kind("event"))
            print(f"browser: {100 * (rate - idle):.1f} % of a core more than idle"
                  f" ({100 * idle:.1f} %), {events / seconds:.0f} events a second for"
                  f" {seconds:.1f} s", flush=True)
    for fault in check.faults:
        print(f"browser: {fault}", file=sys.stderr)


def perform_in(visit):
    """Performs the run of a page. Asks for its end seldom, which costs time as well."""
    visit.start()
    deadline = time.monotonic() + 60
    while visit.page.evaluate("boardMessages.at(-1)?.kind") != "end":
        if time.monotonic() > deadline:
            sys.exit("board.py: the run does not end")
        visit.page.wait_for_timeout(500)


def rate_of(work):
    """Returns the browser's CPU seconds a second while something is done, and its seconds."""
    before, begin = browser_seconds(), time.monotonic()
    work()
    seconds = time.monotonic() - begin
    return (browser_seconds() - before) / seconds, seconds


class Readers:
    """Streams that read all bytes and look at none."""

    def __init__(self, server, channel, count):
        self.bytes = 0
        self.selector = selectors.DefaultSelector()
        request = (f"GET /{server.token}/{channel}/events HTTP/1.1\r\n"
                   f"Host: {server.host}\r\n\r\n").encode()
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.sendall(request)
            self.selector.register(connection, selectors.EVENT_READ)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while self.selector.get_map():
            for key, _ in self.selector.select(1):
                piece = key.fileobj.recv(1 << 16)
                self.bytes += len(piece)
                if not piece:
                    self.selector.unregister(key.fileobj)


def perform(server, channel, demo):
    """Performs a run. Returns its seconds as the worker measured them, the CPU seconds of the
    worker and of the server, and the number of events."""
    server_before, worker_before = times_of(server.process.pid)
    body = {"demo": demo, "knobs": WATCHED[demo], "speed": 1, "virtual": False}
    status, answer = server.ask("POST", f"{channel}/start", body)
    if status != 200:
        sys.exit(f"board.py: the run is refused: {answer.decode()}")
    run = json.loads(answer)["run"]
    deadline = time.monotonic() + 60
    status = 404
    while status != 200 and time.monotonic() < deadline:
        time.sleep(0.1)
        if not server.workers():
            status, answer = server.ask("GET", f"{channel}/runs/{run}/run.json")
    time.sleep(0.2)
    events = events_of(answer.decode())
    server_after, worker_after = times_of(server.process.pid)
    return {"time": (events[-1]["t"] - events[0]["t"]) / 1e9, "CPU": worker_after - worker_before,
            "server": server_after - server_before, "events": len(events)}


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


def measure_watched(browser, server, demo, watchers):
    """Prints the ratio of a watched run to one that nobody watches, in pairs."""
    channel = f"watched{demo}"
    check = Check("cost")
    context = browser.new_context()
    context.add_init_script(f"sessionStorage.setItem('weir-board-channel-{demo}', '{channel}')")
    visit = None
    if "page" in watchers:
        visit = Visit(browser, check, server.address, context=context)
        visit.open(demo)
    readers = Readers(server, channel, STREAMS)
    time.sleep(1)
    pairs = []
    for number in range(PAIRS):
        order = [channel, "unwatched"] if number % 2 else ["unwatched", channel]
        pairs.append({name: perform(server, name, demo) for name in order})
    plain = lambda key: statistics.median(pair["unwatched"][key] for pair in pairs)
    watched = lambda key: statistics.median(pair[channel][key] for pair in pairs)
    ratio = lambda key: quartiles([pair[channel][key] / pair["unwatched"][key] for pair in pairs])
    print(f"{demo}, {watchers}, {len(pairs)} pairs: time {ratio('time')} of {plain('time'):.2f} s,"
          f" CPU of the worker {ratio('CPU')} of {plain('CPU'):.2f} s, CPU of the server"
          f" {plain('server'):.2f} s, watched {watched('server'):.2f} s,"
          f" {plain('events'):.0f} events, {readers.bytes >> 10} KiB read", flush=True)
    if visit:
        found = visit.page.evaluate("Number(document.getElementById('scrubber').max) + 1")
        print(f"{demo}: the page shows {found} events", flush=True)
        visit.close()
    context.close()


def measure(browser):
    with Server() as server:
        measure_browser(browser, server)
    for demo in os.environ.get("DEMOS", " ".join(WATCHED)).split():
        for watchers in (f"{STREAMS} streams", f"{STREAMS} streams and a page"):
            with Server() as server:
                measure_watched(browser, server, demo, watchers)
    return 0
