// The pages: their names, the knobs that are seen first, and the speed that one can follow.

/** A page, in the order of the course. `knobs` are shown first; the others are under "More settings". */
export const pages = [
  { name: "queues", title: "Queues", view: "generic", knobs: [], speed: 0.5 },
  { name: "groups", title: "Groups", view: "generic", knobs: [], speed: 1 },
  { name: "downloads", title: "Downloads", knobs: ["tasks", "max", "randomize"], speed: 2 },
  { name: "images", title: "Images", knobs: ["step", "form", "network"], speed: 2 },
  { name: "gate", title: "Gate", knobs: ["max", "tasks", "need"], speed: 0.5 },
  { name: "loops", title: "Loops", knobs: ["body", "stride", "work"], speed: 0.0002 },
  { name: "gallery", title: "Gallery", knobs: ["form", "tasks", "fail"], speed: 0.25 },
  { name: "pitfalls", title: "Pitfalls", knobs: [], speed: 1 },
  { name: "schedule", title: "Schedule", knobs: [], speed: 1 },
];

/** The speeds to choose from: seconds of the demo in a second. */
export const speeds = [0.0002, 0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20];

/** Returns the page of the address; undefined for the list of pages. */
export function pageOfAddress() {
  const name = location.pathname.split("/").pop();
  return pages.find(page => page.name === name);
}
