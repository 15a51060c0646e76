// The state of the gate, kept from the notes of its tasks.
//
// Tokens have identities, so that the screen can show which token moves where. The free tokens
// fill the tray from its left; a task takes them from the right end. If the gate is made smaller
// while its tokens are in use, the surplus is owed: tokens that come back are withdrawn.
import { count } from "../../code/words.js";

export function initial(run) {
  const permits = run ? Number(run.knobs.max) : 0;
  const state = {
    permits, isClosed: false, tasks: new Map(), line: [], inside: [], served: [], refused: [],
    free: [], nextToken: 1, inUse: 0, peak: 0, lastSaid: "",
    resizeTo: run && run.knobs.resize ? Number(run.knobs.resize) : null,
  };
  fit(state);
  return state;
}

export function apply(state, message) {
  if (message.kind !== "event" || message.ev !== "note") return;
  const word = message.q;
  if (word === "WAITS") wait(state, message);
  else if (word === "GOT") take(state, message);
  else if (word === "RETURNED") returnTokens(state, message);
  else if (word.startsWith("REFUSED")) refuse(state, message);
  else if (word === "resize") resize(state, message.v || state.resizeTo);
  else if (word === "close") close(state);
}

/** Returns the number of tokens in use that the tray has no place for. */
export function owed(state) {
  return Math.max(0, state.inUse - state.permits);
}

function task(state, message) {
  const number = message.task;
  if (!state.tasks.has(number)) state.tasks.set(number, { number, need: 1, tokens: [] });
  const found = state.tasks.get(number);
  if (message.v > 0) found.need = message.v;
  return found;
}

function wait(state, message) {
  const asking = task(state, message);
  asking.since = message.t;
  state.line.push(asking);
}

function take(state, message) {
  const served = task(state, message);
  remove(state.line, served);
  state.inside.push(served);
  while (state.free.length < served.need) state.free.push(state.nextToken++);
  served.tokens = state.free.splice(state.free.length - served.need, served.need);
  state.inUse += served.need;
  state.peak = Math.max(state.peak, state.inUse);
}

function returnTokens(state, message) {
  const done = task(state, message);
  remove(state.inside, done);
  state.served.push(done);
  state.free.push(...done.tokens);
  state.inUse -= done.tokens.length;
  done.tokens = [];
  fit(state);
}

function refuse(state, message) {
  const refused = task(state, message);
  remove(state.line, refused);
  state.refused.push(refused);
  refused.reason = message.q.slice("REFUSED: ".length);
  state.lastSaid = `Task ${refused.number} is refused: ${refused.reason}.`;
}

function resize(state, permits) {
  if (!permits) return;
  state.permits = permits;
  fit(state);
  state.lastSaid = `The gate has ${count(permits, "permit", "permits")} now.`;
}

function close(state) {
  state.isClosed = true;
  state.lastSaid = "The gate is closed.";
}

// Makes the tokens as many as the permits, as far as tokens are free.
function fit(state) {
  while (state.free.length + state.inUse > state.permits && state.free.length) state.free.pop();
  while (state.free.length + state.inUse < state.permits) state.free.push(state.nextToken++);
}

function remove(list, item) {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}

/** Returns a sentence on why the first task of the line waits, and which tasks wait with it. */
export function sentence(state) {
  const free = state.free.length;
  const [first, ...others] = state.line;
  if (!first) return lineless(state);
  const needs = `Task ${first.number} is first in line and needs ${first.need}`;
  const now = free === 0 ? "none is free" : free === 1 ? "1 is free" : `${free} are free`;
  const small = others.find(other => other.need <= free);
  const fair = small
    ? ` Task ${small.number} needs only ${small.need} and waits as well: first come, first served.`
    : "";
  const debt = owed(state);
  const owes = debt
    ? ` ${count(debt, "permit is", "permits are")} owed: returned, not reused.` : "";
  return `${needs}; ${now}.${fair}${owes}`;
}

function lineless(state) {
  if (state.inside.length) return "No task waits.";
  if (!state.served.length && !state.refused.length) {
    return "Each task takes its permits from the tray, works for 0.5 s and returns them.";
  }
  return state.free.length === state.permits ? "All permits are back in the tray." : "";
}
