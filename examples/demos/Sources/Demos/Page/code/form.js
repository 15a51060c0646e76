// The form of the knobs, and the address that keeps their values.

import { announce, make, setText } from "./dom.js";
import { capital, withoutDashes } from "./words.js";
import { speeds } from "./pages.js";

const mostSteps = 60;

/** Returns the words of a knob's help without its bracketed default. */
function label(knob) {
  return knob.help.replace(/\s*\[default[^\]]*\]/g, "");
}

/* True if a value of an address can be that of a knob. A wrong one would be drawn before a run. */
function fits(knob, value) {
  if (knob.kind === "speed") return Number(value) > 0;
  if (value === "") return knob.default === "" || knob.kind === "flag";
  if (knob.kind === "choice") return knob.choices.includes(value);
  if (knob.kind === "flag") return value !== "0";
  const number = Number(value);
  return number >= knob.min && number <= knob.max
    && (knob.kind !== "number" || Number.isInteger(number));
}

/* The knobs that every demo has: its clock, and the speed of it. */
const clocks = demo => [
  { name: "virtual", kind: "flag", default: "", help: "Simulated threads and clock, on two cores" },
  { name: "speed", kind: "speed", default: String(demo.speed ?? 1), choices: speeds.map(String),
    help: "Speed: seconds of the demo in a second" },
];

/** The controls of a demo's knobs. `onChange` is called after each change. */
export class Form {
  constructor(demo, page, onChange) {
    this.demo = demo;
    this.all = [...demo.knobs, ...clocks(demo)];
    this.onChange = onChange;
    this.values = this.read(location.search);
    this.controls = new Map();
    const first = page.knobs.length ? page.knobs : demo.knobs.slice(0, 4).map(knob => knob.name);
    const seen = first.map(name => demo.knobs.find(knob => knob.name === name)).filter(Boolean);
    const others = demo.knobs.filter(knob => !seen.includes(knob));
    const controls = knobs => knobs.map(knob => this.control(knob));
    this.element = make("div", { class: "form" }, ...controls(seen),
      make("div", {}, ...controls(this.all.slice(demo.knobs.length))),
      others.length ? make("details", { class: "more" }, make("summary", { text: "More settings" }),
        ...controls(others)) : null);
  }

  // Values

  get speed() { return Number(this.values.speed); }
  get isVirtual() { return this.values.virtual !== ""; }

  /** Returns the values of a query, the default for one that does not fit. */
  read(query) {
    const given = new URLSearchParams(query);
    return Object.fromEntries(this.all.map(knob => {
      const value = given.get(knob.name);
      return [knob.name, value !== null && fits(knob, value) ? value : knob.default];
    }));
  }

  /** Shows the values of a query. */
  takeQuery(query) { this.take(this.read(query)); }

  /** The demo's knobs that are not empty, by name. */
  get knobs() {
    return Object.fromEntries(this.demo.knobs.map(({ name }) => [name, this.values[name]])
      .filter(([, value]) => value !== ""));
  }

  /** Returns the query of an address that has these values. */
  query() {
    const query = new URLSearchParams();
    for (const { name, default: usual } of this.all) {
      if (this.values[name] !== usual || name === "seed") query.set(name, this.values[name]);
    }
    return query.toString();
  }

  /** Returns the parts of a sentence: options of the command in it are buttons that set them. */
  parts(text) {
    const parts = [];
    let end = 0;
    for (const found of text.matchAll(/--([a-z-]*[a-z])(?: ([\w.]*\w))?/g)) {
      const knob = this.all.find(knob => knob.name === found[1]);
      const value = knob?.kind === "flag" ? "1" : found[2];
      if (!knob || !value || !fits(knob, value)) continue;
      const words = knob.kind === "flag" ? knob.name : `${knob.name} ${value}`;
      parts.push(withoutDashes(text.slice(end, found.index)), make("button", { type: "button",
        class: "setting", text: words === "virtual" ? "simulated" : words, title: knob.help,
        onclick: () => this.set(knob.name, value, words) }));
      end = found.index + 2 + words.length;
    }
    return [...parts, withoutDashes(text.slice(end))];
  }

  set(name, value, words) {
    this.values[name] = value;
    this.controls.get(name).show(value);
    this.changed();
    announce(`${words} is set.`);
  }

  /** Takes over the values of a run. */
  take(values) {
    for (const { name, kind, default: usual } of this.all) {
      this.values[name] = values[name] ?? (kind === "flag" ? "" : usual);
      this.controls.get(name).show(this.values[name]);
    }
    this.changed();
  }

  changed() {
    const query = this.query();
    history.replaceState(history.state, "", location.pathname + (query ? "?" + query : "")
      + location.hash);
    this.onChange();
  }

  setDisabled(isDisabled) {
    for (const input of this.element.querySelectorAll("input, select")) {
      input.disabled = isDisabled;
    }
  }

  // Controls

  control(knob) {
    const { name, kind } = knob;
    const isSlider = kind === "number" && knob.default !== "" && knob.max - knob.min <= mostSteps;
    const makeControl = kind === "flag" ? switchControl : knob.choices ? selectControl
      : isSlider ? sliderControl : numberControl;
    const made = makeControl("knob-" + name, label(knob), knob, value => {
      this.values[name] = value;
      this.changed();
    });
    made.show(this.values[name]);
    this.controls.set(name, made);
    made.element.dataset.knob = name;
    return made.element;
  }
}

function sliderControl(id, text, knob, change) {
  const output = make("output", { for: id });
  const input = make("input", { type: "range", id, min: knob.min, max: knob.max, step: 1,
    oninput: () => {
      setText(output, input.value);
      change(input.value);
    } });
  const element = make("div", { class: "field" }, make("label", { for: id, text }),
    make("div", { class: "row" }, input, output),
    make("div", { class: "ends", "aria-hidden": "true" }, make("span", { text: knob.min }),
      make("span", { text: knob.max })));
  return { element, show: value => {
    input.value = value;
    setText(output, input.value);
  } };
}

function numberControl(id, text, knob, change) {
  const input = make("input", { type: "number", id, min: knob.min, max: knob.max,
    step: knob.kind === "number" ? 1 : "any", inputmode: "decimal",
    placeholder: knob.default === "" ? "none" : knob.default,
    onchange: () => change(input.value) });
  const element = make("div", { class: "field" }, make("label", { for: id, text }), input);
  return { element, show: value => { input.value = value; } };
}

function switchControl(id, text, knob, change) {
  const input = make("input", { type: "checkbox", role: "switch", id,
    onchange: () => change(input.checked ? "1" : "") });
  const element = make("div", { class: "field switch" }, input, make("label", { for: id, text }));
  return { element, show: value => { input.checked = value !== ""; } };
}

function selectControl(id, text, { choices }, change) {
  const option = value => make("option", { value, text: value });
  const select = make("select", { id, onchange: () => change(select.value) },
    ...choices.map(option));
  const element = make("div", { class: "field" }, make("label", { for: id, text: capital(text) }),
    select);
  return { element, show: value => {
    if (![...select.options].some(one => one.value === value)) select.append(option(value));
    select.value = value;
  } };
}
