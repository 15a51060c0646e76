// The desk: one page with its prediction, its run, its screen, its timeline and its comparison.

import { announce, make, setText, setClass } from "./dom.js";
import { post, Stream } from "./stream.js";
import { Player } from "./player.js";
import { Form } from "./form.js";
import { Prediction } from "./predict.js";
import { Compare, stepTitle } from "./compare.js";
import { withoutDashes } from "./words.js";

const frame = 200;
const slowFrame = 400;
const kinds = new Set(["event", "cut"]);

export class Desk {
  constructor(root, data, page, view, classroom, status) {
    Object.assign(this, { root, data, page, view, classroom });
    this.demo = data.demos.find(demo => demo.name === page.name);
    this.isFollower = data.role === "follower";
    this.wanted = this.isFollower ? "" : location.search;
    this.build();
    this.forget();
    view.build(this.screen);
    this.render();
    this.stream = new Stream({ messages: messages => this.take(messages), status });
    this.stream.isNeeded = () => this.isRunning || this.isFollower;
  }

  // The page

  build() {
    const { view, page, demo } = this;
    this.form = new Form(demo, page, () => this.onForm());
    this.prediction = new Prediction(demo, this.isFollower);
    this.player = new Player(view, () => this.render());
    this.scrubber = this.player.scrubber;
    this.compare = new Compare(3, text =>
      this.isFollower ? [withoutDashes(text)] : this.form.parts(text));
    this.notice = make("p", { class: "notice", hidden: true, role: "status" });
    this.lead = make("p", { class: "lead", text: demo.abstract });
    this.screen = make("div", { class: "screen card" });
    this.badge = make("span", { class: "badge", text: "simulated, not measured", hidden: true });
    this.root.replaceChildren(...[
      make("div", { class: "title-row" }, make("h1", { text: page.title }), this.badge),
      this.lead, this.notice, this.classroom.element,
      make("div", { class: "desk" },
        make("div", { class: "side" }, this.predictPart(), this.runPart()),
        make("div", { class: "stage" }, this.screen, this.player.pair())),
      this.compare.element].filter(Boolean));
  }

  predictPart() {
    const send = this.isFollower
      ? make("button", { type: "button", text: "Send my prediction", onclick: () => this.vote() })
      : null;
    this.sendButton = send;
    return make("section", { class: "card", "aria-labelledby": "predict-title" },
      stepTitle(1, "Predict", "predict-title"), this.prediction.element, send);
  }

  runPart() {
    this.startButton = make("button", { type: "button", class: "primary", id: "start",
      text: "Start", onclick: () => this.start() });
    this.stopButton = make("button", { type: "button", id: "stop", text: "Stop",
      onclick: () => this.stop() });
    this.complaint = make("p", { class: "complaint", role: "alert" });
    const actions = this.isFollower ? null
      : make("div", { class: "actions" }, this.startButton, this.stopButton);
    return make("section", { class: "card", "aria-labelledby": "run-title" },
      stepTitle(2, this.isFollower ? "The run of the class" : "Run", "run-title"),
      this.form.element, actions, this.complaint);
  }

  // Messages

  /** Forgets the run. `speed` is that of the next one. */
  forget(speed = 0.5) {
    this.run = null;
    this.result = null;
    this.isRunning = false;
    this.isOver = false;
    this.player.forget(Math.min(4e9 * speed, 2e10));
    this.player.begin(null, this.form.values);
  }

  take(messages) {
    for (const message of messages) this.takeOne(message);
    this.schedule();
  }

  takeOne(message) {
    if (message.kind === "hello") return this.hello(message);
    if (message.kind === "show") return this.follow(message);
    if (message.kind === "class") return this.classroom.show(message, this.demo.questions);
    if (message.kind === "run") return this.begin(message);
    if (message.kind === "result") return this.conclude(message);
    if (message.kind === "end") return this.end(message);
    if (!this.isForeign && kinds.has(message.kind)) this.player.take(message);
  }

  /** A stream that begins anew. A run that the server no longer knows stays on the page. */
  hello(message) {
    if (!message.run && this.isOver) return;
    this.forget();
    this.past = message.run;
    this.tell("");
    this.setRunning(false);
    this.render();
  }

  /** The presenter opened a page, or changed its settings: the server forgot the predictions. */
  follow(message) {
    this.classroom.follow(message, this.form);
    if (this.hasVoted) this.tell("The presenter changed the page: send your prediction again.");
    this.hasVoted = false;
  }

  begin(message) {
    this.isForeign = message.demo !== this.page.name;
    if (this.isForeign) return this.waitFor(message);
    this.forget(message.speed);
    this.run = message;
    this.hasVoted = false;
    this.player.begin(message);
    this.tell("");
    this.setRunning(true);
    this.form.take({ ...message.knobs, speed: String(message.speed),
      virtual: message.virtual ? "1" : "" });
    this.lead.textContent = message.introduction;
    this.badge.hidden = !message.virtual;
    this.prediction.show(null);
    this.compare.clear();
    announce("The run begins.");
  }

  /** Waits for the run of another page; null if it has ended. */
  waitFor(run) {
    const advice = this.isFollower ? "" : " Stop it, or wait for its end.";
    this.tell(run ? `A run of the page ${run.demo} goes on.${advice}` : "");
    if (!run) this.classroom.onForm(this.form, this.isRunning);
    this.startButton.disabled = Boolean(run);
    this.stopButton.disabled = !run;
  }

  conclude(message) {
    if (this.isForeign) return;
    this.result = this.isFollower ? this.prediction.marked(message) : message;
    if (this.run) this.prediction.show(this.result);
  }

  end(message) {
    if (this.isForeign) return this.waitFor(null);
    if (!this.isRunning) return;
    this.setRunning(false);
    this.isOver = true;
    if (message.reason === "stopped") this.unmark();
    this.player.finish();
    // The address says more than the run that this page showed before.
    if (this.wanted && this.run.run === this.past) this.form.takeQuery(this.wanted);
    this.wanted = "";
    const verdict = this.compare.show(this.result,
      { stopped: "The run was stopped.", failed: "The run failed." }[message.reason]);
    if (message.reason === "failed") this.tell("The run failed: " + message.message);
    const marks = this.prediction.summary(this.result);
    announce(`The run has ended: ${verdict} ${marks}`);
    this.schedule();
  }

  /** Takes back the marks of a run that was stopped: it proves nothing, unless it stood still. */
  unmark() {
    if (!this.result || this.result.deadlocked) return;
    const answers = this.result.answers.map(found => ({ ...found, right: null }));
    this.result = { ...this.result, answers };
    this.prediction.show(null);
  }

  // Requests

  async start() {
    if (this.isFollower) return;
    const complaint = this.prediction.complaint();
    this.complain(complaint);
    if (complaint || this.isRunning) return;
    try {
      this.setRunning(true);
      await this.classroom.showPage(this.form);
      await post("start", { demo: this.page.name, knobs: this.form.knobs,
        prediction: this.prediction.answers, speed: this.form.speed, virtual: this.form.isVirtual });
      if (!this.stream.source) this.stream.open();
    } catch (error) {
      this.setRunning(false);
      this.complain(error.message);
    }
  }

  async stop() {
    try {
      await post("stop", {});
    } catch (error) {
      this.complain(error.message);
    }
  }

  async vote() {
    const complaint = this.prediction.complaint()
      || (this.prediction.isEmpty ? "Type an answer first." : "");
    this.complain(complaint);
    if (complaint) return;
    try {
      await post("answer", { follower: this.classroom.follower, answers: this.prediction.answers });
      this.hasVoted = true;
      this.prediction.keep();
      this.tell("Your prediction is counted. You can change it until the run begins.");
    } catch (error) {
      this.complain(error.message);
    }
  }

  // The picture of a moment

  setRunning(isRunning) {
    this.isRunning = isRunning;
    setClass(document.body, "running", isRunning);
    const hasFocus = [this.startButton, this.stopButton].includes(document.activeElement);
    this.form.setDisabled(isRunning || this.isFollower);
    this.prediction.setDisabled(isRunning);
    if (isRunning) this.stopButton.disabled = false;
    // A button that is disabled loses the focus: it goes to Stop, and after the run to the answer.
    if (hasFocus && isRunning) this.stopButton.focus({ preventScroll: true });
    this.startButton.disabled = isRunning;
    if (hasFocus && !isRunning) this.prediction.focusAnswer(this.startButton);
    this.stopButton.disabled = !isRunning;
    if (this.sendButton) this.sendButton.disabled = isRunning;
    this.schedule();
  }

  tell(text) {
    setText(this.notice, text);
    this.notice.hidden = !text;
  }

  complain(text) { setText(this.complaint, text); }

  onForm() {
    this.complain("");
    this.classroom.onForm(this.form, this.isRunning);
    if (this.run || !this.scrubber) return;
    // Before a run the screen shows the settings.
    this.player.begin(null, this.form.values);
    this.schedule();
  }

  schedule() {
    if (this.timer) return;
    this.timer = setTimeout(() => requestAnimationFrame(() => {
      this.timer = null;
      this.render();
      if (this.isRunning) this.schedule();
    }), frame);
  }

  /** True from the first message of a run to the last one; not for one that was asked for. */
  get isUnderWay() { return this.isRunning && this.run !== null && !this.isOver; }

  /** The present time of the run in ns: that of the last event, and the time that passed since. */
  get now() {
    const { last, messages } = this.player;
    if (!this.isUnderWay) return last.time;
    const since = (performance.now() - last.at) * 1e6 * this.run.speed;
    return messages.length ? last.time + since : 0;
  }

  render() {
    const moment = this.player.render(this.now, this.run, this.isUnderWay);
    if (moment || (this.isRunning && performance.now() - this.scrubbed < slowFrame)) return;
    this.scrubbed = performance.now();
    this.scrubber.show();
  }
}
