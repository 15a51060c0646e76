// Numbers as words of the page.

/** Returns nanoseconds as seconds, such as "1.90 s". */
export function seconds(nanoseconds) {
  return (nanoseconds / 1e9).toFixed(2) + " s";
}

/** Returns a number with its noun. */
export function count(number, one, many) {
  return number + " " + (number === 1 ? one : many || one + "s");
}

/** Returns the answer to a question, such as "5" or "1.90 s". */
export function answer(value, unit) {
  if (value === null || value === undefined) return "never";
  return unit === "seconds" ? Number(value).toFixed(2) + " s" : String(Math.round(value));
}

/** Returns the number in a typed answer: "5", "1,5", "1.5 s" or "200 ms"; null for none. */
export function typedNumber(text) {
  const match = /^\s*(\d*[.,]?\d+|\d+[.,]?)\s*(ms|s)?\s*$/i.exec(text);
  if (!match) return null;
  const number = Number(match[1].replace(",", "."));
  return (match[2] || "").toLowerCase() === "ms" ? number / 1000 : number;
}

/** Returns a text with a capital letter at its beginning. */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
