// The screen of the image tutorial: the list on a phone, and the service that fetches its images.
//
// Requests are cars on a road with a door. A permit opens the door for one of them. The main queue
// has a heartbeat of its own, because the list can only change while it beats.

import { keyed, make, setAttribute, setClass, setText } from "../code/dom.js";
import { count, seconds } from "../code/words.js";
import { addBeat, beatsOf, Heartbeat } from "./images/heartbeat.js";
import { Shown } from "./shared/motion.js";
import { Phone } from "./images/phone.js";
import { applyRequest, freePermits, planOf, requestsOf } from "./images/requests.js";

/* The places of the road, in the order in which a request passes them. */
const places = [
  { name: "queued", title: "Queued", phases: ["unasked", "queued"] },
  { name: "waiting", title: "Waiting", phases: ["waiting"] },
  { name: "requesting", title: "Requesting", phases: ["admitted", "requesting"] },
  { name: "arrived", title: "Arrived", phases: ["arrived"] },
  { name: "shown", title: "Done", phases: ["shown", "refused", "cancelled"] },
];

const titles = {
  1: "no limit",
  2: "the block waits",
  3: "the block waits, with a time-out",
  4: "smaller images",
  5: "the main queue waits, with a time-out",
  6: "the main queue waits",
};

const view = {
  build(root, board) {
    this.board = board;
    this.shown = new Shown();
    this.heartbeat = new Heartbeat(board);
    this.phone = new Phone(board);
    this.title = make("h3");
    root.append(make("div", { class: "images" },
      this.heartbeat.element, this.phone.element, this.buildRoad(), this.buildLog()));
  },

  buildRoad() {
    this.road = make("div", { class: "road", role: "img", "aria-label": "the requests" });
    this.zones = new Map();
    for (const place of places) {
      const cars = make("div", { class: "cars" });
      const [title, number] = [make("span", { text: place.title }), make("b")];
      const remark = make("span", { class: "zone-remark" });
      const zone = make("div", { class: "zone zone-" + place.name },
        make("span", { class: "zone-name" }, title, " ", number), cars, remark);
      this.zones.set(place.name, { title, cars, number, remark });
      if (place.name === "requesting") this.road.append(this.buildDoor());
      this.road.append(zone);
    }
    this.permitText = make("p", { class: "permits-text" });
    return make("div", { class: "images-road" }, this.title, this.road, this.permitText);
  },

  buildDoor() {
    this.tokens = make("div", { class: "tokens" });
    this.door = make("div", { class: "door" }, make("i"), this.tokens, make("i"));
    return this.door;
  },

  buildLog() {
    this.lines = make("ol",
      { class: "console", tabindex: 0, "aria-label": "The lines that the code prints" });
    return make("div", { class: "images-log" },
      make("h3", { text: "The code prints" }), this.lines);
  },

  initial(run, values) {
    return { ...requestsOf(planOf(run || { knobs: values })), beats: beatsOf(run) };
  },

  apply(state, message) {
    if (message.kind === "beat") addBeat(state.beats, message);
    if (message.kind === "event") applyRequest(state, message);
  },

  render(state, moment) {
    this.heartbeat.show(state.beats, moment, stopOf(state, moment));
    this.shown.update(this.road, this.board, state, () => {
      this.renderPlan(state.plan);
      this.phone.showRows(state);
      this.renderRoad(state);
      this.renderLines(state);
    });
    this.renderCountdown(state, moment);
    this.phone.show(state, moment);
  },

  renderPlan(plan) {
    setText(this.title, `Step ${plan.step}: `
      + (plan.usesGate ? "tasks wait at Weir's gate" : titles[plan.step]));
    setText(this.zones.get("queued").title, plan.isOnMain ? "Not asked" : "Queued");
    setClass(this.road, "many", plan.images > 20);
    setClass(this.road, "crowded", plan.images > 45);
    setClass(this.door, "open", !plan.hasLimit);
  },

  renderRoad(state) {
    const words = [];
    for (const place of places) {
      const cars = state.cars.filter(car => place.phases.includes(car.phase));
      const zone = this.zones.get(place.name);
      keyed(zone.cars, cars, car => car.id, makeCar, updateCar);
      setText(zone.number, cars.length || "");
      if (cars.length) words.push(`${place.title}: ${cars.map(car => car.id).join(" ")}`);
    }
    this.renderRemarks(state.cars);
    this.renderPermits(state);
    setAttribute(this.road, "aria-label", "The requests. " + (words.join(". ") || "None") + ".");
  },

  renderRemarks(cars) {
    const show = (name, isNeeded, text) => setText(this.zones.get(name).remark,
      cars.some(isNeeded) ? text : "");
    show("requesting", car => car.phase === "requesting" && car.isTimedOut,
      "T: timed out, no permit");
    show("arrived", car => car.phase === "arrived", "for the main queue");
    show("shown", car => car.phase === "refused" || car.phase === "cancelled",
      "T: timed out, C: cancelled; no image");
  },

  renderPermits(state) {
    const { plan } = state;
    const free = freePermits(state);
    const tokens = [];
    for (let number = 0; number < Math.max(plan.limit, free); number += 1) {
      tokens.push({ number, isFree: number < free, isExtra: number >= plan.limit });
    }
    keyed(this.tokens, plan.hasLimit ? tokens : [], token => token.number,
      () => make("i", { class: "token" }), (token, { isFree, isExtra }) => {
        setClass(token, "free", isFree);
        setClass(token, "extra", isExtra);
      });
    const subject = plan.usesGate ? "gate" : "semaphore";
    const text = plan.hasLimit
      ? `The ${subject}: ${free} of ${count(plan.limit, "permit")} free.` : "There is no limit.";
    const broken = " A wait that timed out takes no permit, but signals: the limit is gone.";
    setText(this.permitText, text + (free > plan.limit ? broken : ""));
    setClass(this.permitText, "broken", free > plan.limit);
  },

  renderCountdown(state, moment) {
    for (const car of state.cars) {
      if (!car.wait || car.wait.until === null) continue;
      const child = this.zones.get("waiting").cars.keyedChildren.get(car.id);
      const left = (car.wait.until - moment.time) / (car.wait.until - car.wait.since);
      if (child) child.lastElementChild.style.width = `${100 * Math.min(1, Math.max(0, left))}%`;
    }
    const first = state.cars.filter(car => car.wait && car.wait.until !== null)
      .reduce((least, car) => Math.min(least, car.wait.until), Infinity);
    setText(this.zones.get("waiting").remark, first === Infinity ? ""
      : `gives up in ${seconds(Math.max(0, first - moment.time))}`);
  },

  renderLines(state) {
    const first = Math.max(0, state.lines.length - 200);
    const lines = state.lines.slice(first).map((line, index) => ({ ...line, key: first + index }));
    keyed(this.lines, lines, line => line.key, () => make("li"), (item, line) => {
      setText(item, line.text);
      setClass(item, "late", line.isLate);
    });
    this.lines.scrollTop = this.lines.scrollHeight;
  },
};

/* The sentence of a main queue that is blocked; null if it is not. */
function stopOf(state, moment) {
  const { mainWait, mainQueued } = state;
  if (!mainWait) return null;
  const signals = state.cars.filter(car => car.phase === "arrived").length;
  const queued = mainQueued === 0 ? "" : ` ${count(mainQueued, "block")} `
    + (mainQueued === 1 ? "is" : "are") + " queued on it"
    + (signals ? `, ${signals} of them with a signal.` : ".");
  const wait = `The main queue waits at the semaphore, for image ${mainWait.car.id}.`;
  if (mainWait.until === null) {
    return wait + queued + (signals ? " Only the main queue can send that signal." : "");
  }
  return `${wait} It gives up in ${seconds(Math.max(0, mainWait.until - moment.time))}.${queued}`;
}

function makeCar(car) {
  return make("span", { class: "car", "data-key": "car" + car.id },
    make("span", { text: car.id }), make("small"), make("i", { class: "left" }));
}

function updateCar(element, car) {
  setAttribute(element, "class", `car ${car.phase}` + (car.isTimedOut ? " late" : ""));
  const isTimedOut = car.isTimedOut && car.phase !== "shown";
  setText(element.children[1], car.phase === "cancelled" ? "C" : isTimedOut ? "T" : "");
}

export default view;
