// The settings that a sentence about a run names, as buttons that choose them.

import { announce, make } from "./dom.js";
import { withoutDashes } from "./words.js";

/** Returns the parts of a sentence. The options of the command in it choose them on a desk. */
export function withSettings(text, desk) {
  const parts = [];
  let end = 0;
  for (const option of text.matchAll(/--([a-z-]*[a-z])(?: ([\w.]*\w))?/g)) {
    const [whole, name] = option;
    const knob = desk.demo.knobs.find(knob => knob.name === name);
    const isFlag = knob?.kind === "flag" || name === "virtual";
    const value = isFlag ? "1" : option[2];
    const isChoice = knob?.kind !== "choice" || (knob.choices || []).includes(value);
    if (!value || !isChoice || !(knob || name === "speed" || isFlag)) continue;
    const shown = name === "virtual" ? "simulated" : isFlag ? name : `${name} ${value}`;
    parts.push(withoutDashes(text.slice(end, option.index)),
      setting(name, value, shown, knob, desk));
    end = option.index + (isFlag ? name.length + 2 : whole.length);
  }
  return [...parts, withoutDashes(text.slice(end))];
}

function setting(name, value, text, knob, desk) {
  if (desk.isFollower) return make("b", { text });
  return make("button", { type: "button", class: "setting", text, title: knob?.help || null,
    onclick: () => {
      if (desk.isRunning) return;
      desk.form.set(name, value);
      announce(`${text} is set.`);
    } });
}
