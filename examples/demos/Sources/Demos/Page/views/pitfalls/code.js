// The broken and the fixed code of a pitfall, side by side, in one of its languages.
import { make } from "../../code/dom.js";

// Returns the element for the listings of a pitfall. Languages are chosen by radio buttons.
export function code(listings) {
  const pairs = listings.map(listing => make("div", { class: "pitfalls-pair" },
    figure("Broken", listing.broken, listing.language),
    figure("Fixed", listing.fixed, listing.language)));
  if (listings.length < 2) return make("div", {}, ...pairs);
  const choose = index => pairs.forEach((pair, other) => { pair.hidden = other !== index; });
  const buttons = listings.map((listing, index) => make("label", {},
    make("input", { type: "radio", name: "pitfalls-language", checked: index === 0,
      onchange: () => choose(index) }), make("span", { text: listing.language })));
  choose(0);
  return make("div", {}, make("fieldset", { class: "pitfalls-language" },
    make("legend", { class: "hidden", text: "Language" }),
    make("div", { class: "segments" }, ...buttons)), ...pairs);
}

function figure(title, lines, language) {
  const list = lines.map(line => make("li", { class: line.isFaulty ? "is-faulty" : null },
    ...(line.isFaulty ? [make("span", { class: "hidden", text: "at fault: " })] : []),
    make("code", { text: narrow(line.text) })));
  return make("figure", { class: `pitfalls-code is-${title.toLowerCase()}` },
    make("figcaption", {}, make("strong", { text: title }), make("span", { text: language })),
    make("ol", { tabindex: "0", "aria-label": `${title} code, ${language}` }, ...list));
}

// Returns a line whose comment at the end is not far from its code.
function narrow(text) {
  return text.replace(/(\S) {3,}(\/\/|\/\*)/, "$1  $2") || " ";
}
