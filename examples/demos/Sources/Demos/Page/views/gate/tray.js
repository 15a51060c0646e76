// The tray of the gate: a row of places for tokens, whose edge can be dragged.
//
// The edge is a slider: with the pointer or with the arrow keys it asks for another number of
// permits. Until the gate answers, the edge stands at the number that was asked for.
import { arrange, make, setClass, setText } from "../../code/dom.js";

const most = 20;

export class Tray {
  /** `ask(n)` is called with each number of permits that the learner chooses. */
  constructor(ask) {
    this.ask = ask;
    this.wanted = null;
    this.shown = 0;
    this.row = make("div", { class: "gate-places", "aria-hidden": "true" });
    this.edge = make("div", {
      class: "gate-edge", role: "slider", tabindex: "0", "aria-label": "Permits of the gate",
      "aria-valuemin": "1", "aria-valuemax": String(most), "aria-orientation": "horizontal",
      onpointerdown: event => this.grab(event), onkeydown: event => this.press(event),
    }, make("span", { class: "gate-grip" }), make("span", { class: "gate-size" }));
    this.box = make("div", { class: "gate-box", "aria-hidden": "true" });
    this.element = make("div", { class: "gate-tray" }, this.box, this.row, this.edge);
    this.places = Array.from({ length: most }, () => make("span", { class: "gate-place" }));
    this.row.append(...this.places);
  }

  /** Shows `permits` places, and `owed` ones beyond the edge. */
  show(permits, owed, isAllowed) {
    if (this.wanted === permits) this.wanted = null;
    this.permits = permits;
    const size = this.wanted || permits;
    this.places.forEach((place, index) => {
      setClass(place, "is-inside", index < size);
      setClass(place, "is-owed", index >= permits && index < permits + owed);
    });
    this.setEdge(size);
    setClass(this.element, "is-fixed", !isAllowed);
    this.edge.setAttribute("aria-disabled", String(!isAllowed));
    this.isAllowed = isAllowed;
  }

  /** Forgets the number that was asked for. */
  forget() {
    this.wanted = null;
  }

  /** Puts the free tokens into their places. */
  fill(tokens) {
    this.places.forEach((place, index) => {
      arrange(place, index < tokens.length ? [tokens[index]] : []);
    });
  }

  setEdge(size) {
    setClass(this.element, "is-asking", this.wanted !== null);
    setText(this.edge.lastChild, size);
    if (this.shown === size) return;
    this.shown = size;
    const share = `${(size / most) * 100}%`;
    this.edge.style.left = share;
    this.box.style.width = share;
    this.edge.setAttribute("aria-valuenow", String(size));
    this.edge.setAttribute("aria-valuetext", size === 1 ? "1 permit" : `${size} permits`);
  }

  want(size) {
    const now = this.wanted || this.permits;
    const next = Math.min(most, Math.max(1, size));
    if (!this.isAllowed || next === now) return;
    this.wanted = next;
    this.places.forEach((place, index) => setClass(place, "is-inside", index < next));
    this.setEdge(next);
    this.ask(next);
  }

  grab(event) {
    if (!this.isAllowed || event.button !== 0) return;
    event.preventDefault();
    this.edge.focus();
    this.edge.setPointerCapture(event.pointerId);
    const move = moved => {
      const bounds = this.row.getBoundingClientRect();
      this.want(Math.round(((moved.clientX - bounds.left) / bounds.width) * most));
    };
    const drop = () => {
      setClass(this.element, "is-dragged", false);
      this.edge.removeEventListener("pointermove", move);
      this.edge.removeEventListener("lostpointercapture", drop);
    };
    setClass(this.element, "is-dragged", true);
    this.edge.addEventListener("pointermove", move);
    this.edge.addEventListener("lostpointercapture", drop);
  }

  press(event) {
    const now = this.wanted || this.permits;
    const steps = {
      ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1,
      PageUp: now + 5, PageDown: now - 5, Home: 1, End: most,
    };
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.want(steps[event.key]);
  }
}
