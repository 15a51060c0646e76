// The form of the knobs, and the address that keeps their values.

import { make, setText } from "./dom.js";
import { capital } from "./words.js";
import { speeds } from "./pages.js";

const mostSteps = 60;

/** Returns the words of a knob's help without its bracketed default. */
function label(knob) {
  return knob.help.replace(/\s*\[default[^\]]*\]/g, "");
}

/* True if a value of an address can be that of a knob. A wrong one would be drawn before a run. */
function fits(knob, value) {
  if (value === "") return knob.default === "" || knob.kind === "flag";
  if (knob.kind === "choice") return knob.choices.includes(value);
  if (knob.kind === "flag") return true;
  const number = Number(value);
  return number >= knob.min && number <= knob.max
    && (knob.kind !== "number" || Number.isInteger(number));
}

/**
 * The controls of a demo's knobs. `onChange` is called after each change. `names` are the values
 * besides knobs that the view has in the address.
 */
export class Form {
  constructor(demo, page, onChange, names = []) {
    this.names = names;
    this.demo = demo;
    this.page = page;
    this.onChange = onChange;
    this.values = this.read(location.search);
    this.controls = new Map();
    const first = page.knobs.length ? page.knobs : demo.knobs.slice(0, 4).map(knob => knob.name);
    const seen = first.map(name => demo.knobs.find(knob => knob.name === name)).filter(Boolean);
    const others = demo.knobs.filter(knob => !seen.includes(knob));
    this.element = make("div", { class: "form" },
      ...seen.map(knob => this.control(knob)), this.clock(),
      others.length ? make("details", { class: "more" }, make("summary", { text: "More settings" }),
        ...others.map(knob => this.control(knob))) : null);
  }

  // Values

  /** Returns the values of a query, the default for one that does not fit; takes its clock. */
  read(query) {
    const given = new URLSearchParams(query);
    const values = {};
    for (const knob of this.demo.knobs) {
      const value = given.get(knob.name);
      values[knob.name] = value !== null && fits(knob, value) ? value : knob.default;
    }
    const speed = Number(given.get("speed"));
    this.speed = speed > 0 ? speed : this.page.speed;
    this.isVirtual = given.get("virtual") === "1";
    this.more = Object.fromEntries(this.names.filter(name => given.has(name))
      .map(name => [name, given.get(name)]));
    return values;
  }

  /** Shows the values of a query. */
  takeQuery(query) { this.take(this.read(query), this.speed, this.isVirtual); }

  /** The knobs that are not empty, by name. */
  get knobs() {
    return Object.fromEntries(Object.entries(this.values).filter(([, value]) => value !== ""));
  }

  /** Returns the query of an address that has these values. */
  query() {
    const query = new URLSearchParams();
    for (const knob of this.demo.knobs) {
      if (this.values[knob.name] !== knob.default || knob.name === "seed") {
        query.set(knob.name, this.values[knob.name]);
      }
    }
    if (this.speed !== this.page.speed) query.set("speed", this.speed);
    if (this.isVirtual) query.set("virtual", "1");
    for (const [name, value] of Object.entries(this.more)) query.set(name, value);
    return query.toString();
  }

  set(name, value) {
    if (name === "speed") this.speed = Number(value) || this.page.speed;
    else if (name === "virtual") this.isVirtual = value === true || value === "1";
    else if (this.names.includes(name)) this.more[name] = value;
    else this.values[name] = value;
    const control = this.controls.get(name);
    if (control) control.show(value);
    this.changed();
  }

  /** Takes over the values of a run. */
  take(knobs, speed, isVirtual) {
    for (const knob of this.demo.knobs) {
      const value = knobs[knob.name] ?? (knob.kind === "flag" ? "" : knob.default);
      this.values[knob.name] = value;
      this.controls.get(knob.name)?.show(value);
    }
    this.speed = speed;
    this.isVirtual = isVirtual;
    this.controls.get("speed").show(String(speed));
    this.controls.get("virtual").show(isVirtual ? "1" : "");
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
    const change = value => {
      this.values[knob.name] = value;
      this.changed();
    };
    const value = this.values[knob.name];
    const id = "knob-" + knob.name;
    let made;
    if (knob.kind === "flag") made = switchControl(id, label(knob), value !== "", change);
    else if (knob.kind === "choice") {
      made = choiceControl(id, label(knob), knob.choices, value, change);
    } else if (knob.kind === "number" && knob.default !== "" && knob.max - knob.min <= mostSteps) {
      made = sliderControl(id, label(knob), knob, value, change);
    } else made = numberControl(id, label(knob), knob, value, change);
    this.controls.set(knob.name, made);
    made.element.dataset.knob = knob.name;
    return made.element;
  }

  clock() {
    const virtual = switchControl("knob-virtual", "Simulated threads and clock, on two cores",
      this.isVirtual, value => {
        this.isVirtual = value !== "";
        this.changed();
      });
    this.controls.set("virtual", virtual);
    const known = speeds.includes(this.speed) ? speeds
      : [...speeds, this.speed].sort((a, b) => a - b);
    const speed = selectControl("knob-speed", "Speed: seconds of the demo in a second",
      known.map(String), String(this.speed), value => {
        this.speed = Number(value);
        this.changed();
      });
    this.controls.set("speed", speed);
    return make("div", {}, virtual.element, speed.element);
  }
}

function sliderControl(id, text, knob, value, change) {
  const output = make("output", { for: id, text: value });
  const input = make("input", {
    type: "range", id, min: knob.min, max: knob.max, step: 1,
    oninput: () => {
      setText(output, input.value);
      change(input.value);
    },
  });
  input.value = value;
  const element = make("div", { class: "field" }, make("label", { for: id, text }),
    make("div", { class: "row" }, input, output),
    make("div", { class: "ends", "aria-hidden": "true" }, make("span", { text: knob.min }),
      make("span", { text: knob.max })));
  return { element, show: value => {
    input.value = value;
    setText(output, input.value);
  } };
}

function numberControl(id, text, knob, value, change) {
  const isWhole = knob.kind === "number";
  const input = make("input", {
    type: "number", id, min: knob.min, max: knob.max, step: isWhole ? 1 : "any",
    placeholder: knob.default === "" ? "none" : knob.default, inputmode: "decimal",
    onchange: () => change(input.value),
  });
  input.value = value;
  const element = make("div", { class: "field" }, make("label", { for: id, text }), input);
  return { element, show: value => { input.value = value; } };
}

function switchControl(id, text, isOn, change) {
  const input = make("input", {
    type: "checkbox", role: "switch", id, onchange: () => change(input.checked ? "1" : ""),
  });
  input.checked = isOn;
  const element = make("div", { class: "field switch" }, input, make("label", { for: id, text }));
  return { element, show: value => { input.checked = value !== "" && value !== false; } };
}

function choiceControl(id, text, choices, value, change) {
  const total = choices.join("").length;
  if (choices.length > 4 || total > 34) return selectControl(id, text, choices, value, change);
  const inputs = choices.map(choice => make("input", {
    type: "radio", name: id, value: choice, onchange: () => change(choice),
  }));
  const show = value => inputs.forEach(input => { input.checked = input.value === value; });
  show(value);
  const element = make("fieldset", { class: "field" }, make("legend", { text }),
    make("div", { class: "segments" }, ...inputs.map(input =>
      make("label", {}, input, make("span", { text: input.value })))));
  return { element, show };
}

function selectControl(id, text, choices, value, change) {
  const select = make("select", { id, onchange: () => change(select.value) },
    ...choices.map(choice => make("option", { value: choice, text: choice })));
  select.value = value;
  const element = make("div", { class: "field" }, make("label", { for: id, text: capital(text) }),
    select);
  return { element, show: value => {
    if (![...select.options].some(option => option.value === value)) {
      select.append(make("option", { value, text: value }));
    }
    select.value = value;
  } };
}
