// The report of a run: a page that holds its run, and needs no server.
//
// The page has the board's messages of the run, its result and its events as JSON. It shows them with
// the parts of the board, and with the board's view of the demo.

import { make } from "./dom.js";
import { Compare } from "./compare.js";
import { Player } from "./player.js";
import { Prediction } from "./predict.js";
import { clean, moment } from "./words.js";

/** A sentence on the events that the page has not. */
function leftOut({ events, total }) {
  const { t } = events.at(-1);
  return total === events.length ? "" : `The page has the first ${events.length.toLocaleString("en")} `
    + `events, up to ${moment(t, t)}. ${(total - events.length).toLocaleString("en")} later events are left out.`;
}

/** Shows the data of a page with a view. */
export function show(view) {
  const data = JSON.parse(document.getElementById("data").textContent, (_, value) => clean(value));
  const { title, command, questions, run, result, events } = data;
  document.title = title;
  const render = () => player.render(player.last.time, run, false);
  const player = new Player(view, render);
  const { scrubber, timeline } = player;
  const compare = new Compare();
  compare.show(result);
  const prediction = new Prediction({ name: run.demo, questions });
  prediction.recall(result);
  const screen = make("section", { class: "screen card", "aria-label": "The screen" });
  document.getElementById("main").replaceChildren(
    make("div", { class: "title-row" }, make("h1", { text: title }),
      make("span", { class: "badge", text: "simulated, not measured", hidden: !run.virtual })),
    make("p", { class: "report-command" }, make("code", { text: command })),
    make("p", { class: "lead", text: run.introduction }),
    make("div", { class: "desk" },
      make("div", { class: "side" }, make("section", { class: "card",
        "aria-label": "The prediction" }, prediction.element), compare.element),
      make("div", { class: "stage" }, screen, player.pair(make("p", { class: "remark", text: leftOut(data) })))));
  view.build(screen);
  player.forget(null);
  player.begin(run);
  for (const event of events) player.take({ kind: "event", ...event });
  player.finish();
  scrubber.show();
  render();
  // The middle of a run shows more than its end, unless the view is about its end.
  scrubber.goTo(player.last.time / (timeline.window ? 1 : 2));
  document.addEventListener("keydown", event => player.onKey(event));
}
