// Lists that the browser keeps between visits: solved levels, games, pitfalls that were seen.

/** Returns the list kept under a name; an empty one if there is none. */
export function kept(name) {
  try {
    const list = JSON.parse(localStorage.getItem(name) || "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** Keeps a list under a name. A browser that keeps nothing loses it with the page. */
export function keep(name, list) {
  try {
    localStorage.setItem(name, JSON.stringify(list));
  } catch { /* nothing is kept */ }
}
