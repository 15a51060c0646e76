// The motion of elements that changed their place.
//
// Cards and tokens change their parent: `arrange` moves them. A screen notes the places of its
// elements, changes the page, and lets each element glide from the old place to the new one. An
// element inside of another that glides is carried by it, and glides only by the difference.

/** Makes the elements the children of a parent, in their order. They may come from elsewhere. */
export function arrange(parent, elements) {
  const wanted = new Set(elements);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let place = parent.firstElementChild;
  for (const element of elements) {
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
}

/** Returns the places of the elements, outer ones first. */
export function places(elements) {
  return elements.map(element => [element, element.getBoundingClientRect()]);
}

/** Lets the elements glide from their old places. Elements that were hidden appear at once. */
export function glide(before, milliseconds) {
  for (const [element] of before) {
    for (const animation of element.getAnimations()) animation.cancel();
  }
  const shifts = new Map();
  const moves = [];
  for (const [element, old] of before) {
    if (!element.isConnected || old.width === 0) continue;
    const now = element.getBoundingClientRect();
    if (now.width === 0) continue;
    const shift = { x: old.left - now.left, y: old.top - now.top };
    shifts.set(element, shift);
    const outer = carrier(element, shifts);
    const x = shift.x - outer.x;
    const y = shift.y - outer.y;
    if (Math.abs(x) > 1 || Math.abs(y) > 1) moves.push([element, x, y]);
  }
  for (const [element, x, y] of moves) {
    element.animate(
      [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }],
      { duration: milliseconds, easing: "cubic-bezier(.3, .1, .2, 1)" });
  }
}

function carrier(element, shifts) {
  for (let outer = element.parentElement; outer; outer = outer.parentElement) {
    if (shifts.has(outer)) return shifts.get(outer);
  }
  return { x: 0, y: 0 };
}
