// The tests of the schedule game: the parser, the rules of the machine, the levels, the search.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "../game/language.js";
import { choices, condition, ending, start, step } from "../game/machine.js";
import { exploreLevel, failure, isMend, isReached, levels, solution } from "../game/levels.js";
import { bound, explore, findings, orders, outputs, starvation, starves } from "../game/search.js";
import { answers } from "./answers.js";

const explored = text => explore(parse(text));
const kinds = text => findings(explored(text)).map(one => one.kind);
const printed = text => outputs(explored(text)).map(({ end, out }) => [end, ...out].join(" ")).sort();

function play(program, path) {
  let state = start(program);
  const states = [state];
  for (const id of path) {
    assert.ok(choices(program, state).includes(id), `${id} cannot step in ${path}`);
    ({ state } = step(program, state, id));
    states.push(state);
  }
  return states;
}

// The parser

test("a fault has its line, and says what was expected", () => {
  for (const [text, message] of [
    ["", "Line 1: A program needs a thread or a block, such as: thread A { print 1 }"],
    ["thread A { print 1 ", "Line 1: A } is missing: the { of line 1 has none."],
    ["thread A {\n}", "Line 2: A block needs at least one line."],
    ["thread A\nprint 1", "Line 1: Expected { and the lines of a block; found the end of the line."],
    ["queue q", "Line 1: Expected serial or concurrent, as in: queue q serial; found the end of the line."],
    ["queue q fast", "Line 1: A queue is serial or concurrent, not fast."],
    ["queue q concurrent 0", "Line 1: A queue needs at least one thread."],
    ["semaphore s", "Line 1: Expected the number of permits, as in: semaphore s 1; found the end of the line."],
    ["semaphore s 1\ngroup s", 'Line 2: "s" is declared twice.'],
    ["var x 3", 'Line 1: Expected =, as in: var x = 0; found "3".'],
    ["print 1", 'Line 1: Here stands a declaration (queue, actor, semaphore, group, var), a thread or '
      + 'async, not "print". Other lines belong into a thread or a block.'],
    ["\n\nthread A {\n  wait s\n}",
      'Line 4: There is no semaphore or group "s"; declare it at the top: semaphore s 1'],
    ["thread A { async q { print 1 } }",
      'Line 1: There is no queue "q"; declare it at the top: queue q serial'],
    ["group g\nthread A { signal g }",
      'Line 2: Expected the name of a semaphore; "g" is a group.'],
    ["thread A {\n  print x\n}",
      'Line 2: There is no variable "x" here; declare it at the top: var x = 0'],
    ["thread A {\n  download\n}",
      'Line 2: "download" is no word of the language. Did you mean: work download?'],
    ["thread A { x = 1 }", 'Line 1: There is no variable "x" here; declare it at the top: var x = 0'],
    ["semaphore s 1\nthread A { s = 1 }", 'Line 2: "s" is a semaphore; a value goes into a variable.'],
    ["semaphore s 1\nthread A { print s }", 'Line 2: "s" is a semaphore, and has no value.'],
    ["thread A { print 1 print 2 }", 'Line 1: "print" is a word of the language, and has no value.'],
    ["thread A { wait main }", 'Line 1: Expected the name of a semaphore or a group; "main" is a queue.'],
    ["group g\nthread A { notify g main { print 1 } }",
      'Line 2: Expected on and a queue, as in: notify g on main { print 1 }; found "main".'],
    ["thread wait { print 1 }", 'Line 1: "wait" is a word of the language, and no name.'],
    ["thread A { print }", 'Line 1: print needs a "text" or a variable.'],
    ["thread A { work }", "Line 1: work needs a name, as in: work download"],
    ["thread A {\n print 1 % 2\n}", 'Line 2: "%" has no meaning here.'],
    ["semaphore s 1\nthread A {\n  Wait s\n}", 'Line 3: "Wait" is written in small letters: wait'],
    ["thread A { wait(s) }",
      'Line 1: "(" has no meaning here; the language has no parentheses, as in: wait permits.'],
    ["queue q serial\nq.async { print 1 }",
      'Line 2: "." has no meaning here; the verb comes first, as in: async images { print 1 }.'],
    ['thread A { print "a }',
      'Line 1: """ has no meaning here; a text ends with a second ", in the same line.'],
    ["semaphore s 1\nthread A { wait }",
      'Line 2: Expected the name of a semaphore or a group; found "}".'],
    ["thread A { leave g }",
      'Line 1: There is no group "g"; declare it at the top: group g'],
    ["var x = 0\nthread A { x ++ }", 'Line 2: "x" is a variable. Did you mean: x += 1?'],
    ["semaphore 1", 'Line 1: Expected the name of the semaphore, as in: semaphore A 1; found "1".'],
    ["thread { print 1 }",
      'Line 1: Expected the name of the thread, as in: thread A { print 1 }; found "{".'],
    ["thread A { print 1 }\n}", 'Line 2: Expected a declaration, a thread or a block; found "}".'],
    ["async main { print 1 }\n".repeat(61), "Line 61: A program has at most 60 blocks."],
    ["thread A { else { print 1 } }",
      'Line 1: "else" is no word of the language. Did you mean: work else?'],
  ]) {
    assert.throws(() => parse(text), { message }, text);
  }
});

test("comments, several lines in one, and names", () => {
  const program = parse("# one\nqueue q serial // two\nthread A { print 1; print 2 }\n"
    + "async q in g { print 3 }\n".replace("in g ", "") + "async main last { work a b 3 }");
  assert.deepEqual(program.bodies.map(one => [one.number, one.name, one.line]),
    [[1, "A", 3], [2, "block 2", 4], [3, "last", 5]]);
});

test("any text is parsed or refused with a line", () => {
  let state = 7;
  const pick = count => (state = (state * 48271) % 0x7fffffff) % count;
  const parts = ["thread", "A", "{", "}", "\n", "wait", "s", "1", "print", "\"x\"", "semaphore", "=",
    "var", "x", "+=", "if", "loop", "2", "async", "main", "sync", "notify", "on", "#"];
  for (let round = 0; round < 5000; round += 1) {
    const text = Array.from({ length: pick(25) }, () => parts[pick(parts.length)]).join(" ");
    try {
      parse(text);
    } catch (error) {
      assert.equal(error.constructor.name, "ParseError", `${text}\n${error.stack}`);
      assert.ok(error.line >= 1 && error.line <= text.split("\n").length, text);
    }
  }
});

// The rules of libdispatch

test("sync traps on the own serial queue alone, and runs on the caller's thread", () => {
  const own = "queue q serial\nasync q { sync q { print 1 } }";
  assert.deepEqual(kinds(own), ["trap"]);
  assert.deepEqual(kinds(own.replace("serial", "concurrent")), []);
  // The thread holds q also while it runs a block of r.
  assert.deepEqual(kinds("queue q serial\nqueue r serial\nasync q { sync r { sync q { print 1 } } }"),
    ["trap"]);
  assert.deepEqual(kinds("queue q serial\nthread A { sync q { sync q { print 1 } } }"), ["trap"]);
  assert.deepEqual(printed("queue q serial\nasync q { print 1 }\nthread A { sync q { print 2 }\nprint 3 }"),
    ["end 1 2 3"]);
  assert.deepEqual(kinds("queue q serial\nqueue r serial\nthread A { sync q { sync r { print 1 } } }\n"
    + "thread B { sync r { sync q { print 2 } } }"), ["deadlock"]);
});

test("a serial queue keeps the order, a concurrent one does not, and two threads run two blocks", () => {
  const text = "queue q serial\nthread A { async q { print 1 }\nasync q { print 2 } }";
  assert.deepEqual(printed(text), ["end 1 2"]);
  assert.deepEqual(printed(text.replace("serial", "concurrent")), ["end 1 2", "end 2 1"]);
  assert.deepEqual(printed(text.replace("serial", "concurrent 1")), ["end 1 2"]);
  const three = explored("queue q concurrent 2\nthread A { "
    + "async q { work a; work b }\n".repeat(3) + "}");
  assert.equal(Math.max(...three.nodes.map(node => node.state.queues.q.running)), 2);
});

test("the main thread runs the blocks of main, that of sync too, until dispatch_main", () => {
  const nested = "queue q serial\nasync q { sync main { sync q { print 1 } } }";
  assert.deepEqual(kinds(nested), ["deadlock"]);
  assert.deepEqual(kinds(`dispatch_main\n${nested}`), ["trap"]);
  const own = "async main { sync main { print 1 } }";
  for (const head of ["", "dispatch_main\n"]) assert.deepEqual(kinds(head + own), ["trap"]);
  // The block is on the main thread in any case: behind what is queued there, and a caller waits.
  assert.deepEqual(printed("async main { print 1 }\nthread A { sync main { print 2 }\nprint 3 }"),
    ["end 1 2 3"]);
  assert.deepEqual(kinds("semaphore s 0\nasync main { wait s }\nthread A { sync main { print 1 } }"),
    ["deadlock"]);
});

test("a barrier runs alone on its queue, after what was before it", () => {
  const text = "queue q concurrent\nthread A { async q { print 1 }\nasync q barrier { print 2 }\n"
    + "async q { print 3 } }";
  assert.deepEqual(printed(text), ["end 1 2 3"]);
  assert.equal(printed(text.replace(" barrier", "")).length, 6);
  const q = rest => kinds(`queue q concurrent\n${rest}`);
  assert.deepEqual(q("async q barrier { sync q { print 1 } }"), ["trap"]);
  assert.deepEqual(q("async q { sync q barrier { print 1 } }"), ["deadlock"]);
  assert.deepEqual(q("async q { async q barrier { print 1 }\nsync q { print 2 } }"), ["deadlock"]);
  assert.deepEqual(q("thread A { sync q { sync q { print 1 } } }"), []);
  // The block of a sync counts too, and needs no thread of the queue.
  assert.deepEqual(printed("queue q concurrent\nthread A { sync q { print 1; print 2 } }\n"
    + "thread B { sync q barrier { print 3 } }"), ["end 1 2 3", "end 3 1 2"]);
  assert.deepEqual(kinds("queue q concurrent 1\nsemaphore s 0\nasync q { wait s }\n"
    + "thread A { sync q { signal s }\nasync q { print 1 } }"), []);
});

test("an actor runs one piece at a time, and is free at an await", () => {
  const text = "actor a\nactor b\nvar x = 0\nthread A { await a { x += 1 } }\nthread B { await a { x += 1 } }";
  assert.deepEqual(kinds(text), []);
  assert.deepEqual(kinds(text.replace("thread B { await a", "thread B { await b")), ["race", "lost"]);
  assert.deepEqual(kinds("actor a\nactor b\nthread A { await a { await b { print 1 } } }\n"
    + "thread B { await b { await a { print 2 } } }"), []);
  assert.deepEqual(printed("actor a\nactor b\nvar x = 0\nthread A { await a { x = 1\nawait b { work w }\nprint x } }\n"
    + "thread B { await a { x = 2 } }"), ["end 1", "end 2"]);
  // Both go back to the actor, one after the other.
  assert.deepEqual(kinds("actor a\nactor b\nvar x = 0\n" + ["A", "B"].map(name =>
    `thread ${name} { await a { await b { work w }\nx = 1 } }`).join("\n")), []);
  // A piece after an await has the actor alone, and an await of its own leaves no gap.
  assert.deepEqual(printed("actor a\nactor b\nthread A { await a { await b { work w }\nprint 1\nprint 2 } }\n"
    + "thread B { await a { print 3\nprint 4 } }"), ["end 1 2 3 4", "end 3 4 1 2"]);
  assert.deepEqual(printed("actor a\nthread A { await a { await a { print 1 }\nprint 2 } }\n"
    + "thread B { await a { print 3 } }"), ["end 1 2 3", "end 3 1 2"]);
  assert.throws(() => parse("actor a\nasync main { await a { print 1 } }"), { message:
    "Line 2: await stands in a thread or in the lines of an actor: the block of a queue cannot suspend." });
});

test("a data race is named with its variable and both accesses", () => {
  const race = findings(explored("var x = 0\nqueue q serial\nthread A {\n  x = 1\n}\n"
    + "async q {\n  if x > 0 { print 1 }\n}")).find(one => one.kind === "race");
  assert.equal(race.text, "Data race on x: A writes it in line 4 while block 2 reads it in line 7, "
    + "and nothing orders the two.");
  const locked = "var x = 0\nsemaphore s 1\nthread A { wait s; x = 1; signal s }\nthread B { wait s; print x; signal s }";
  assert.deepEqual(kinds(locked), []);
  assert.deepEqual(kinds(locked.replace("semaphore s 1", "semaphore s 2")), ["race"]);
});

test("semaphores: a wait, a time-out, a release below the count of the creation", () => {
  assert.deepEqual(kinds("semaphore s 0\nthread A { wait s }"), ["deadlock"]);
  assert.deepEqual(kinds("semaphore s 0\nthread A { wait s timeout }"), []);
  assert.deepEqual(printed("semaphore s 0\nthread A { wait s timeout; print timedOut }\nthread B { signal s }"),
    ["end 0", "end 1"]);
  assert.deepEqual(kinds("semaphore s 1\nthread A { wait s; release s }"), ["trap"]);
  assert.deepEqual(kinds("semaphore s 0\nthread A { signal s; wait s; release s }"), []);
  for (const use of ["wait s", "wait s timeout", "signal s", "release s"]) {
    assert.deepEqual(kinds(`semaphore s 1\nthread A { release s; ${use} }`), ["trap"], use);
  }
});

test("groups: notify when empty, also at once; a leave too many traps; a wait ends at empty", () => {
  assert.deepEqual(printed("group g\nthread A { notify g on main { print 1 } }"), ["end 1"]);
  assert.deepEqual(printed("group g\nthread A { enter g; notify g on main { print 1 }; print 2; leave g }"),
    ["end 2 1"]);
  assert.deepEqual(kinds("group g\nthread A { enter g; notify g on main { print 1 } }"), ["silent"]);
  assert.deepEqual(printed("group g\nthread A { enter g; notify g on main { print 1 }; "
    + "notify g on main { print 2 }; leave g }"), ["end 1 2"]);
  assert.deepEqual(kinds("group g\nthread A { leave g }"), ["trap"]);
  assert.deepEqual(printed("group g\nqueue q concurrent\nthread A { async q in g { print 1 }\n"
    + "async q in g { print 2 }\nwait g; print 3 }"), ["end 1 2 3", "end 2 1 3"]);
  // Its own block can never end while it waits for the group.
  assert.deepEqual(kinds("group g\nasync main in g { wait g }"), ["deadlock"]);
});

test("variables: a load and a store are two steps, and timedOut is copied into blocks", () => {
  assert.deepEqual(kinds("var x = 0\nthread A { x += 1 }\nthread B { x += 1 }"), ["race", "lost"]);
  assert.deepEqual(kinds("var x = 0\nthread A { x = 1 }\nthread B { x = 2 }"), ["race"]);
  assert.deepEqual(kinds("var x = 0\nqueue q serial\nasync q { x += 1 }\nasync q { x += 1 }"), []);
  assert.deepEqual(kinds("var x = 0\nthread A { x = 5 - x }\nthread B { x = x - 1 }"), ["race", "lost"]);
  assert.deepEqual(printed("semaphore s 0\nthread A { wait s timeout; async main { print timedOut } }"),
    ["end 1"]);
  assert.deepEqual(printed("var x = 2\nthread A { if x > 1 { print 1 }\nif x < 1 { print 2 } }"), ["end 1"]);
  assert.deepEqual(printed("var x = 0\nthread A { loop { if x == 3 { print x -1\nreturn }\nx += 1 } }"),
    ["end 2"]);
  assert.deepEqual(printed("var x = true\nthread A { if x { return }\nprint 2 }"), ["end"]);
});

test("a queue that loops for ever starves its next block; a thread that is not chosen does not", () => {
  assert.deepEqual(kinds("async main { loop { sleep } }\nasync main later { print 1 }"), ["starvation"]);
  assert.deepEqual(kinds("thread A { loop { sleep } }\nthread B { print 1 }"), []);
  // B holds the permit, and only an unfair scheduler would never choose it.
  assert.deepEqual(kinds("semaphore s 0\nthread A { wait s }\nthread B { signal s }\nthread C { loop { sleep } }"),
    []);
});

test("starvation: the schedule waits, is fair, and comes back", () => {
  const graph = explored(levels.find(level => level.goal.starve).text);
  const found = starvation(graph);
  const states = play(graph.program, [...found.path, ...found.circle]);
  const circle = states.slice(found.path.length);
  assert.deepEqual(circle[0], circle[circle.length - 1]);
  assert.ok(starves(graph.program, circle.slice(0, -1), found.circle, found.id));
});

test("a program with too many states is not called proved", () => {
  const graph = explored("semaphore s 0\nthread A { loop { signal s } }");
  assert.ok(!graph.isComplete && graph.nodes.length <= bound + 10);
  assert.equal(orders(graph), null);
});

test("a program that comes back to its start has orders without end", () => {
  const graph = explored("semaphore s 1\nthread A { loop { wait s\nsignal s } }");
  assert.ok(graph.isComplete);
  assert.equal(orders(graph), null);
});

test("a fault in the middle of a line: the note names it, and the state before is kept", () => {
  const program = parse("group g\nthread A { leave g }");
  const before = start(program);
  const copy = structuredClone(before);
  const { state, note, next } = step(program, before, "1");
  assert.deepEqual(before, copy);
  assert.equal(note, "A leaves g, which is empty: trap.");
  assert.equal(next.line, 2);
  assert.equal(ending(program, state), "trap");
});

// The levels

test("there are 24 levels, and the six of the first game are among them", () => {
  assert.equal(levels.length, 24);
  for (const title of ["Deadlock the main queue", "Lose the limit after a time-out", "Both see 4",
    "An unordered list", "A group that never notifies", "A release too early"]) {
    assert.ok(levels.some(level => level.title === title), title);
  }
  assert.ok(levels.filter(isMend).length >= 4);
});

for (const level of levels) {
  test(`level ${level.number}: ${level.title}`, () => {
    for (const text of [level.aim, level.hint, level.lesson]) assert.match(text, /[.?}]$/);
    for (const line of level.text.split("\n")) assert.ok(line.length <= 56, line);
    const whole = explored(level.text);
    assert.ok(whole.isComplete && whole.nodes.length < 1000);
    assert.equal(String(answers[level.title](whole, level)), level.answers[level.right]);
    if (isMend(level)) {
      assert.equal(failure(level, level.goal.fix), null);
      const broken = failure(level, level.text);
      assert.ok(broken.path, broken.text);
      play(whole.program, broken.path);
      // A program without its work mends nothing, nor does one that returns before it.
      for (const text of ["", "thread A { print 1 }"]) {
        assert.ok(failure(level, text).text.startsWith("The program has to keep"), text);
      }
      for (const text of [level.text, level.goal.fix]) {
        for (const early of ["return", "loop { sleep }", "if stop == 1 { return }"]) {
          for (const head of text.match(/^(thread|async).*/gm)) {
            const idle = `var stop = 0\n${text.replace(head, `${head}\n${early}`)}\n`
              + "thread other { stop = 1 }";
            const found = failure(level, idle);
            assert.ok(found || (level.goal.mayRefuse && early.startsWith("if")), idle);
            if (found?.path) play(parse(idle), found.path);
          }
        }
      }
      return;
    }
    const graph = exploreLevel(level);
    const path = solution(level, graph);
    const states = play(graph.program, path);
    if (level.goal.starve) return;
    assert.ok(!isReached(graph.program, states[0], level.goal), "the start is the goal");
    for (const text of ["thread A { work }", "thread A { return }"]) {
      const idle = explored(text.replace("work", "work nothing"));
      assert.ok(!idle.nodes.some(node => isReached(idle.program, node.state, level.goal)), text);
    }
    const isGoal = state => isReached(graph.program, state, level.goal);
    assert.ok(isGoal(states[states.length - 1]) && !states.slice(0, -1).some(isGoal));
    // The goal can be missed too, or there would be nothing to find.
    assert.ok(graph.nodes.some(node => node.end && !node.isReached));
    const counted = orders(graph);
    assert.ok(counted.reaching > 0 && counted.reaching < counted.all);
  });
}

test("a mend that goes around the limit is refused, and its schedule can be played", () => {
  const mended = (number, ...changes) => {
    const level = levels[number - 1];
    const text = changes.reduce((before, [one, other]) => {
      assert.ok(before.includes(one), `${one} in\n${before}`);
      return before.replaceAll(one, other);
    }, level.goal.fix);
    const found = failure(level, text);
    if (found?.path) play(parse(text), found.path);
    return found?.text ?? "";
  };
  const both = /^A schedule has .* and .* under way at once/;
  const kept = /^The program has to keep/;
  const early = [["  work download\n  signal permits\n", "  signal permits\n  work download\n"]];
  assert.equal(mended(11), "");
  // The permit comes back on the main queue, and the button no longer waits for it.
  const late = [["  signal permits\n  async main", "  async main"], ["showImage\n", "showImage\n    signal permits\n"]];
  assert.match(mended(11, ...late, ["wait permits\n  work showDetails", "wait permits timeout\n  work showDetails"]),
    /free|under way/);
  assert.match(mended(11, ["wait permits\n  work showDetails", "wait permits timeout\n  work showDetails"]),
    /free|under way/);
  assert.match(mended(11, ...late, ["semaphore permits 1", "semaphore permits 2"]), kept);
  assert.match(mended(11, ...late, ["semaphore permits 1", "semaphore permits 10"]), /more than 1/);
  assert.match(mended(11, ...early), both);
  assert.match(mended(11, ["async main completion", "async pool completion"],
    ["semaphore", "queue pool concurrent\nsemaphore"]), kept);
  // The wait on another queue mends as well.
  assert.equal(mended(11, ...late, ["semaphore", "queue pool serial\nsemaphore"],
    ["  wait permits\n  work showDetails\n  signal permits\n",
      "  async pool {\n    wait permits\n    work showDetails\n    signal permits\n  }\n"]), "");

  const refuse = "  if timedOut { return }\n";
  const after = ["one", "two"].map(name =>
    [`${refuse}  work download ${name}\n`, `  work download ${name}\n${refuse}`]);
  assert.equal(mended(14), "");
  assert.match(mended(14, ...after), both);
  assert.match(mended(14, [`${refuse}  work`, "  work"], ["  signal permits",
    "  if timedOut == 0 { signal permits }"]), both);
  assert.match(mended(14, ["semaphore permits 1", "semaphore permits 0"]), kept);
  // A wait without an end after the time-out mends as well.
  assert.equal(mended(14, ["if timedOut { return }", "if timedOut { wait permits }"]), "");
});

test("the lengths of the shortest schedules", () => {
  const lengths = levels.filter(level => !isMend(level)).map(level => solution(level).length);
  assert.deepEqual(lengths, [7, 6, 4, 6, 5, 7, 5, 7, 4, 8, 7, 3, 6, 4, 6, 2, 6, 6, 12]);
});

test("a caller of sync is blocked, and its block runs on its own thread", () => {
  const program = parse("queue q serial\nasync q { work a; work b }\nthread A { sync q { print 1 } }");
  const states = play(program, ["1", "2"]);
  assert.equal(condition(program, states[2], states[2].actors[1]), "waiting");
  const { note } = step(program, play(program, ["1", "1"])[2], "2");
  assert.equal(note, "A runs the block of q itself, on its own thread.");
});

test("conditions: queued, waiting, timed, ended", () => {
  const program = parse("semaphore s 0\nasync main one { wait s }\nasync main two { print 1 }\n"
    + "thread A { wait s timeout }");
  const [, afterOne, afterA] = play(program, ["1", "3"]);
  const all = state => state.actors.map(actor => condition(program, state, actor));
  assert.deepEqual(all(afterOne), ["waiting", "queued", "ready"]);
  assert.deepEqual(all(afterA), ["waiting", "queued", "timed"]);
});
