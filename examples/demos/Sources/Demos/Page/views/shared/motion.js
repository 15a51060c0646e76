// The motion of elements from one place to another.
//
// A view lays its elements out with plain CSS. An element is known by its data-key, also when it
// leaves one container and enters another one. It glides from the old place to the new one. An
// element inside of another that glides is carried by it, and glides only by the difference.

const [name, duration] = ["glide", 240];

/* The places of the elements with a data-key by their keys, outer ones first. */
function placesOf(root) {
  const places = new Map();
  for (const element of root.querySelectorAll("[data-key]")) {
    places.set(element.dataset.key, element.getBoundingClientRect());
  }
  return places;
}

/** Calls `change`. Elements with a data-key glide to their new places, unless `isStill`. */
export function glide(root, isStill, change) {
  if (isStill) {
    change();
    return;
  }
  const before = placesOf(root);
  change();
  const elements = [...root.querySelectorAll("[data-key]")];
  stop(elements);
  const moves = movesOf(elements, before);
  for (const [element, x, y] of moves) {
    element.animate(
      [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }],
      { id: name, duration, easing: "cubic-bezier(.2, .7, .3, 1)" });
  }
}

/* Ends the motions that go on, so that the elements are at their new places. */
function stop(elements) {
  for (const element of elements) {
    for (const animation of element.getAnimations()) if (animation.id === name) animation.cancel();
  }
}

/* Returns the elements that moved, and how far. Elements that were hidden appear at once. */
function movesOf(elements, before) {
  const shifts = new Map();
  const moves = [];
  for (const element of elements) {
    const old = before.get(element.dataset.key);
    const now = element.getBoundingClientRect();
    if (!old || old.width === 0 || now.width === 0) continue;
    const shift = { x: old.left - now.left, y: old.top - now.top };
    shifts.set(element, shift);
    const outer = carrier(element, shifts);
    const [x, y] = [shift.x - outer.x, shift.y - outer.y];
    if (Math.abs(x) >= 1 || Math.abs(y) >= 1) moves.push([element, x, y]);
  }
  return moves;
}

/* The shift of the nearest element around it that glides too. */
function carrier(element, shifts) {
  for (let outer = element.parentElement; outer; outer = outer.parentElement) {
    if (shifts.has(outer)) return shifts.get(outer);
  }
  return { x: 0, y: 0 };
}

/** The state that was shown last. Tells if elements have moved, and if they may glide. */
export class Shown {
  constructor() {
    this.state = null;
    this.version = -1;
  }

  /**
   * Calls `change` if the state has a new version. Elements glide if time went on in the same run,
   * but not after a leap of the scrubber, which makes a new state.
   */
  update(root, board, state, change) {
    const isSame = state === this.state;
    if (isSame && state.version === this.version) return;
    this.state = state;
    this.version = state.version;
    glide(root, !isSame || board.isReduced(), change);
  }
}
