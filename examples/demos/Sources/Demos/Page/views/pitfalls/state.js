// The state of a pitfall's two runs: their steps, the heartbeats, and the outcomes.
export function initial(run) {
  return {
    run: run ? run.run : null,
    name: run ? run.knobs.name : "",
    predicted: run && run.prediction ? run.prediction[0] : null,
    broken: version(), fixed: version(),
  };
}

function version() {
  return { steps: [], beats: [], mainBeats: [], outcome: null, time: 0 };
}

export function apply(state, message) {
  const run = state[message.version];
  if (!run) return;
  if (message.kind === "outcome") {
    run.outcome = { symptom: message.symptom, text: message.text };
  } else if (message.kind === "step") {
    run.time = Math.max(run.time, message.t);
    if (message.type === "step") run.steps.push({ time: message.t, text: message.text });
    else if (message.type === "beat") run.beats.push(message.t);
    else if (message.type === "main") run.mainBeats.push(message.t);
  }
}

/** The time of the main queue's last heartbeat if it has stopped; null otherwise. */
export function stoppedAt(run) {
  const last = run.mainBeats[run.mainBeats.length - 1] ?? 0;
  return run.beats.filter(time => time > last).length > 4 ? last : null;
}

const width = 8e6;

/**
 * Returns a function that makes the timeline's events of a run's messages: the heartbeats of the
 * main queue, the steps, and the time in which the main queue answers no more. The fixed version
 * runs after the broken one, so its times are moved there. `row` names the row of an event's
 * thread; a task that is null has no row of a job.
 */
export function translator() {
  const timeline = { version: "broken", shift: 0, newest: 0, main: 0, beats: 0 };
  return message => {
    if (message.kind === "step") follow(timeline, message);
    const isEnd = message.kind === "outcome" && message.version === timeline.version;
    if (isEnd) return silence(timeline);
    if (message.kind !== "step" || message.type === "beat") return [];
    const begin = message.t + timeline.shift;
    const name = message.type === "main" ? "main" : message.version;
    return [event(timeline, name, "start", begin), event(timeline, name, "end", begin + width)];
  };
}

function follow(timeline, message) {
  const { version, newest } = timeline;
  if (message.version !== version) {
    Object.assign(timeline, { version: message.version, shift: newest + 10 * width, newest: 0,
      main: 0, beats: 0 });
  }
  timeline.newest = Math.max(timeline.newest, message.t + timeline.shift + width);
  if (message.type === "main") Object.assign(timeline, { main: message.t, beats: 0 });
  if (message.type === "beat") timeline.beats += 1;
}

function silence(timeline) {
  if (timeline.beats <= 4) return [];
  const begin = timeline.main + timeline.shift + width;
  return [event(timeline, "main", "wait", begin),
    event(timeline, "main", "timeout", timeline.newest)];
}

function event(timeline, name, kind, time) {
  const row = `${timeline.version}: ${name === "main" ? "main queue" : "steps"}`;
  const thread = (timeline.version === "broken" ? 1 : 3) + (name === "main" ? 0 : 1);
  return { kind: "event", t: time, ev: kind, thr: thread, row, q: name, task: null, v: 0 };
}
