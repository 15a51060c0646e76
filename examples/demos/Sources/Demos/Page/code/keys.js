// The keys of the board, and their list.

import { make } from "./dom.js";
import { pages } from "./pages.js";

const keys = [
  ["s", "start"], ["x", "stop"], ["f", "to the prediction"], ["space", "play or pause"],
  ["← →", "event by event"], ["Home End", "first and newest event"],
  ["+ −", "zoom in and out"], ["[ ]", "begin and end of the selection"],
  ["z", "zoom to the selection, or to the whole run"],
  ["1 … 9", "the first nine pages"], ["0", "all pages"],
  ["?", "this list"],
];

/** Listens to the keys of a page. `desk` is null on the list of pages. */
export class Keys {
  constructor(desk) {
    this.desk = desk;
    document.getElementById("help").addEventListener("click", () => this.help());
    document.addEventListener("keydown", event => this.press(event));
  }

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
    if (key === "?") this.help();
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
