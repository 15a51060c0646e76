// The page of the schedule game: the levels, the learner's own program, and the game.
//
// No run of the server: the game of the course does it all. The address keeps the steps, and an own program:
// "#3:1,2", "#own:1,2:PROGRAM".
import { make, setAttribute, setClass, setText } from "../code/dom.js";
import { keep, kept } from "../code/kept.js";
import { Game, own, packed, unpacked } from "../game/game.js";
import { levels } from "../game/levels.js";

const solvedPlace = "weir-board-solved";
const textPlace = "weir-board-program";
const all = [...levels, own];

class Screen {
  constructor(root) {
    this.solved = new Set(kept(solvedPlace));
    this.game = new Game({
      onPath: (path, text) => this.onPath(path, text),
      onSolved: level => this.onSolved(level),
      onCopy: text => this.goTo(own, text),
      next: "Next level",
      hasNext: () => true,
      onNext: () => this.goTo(all[all.indexOf(this.game.level) + 1] || levels[0]),
      real: name => make("a", { href: `./pitfalls?name=${name}`, text: name }),
    });
    this.tabs = all.map(level => make("button", {
      type: "button", onclick: () => this.goTo(level) }, make("b", {}), make("span", { text: level.title })));
    root.append(make("p", { class: "lead", text: "Concurrent code breaks if its steps come in an "
      + "order that nobody thought of. Find that order: choose who takes the next step, by a click "
      + "or by its number." }),
    make("nav", { class: "levels", "aria-label": "Levels" }, ...this.tabs),
    this.game.element);
    document.addEventListener("keydown", event => this.game.press(event));
    // The link that skips to the page has a hash too.
    addEventListener("hashchange", () => { if (location.hash !== "#main") this.openAddress(); });
    this.openAddress();
  }

  openAddress() {
    const [number, steps, program = ""] = location.hash.slice(1).split(":");
    const level = number === "own" ? own : levels.find(one => String(one.number) === number);
    this.open(level || levels[0], (steps || "").split(",").filter(Boolean),
      unpacked(program));
  }

  open(level, path, text) {
    this.game.open(level, path, level === own ? text || kept(textPlace)[0] || own.text : level.text);
    this.showTabs();
  }

  goTo(level, text) {
    if (text) keep(textPlace, [text]);
    this.open(level, []);
    this.onPath([]);
    this.game.title.focus();
  }

  onPath(path, text) {
    const { level } = this.game;
    if (level === own && text) keep(textPlace, [text]);
    const parts = level === own ? ["own", path.join(","), packed(this.game.text.value)]
      : [level.number, ...(path.length ? [path.join(",")] : [])];
    const hash = `#${parts.join(":")}`;
    history.replaceState(history.state, "", location.pathname + location.search + hash);
  }

  onSolved(level) {
    this.solved.add(level.title);
    keep(solvedPlace, [...this.solved]);
    this.showTabs();
  }

  showTabs() {
    this.tabs.forEach((tab, index) => {
      const level = all[index];
      const isSolved = this.solved.has(level.title);
      const name = level === own ? level.title : `Level ${level.number}: ${level.title}`;
      setClass(tab, "is-solved", isSolved);
      setText(tab.firstChild, isSolved ? "✓" : level.number || "+");
      setAttribute(tab, "aria-current", level === this.game.level ? "true" : null);
      setAttribute(tab, "aria-label", name + (isSolved ? ", reached" : ""));
    });
  }
}

export default {
  ownsRun: true,
  ownsTimeline: true,
  keys: "123456789urhn",
  build(root) { new Screen(root); },
  initial() { return {}; },
  apply() {},
  render() {},
};
