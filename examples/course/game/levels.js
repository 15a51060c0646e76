// The levels of the schedule game, in the order of rising concepts.
//
// A level: an introduction to what is new, a program, a goal that only some schedules reach (or a
// program to mend), a question before, a hint, and an explanation after. `goal` is one of
//   { reached(state, end, program) }, where end is "" if a step is left (see `ending`); { starve: NAME };
//   { mend({ state, end }, program), which returns a sentence about a wrong state,
//     keep: [TEXT, ...], fix }.
// Each kept line has to run, in every schedule; with `mayRefuse` in some schedule.
import { parse } from "./language.js";
import { condition, ending, operation, raceOf } from "./machine.js";
import { bound, explore, findings, pathTo, shortest, starvation, withoutLine } from "./search.js";

/** The same part of a program for each name. */
const each = (names, part) => names.split(" ").map(name => part.replaceAll("NAME", name)).join("");

const counting = `var counter = 3
semaphore lock 1

${each("A B", `thread NAME {
  counter += 1
}
`)}`;

const button = `semaphore permits 1

async main button {
  wait permits
  work showDetails
  signal permits
}
thread task {
  wait permits
  work download
  async main completion {
    work showImage
    signal permits
  }
}
`;

const notified = `group downloads
queue pool concurrent

async main begin {
  async pool task {
    enter downloads
    print "image"
    leave downloads
  }
  notify downloads on main alert { print "All done" }
}
`;

const limited = `semaphore permits 1

${each("one two", `thread NAME {
  wait permits timeout
  work download NAME
  signal permits
}
`)}`;

const cache = `queue cache concurrent
var entries = 1

async cache one {
  print "one" entries
}
async cache write {
  entries += 1
}
async cache two {
  print "two" entries
}
`;

const deadlock = { reached: (_, end) => end === "deadlock" };
const trap = beginning => ({ reached: state => state.trap.startsWith(beginning) });

/**
 * Returns a sentence about a state that breaks the limit of one permit: two of the named works are
 * under way at once, or two permits are free.
 */
const breach = (state, program, names) => {
  if (state.semaphores.permits > 1) return "A schedule makes more than 1 of permits free.";
  const busy = state.actors.filter(actor => condition(program, state, actor) === "ready")
    .map(actor => operation(program, actor))
    .filter(({ op, text }) => op === "work" && names.includes(text)).map(({ text }) => text);
  return busy.length > 1
    && `A schedule has ${busy[0]} and ${busy[1]} under way at once: the limit is one.`;
};
const print = (...lines) => ({ reached: state => state.out.join("\n") === lines.join("\n") });

export const levels = [
  {
    title: "Two threads, one permit",
    intro: "A thread runs its lines one after the other. You are the scheduler: choose a thread, "
      + "and it runs its next line. A semaphore has permits: wait takes one, or waits until there "
      + "is one, and signal returns it.",
    text: `semaphore permits 1

${each("A B", `thread NAME {
  wait permits
  print "NAME1"
  print "NAME2"
  signal permits
}
`)}`,
    aim: "Print B1, B2, A1, A2.",
    goal: print("B1", "B2", "A1", "A2"),
    ask: "How many outputs are possible?",
    answers: ["1", "2", "6"], right: 1,
    hint: "A semaphore with one permit lets one thread in. Which thread comes first is open.",
    lesson: "The semaphore keeps the lines of a thread together. It does not say which thread is "
      + "first: an order that nobody wrote down is no order.",
  },
  {
    title: "An unordered list",
    intro: "A queue keeps blocks of code until a thread runs them; async submits one. The blocks "
      + "of a concurrent queue can run at the same time.",
    text: `queue images concurrent

${each("1 2 3", `async images image_NAME {
  work fetch NAME
  print "image NAME"
}
`)}`,
    aim: "Print the images in the order 3, 1, 2.",
    goal: print("image 3", "image 1", "image 2"),
    ask: "In how many orders can three images come?",
    answers: ["1", "3", "6"], right: 2,
    hint: "Results are printed as they complete. Which block has to complete first?",
    lesson: "The list has the order of completion, which is not the order of submission.",
    pitfall: "unordered-results",
  },
  {
    title: "Two serial queues",
    intro: "A serial queue runs one block after the other. The queue main is serial too: the main "
      + "thread runs its blocks.",
    text: `queue left serial
queue right serial

async left L1 { print "L1" }
async left L2 { print "L2" }
async right R1 { print "R1" }
async right R2 { print "R2" }
`,
    aim: "Print R1, L1, L2, R2.",
    goal: print("R1", "L1", "L2", "R2"),
    ask: "Can L2 be printed before L1?",
    answers: ["Yes", "No"], right: 1,
    hint: "A serial queue runs its blocks in the order of submission. Between two queues there is "
      + "no order.",
    lesson: "Of 24 orders of four lines, 6 are possible: each queue keeps its own order, and that "
      + "is all that serial means.",
  },
  {
    title: "Before or after",
    intro: "async submits a block and goes on; sync waits until its block has run.",
    text: `queue results serial

thread caller {
  async results { print "1" }
  print "2"
  sync results { print "3" }
  print "4"
}
`,
    aim: "Print 2, 1, 3, 4.",
    goal: print("2", "1", "3", "4"),
    ask: "Which lines have a fixed place in the output?",
    answers: ["1 and 2", "3 and 4", "all"], right: 1,
    hint: "async only submits. sync waits until its own block has run, and all that was before it.",
    lesson: "After async the block may or may not have run. After sync it has run, and with it all "
      + "that the serial queue had before. The thread that called sync ran the block.",
  },
  {
    title: "Onto its own queue",
    intro: "A var is shared by all threads; here only blocks of account use it. A trap ends the "
      + "process at once: libdispatch traps if it sees a fault of the program.",
    text: `queue account serial
var isOpen = false

thread teller {
  async account deposit {
    if isOpen {
      sync account { print "balance" }
    }
  }
}
thread user {
  async account open { isOpen = true }
}
`,
    aim: "Make the program trap.",
    goal: trap("a sync"),
    ask: "A block of a serial queue calls sync onto this queue. What happens on Linux?",
    answers: ["It waits for ever", "It traps at once", "The block runs"], right: 1,
    hint: "The call is behind a condition. Who makes it true, and when?",
    lesson: "The thread that runs the queue cannot wait for the queue. libdispatch sees that and "
      + "traps, without a word. A test in which isOpen is false does not see it.",
    pitfall: "sync-own-queue",
  },
  {
    title: "A group that never notifies",
    intro: "A group counts what is not over yet: enter adds one, leave takes one away, and notify "
      + "submits a block once the count is 0.",
    text: `group downloads
queue loads serial
var isCancelled = false

async main begin {
  enter downloads
  async loads task {
    if isCancelled { return }
    work download
    leave downloads
  }
  notify downloads on main alert { print "All done" }
}
thread user {
  async loads cancel { isCancelled = true }
}
`,
    aim: "Let all blocks end, and the alert never come.",
    goal: { reached: (_, end) => end === "silent" },
    ask: "What reports the missing leave?",
    answers: ["A trap", "A message of libdispatch", "Nothing"], right: 2,
    hint: "One way out of the task has no leave. Let the user cancel before the task is submitted.",
    lesson: "The task returned early and did not leave. The group is never empty, and nothing "
      + "reports it.",
  },
  {
    title: "A group that notifies too early",
    text: notified,
    aim: "Print All done before image.",
    goal: print("All done", "image"),
    ask: "When does a group notify that nobody has entered yet?",
    answers: ["After the first leave", "At once", "Never"], right: 1,
    hint: "The task enters when it runs. It need not run before notify.",
    lesson: "The group was empty when notify looked: the task had not entered. Enter before the "
      + "submission, not in the block.",
  },
  {
    title: "Mend the group",
    text: notified,
    aim: "Change the program so that All done always comes last.",
    goal: { mend: ({ state, end }) => end && state.out.join() !== "image,All done"
      && "A schedule prints something else.", keep: ["async pool", "notify downloads on main",
      'print "image"', 'print "All done"'],
    fix: notified.replace("    enter downloads\n", "")
      .replace("  async pool", "  enter downloads\n  async pool") },
    ask: "async pool task in downloads { ... } enters and leaves by itself. When does it enter?",
    answers: ["At the submission", "When the block runs"], right: 0,
    hint: "Move one line, or let async do both: async pool task in downloads { ... }",
    lesson: "Enter on the thread that submits, leave in the block: then the group counts what is "
      + "submitted, not what has begun. dispatch_group_async does that.",
  },
  {
    title: "A permit that is not returned",
    intro: "A deadlock: no thread can step any more, and a thread still waits.",
    text: `semaphore permits 1
var isCancelled = false

thread task {
  wait permits
  if isCancelled { return }
  work download
  signal permits
}
thread next {
  wait permits
  work download
  signal permits
}
thread user {
  wait permits
  isCancelled = true
  signal permits
}
`,
    aim: "Make a thread wait for ever.",
    goal: deadlock,
    ask: "Which thread can wait for ever?",
    answers: ["task", "next", "task or next"], right: 1,
    hint: "One way out of the task has no signal.",
    lesson: "The task returned with the permit. Each way out of the code after a wait needs the "
      + "signal; in Swift, defer sees to that.",
  },
  {
    title: "Deadlock the main queue",
    intro: "The main thread runs the blocks of main, as in a program with a screen, and draws the "
      + "screen between them.",
    text: button,
    aim: "Make the main thread wait for ever.",
    goal: deadlock,
    ask: "How many steps has the shortest way into the deadlock?",
    answers: ["2", "4", "6"], right: 1,
    hint: "The permit comes back in a block on the main queue. Let the task take the permit first, "
      + "and the button ask for it while the task still works.",
    lesson: "The main thread waits for a permit, and the block that returns it is queued on the "
      + "main queue, which only the main thread runs until it calls dispatch_main.",
  },
  {
    title: "Mend the main queue",
    text: button,
    aim: "Change the program so that no schedule makes the main thread wait for ever, and the "
      + "limit is kept: one permit, and only one of showDetails and download at a time.",
    goal: { mend: ({ state }, program) => breach(state, program, ["showDetails", "download"]),
      keep: ["semaphore permits 1", "async main button", "async main completion", "wait permits",
        "wait permits", "signal permits", "signal permits", "work showDetails", "work showImage",
        "work download"],
    fix: button.replace("    signal permits\n", "")
      .replace("  async main", "  signal permits\n  async main") },
    ask: "The task signals before it submits the completion. Can the button still wait?",
    answers: ["No", "Yes, but not for ever", "Yes, for ever"], right: 1,
    hint: "Who has to return the permit, so that the main queue is not needed for it?",
    lesson: "No permit depends on a block that only the main thread runs while it waits. If the "
      + "button still waits on the main thread, the screen stands still until the download has "
      + "ended: better, submit that wait to another queue.",
  },
  {
    title: "Through the main thread",
    intro: "Until dispatch_main the main thread runs all blocks of main, also that of sync main: its "
      + "caller waits.",
    text: `queue images serial
var isLast = false

thread loader {
  async images load {
    work decode
    sync main {
      print "shown"
      if isLast {
        sync images { print "count" }
      }
    }
  }
}
thread user {
  async images last { isLast = true }
}
`,
    aim: "Make the main thread wait for ever.",
    goal: deadlock,
    ask: "A block of images calls sync onto main, and in it sync onto images. What happens?",
    answers: ["It traps, as with a queue's own sync", "It waits for ever"], right: 1,
    hint: "isLast has to be true when the image is shown: which block of images comes first?",
    lesson: "The main thread waits for images, whose thread waits for the main thread: libdispatch "
      + "sees no thread that waits for itself. With the line dispatch_main the pool runs the blocks of "
      + "main, that of sync on its caller's thread, and the same program traps: try it in the editor.",
  },
  {
    title: "Lose the limit after a time-out",
    intro: "wait with timeout gives up at some time: a step of a thread that waits can end its "
      + "time.",
    text: limited,
    aim: "One download at a time is the limit. Make two permits free.",
    goal: { reached: state => state.semaphores.permits > 1 },
    ask: "A wait that times out takes",
    answers: ["a permit", "no permit"], right: 1,
    hint: "A wait that times out takes no permit, and its thread signals all the same. Let one "
      + "thread wait while the other downloads, and step it again: its time is over.",
    lesson: "A thread whose wait timed out returned a permit that it never had. From now on two "
      + "downloads run at once, for good.",
  },
  {
    title: "Mend the limit",
    text: limited,
    aim: "Change the program so that one download at a time is the limit, and never more than one "
      + "permit is free.",
    goal: { mayRefuse: true,
      mend: ({ state }, program) => breach(state, program, ["download one", "download two"]),
      keep: ["semaphore permits 1", "wait permits timeout", "wait permits timeout",
        "work download one", "work download two", "signal permits", "signal permits"],
    fix: limited.replaceAll("timeout\n", "timeout\n  if timedOut { return }\n") },
    ask: "Both threads return after a time-out. Is each download always made?",
    answers: ["Yes", "No"], right: 1,
    hint: "After the wait, timedOut says how it ended: if timedOut { return }",
    lesson: "Signal only what was acquired. The refused download is reported or tried again: a "
      + "limit that gives way is none.",
  },
  {
    title: "A release too early",
    intro: "release destroys the semaphore: from then on no thread may use it.",
    text: `semaphore permits 2

async main close {
  work hideScreen
  release permits
}
${each("one two", `thread NAME {
  wait permits
  work download NAME
  signal permits
}
`)}`,
    aim: "Make the release of the semaphore trap.",
    goal: trap("a release"),
    ask: "A semaphore was created with 2 permits. How many must it have when it is released?",
    answers: ["0", "1 or more", "2"], right: 2,
    hint: "Close the screen while a thread has a permit.",
    lesson: "The semaphore had fewer permits than at its creation, so libdispatch took it for one "
      + "in use, and trapped; on Linux it prints no reason. A use after the release is not seen by "
      + "libdispatch: the memory is another's by then. Release what no thread uses any more.",
    pitfall: "semaphore-released",
  },
  {
    title: "Two queues wait for each other",
    text: `queue model serial
queue disk serial

thread user {
  async model save {
    work encode
    sync disk { print "saved" }
  }
  async disk load {
    work read
    sync model { print "loaded" }
  }
}
`,
    aim: "Make the threads of both queues wait for ever.",
    goal: deadlock,
    ask: "Does libdispatch trap here, as with a queue's own sync?",
    answers: ["Yes", "No"], right: 1,
    hint: "Each block holds its queue while it waits for the other one. Begin both.",
    lesson: "Each thread runs its own queue, and is blocked in sync onto the other's. libdispatch "
      + "sees a thread that waits for itself, not two that wait for each other.",
  },
  {
    title: "A pool that is used up",
    intro: "The threads that run the blocks of concurrent queues are a pool. The queue concurrent "
      + "2 has two threads, so at most two of its blocks run at once.",
    text: `queue pool concurrent 2
semaphore ready 0

async pool first {
  wait ready
  print "first"
}
thread late {
  async pool second {
    wait ready
    print "second"
  }
}
thread user {
  async pool rescue {
    signal ready
    signal ready
  }
}
`,
    aim: "The pool has two threads. Make all its blocks wait for ever.",
    goal: deadlock,
    ask: "How many of the three blocks can have begun and not ended, at most?",
    answers: ["1", "2", "3"], right: 1,
    hint: "A block that waits keeps its thread. Which block needs one?",
    lesson: "Both threads wait for a block that needs a thread. The pool of Linux grows by one "
      + "thread a second, up to a limit: there it is slow first, and stuck at the limit.",
    pitfall: "pool-exhaustion",
  },
  {
    title: "Both see 4",
    intro: "counter += 1 loads the value in one step and stores the new one in another.",
    text: `var counter = 3

${each("A B", `thread NAME {
  counter += 1
  print "START" counter
}
`)}`,
    aim: "The counter is 3. Make both threads print START 4.",
    goal: print("START 4", "START 4"),
    ask: "Which value can the counter not have at the end?",
    answers: ["3", "4", "5"], right: 0,
    hint: "counter += 1 is two steps: a load and a store. Let both threads load before one stores.",
    lesson: "Both threads loaded 3 and stored 4: one addition is lost, and two threads have the "
      + "same number.",
    pitfall: "counter-race",
  },
  {
    title: "Two accesses at once",
    intro: "A data race: two threads access a variable at the same time, one of them writes, and "
      + "nothing orders the two. It is a fault, whatever the values are.",
    text: `var total = 0
semaphore lock 1

${[["A", 1], ["B", 2]].map(([name, sum]) => `thread ${name} {
  wait lock
  total += ${sum}
  signal lock
}
`).join("")}thread C {
  print "total" total
}
`,
    aim: "Bring two threads to the variable: one is about to write it, the other to read it.",
    goal: { reached: (state, _, program) => raceOf(program, state) !== null },
    ask: "Whoever writes the variable takes the lock. Is that enough?",
    answers: ["Yes", "No"], right: 1,
    hint: "C reads without the lock. Let A load, and stop before it stores.",
    lesson: "A reader needs the lock too, or it reads while another writes. Swift 6 refuses such a "
      + "variable, and the Thread Sanitizer names both accesses if a run comes near them; the machine "
      + "here finds them in any schedule.",
    pitfall: "counter-race",
  },
  {
    title: "Mend the counter",
    intro: "A lock is a semaphore with one permit.",
    text: counting,
    aim: "Change the program so that no schedule loses an addition.",
    goal: { mend: ({ state, end }) => end && state.variables.counter !== 5
      && "A schedule ends with another counter than 5.", keep: ["thread A", "thread B", "counter += 1",
      "counter += 1"],
    fix: counting.replaceAll("  counter += 1", "  wait lock\n  counter += 1\n  signal lock") },
    ask: "Is it enough if thread A alone waits for the lock and signals it?",
    answers: ["Yes", "No"], right: 1,
    hint: "The lock has one permit. A thread that has it keeps the other out, if the other asks too.",
    lesson: "A lock protects nothing by itself: all who touch the variable have to take it, around "
      + "the load and the store.",
    pitfall: "counter-race",
  },
  {
    title: "Readers and a writer",
    intro: "async q barrier runs its block alone on a concurrent queue: after all blocks before it, "
      + "and before all after it.",
    text: cache,
    aim: "Change the program so that the queue stays concurrent, and no schedule has a data race.",
    goal: { mend: ({ state, end }) => end && state.variables.entries !== 2
      && "A schedule ends with another number than 2 entries.", keep: ["queue cache concurrent",
      'print "one" entries', 'print "two" entries', "entries += 1"],
    fix: cache.replace("cache write", "cache barrier write") },
    ask: "What can run beside a barrier, on its queue?",
    answers: ["Readers", "Nothing"], right: 1,
    hint: "The two readers may run at the same time. The writer may not: it needs one word.",
    lesson: "Readers beside each other, a writer alone. A barrier has this effect on a queue of your "
      + "own; on a global queue it has none.",
  },
  {
    title: "Two starve a third",
    intro: "A thread starves if it waits for ever while others go on. loop repeats its lines for "
      + "ever.",
    text: `semaphore permits 1

${each("A B", `thread NAME {
  loop {
    wait permits
    signal permits
  }
}
`)}thread C {
  wait permits
  print "C"
  signal permits
}
`,
    aim: "Let C wait for ever while A and B both go on: come back to a state in which C waited.",
    goal: { starve: "C" },
    ask: "Is there a deadlock in this program?",
    answers: ["Yes", "No"], right: 1,
    hint: "C waits while A has the permit. When A returns it, let another thread be faster, until "
      + "the state is one that was there before. A and B both have to step.",
    lesson: "No thread is stuck for good, and C gets no permit: a semaphore promises no order of "
      + "those that wait. A gate of Weir serves them in order.",
  },
  {
    title: "A deadlock of three",
    text: `semaphore red 1
semaphore green 1
semaphore blue 1

${[["A", "red", "green"], ["B", "green", "blue"], ["C", "blue", "red"]].map(([name, one, other]) =>
    `thread ${name} {
  wait ${one}
  wait ${other}
  print "${name}"
  signal ${other}
  signal ${one}
}
`).join("")}`,
    aim: "Make all three threads wait for ever.",
    goal: deadlock,
    ask: "C takes red before blue, as A takes red first. Can the three still deadlock?",
    answers: ["Yes", "No"], right: 1,
    hint: "Each thread has one semaphore and waits for the next one's. Let each take its first.",
    lesson: "Each thread holds what its neighbour wants: a circle. If all take the semaphores in "
      + "one order, red before green before blue, there is no circle, and no deadlock: try it in the editor.",
  },
  {
    title: "An actor in between",
    intro: "An actor of Swift runs one piece of code at a time. await leads to it, and frees the actor "
      + "that it leaves.",
    text: `actor account
actor bank
var balance = 100

${each("A B", `thread NAME {
  await account {
    if balance < 80 { return }
    await bank { work confirm }
    balance = balance - 80
  }
}
`)}`,
    aim: "Make the balance -60.",
    goal: { reached: state => state.variables.balance === -60 },
    ask: "Each task looks at the balance before it takes 80 of 100. Can both take them?",
    answers: ["Yes", "No"], right: 0,
    hint: "The account is free while a task is at the bank. Let the other one look meanwhile.",
    lesson: "What was true before an await need not be true after it: change the state first, or look "
      + "again. There is no data race, and no tool reports it.",
    pitfall: "actor-reentrancy",
  },
].map((level, index) => ({ ...level, number: index + 1 }));

/** True if the program has to be changed. */
export const isMend = level => Boolean(level.goal.mend);

/** True if a state is the goal of a level. Starvation is a matter of the path: see `starvation`. */
export function isReached(program, state, goal) {
  return goal.reached?.(state, ending(program, state), program) ?? false;
}

/** Explores a level up to its goal. */
export function exploreLevel(level) {
  const program = parse(level.text);
  return explore(program, state => isReached(program, state, level.goal));
}

/** A shortest schedule to the goal of a level. */
export function solution(level, graph = exploreLevel(level)) {
  if (!level.goal.starve) return shortest(graph, node => node.isReached);
  const { number } = graph.program.bodies.find(body => body.name === level.goal.starve);
  const found = starvation(graph, String(number));
  return found && [...found.path, ...found.circle];
}

/**
 * Examines a program that should mend a level. Returns a sentence about what fails and a schedule
 * for it; null if no schedule fails.
 */
export function failure(level, text) {
  const rest = text.split("\n").map(line => line.replace(/#.*|\/\/.*/, ""));
  const kept = [];
  for (const part of level.goal.keep) {
    const index = rest.findIndex(line => line.includes(part));
    if (index < 0) return { text: `The program has to keep the line: ${part}`, path: null };
    rest[index] = rest[index].replace(part, "");
    kept.push({ part, line: index + 1 });
  }
  const program = parse(text);
  const graph = explore(program);
  const [fault] = findings(graph);
  if (fault) return fault;
  const { mend, mayRefuse } = level.goal;
  const wrong = graph.nodes.findIndex(node => mend(node, program));
  if (wrong >= 0) return { text: mend(graph.nodes[wrong], program), path: pathTo(graph, wrong) };
  if (!graph.isComplete) {
    return { text: `More than ${bound} states: nothing is proved. Make the program smaller.`, path: null };
  }
  // The line of a thread is a declaration, and no operation that runs.
  const operations = program.bodies.flatMap(body => body.code.map(next => next.line));
  for (const { part, line } of kept.filter(one => operations.includes(one.line))) {
    if (!graph.nodes.some(node => node.steps.some(one => one.line === line))) {
      return { text: `No schedule runs the line: ${part}`, path: null };
    }
    const path = mayRefuse ? null : withoutLine(graph, line);
    if (path) return { text: `A schedule ends without the line: ${part}`, path };
  }
  return null;
}
