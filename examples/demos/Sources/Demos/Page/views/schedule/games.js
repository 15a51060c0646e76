// The last five games, kept by the browser: the steps, the prediction, the end.
import { keyed, make } from "../../code/dom.js";
import { keep, kept } from "../../code/kept.js";

const most = 5;
const place = "weir-board-games";

export class Games {
  /** `open(hash)` is called to look at a game again. */
  constructor(open) {
    this.open = open;
    this.list = kept(place).slice(0, most);
    this.body = make("tbody", {});
    this.table = make("table", { class: "schedule-games" },
      make("caption", { text: "Your last five games" }),
      make("thead", {}, make("tr", {},
        ...["Level", "Steps", "Undone", "Shortest", "Predicted", "Goal", "Again"].map(text =>
          make("th", { scope: "col", text })))), this.body);
    this.element = make("div", { class: "schedule-past scroll" }, this.table);
    this.show();
  }

  add(game) {
    this.list.unshift({ ...game, id: (this.list[0]?.id || 0) + 1 });
    this.list.length = Math.min(this.list.length, most);
    keep(place, this.list);
    this.show();
  }

  show() {
    this.element.hidden = this.list.length === 0;
    keyed(this.body, this.list, game => game.id, game => this.row(game));
  }

  row(game) {
    const [mark, word, name] = game.isReached
      ? ["\u2713", "reached", "right"] : ["\u00d7", "missed", "wrong"];
    const cells = [game.steps, game.undone, game.isReached ? game.shortest : "\u2013",
      game.predicted ?? "\u2013"];
    return make("tr", {},
      make("th", { scope: "row", text: `${game.number}. ${game.title}` }),
      ...cells.map(text => make("td", { text })),
      make("td", {}, make("span", { class: name, text: `${mark} ${word}` })),
      make("td", {}, make("button", {
        type: "button", text: "Look", "aria-label": `Look at the game of level ${game.number}`,
        onclick: () => this.open(game.hash),
      })));
  }
}
