// The pages: their names, and the knobs that are seen first.

/** A page, in the order of the course. `knobs` are shown first; the others are under "More settings". */
export const pages = [
  { name: "queues", title: "Queues", view: "generic", knobs: [] },
  { name: "groups", title: "Groups", view: "generic", knobs: [] },
  { name: "downloads", title: "Downloads", knobs: ["tasks", "max", "randomize"] },
  { name: "images", title: "Images", knobs: ["step", "form", "network"] },
  { name: "loops", title: "Loops", knobs: ["body", "stride", "work"] },
  { name: "gallery", title: "Gallery", knobs: ["form", "tasks", "fail"] },
];

/** The speeds to choose from: seconds of the demo in a second. */
export const speeds = [0.0002, 0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20];

/** Returns the page of the address; undefined for the list of pages. */
export function pageOfAddress() {
  const name = location.pathname.split("/").pop();
  return pages.find(page => page.name === name);
}
