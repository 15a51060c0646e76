// Numbers as words of the page.

/** Returns nanoseconds as seconds, such as "1.90 s". */
export function seconds(nanoseconds) {
  return (nanoseconds / 1e9).toFixed(2) + " s";
}

/** Returns the time of an event in ns, in ms or µs if the whole run takes less than 0.2 s or 2 ms. */
export function moment(nanoseconds, last) {
  if (last < 2e6) return (nanoseconds / 1e3).toFixed(1) + " µs";
  return last < 2e8 ? (nanoseconds / 1e6).toFixed(2) + " ms" : seconds(nanoseconds);
}

/** Returns a number with its noun. */
export function count(number, one, many) {
  return number + " " + (number === 1 ? one : many || one + "s");
}

/** Returns the answer to a question, such as "5", "1.90 s", "5.40 ms" or "612 µs". */
export function answer(value, unit) {
  if (value === null || value === undefined) return "never";
  if (unit !== "seconds") return String(Math.round(value));
  if (value <= 0 || value >= 0.1) return Number(value).toFixed(2) + " s";
  if (value < 9.995e-7) return (value * 1e9).toFixed(0) + " ns";
  return value < 9.995e-4 ? (value * 1e6).toFixed(0) + " µs" : (value * 1e3).toFixed(2) + " ms";
}

/** Returns the number in a typed answer: "5", "1,5", "1.5 s", "200 ms" or "600 us"; null for none. */
export function typedNumber(text) {
  const match = /^\s*(\d*[.,]?\d+|\d+[.,]?)\s*([mµu]?s)?\s*$/i.exec(text);
  if (!match) return null;
  const number = Number(match[1].replace(",", "."));
  return number / ({ ms: 1e3, us: 1e6, "µs": 1e6 }[match[2]?.toLowerCase()] ?? 1);
}

/**
 * True if a prediction is right: a count exactly, a time within a fifth, or within 10 ms unless it is
 * shorter than that; null without a prediction. Question.isRight of Demo.swift is the same.
 */
export function isRight(unit, predicted, actual) {
  if (predicted === null) return null;
  if (actual === null || actual === undefined) return false;
  if (unit !== "seconds") return predicted === actual;
  return Math.abs(predicted - actual) <= (actual < 0.01 ? actual : Math.max(actual, 0.05)) / 5;
}

/** Returns the text of a note. The number comes after the first word: "START 4 | TIMED OUT false". */
export function noteWords({ q, task }) {
  return task ? q.replace(/^\S*/, word => `${word} ${task}`) : q;
}

/** Returns a sentence of the command line without the dashes of its options. */
export function withoutDashes(text) {
  return text.replace("--virtual", "simulated threads").replace(/--(?=[a-z])/g, "");
}

/** Returns a text with a capital letter at its beginning. */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a value of JSON in which no text hides or turns round the text about it. */
export function clean(value) {
  return typeof value === "string" ? value.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    "\ufffd") : value;
}
