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

// The time of the main queue's last heartbeat if it has stopped; null otherwise.
export function stoppedAt(run) {
  const last = run.mainBeats[run.mainBeats.length - 1] ?? 0;
  return run.beats.filter((time) => time > last).length > 4 ? last : null;
}

// Events for the timeline: the heartbeats of the main queue, and the steps. The fixed version
// runs after the broken one, so its times are moved there.
const width = 8e6;
let shift = 0;
let newest = 0;
let current = "broken";

export function translate(message) {
  if (message.kind !== "step" || message.type === "beat") return [];
  if (message.version !== current) {
    current = message.version;
    shift = current === "fixed" ? newest + 10 * width : 0;
    newest = 0;
  }
  const begin = message.t + shift;
  newest = Math.max(newest, begin + width);
  const isMain = message.type === "main";
  const event = {
    kind: "event", thr: (current === "broken" ? 1 : 3) + (isMain ? 0 : 1),
    row: `${current}: ${isMain ? "main queue" : "steps"}`,
    q: isMain ? "main" : current, task: 1, v: 0,
  };
  return [{ ...event, ev: "start", t: begin }, { ...event, ev: "end", t: begin + width }];
}
