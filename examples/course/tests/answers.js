// The right answers to the questions of the levels, found by the search.
import { parse } from "../game/language.js";
import { explore, findings, outputs, shortest } from "../game/search.js";

/** Each function takes the graph of the whole program, and the level. */
export const answers = {
  "Two threads, one permit": graph => outputs(graph).length,
  "Both see 4": (graph, level) => level.answers.find(text => !graph.nodes.some(node =>
    node.end && node.state.variables.counter === Number(text))),
  "Mend the counter": () => explore(parse(`var counter = 3
semaphore lock 1
thread A {
  wait lock
  counter += 1
  signal lock
}
thread B { counter += 1 }`)).nodes.some(node => node.state.lost) ? "No" : "Yes",
  "A permit that is not returned": graph => [...new Set(graph.nodes.filter(node => node.end === "deadlock")
    .flatMap(node => node.state.actors.map(actor => ["", "task", "next"][actor.id])))].join(),
  "An unordered list": graph => outputs(graph).length,
  "Two serial queues": graph => outputs(graph).some(({ out }) => out.indexOf("L1") > out.indexOf("L2"))
    ? "Yes" : "No",
  "Before or after": graph => ["1", "2", "3", "4"].filter(text =>
    new Set(outputs(graph).map(({ out }) => out.indexOf(text))).size === 1).join(" and "),
  "Through the main thread": graph => ({ deadlock: "It waits for ever",
    trap: "It traps, as with a queue's own sync" })[findings(graph).map(one => one.kind).join()],
  "Two accesses at once": graph => findings(graph).some(one => one.kind === "race") ? "No" : "Yes",
  "Readers and a writer": (_, level) => explore(parse(level.goal.fix)).nodes.every(({ state }) =>
    !state.queues.cache.isBarred || state.queues.cache.running === 1) ? "Nothing" : "Readers",
  "An actor in between": graph => graph.nodes.some(node => node.state.variables.balance < 0) ? "Yes" : "No",
  "Onto its own queue": graph => ({ deadlock: "It waits for ever", trap: "It traps at once" })[
    findings(graph).map(one => one.kind).join()],
  "Deadlock the main queue": graph => shortest(graph, node => node.end === "deadlock").length,
  "Mend the main queue": (graph, level) => {
    const fixed = explore(parse(level.goal.fix));
    const waits = fixed.nodes.some(node =>
      node.state.actors.some(actor => actor.id === "1" && actor.waits === "wait"));
    return !waits ? "No" : findings(fixed).length ? "Yes, for ever" : "Yes, but not for ever";
  },
  "A group that never notifies": graph => findings(graph).map(one => one.kind).join() === "silent" ? "Nothing" : "A trap",
  "A group that notifies too early": graph => graph.nodes.some(node => node.state.out[0] === "All done" && node.end === "")
    ? "At once" : "Never",
  "Mend the group": () => outputs(explore(parse(`group downloads
queue pool concurrent
async main begin {
  async pool task in downloads { print "image" }
  notify downloads on main alert { print "All done" }
}`))).length === 1 ? "At the submission" : "When the block runs",
  "Lose the limit after a time-out": graph => graph.nodes.some(node => node.state.semaphores.permits > 1)
    ? "no permit" : "a permit",
  "Mend the limit": (graph, level) => {
    const fixed = explore(parse(level.goal.fix.replace("work download one", 'print "1"')));
    return outputs(fixed).some(({ out }) => !out.length) ? "No" : "Yes";
  },
  "A release too early": graph => graph.nodes.some(node => node.state.trap.includes("with 1 of 2")) ? 2 : 1,
  "Two queues wait for each other": graph => graph.nodes.some(node => node.end === "trap") ? "Yes" : "No",
  "A pool that is used up": graph => Math.max(...graph.nodes.map(node => node.state.queues.pool.running)),
  "Two starve a third": graph => graph.nodes.some(node => node.end === "deadlock") ? "Yes" : "No",
  "A deadlock of three": (graph, level) => !findings(explore(parse(level.text.replace("wait blue\n  wait red",
    "wait red\n  wait blue")))).length ? "No" : "Yes",
};
