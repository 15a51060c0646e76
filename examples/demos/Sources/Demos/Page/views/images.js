// The screen of the image tutorial: the list on a phone, the main queue that has to draw it, the
// permits, and the lines that the code prints.
//
// A row that is scrolled away (--cancel) cancels the request of its image, as a reused cell does. That
// helps only if the block of the request has not begun.

import { announce, keyed, make, setAttribute, setClass, setText } from "../code/dom.js";
import { picture } from "../code/picture.js";
import { partAt, permitsAt } from "../code/timeline/rows.js";
import { count, noteWords, seconds } from "../code/words.js";

const mostLines = 200;
const titles = {
  1: "no limit",
  2: "the block waits",
  3: "the block waits, with a time-out",
  4: "smaller images",
  5: "the main thread waits, with a time-out",
  6: "the main thread waits",
};

const view = {
  build(root) {
    this.rows = make("ul",
      { class: "phone-rows", tabindex: 0, "aria-label": "The list of images" });
    this.finger = make("span", { class: "finger", hidden: true, "aria-hidden": "true" });
    this.words = make("p", { class: "phone-words" });
    this.phone = make("div", { class: "phone" }, make("p", { class: "phone-bar", text: "Images" }),
      this.rows, this.words, make("p", { class: "phone-frozen", text: "frozen" }), this.finger);
    this.title = make("h3");
    this.main = make("p", { class: "main-words" });
    this.tokens = make("div", { class: "token-row", "aria-hidden": "true" });
    this.permits = make("p", { class: "permits-text" });
    this.lines = make("ol",
      { class: "console", tabindex: 0, "aria-label": "The lines that the code prints" });
    root.append(make("div", { class: "images" },
      this.phone,
      make("div", { class: "images-side" }, this.title,
        make("h3", { text: "Main queue" }), this.main,
        make("h3", { text: "Permits" }), this.tokens, this.permits,
        make("h3", { text: "The code prints" }), this.lines)));
  },

  initial(run, values) {
    const knobs = run?.knobs ?? values ?? {};
    const step = Number(knobs.step || 3);
    const length = (step === 5 ? 7 : 15) + 5 * Number(knobs.scroll || 0);
    const images = Array.from({ length }, (_, index) =>
      ({ id: index + 1, phase: "unasked", isAway: false }));
    return { step, usesGate: knobs.form === "gate", images, lines: [], queued: 0, touch: null };
  },

  apply,

  render(state, moment) {
    const { model, index } = moment;
    const main = model.threads.get("main");
    const part = main && partAt(main, index);
    const wait = part?.kind === "waiting" ? part : null;
    setText(this.title, `Step ${state.step}: `
      + (state.usesGate ? "tasks wait at Weir's gate" : titles[state.step]));
    setText(this.main, mainWords(state, moment, wait));
    setClass(this.main, "stopped", wait);
    if (Boolean(wait) !== this.wasStopped && moment.isLive && moment.isRunning) {
      announce(wait ? this.main.textContent : "The main queue answers again.");
    }
    this.wasStopped = Boolean(wait);
    this.showPhone(state, moment, wait);
    this.showPermits(permitsAt(model, index));
    this.showLines(state.lines);
  },

  showPhone(state, moment, wait) {
    keyed(this.rows, state.images, image => image.id, image => make("li", {},
      make("span", { class: "thumb" }), make("span", { text: "Image " + image.id })), showRow);
    const { touch } = state;
    setClass(this.phone, "is-frozen", wait);
    this.finger.hidden = !touch;
    setClass(this.finger, "answered", touch && touch.answered !== null);
    setText(this.words, touch ? touchText(touch, moment) : awayText(state.images));
  },

  showPermits([{ name, limit, free } = { name: "", limit: 0, free: 0 }]) {
    const total = Math.max(limit, free);
    keyed(this.tokens, [...Array(total).keys()], token => token, () => make("i"),
      (token, number) => {
        setClass(token, "used", number < total - free);
        setClass(token, "extra", number >= limit);
      });
    const broken = free > limit
      ? " A wait that timed out takes no permit, but signals: the limit is gone." : "";
    setText(this.permits, name ? `The ${name}: ${free} of ${count(limit, "permit")} free.${broken}`
      : "There is no limit.");
    setClass(this.permits, "broken", broken);
  },

  showLines(lines) {
    const first = Math.max(0, lines.length - mostLines);
    keyed(this.lines, lines.slice(first).map((line, index) => ({ ...line, key: first + index })),
      line => line.key, () => make("li"), (item, line) => {
        setText(item, line.text);
        setClass(item, "late", line.isLate);
      });
    this.lines.scrollTop = this.lines.scrollHeight;
  },
};

function apply(state, message) {
  if (message.kind !== "event") return;
  const image = state.images[message.task - 1];
  if (message.ev === "note") applyNote(state, message, image);
  else if (message.q === "main" && message.ev === "submit") state.queued += 1;
  else if (message.q === "main" && message.ev === "start" && state.queued) state.queued -= 1;
  else if (message.q === "Image Queue" && image) {
    if (message.ev === "submit") image.phase = "queued";
    if (message.ev === "start") image.phase = "begun";
  }
}

function applyNote(state, event, image) {
  const { q: note, t: time } = event;
  if (/^(START|END|REFUSED)/.test(note)) {
    state.lines.push({ text: noteWords(event), isLate: note.endsWith("| TIMED OUT true") });
  } else if (note === "CANCELLED" && image) image.phase = "cancelled";
  else if (note === "picture" && image) image.phase = "shown";
  else if (note === "cancel" && image) image.isAway = true;
  else if (note === "the screen is touched") state.touch = { at: time, answered: null };
  else if (note === "the touch is answered" && state.touch) state.touch.answered = time;
}

/* What the main queue does: it answers, or waits while its blocks are queued. */
function mainWords({ step, queued }, { time, run }, wait) {
  if (!run) return "The screen changes only while the main queue answers.";
  if (!wait) return "It answers: the screen can change.";
  // Step 5 waits for five seconds.
  const end = step === 5 ? `It gives up in ${seconds(Math.max(0, wait.begin + 5e9 - time))}. ` : "";
  const blocks = queued === 0 ? "" : `${count(queued, "block is", "blocks are")} queued on it, and `
    + "signals are sent by its blocks alone.";
  return `The main thread waits at the semaphore for ${seconds(time - wait.begin)}. ${end}${blocks}`;
}

function showRow(row, image) {
  setClass(row, "away", image.isAway);
  const thumb = row.firstElementChild;
  const isShown = String(image.phase === "shown");
  if (thumb.dataset.shown === isShown) return;
  setAttribute(thumb, "data-shown", isShown);
  thumb.replaceChildren(isShown === "true" ? picture(image.id)
    : make("span", { class: "busy", role: "img", "aria-label": "no picture yet" }));
}

function touchText(touch, moment) {
  return touch.answered === null
    ? `Touched at ${seconds(touch.at)}: no answer for ${seconds(moment.time - touch.at)}`
    : `Touched at ${seconds(touch.at)}, answered ${seconds(touch.answered - touch.at)} later`;
}

function awayText(images) {
  const image = images.findLast(image => image.isAway);
  if (!image) return "";
  if (image.phase === "cancelled") {
    return `Image ${image.id} is cancelled: its block had not begun.`;
  }
  return image.phase === "queued" ? `Image ${image.id} will be cancelled.`
    : `Image ${image.id} goes on: its block had begun.`;
}

export default view;
