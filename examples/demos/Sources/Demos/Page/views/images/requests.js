// The requests of the image service, and the permits that limit them.
//
// A request is known by its image. The log numbers the blocks of the image queue in that order; the
// waits of a block are those of its thread. A task at the gate waits without a thread: there each
// event of the gate names the task.

const lasting = 1e9;

/** Returns the plan of a run, computed from its knobs as the demo does. */
export function planOf(run) {
  const knobs = (run && run.knobs) || {};
  const step = Number(knobs.step || 3);
  const usesGate = knobs.form === "gate";
  const network = { cellular: 1, wifi: 6, change: 1 }[knobs.network];
  const first = step === 5 ? 7 : 15;
  const timeout = step >= 3 && step <= 5 ? 5 : null;
  return {
    step, usesGate, images: first + 5 * Number(knobs.scroll || 0),
    limit: network || 3,
    timeout: timeout && timeout * lasting,
    hasLimit: step !== 1,
    isOnMain: step >= 5 && !usesGate,
  };
}

/** Returns the requests before the first event. */
export function requestsOf(plan) {
  const cars = [];
  for (let id = 1; id <= plan.images; id += 1) {
    cars.push({ id, phase: "unasked", wait: null, isTimedOut: false, isAway: false });
  }
  return {
    plan, cars, version: 0, held: 0, granted: 0, asked: 0, lines: [],
    stacks: new Map(), mainWait: null, mainQueued: 0, touch: null,
  };
}

function setPhase(state, car, phase) {
  if (!car || car.phase === phase) return;
  car.phase = phase;
  state.version += 1;
}

const carOf = (state, id) => state.cars[id - 1];
const stackOf = (state, thread) => {
  if (!state.stacks.has(thread)) state.stacks.set(thread, []);
  return state.stacks.get(thread);
};
const isLimit = event => event.q === "semaphore" || event.q === "gate";

// Events of the image queue

const queueEvents = {
  submit(state, event) {
    state.asked = Math.max(state.asked, event.task);
    setPhase(state, carOf(state, event.task), "queued");
  },
  start(state, event) {
    stackOf(state, event.thr).push(carOf(state, event.task));
  },
  /* A task that was admitted goes on. */
  resume(state, event) {
    const car = carOf(state, event.task);
    if (car && car.phase === "admitted") setPhase(state, car, "requesting");
  },
  end(state, event) {
    const car = carOf(state, event.task);
    for (const stack of state.stacks.values()) {
      const place = stack.indexOf(car);
      if (place >= 0) stack.splice(place, 1);
    }
    if (car && car.phase === "requesting") setPhase(state, car, "arrived");
  },
};

// Events of the semaphore or the gate

const limitEvents = {
  wait(state, event) {
    const { plan } = state;
    const wait = {
      number: event.task, thread: event.thr, since: event.t,
      until: plan.timeout === null ? null : event.t + plan.timeout,
    };
    const stack = stackOf(state, event.thr);
    const car = plan.usesGate ? taskOf(state, event)
      : stack[stack.length - 1] || carOf(state, state.asked + 1);
    if (!car) return;
    car.wait = wait;
    if (plan.isOnMain) state.mainWait = { ...wait, car };
    setPhase(state, car, "waiting");
  },
  wake(state, event) { state.granted += event.v || 1; state.version += 1; },
  acquired(state, event) {
    state.held += event.v || 1;
    state.version += 1;
    const car = waiterOf(state, event);
    if (car) state.granted -= event.v || 1;
    endWait(state, car || taskOf(state, event), "admitted");
  },
  timeout(state, event) {
    const car = waiterOf(state, event);
    if (car) car.isTimedOut = true;
    endWait(state, car, state.plan.usesGate ? "refused" : "admitted");
  },
  cancel(state, event) { limitEvents.timeout(state, event); },
  signal(state, event) { state.held -= event.v || 1; state.version += 1; },
};

/* The task of a gate's event; none for a semaphore. */
const taskOf = (state, event) =>
  state.plan.usesGate && event.by ? carOf(state, event.by.task) : null;

function waiterOf(state, event) {
  if (!event.task) return null;
  return state.cars.find(car => car.wait
    && (state.plan.usesGate ? car.wait.number === event.task : car.wait.thread === event.thr));
}

function endWait(state, car, phase) {
  if (!car) return;
  car.wait = null;
  if (state.mainWait && state.mainWait.car === car) {
    state.mainWait = null;
    setPhase(state, car, "unasked");
  } else {
    setPhase(state, car, phase);
  }
}

// Notes

function addLine(state, event) {
  const [word, column] = event.q.split(" | ");
  state.lines.push({
    text: `${word} ${event.task}` + (column ? " | " + column : ""),
    isLate: column === "TIMED OUT true", time: event.t,
  });
  state.version += 1;
}

function addNote(state, event) {
  const stack = stackOf(state, event.thr);
  if (event.q.startsWith("START")) {
    addLine(state, event);
    const car = stack[stack.length - 1];
    if (state.plan.usesGate || !car) return;
    car.isTimedOut = event.q.endsWith("true");
    setPhase(state, car, "requesting");
  } else if (event.q.startsWith("END")) {
    addLine(state, event);
  } else if (event.q.startsWith("REFUSED")) {
    addLine(state, event);
    setPhase(state, carOf(state, event.task), "refused");
  } else if (event.q === "CANCELLED") {
    setPhase(state, carOf(state, event.task), "cancelled");
  } else if (event.q === "picture") {
    setPhase(state, carOf(state, event.task), "shown");
  } else if (event.q === "cancel" && carOf(state, event.task)) {
    carOf(state, event.task).isAway = true;
    state.version += 1;
  } else if (event.q.startsWith("network") && state.plan.usesGate) {
    state.plan = { ...state.plan, limit: 6 };
  } else if (event.q === "the screen is touched") {
    state.touch = { at: event.t, answered: null };
  } else if (event.q === "the touch is answered" && state.touch) {
    state.touch.answered = event.t;
  }
}

/** Applies an event of the log. */
export function applyRequest(state, event) {
  if (event.ev === "note") addNote(state, event);
  else if (event.q === "Image Queue") (queueEvents[event.ev] || (() => {}))(state, event);
  else if (isLimit(event)) (limitEvents[event.ev] || (() => {}))(state, event);
  else if (event.q === "main" && event.ev === "submit") state.mainQueued += 1;
  else if (event.q === "main" && event.ev === "start") state.mainQueued -= 1;
}

/** Returns the number of permits that are free: above the limit after signals without a wait. */
export function freePermits(state) {
  return Math.max(0, state.plan.limit - state.held - state.granted);
}
