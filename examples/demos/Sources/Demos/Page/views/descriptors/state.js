// The state of the descriptors, kept from the notes of a run: the slots of the process's table,
// the files, and the count of open files over time.
//
// open() returns the lowest free number. So a number that no file ever had, below one that a file
// has, belongs to the process itself. The simulated machine counts instead of numbering: there a
// file takes the lowest free slot.
const standard = 3;

export function initial(run) {
  const knobs = run ? run.knobs : {};
  return make(Number(knobs.files || 200), Number(knobs.limit || 64), knobs.budget === "on", run);
}

function make(files, limit, hasBudget, run) {
  return {
    limit, hasBudget, budget: Math.max(1, Math.floor(limit / 2) - 8),
    isSimulated: Boolean(run && run.virtual), run: run ? run.run : null,
    // For each file: "" not begun, "wait", "open", "read" or "refused".
    files: Array(files).fill(""), slots: Array(limit).fill(0), slotOf: new Map(),
    wasUsed: Array(limit).fill(false), highest: 0, open: 0, peak: 0, read: 0, refused: 0,
    firstRefused: 0, curve: [[0, 0]], failures: [], time: 0, isCut: false,
  };
}

export function apply(state, message) {
  if (message.kind === "cut") state.isCut = true;
  if (message.kind !== "event") return;
  const file = message.task - 1;
  if (message.ev === "start" && message.q === "opener") {
    if (state.hasBudget && state.files[file] === "") state.files[file] = "wait";
  } else if (message.ev !== "note" || !(file in state.files)) {
    return;
  } else if (message.q === "open") open(state, file, message);
  else if (message.q === "close") close(state, file, message);
  else if (message.q === "EMFILE") refuse(state, file, message);
  state.time = Math.max(state.time, message.t);
}

function open(state, file, message) {
  state.files[file] = "open";
  state.open += 1;
  state.peak = Math.max(state.peak, state.open);
  state.curve.push([message.t, state.open]);
  const slot = freeSlot(state, message.v);
  if (slot < 0) return;
  state.slots[slot] = file + 1;
  state.slotOf.set(file, slot);
  state.wasUsed[slot] = true;
  state.highest = Math.max(state.highest, slot);
}

function freeSlot(state, descriptor) {
  const isFree = !state.isSimulated && descriptor < state.limit && !state.slots[descriptor];
  return isFree ? descriptor : state.slots.indexOf(0, standard);
}

function close(state, file, message) {
  state.files[file] = "read";
  state.open -= 1;
  state.read += 1;
  state.curve.push([message.t, state.open]);
  if (state.slotOf.has(file)) state.slots[state.slotOf.get(file)] = 0;
}

function refuse(state, file, message) {
  state.files[file] = "refused";
  state.refused += 1;
  if (!state.firstRefused) state.firstRefused = file + 1;
  state.failures.push(message.t);
}

/** The state of a slot: "own", "open" or "free". */
export function slotState(state, slot) {
  if (state.slots[slot]) return "open";
  return slot < standard || (!state.wasUsed[slot] && slot < state.highest) ? "own" : "free";
}
