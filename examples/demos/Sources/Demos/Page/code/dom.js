// Elements: made, kept in order by their keys, and changed only if they differ.

const svgSpace = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

/** Makes an element of HTML. `text` is its text, `onclick` and the like are listeners. */
export function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an element of SVG. */
export function draw(tag, attributes, ...children) {
  return fill(document.createElementNS(svgSpace, tag), attributes, children);
}

/** Sets the text of an element if it differs. */
export function setText(element, text) {
  const words = String(text);
  if (element.textContent !== words) element.textContent = words;
}

/** Tells a sentence to those who do not see the page. */
export function announce(text) { setText(document.getElementById("live"), text); }

/** Adds or removes a class. */
export function setClass(element, name, isOn) {
  if (element.classList.contains(name) !== Boolean(isOn)) element.classList.toggle(name);
}

/** Sets an attribute if it differs; null and false remove it. */
export function setAttribute(element, name, value) {
  const text = value === null || value === false || value === undefined ? null : String(value);
  if (element.getAttribute(name) === text) return;
  if (text === null) element.removeAttribute(name);
  else element.setAttribute(name, text);
}

/** Keeps one child for each item, in the order of the items. Children of the same key stay. */
export function keyed(parent, items, keyOf, create, update) {
  const kept = parent.keyedChildren || (parent.keyedChildren = new Map());
  const keys = new Set();
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    keys.add(key);
    let child = kept.get(key);
    if (!child) {
      child = create(item);
      kept.set(key, child);
    }
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
    if (update) update(child, item);
  }
  for (const [key, child] of kept) {
    if (keys.has(key)) continue;
    if (child.parentNode === parent) child.remove();
    kept.delete(key);
  }
}
