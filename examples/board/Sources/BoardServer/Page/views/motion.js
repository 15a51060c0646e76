// Motion of blocks from one place to another.
//
// A view lays its blocks out with plain CSS. A block is known by its data-key, also when it
// leaves one container and enters another one. It glides from the old place to the new one.

const duration = 240;

function placesOf(root) {
  const places = new Map();
  for (const element of root.querySelectorAll("[data-key]")) {
    places.set(element.dataset.key, element.getBoundingClientRect());
  }
  return places;
}

function move(element, from) {
  const to = element.getBoundingClientRect();
  const [x, y] = [from.left - to.left, from.top - to.top];
  if (Math.abs(x) < 1 && Math.abs(y) < 1) return;
  element.animate(
    [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }],
    { duration, easing: "cubic-bezier(.2, .7, .3, 1)" });
}

/** Calls `change`. Elements with a data-key glide to their new places, unless `isStill`. */
export function glide(root, isStill, change) {
  if (isStill) {
    change();
    return;
  }
  const before = placesOf(root);
  change();
  for (const element of root.querySelectorAll("[data-key]")) {
    const from = before.get(element.dataset.key);
    if (from) move(element, from);
  }
}

/** The state that was shown last. Tells if blocks have moved, and if they may glide. */
export class Shown {
  constructor() {
    this.state = null;
    this.version = -1;
  }

  /**
   * Calls `change` if the state has a new version. Blocks glide if time went on in the same run,
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
