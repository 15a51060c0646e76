// The keys of the board, and the presenter's mode: large type, and nothing but keys needed.

import { make, setClass } from "./dom.js";
import { keepInTab, keptInTab } from "./kept.js";
import { pages } from "./pages.js";

const keys = [
  ["s", "start"], ["x", "stop"], ["f", "to the prediction"], ["space", "play or pause"],
  ["← →", "event by event"], ["Home End", "first and newest event"],
  ["+ −", "zoom in and out"], ["[ ]", "begin and end of the selection"],
  ["z", "zoom to the selection, or to the whole run"],
  ["1 … 9", "the first nine pages"], ["0", "all pages"],
  ["p", "presenter's mode: large type"], ["?", "this list"],
];

const stored = "weir-board-presenter";

/** Listens to the keys of a page. `desk` is null on the list of pages. */
export class Presenter {
  constructor(desk) {
    this.desk = desk;
    this.button = document.getElementById("presenter");
    this.button.addEventListener("click", () => this.toggle());
    document.getElementById("help").addEventListener("click", () => this.help());
    document.addEventListener("keydown", event => this.press(event));
    this.set(keptInTab(stored) === "1");
  }

  set(isOn) {
    setClass(document.body, "presenter", isOn);
    this.button.setAttribute("aria-pressed", isOn);
    keepInTab(stored, isOn ? "1" : "0");
  }

  toggle() { this.set(!document.body.classList.contains("presenter")); }

  help() {
    if (!this.dialog) {
      this.dialog = make("dialog", { "aria-labelledby": "keys-title" },
        make("h2", { id: "keys-title", text: "Keys" }),
        make("table", {}, make("caption", { class: "hidden", text: "Keys" }),
          make("tbody", {}, ...keys.map(([key, text]) => make("tr", {},
            make("th", { scope: "row" }, make("kbd", { text: key })), make("td", { text }))))),
        make("form", { method: "dialog" }, make("button", { text: "Close" })));
      document.body.append(this.dialog);
    }
    this.dialog.showModal();
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target;
    if (target.closest("input:not([type=range]):not([type=checkbox]):not([type=radio]), select, "
      + "textarea, dialog")) return;
    if (this.act(event.key, target)) event.preventDefault();
  }

  act(key, target) {
    const owns = this.desk?.view.keys || "";
    if (key.length === 1 && owns.includes(key)) return false;
    if (key >= "0" && key <= "9" && key.length === 1) return this.open(Number(key));
    if (key === "p") this.toggle();
    else if (key === "?") this.help();
    else if (!this.desk) return false;
    else if (key === "s") this.desk.startButton?.click();
    else if (key === "x") this.desk.stopButton?.click();
    else if (key === "f") this.desk.prediction.focus();
    else return this.desk.player.press(key, target);
    return true;
  }

  open(number) {
    const page = pages[number - 1];
    location.assign(page ? "./" + page.name : "./");
    return true;
  }
}
