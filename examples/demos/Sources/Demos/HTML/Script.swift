// The script of a page: the cursor over the events. It changes text and attributes alone.

enum HTMLScript {
  /// Reads the page: events, rows, bars and curves; finds the state after an event.
  static let state = #"""
    "use strict";
    const byId = id => document.getElementById(id);
    const all = (selector, root = document) => [...root.querySelectorAll(selector)];
    const log = JSON.parse(byId("log").textContent);
    const svg = byId("timeline");
    const span = Number(svg.dataset.span);

    function readBar(rect) {
      const data = rect.dataset;
      const kind = ["queued", "waiting", "suspended", "running"].find(k => rect.classList.contains(k));
      return { kind, first: Number(data.a), last: data.z ? Number(data.z) : Infinity,
               ending: data.e, subject: data.n, task: data.r };
    }

    const rows = all("g.row", svg).map(group => ({
      id: group.dataset.row,
      number: group.dataset.number,
      isThread: group.classList.contains("thread"),
      name: document.querySelector(`[data-name="${group.dataset.row}"]`).textContent,
      thread: Number(group.dataset.thread),
      bars: all("rect.bar", group).map(readBar),
    }));
    const rowOf = new Map(rows.map(row => [row.id, row]));
    const threadRow = new Map(rows.filter(row => row.isThread).map(row => [row.thread, row]));

    const curves = all("[data-curve]").map(element => ({
      name: element.dataset.curve,
      value: element.parentElement.querySelector(".value"),
      steps: element.dataset.steps.split(" ").map(step => step.split(":").map(Number)),
    }));

    /* The bar of a row after an event; a bar on top of others comes last. */
    const barAt = (row, event) =>
      row.bars.findLast(bar => bar.first <= event && event < bar.last);

    function wordsAt(row, event) {
      const bar = barAt(row, event);
      if (bar && row.isThread) {
        return { kind: bar.kind,
                 words: (bar.kind === "waiting" ? "waits for " : "runs ") + bar.subject };
      }
      if (bar) {
        return { kind: bar.kind, words: { queued: "is queued", running: "runs", suspended: "is suspended",
                                          waiting: "waits for " + bar.subject }[bar.kind] };
      }
      if (row.isThread) return { kind: "idle", words: "is idle" };
      const former = row.bars.findLast(bar => bar.last <= event);
      if (!former) return { kind: "idle", words: "is not there yet" };
      return former.ending === "cancelled" ? { kind: "done", words: "was cancelled" }
        : former.kind === "waiting" && former.ending === "timedOut" && row.bars.length === 1
          ? { kind: "done", words: "timed out" } : { kind: "done", words: "is done" };
    }

    const valueAt = (curve, event) => curve.steps.findLast(step => step[0] <= event)?.[1];

    function timeText(time) {
      const [unit, name] = span >= 1e9 ? [1e9, "s"] : span >= 1e6 ? [1e6, "ms"]
        : span >= 1e3 ? [1e3, "µs"] : [1, "ns"];
      const size = span / unit;
      return (time / unit).toFixed(unit === 1 ? 0 : size < 10 ? 3 : size < 100 ? 2 : 1) +
        " " + name;
    }

    /* A label without the characters that would hide or turn round the text about it. */
    function clean(label) {
      const text = label.replace(
        /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
      return text.length > 80 ? [...text].slice(0, 79).join("") + "…" : text;
    }

    function eventText(event) {
      const kind = event.ev === "timeout" ? "TIMED OUT" : event.ev.toUpperCase();
      const thread = threadRow.get(event.thr)?.name ?? "thread " + event.thr;
      const detail = event.woken === undefined ? ""
        : event.woken ? ", a thread is woken" : ", nobody is woken";
      return `${thread}: ${kind} ${clean(event.q)}${event.task ? " " + event.task : ""}${detail}`;
    }

    /* The last event at or before a time. */
    function eventAt(time) {
      let low = 0, high = log.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (log[middle].t <= time) low = middle + 1; else high = middle;
      }
      return Math.max(0, low - 1);
    }

    /* The tag of the line that each task is at: a map of tag to names of tasks. */
    function placesAt(event) {
      const places = new Map();
      const put = (tag, name) => places.set(tag, (places.get(tag) ?? new Set()).add(name));
      const usual = { queued: "submit", waiting: "wait", running: "run", suspended: "run" };
      const { ev, thr, q } = log[event];
      const special = ev === "note" ? (q.startsWith("notify") ? "notify" : undefined)
        : ["signal", "enter", "leave"].includes(ev) ? ev : undefined;
      const thread = threadRow.get(thr);
      const actor = thread && barAt(thread, event)?.task;
      if (special) put(special, actor ? rowOf.get(actor)?.number : thread?.name ?? "");
      for (const row of rows) {
        if (!row.number || special && row.id === actor) continue;
        const bar = barAt(row, event);
        if (bar) put(usual[bar.kind], row.number);
        else if (row.bars.some(bar => bar.last === event)) put("end", row.number);
      }
      return places;
    }
    """#

  /// Moves the cursor by buttons, keys, the scrubber and the pointer, and plays.
  static let controls = #"""
    let now = 0;
    let playing = false;
    const quiet = matchMedia("(prefers-reduced-motion: reduce)");
    const scrubber = byId("scrubber"), cursor = byId("cursor"), sentence = byId("now");

    const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };
    const make = (name, className) =>
      Object.assign(document.createElement(name), { className });

    const counters = curves.map(curve => {
      const name = make("dt"), value = make("dd");
      name.textContent = curve.name;
      const pair = make("div");
      pair.append(name, value);
      byId("counters").append(pair);
      return value;
    });
    const items = rows.map(row => {
      const item = make("li"), letter = make("span", "letter"), name = make("strong");
      const words = make("span", "words");
      letter.setAttribute("aria-hidden", "true");
      name.textContent = row.name;
      const text = make("span");
      text.append(name, " ", words);
      item.append(letter, text);
      byId(row.isThread ? "threads" : "tasks").append(item);
      return { item, letter, words };
    });
    for (const list of ["threads", "tasks"]) {
      byId(list).classList.toggle("many", byId(list).children.length > 40);
    }
    const letters = { running: "R", waiting: "W", suspended: "S", queued: "Q", idle: "", done: "✓" };

    function place(time) {
      const percent = Math.min(100, time / span * 100);
      cursor.setAttribute("x1", percent + "%");
      cursor.setAttribute("x2", percent + "%");
      scrubber.value = percent * 1e4;
    }

    function showCode() {
      const places = placesAt(now);
      for (const line of all("li[data-tag]")) {
        const names = [...places.get(line.dataset.tag) ?? []];
        line.classList.toggle("here", names.length > 0);
        line.querySelector(".at").replaceChildren(
          ...(names.length > 8 ? [names.length + " tasks"] : names).map(name => {
            const chip = make("span", "chip");
            chip.textContent = name;
            return chip;
          }));
      }
    }

    function show(event, time = log[event].t) {
      place(time);
      if (event === now && sentence.textContent) return;
      now = event;
      setText(sentence, `${timeText(log[event].t)} · ${eventText(log[event])} ` +
        `(event ${event + 1} of ${log.length})`);
      scrubber.setAttribute("aria-valuetext", sentence.textContent);
      curves.forEach((curve, index) => {
        const value = valueAt(curve, event);
        setText(counters[index], value === undefined ? "–" : String(value));
        setText(curve.value, value === undefined ? "" : `${value}`);
      });
      rows.forEach((row, index) => {
        const { kind, words } = wordsAt(row, event);
        items[index].item.className = kind;
        setText(items[index].letter, letters[kind]);
        setText(items[index].words, words);
      });
      document.querySelector("tr.current")?.classList.remove("current");
      byId("e" + event)?.classList.add("current");
      showCode();
    }

    const playButton = document.querySelector("[data-step=play]");
    const shapes = ["M5 3v10l8-5z", "M4 3h3v10H4zM9 3h3v10H9z"];
    function setPlaying(value) {
      playing = value;
      playButton.setAttribute("aria-label", value ? "Pause" : "Play");
      playButton.querySelector("path").setAttribute("d", shapes[Number(value)]);
      for (const part of all("[aria-live]")) part.setAttribute("aria-live", value ? "off" : "polite");
    }

    function play() {
      if (playing) return setPlaying(false);
      if (now === log.length - 1) show(0);
      setPlaying(true);
      if (quiet.matches) {
        const timer = setInterval(() => {
          if (!playing || now === log.length - 1) { clearInterval(timer); setPlaying(false); }
          else show(now + 1);
        }, 1000);
        return;
      }
      const whole = Math.min(20, Math.max(6, log.length / 6)) * 1000;
      const rate = log[log.length - 1].t / whole;
      let time = log[now].t, before;
      requestAnimationFrame(function frame(clock) {
        if (!playing) return;
        time += (clock - (before ?? clock)) * rate;
        before = clock;
        const isOver = time >= log[log.length - 1].t;
        show(isOver ? log.length - 1 : eventAt(time), Math.min(time, log[log.length - 1].t));
        if (isOver) setPlaying(false); else requestAnimationFrame(frame);
      });
    }

    const steps = {
      first: () => show(0), last: () => show(log.length - 1), play,
      back: () => show(Math.max(0, now - 1)),
      next: () => show(Math.min(log.length - 1, now + 1)),
    };
    function step(name) {
      if (name !== "play" && playing) setPlaying(false);
      steps[name]();
    }
    for (const button of all("[data-step]")) {
      button.addEventListener("click", () => step(button.dataset.step));
    }
    const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };
    document.addEventListener("keydown", press => {
      const name = keys[press.key], target = press.target;
      if (!name || press.altKey || press.ctrlKey || press.metaKey || press.shiftKey) return;
      if (target !== document.body && !target.closest("#run")) return;
      if (press.key === " " && target.closest("button")) return;
      press.preventDefault();
      step(name);
    });

    function seek(share) {
      if (playing) setPlaying(false);
      const time = Math.min(1, Math.max(0, share)) * span;
      show(eventAt(time), time);
    }
    scrubber.addEventListener("input", () => seek(scrubber.value / 1e6));
    svg.addEventListener("pointerdown", press => {
      const seekTo = move => {
        const box = svg.getBoundingClientRect();
        seek((move.clientX - box.left) / box.width);
      };
      seekTo(press);
      if (press.pointerType === "touch") return;
      svg.setPointerCapture(press.pointerId);
      svg.addEventListener("pointermove", seekTo);
      svg.addEventListener("lostpointercapture",
        () => svg.removeEventListener("pointermove", seekTo), { once: true });
    });

    const tabs = all("[role=tab]");
    function choose(tab) {
      for (const other of tabs) {
        const isChosen = other === tab;
        other.setAttribute("aria-selected", isChosen);
        other.tabIndex = isChosen ? 0 : -1;
        byId(other.getAttribute("aria-controls")).classList.toggle("unchosen", !isChosen);
      }
    }
    for (const tab of tabs) {
      const panel = byId(tab.getAttribute("aria-controls"));
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      tab.addEventListener("click", () => choose(tab));
      tab.addEventListener("keydown", press => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[press.key];
        if (!by) return;
        const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length];
        choose(next);
        next.focus();
      });
    }
    if (tabs.length) { tabs[0].parentElement.hidden = false; choose(tabs[0]); }

    /* The page opens at the first moment at which most tasks and threads run or wait. */
    {
      byId("controls").hidden = byId("state").hidden = false;
      document.documentElement.classList.add("scripted");
      let best = 0, most = -1;
      const change = new Array(log.length + 1).fill(0);
      for (const bar of rows.flatMap(row => row.bars)) {
        if (bar.kind === "queued") continue;
        change[bar.first] += 1;
        if (bar.last < Infinity) change[bar.last] -= 1;
      }
      change.slice(0, log.length).reduce((count, by, event) => {
        if (count + by > most) { most = count + by; best = event; }
        return count + by;
      }, 0);
      show(best);
    }
    """#
}
