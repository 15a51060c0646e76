// The language of the schedule game: the parser, which makes steps of lines.
//
// DESIGN. A program is a list of bodies: threads and blocks. A body is a flat list of operations, so
// a state needs no more than an index to know where it is. The learner chooses a body by its number.

/** A fault in a program, with its line. */
export class ParseError extends Error {
  constructor(line, text) {
    super(`Line ${line}: ${text}`);
    this.line = line;
  }
}

const token =
  /(#.*|\/\/.*)|"([^"]*)"|([A-Za-z_]\w*)|(\d+)|(;)|([=!<>+]=|[-{}=<>+])|(\S)/g;
const words = new Set(["queue", "serial", "concurrent", "actor", "semaphore", "group", "var",
  "thread", "dispatch_main", "async", "sync", "barrier", "await", "wait", "timeout", "signal", "enter", "leave", "notify", "on", "in", "release",
  "sleep", "work", "print", "if", "loop", "return", "true", "false"]);
const comparisons = ["==", "!=", "<", ">", "<=", ">="];
/** A line of each declaration, for messages. */
const forms = { queue: "queue NAME serial", actor: "actor NAME", semaphore: "semaphore NAME 1", group: "group NAME",
  variable: "var NAME = 0", thread: "thread NAME { print 1 }" };
/** The way out for a sign that other languages have here. */
const foreign = {
  "(": "the language has no parentheses, as in: wait permits",
  ".": "the verb comes first, as in: async images { print 1 }",
  '"': 'a text ends with a second ", in the same line',
};
const mostBodies = 60;

function tokens(text) {
  const list = [];
  text.split("\n").forEach((source, index) => {
    const line = index + 1;
    const add = (kind, value) => list.push({ kind, value, line });
    for (const [all, , string, name, number, end, sign, other] of source.matchAll(token)) {
      if (other) {
        const way = foreign[other] ? `; ${foreign[other]}` : "";
        throw new ParseError(line, `"${other}" has no meaning here${way}.`);
      }
      const small = name?.toLowerCase();
      if (words.has(small) && small !== name) {
        throw new ParseError(line, `"${name}" is written in small letters: ${small}`);
      }
      if (string !== undefined) add("string", string);
      else if (name === "true" || name === "false") add("number", Number(name === "true"));
      else if (name) add("name", name);
      else if (number) add("number", Number(number));
      else if (end) add("end", `"${all}"`);
      else if (sign) add(sign, sign);
    }
    add("end", "the end of the line");
  });
  return [...list, { kind: "eof", value: "the end of the program", line: list.at(-1).line }];
}

/** Reads a program. Throws a ParseError. */
export function parse(text) {
  return new Parser(text).program();
}

class Parser {
  constructor(text) {
    this.list = tokens(text);
    this.at = 0;
    /** The kind of each declared name, for messages and for the machine. */
    this.kinds = new Map([["main", "queue"]]);
    this.result = { semaphores: {}, groups: {}, variables: {}, queues: { main: { width: 1 } },
      // After dispatch_main the pool runs the blocks of main; until then the main thread does.
      isParked: this.list.some(({ kind, value }) => kind === "name" && value === "dispatch_main"),
      bodies: [], start: [] };
    /** True in the lines of a thread or an actor: a block of a queue cannot suspend. */
    this.canAwait = false;
  }

  program() {
    this.skipEnds();
    while (this.next.kind !== "eof") {
      this.item();
      this.skipEnds();
    }
    if (!this.result.start.length) {
      this.fail(`A program needs a thread or a block, such as: ${forms.thread.replace("NAME", "A")}`);
    }
    return this.result;
  }

  // Declarations, threads, and the blocks that are submitted at the start

  item() {
    const word = this.take("name", "a declaration, a thread or a block").value;
    const { result } = this;
    if (word === "queue") {
      const name = this.declare("queue");
      const kind = this.take("name", `serial or concurrent, as in: queue ${name} serial`).value;
      if (kind === "serial") result.queues[name] = { width: 1 };
      else if (kind === "concurrent") {
        // null: as many as there are.
        const width = this.next.kind === "number" ? this.take("number").value : null;
        if (width === 0) this.fail("A queue needs at least one thread.", -1);
        result.queues[name] = { width, isConcurrent: true };
      } else this.fail(`A queue is serial or concurrent, not ${kind}.`, -1);
    } else if (word === "actor") {
      result.queues[this.declare("actor")] = { width: 1, isActor: true };
    } else if (word === "semaphore") {
      const name = this.declare("semaphore");
      result.semaphores[name] = this.take("number",
        `the number of permits, as in: semaphore ${name} 1`).value;
    } else if (word === "group") {
      result.groups[this.declare("group")] = 0;
    } else if (word === "var") {
      const name = this.declare("variable");
      this.take("=", `=, as in: var ${name} = 0`);
      const value = this.sum();
      result.variables[name] = value.reduce((sum, term) => sum + term.sign * (term.number
        ?? result.variables[term.name]), 0);
    } else if (word === "thread") {
      const { line } = this.list[this.at - 1];
      result.start.push(this.body(this.newName("thread"), line));
    } else if (word === "async") {
      result.start.push(this.submission());
    } else if (word !== "dispatch_main") {
      this.fail(`Here stands a declaration (queue, actor, semaphore, group, var), a thread or async, `
        + `not "${word}". Other lines belong into a thread or a block.`, -1);
    }
    this.endOfLine();
  }

  declare(kind) {
    const name = this.newName(kind);
    if (this.kinds.has(name)) this.fail(`"${name}" is declared twice.`, -1);
    this.kinds.set(name, kind);
    return name;
  }

  // Bodies

  /** Reads QUEUE [barrier] [NAME] [in GROUP] { ... } and returns the index of the block. */
  submission() {
    const { line } = this.list[this.at - 1];
    const queue = this.known("queue");
    const isBarrier = this.barrier(queue);
    const isNamed = this.next.kind === "name" && this.next.value !== "in";
    const name = isNamed ? this.newName("block") : null;
    const group = this.accept("in") ? this.known("group") : "";
    return this.body(name, line, { queue, group, isBarrier });
  }

  /** Takes the word barrier. A serial queue, where each block is one, does not need it. */
  barrier(queue) { return this.accept("barrier") && Boolean(this.result.queues[queue].isConcurrent); }

  /** Reads { ... } and returns the index of the new body. A body without a number is a sync's. */
  body(name, line, place) {
    const { bodies } = this.result;
    if (bodies.length >= mostBodies) this.fail(`A program has at most ${mostBodies} blocks.`);
    const number = place?.isInline ? 0 : bodies.filter(one => one.number).length + 1;
    const body = { name: name ?? `block ${number}`, number, line, queue: "", group: "", ...place,
      code: [] };
    bodies.push(body);
    const couldAwait = this.canAwait;
    this.canAwait = !place || Boolean(place.isAwaited);
    this.statements(body.code);
    this.canAwait = couldAwait;
    return bodies.indexOf(body);
  }

  statements(code) {
    const { line } = this.take("{", "{ and the lines of a block");
    this.skipEnds();
    if (this.next.kind === "}") this.fail("A block needs at least one line.");
    while (this.next.kind !== "}") {
      if (this.next.kind === "eof") this.fail(`A } is missing: the { of line ${line} has none.`);
      this.statement(code);
      if (this.next.kind !== "}") this.endOfLine();
      this.skipEnds();
    }
    this.at += 1;
  }

  statement(code) {
    const { value: word, line } = this.take("name", "a line such as: wait permits");
    const add = (op, more) => {
      const made = { op, line, ...more };
      code.push(made);
      return made;
    };
    switch (word) {
      case "wait": return add("wait", { name: this.known("semaphore", "group"),
        isTimed: this.accept("timeout") });
      case "signal": case "release": return add(word, { name: this.known("semaphore") });
      case "enter": case "leave": return add(word, { name: this.known("group") });
      case "sleep":
        if (this.next.kind === "number") this.at += 1;
        return add("sleep");
      case "work": return add("work", { text: this.rest() });
      case "return": return add("return");
      case "print": return this.print(add);
      case "async": return add("async", { body: this.submission() });
      case "sync": {
        const queue = this.known("queue");
        const isBarrier = this.barrier(queue);
        // The main thread runs the block of a sync onto main, as one of its own.
        const place = queue === "main" && !this.result.isParked ? { queue } : { isInline: true };
        return add("sync", { queue, body: this.body(`sync ${queue}`, line, { ...place, isBarrier }) });
      }
      case "await": {
        const queue = this.known("actor");
        if (!this.canAwait) {
          this.fail("await stands in a thread or in the lines of an actor: the block of a queue "
            + "cannot suspend.", -1);
        }
        return add("await", { queue,
          body: this.body(`await ${queue}`, line, { isInline: true, isAwaited: true }) });
      }
      case "notify": {
        const group = this.known("group");
        if (!this.accept("on")) {
          this.fail(`Expected on and a queue, as in: notify ${group} on main { print 1 }; found `
            + `${this.shown()}.`);
        }
        return add("notify", { group, body: this.submission() });
      }
      case "if": {
        const test = add("if", { test: this.condition() });
        this.statements(code);
        test.otherwise = code.length;
        return test;
      }
      case "loop": {
        const begin = code.length;
        this.statements(code);
        return add("jump", { to: begin });
      }
      default: return this.assignment(word, add);
    }
  }

  print(add) {
    const items = [];
    while (this.next.kind !== "end" && this.next.kind !== "}") {
      items.push(this.next.kind === "string" ? this.take("string").value : this.sum());
    }
    if (!items.length) this.fail('print needs a "text" or a variable.');
    add("print", { items });
  }

  assignment(name, add) {
    if (words.has(name)) this.fail(`"${name}" cannot begin a line here.`, -1);
    const kind = this.kinds.get(name);
    const isChanged = this.next.kind === "=" || this.next.kind === "+=";
    if (kind && kind !== "variable") {
      this.fail(`"${name}" is a ${kind}; a value goes into a variable.`, -1);
    }
    if (kind && !isChanged) this.fail(`"${name}" is a variable. Did you mean: ${name} += 1?`, -1);
    if (!isChanged) this.fail(`"${name}" is no word of the language. Did you mean: work ${name}?`, -1);
    if (!kind) this.valued(name);
    const { kind: sign } = this.list[this.at++];
    const sum = [...(sign === "+=" ? [{ sign: 1, name }] : []), ...this.sum()];
    if (!sum.some(term => this.kinds.has(term.name))) return add("store", { name, sum });
    // A line that loads and stores is two steps.
    add("load", { sum });
    return add("store", { name, sum: [{ sign: 1, name: "" }] });
  }

  // Expressions: sums of numbers and names, and one comparison of two sums

  condition() {
    const left = this.sum();
    if (!comparisons.includes(this.next.kind)) return { left, sign: "!=", right: [] };
    return { left, sign: this.take(this.next.kind).value, right: this.sum() };
  }

  sum() {
    const terms = [];
    let sign = this.next.kind === "-" ? -1 : 1;
    if (sign < 0) this.at += 1;
    for (;;) {
      if (this.next.kind === "number") terms.push({ sign, number: this.take("number").value });
      else {
        const name = this.take("name", "a number or a variable").value;
        terms.push({ sign, name: this.valued(name) });
      }
      if (this.next.kind !== "+" && this.next.kind !== "-") return terms;
      sign = this.take(this.next.kind).value === "+" ? 1 : -1;
    }
  }

  /** Returns the name that was taken if it has a value. Each thread and block has a timedOut. */
  valued(name) {
    const kind = words.has(name) ? "word of the language" : this.kinds.get(name);
    if (kind === "variable" || name === "timedOut") return name;
    return this.fail(kind ? `"${name}" is a ${kind}, and has no value.`
      : `There is no variable "${name}" here; declare it at the top: var ${name} = 0`, -1);
  }

  // Tokens

  get next() { return this.list[this.at]; }

  /** Takes a word if it is the next one. */
  accept(word) {
    const isNext = this.next.kind === "name" && this.next.value === word;
    this.at += Number(isNext);
    return isNext;
  }

  take(kind, wanted = kind) {
    if (this.next.kind !== kind) this.fail(`Expected ${wanted}; found ${this.shown()}.`);
    return this.list[this.at++];
  }

  shown() {
    return ["end", "eof"].includes(this.next.kind) ? this.next.value : `"${this.next.value}"`;
  }

  newName(kind) {
    const form = forms[kind] ? `, as in: ${forms[kind].replace("NAME", "A")}` : "";
    return this.name(`the name of the ${kind}${form}`);
  }

  name(wanted) {
    const name = this.take("name", wanted).value;
    if (words.has(name)) this.fail(`"${name}" is a word of the language, and no name.`, -1);
    return name;
  }

  known(...kinds) {
    const wanted = `the name of a ${kinds.join(" or a ")}`;
    const name = this.name(wanted);
    const kind = this.kinds.get(name);
    if (!kind) {
      this.fail(`There is no ${kinds.join(" or ")} "${name}"; declare it at the top: `
        + forms[kinds[0]].replace("NAME", name), -1);
    }
    if (!kinds.includes(kind)) this.fail(`Expected ${wanted}; "${name}" is a ${kind}.`, -1);
    return name;
  }

  rest() {
    const parts = [];
    while (this.next.kind === "name" || this.next.kind === "number") {
      parts.push(this.list[this.at++].value);
    }
    if (!parts.length) this.fail("work needs a name, as in: work download");
    return parts.join(" ");
  }

  endOfLine() {
    if (this.next.kind !== "end" && this.next.kind !== "eof") {
      this.fail(`Expected the end of the line, found ${this.shown()}.`);
    }
  }

  skipEnds() { while (this.next.kind === "end") this.at += 1; }

  /** Throws a fault at the next token, or at the one before. */
  fail(text, back = 0) { throw new ParseError(this.list[this.at + back].line, text); }
}
