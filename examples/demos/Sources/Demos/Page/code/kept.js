// The values that the browser keeps: lists between visits, and texts of a tab.
//
// A browser may keep nothing: then each access throws, and the values are lost with the page.

/** Returns the list kept under a name; an empty one if there is none. */
export function kept(name) {
  try {
    const list = JSON.parse(localStorage.getItem(name) || "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** Keeps a list under a name. */
export function keep(name, list) {
  try {
    localStorage.setItem(name, JSON.stringify(list));
  } catch { /* nothing is kept */ }
}

/** Returns the text that this tab keeps under a name; null if there is none. */
export function keptInTab(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a text of this tab under a name. */
export function keepInTab(name, text) {
  try {
    sessionStorage.setItem(name, text);
  } catch { /* nothing is kept */ }
}

/** Returns the random word that this tab keeps under a name; makes it if there is none. */
export function wordOfTab(name) {
  const known = keptInTab(name);
  if (known) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const word = [...bytes].map(byte => (byte % 36).toString(36)).join("");
  keepInTab(name, word);
  return word;
}
