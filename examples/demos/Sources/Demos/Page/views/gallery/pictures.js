// The pictures of the gallery: their requests, and the array that the function returns.

/** The ways to fetch. `isOrdered`: the results are in the order of the input. */
export const forms = {
  group: { title: "Task group" },
  "async-let": { title: "Four times async let", isOrdered: true },
  throwing: { title: "Throwing task group" },
  map: { title: "Weir's map, three at a time", isOrdered: true },
  sequential: { title: "One after the other", isOrdered: true },
};

/** Returns the array of numbers so far; 0 is an empty place. */
export function collected(state) {
  if (state.shown) return state.shown;
  if (!state.isOrdered) return state.arrived;
  return Array.from({ length: state.count },
    (_, place) => (state.arrived.includes(place + 1) ? place + 1 : 0));
}

/** Returns the state before the first event. */
export function picturesOf(run) {
  const knobs = (run && run.knobs) || {};
  const form = knobs.form || "group";
  return {
    form, run: run ? run.run : null, pictures: new Map(), arrived: [], shown: null, error: null,
    cancelledAt: null, endedAt: null, last: 0, version: 0,
    count: form === "async-let" ? 4 : Number(knobs.tasks || 5),
    isOrdered: forms[form].isOrdered,
  };
}

function applyPicture(state, event) {
  const { pictures } = state;
  if (!pictures.has(event.task)) {
    pictures.set(event.task, { id: event.task, phase: "queued", begin: event.t, end: null });
  }
  const row = pictures.get(event.task);
  if (event.ev === "start") Object.assign(row, { phase: "running", begin: event.t });
  if (event.ev === "end") row.end = event.t;
  if (event.ev === "cancel") Object.assign(row, { phase: "cancelled", end: event.t });
  state.version += 1;
}

function applyNote(state, event) {
  state.version += 1;
  const row = state.pictures.get(event.task);
  const phase = { ARRIVED: "arrived", FAILED: "failed", CANCELLED: "cancelled" }[event.q];
  if (phase && row) {
    row.phase = phase;
    if (row.end === null) row.end = event.t;
    if (phase === "arrived") state.arrived.push(event.task);
  } else if (event.q.startsWith("SHOWN")) {
    state.shown = (event.q.match(/\d+/g) || []).map(Number);
    state.endedAt = event.t;
  } else if (event.q.startsWith("ERROR")) {
    state.error = event.q.slice(6);
    state.endedAt = event.t;
  } else if (event.q === "CANCEL" || event.q === "leave") {
    state.cancelledAt = event.t;
  }
}

/** Applies an event of the log. */
export function applyEvent(state, event) {
  state.last = Math.max(state.last, event.t);
  if (event.ev === "note") applyNote(state, event);
  else if (event.q === "picture") applyPicture(state, event);
}

/** Returns the number of requests in a phase. */
export function numberOf(state, phase) {
  return [...state.pictures.values()].filter(row => row.phase === phase).length;
}
