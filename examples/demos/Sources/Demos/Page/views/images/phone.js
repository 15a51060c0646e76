// The phone of the image tutorial: the list that the user sees, and the finger that touches it.
//
// A row that is scrolled away cancels the request of its image, as a reused cell does. That helps
// only if the block of the request has not begun.

import { keyed, make, setClass, setText } from "../../code/dom.js";
import { picture } from "../../code/picture.js";
import { seconds } from "../../code/words.js";

export class Phone {
  constructor(board) {
    this.board = board;
    this.rows = make("ul",
      { class: "phone-rows", tabindex: 0, "aria-label": "The list of images" });
    this.finger = make("span", { class: "finger", hidden: true, "aria-hidden": "true" });
    this.words = make("p", { class: "phone-words" });
    this.frozen = make("p", { class: "phone-frozen", text: "frozen", "aria-hidden": "true" });
    this.button = make("button", { type: "button", class: "phone-scroll", disabled: true,
      text: "Scroll a row away", onclick: () => this.scroll() });
    this.phone = make("div", { class: "phone" }, make("p", { class: "phone-bar", text: "Images" }),
      this.rows, this.words, this.frozen, this.finger);
    this.element = make("div", { class: "phone-place" }, this.phone, this.button);
  }

  /** Shows the images that have come. */
  showRows(state) {
    keyed(this.rows, state.cars, car => car.id,
      car => make("li", {}, make("span", { class: "thumb" }),
        make("span", { text: "Image " + car.id })),
      (row, car) => {
        setClass(row, "away", car.isAway);
        const thumb = row.firstElementChild;
        const isShown = car.phase === "shown";
        if (thumb.dataset.shown === String(isShown)) return;
        thumb.dataset.shown = isShown;
        thumb.replaceChildren(isShown ? picture(car.id)
          : make("span", { class: "busy", role: "img", "aria-label": "no picture yet" }));
      });
  }

  /** Shows the finger, and if the screen is frozen. */
  show(state, moment) {
    const { touch } = state;
    setClass(this.phone, "is-frozen", state.mainWait);
    this.finger.hidden = !touch;
    setClass(this.finger, "answered", touch && touch.answered !== null);
    setText(this.words, touch ? touchText(touch, moment) : awayText(state));
    const isOpen = moment.isRunning && !moment.run.virtual && !this.board.isFollower;
    this.next = isOpen && !state.plan.usesGate ? rowToScroll(state.cars) : null;
    this.button.disabled = !this.next || Boolean(state.mainWait);
  }

  scroll() {
    if (this.next) this.board.send("cancel", this.next.id);
  }
}

/* The row that scrolls away: the last whose block has not begun, or else one whose block waits. */
function rowToScroll(cars) {
  const kept = cars.filter(car => !car.isAway);
  return kept.findLast(car => car.phase === "queued")
    || kept.find(car => car.phase === "waiting");
}

function touchText(touch, moment) {
  return touch.answered === null
    ? `Touched at ${seconds(touch.at)}: no answer for ${seconds(moment.time - touch.at)}`
    : `Touched at ${seconds(touch.at)}, answered ${seconds(touch.answered - touch.at)} later`;
}

function awayText(state) {
  const away = state.cars.filter(car => car.isAway);
  if (!away.length) return "";
  const car = away[away.length - 1];
  if (car.phase === "cancelled") return `Image ${car.id} is cancelled: its block had not begun.`;
  return car.phase === "queued" ? `Image ${car.id} will be cancelled.`
    : `Image ${car.id} goes on: its block had begun.`;
}
