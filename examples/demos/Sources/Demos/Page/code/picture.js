// Pictures: drawn here by their number, so that none has to be fetched.

import { draw } from "./dom.js";

/* A small generator of random numbers: the same numbers for the same seed. */
function generator(seed) {
  let state = (seed * 2654435761 + 97) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns the drawing of a number: squares, of which the left half mirrors the right one. */
export function picture(id) {
  const random = generator(id);
  const hue = Math.round((id * 137.5 + random() * 30) % 360);
  const parts = [
    draw("rect", { width: 7, height: 7, fill: `hsl(${hue} 45% 88%)` }),
  ];
  for (let y = 0; y < 5; y += 1) {
    for (let x = 0; x < 3; x += 1) {
      if (random() < 0.45) continue;
      for (const place of new Set([x, 4 - x])) {
        parts.push(draw("rect", {
          x: place + 1, y: y + 1, width: 1.02, height: 1.02, fill: `hsl(${hue} 55% 42%)`,
        }));
      }
    }
  }
  return draw("svg", {
    class: "picture", viewBox: "0 0 7 7", role: "img", "aria-label": "picture " + id,
    preserveAspectRatio: "xMidYMid slice",
  }, ...parts);
}
