// The heartbeat of the main queue: a line with a spike for each answer.
//
// The line is flat if the main queue does not answer. The words beside it say the same, and a
// screen reader hears when the beat stops and when it begins again.

import { draw, make, setAttribute, setClass, setText } from "../../code/dom.js";
import { seconds } from "../../code/words.js";

const [width, height, middle] = [400, 56, 30];
const beatsInLine = 24;
const missedBeats = 4;

/** The beats of a run. `interval` is the time from one beat to the next, in the run's time. */
export function beatsOf(run) {
  return { times: [], interval: 1e8 * ((run && run.speed) || 1) };
}

/** Adds a message of the kind "beat". */
export function addBeat(beats, message) {
  beats.times.push(message.t);
}

/** Returns the time of the last beat until `now`; null if there is none. */
function lastBeat(beats, now) {
  for (let index = beats.times.length - 1; index >= 0; index -= 1) {
    if (beats.times[index] <= now) return beats.times[index];
  }
  return null;
}

/** True if a running main queue should have beaten by now, and has not. */
function isSilent(beats, moment) {
  return moment.isRunning && moment.time - (lastBeat(beats, moment.time) || 0)
    > missedBeats * beats.interval;
}

/*
 * Returns the paths of the line and of the silences from `begin` to `end`. A silence is a pause in
 * which several beats are missing, and, if `isStopped`, the time since the last beat.
 */
function pathsOf(beats, begin, end, isStopped) {
  const span = beatsInLine * beats.interval;
  const place = time => Math.max(0, Math.min(width, ((time - begin) / span) * width)).toFixed(1);
  let [line, silence, before] = ["", "", 0];
  const stretch = (time, isSilence) => {
    const d = `M${place(Math.max(begin, before))} ${middle}H${place(time)}`;
    if (isSilence) silence += d;
    else line += d;
  };
  for (const time of beats.times) {
    if (time > end) break;
    if (time >= begin) {
      stretch(time, time - before > missedBeats * beats.interval);
      line += `M${place(time)} ${middle}l2 4l2 -24l2.5 29l2 -9`;
    }
    before = time;
  }
  stretch(end, isStopped);
  return [line, silence || "M0 0"];
}

/** A card with the heartbeat. */
export class Heartbeat {
  constructor(board) {
    this.board = board;
    this.wasStopped = false;
    this.run = null;
    this.last = null;
    this.line = draw("path", { class: "beat-line" });
    this.flat = draw("path", { class: "beat-flat" });
    this.dot = make("span", { class: "beat-dot", "aria-hidden": "true" });
    this.ago = make("span", { class: "beat-ago" });
    this.words = make("p", { class: "beat-words" });
    this.drawing = draw("svg", {
      viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
      "aria-label": "heartbeat of the main queue",
    }, this.line, this.flat);
    this.element = make("div", { class: "heartbeat" },
      make("div", { class: "beat-title" }, this.dot, make("strong", { text: "Main queue" }),
        this.ago),
      this.drawing, this.words);
  }

  /**
   * Shows the beats at a moment.
   * - stop: null, or a sentence that says what the main queue waits for.
   */
  show(beats, moment, stop) {
    const isStopped = Boolean(stop) || isSilent(beats, moment);
    const last = lastBeat(beats, moment.time);
    const begin = Math.max(0, moment.time - beatsInLine * beats.interval);
    const [line, silence] = pathsOf(beats, begin, moment.time, isStopped);
    setAttribute(this.line, "d", line);
    setAttribute(this.flat, "d", silence);
    setClass(this.element, "stopped", isStopped);
    this.pulse(last, moment, isStopped);
    setText(this.ago, this.agoText(last, moment, isStopped));
    setText(this.words, this.sentence(moment, stop, isStopped, last));
    setAttribute(this.drawing, "aria-label", isStopped
      ? "Heartbeat of the main queue: a flat line." : "Heartbeat of the main queue: it beats.");
    this.announce(moment, stop, isStopped);
  }

  pulse(last, moment, isStopped) {
    if (last === this.last) return;
    this.last = last;
    if (last === null || isStopped || !moment.isLive || this.board.isReduced()) return;
    this.dot.animate([{ transform: "scale(1.7)" }, { transform: "none" }], { duration: 300 });
  }

  agoText(last, moment, isStopped) {
    if (!moment.run) return "";
    if (last === null) return moment.time > 0 || isStopped ? "no beat yet" : "";
    return "last beat " + seconds(Math.max(0, moment.time - last)) + " ago";
  }

  sentence(moment, stop, isStopped, last) {
    if (stop) return stop;
    if (isStopped) return "The main queue does not answer.";
    if (!moment.run) return "A line with a spike each time that the main queue answers.";
    if (!moment.isRunning && moment.isLive) return "The run is over.";
    return last === null ? "" : "The main queue answers: the screen can change.";
  }

  announce(moment, stop, isStopped) {
    if (moment.run !== this.run) this.wasStopped = false;
    this.run = moment.run;
    if (!moment.isLive || isStopped === this.wasStopped) return;
    this.wasStopped = isStopped;
    if (isStopped) this.board.announce("The heartbeat stops. " + (stop || ""));
    else if (moment.isRunning) this.board.announce("The main queue beats again.");
  }
}
