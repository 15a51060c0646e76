// The pages of the course, in the order of examples/README.md.
//
// A page: `run` is a run of weir-demo that support/course.sh records, and `question` the question
// of that run which is asked; `ask` with `answers` and `right` takes its place. `pitfall`, `level`,
// `program` (the number of a program in README.md), `file` (a program of the folder programs, with
// what it printed) and `drawn` (a loop to draw) are the other kinds. `given` is what the answer needs
// and the run does not say.

const run = (id, title, words, question, why) => ({ id, title, run: words, question, why });
const asked = (id, title, words, ask, answers, right, why) =>
  ({ id, title, run: words, ask, answers, right, why });
const pitfall = (name, title) => ({ id: name, title, pitfall: name });
const file = (name, title, command, ask, answers, right, why) =>
  ({ id: name, title, file: name, command, ask, answers, right, why });
const given = (text, page) => ({ ...page, given: text });
const level = number => ({ id: `level-${number}`, level: number });

const pool = "In these simulated runs the pool begins with three threads on two cores; on Linux it "
  + "gets one more each second while all of them are blocked. A block that sleeps or waits holds its "
  + "thread.";
const requests = "The requests 1 to 6 take 1.25, 1.00, 0.75, 0.50, 1.25 and 1.00 s. Each queue runs two "
  + "at once.";
const loop = "Handing out a block costs a core 120 ns, and the second thread begins 40 µs after the first.";
const pictures = "The pictures 1 to 5 take 0.8, 0.2, 1.0, 0.4 and 0.6 s.";

export const weeks = [
  { title: "Queues and groups", pages: [
    level(1),
    given("The first four blocks count, not the tour after them.",
      run("serial", "A serial queue", "queues", "seconds",
        "A serial queue runs one block after the other: four blocks, four times the time of one.")),
    given(pool, asked("concurrent", "A concurrent queue", "queues",
      "Four blocks sleep on a concurrent queue, on two cores. Do all four run at once?",
      ["Yes", "No"], 1, "Here three do, and the fourth waits for a thread. On two cores a real run "
      + "begins two or three: libdispatch promises no number.")),
    level(2), level(3), level(4),
    asked("suspend", "Suspend twice, resume once", "queues --suspend 2 --resume 1",
      "Has the suspended block run when the code prints checked?", ["Yes", "No"], 1,
      "The queue counts: of two suspends one is left, and the queue stays suspended until the "
      + "clean-up. Its resume, after checked, lets the block run."),
    pitfall("sync-own-queue", "sync onto the own queue"), level(5),
    given(requests, asked("wait-short", "A wait of one second", "groups --timeout 1",
      "What ends the wait?", ["The time-out", "The group"], 0,
      "The wait gives up after 1 s, and the group goes on to its end after 2 s.")),
    given(requests, asked("wait-long", "A wait of five seconds", "groups --timeout 5",
      "What ends the wait now?", ["The time-out", "The group"], 1,
      "The group is empty after 2 s, before the time is over.")),
    run("downloads", "Fifteen downloads, five at once", "downloads", "seconds",
      "Three rounds of five downloads. Rounds are tasks / limit, rounded up."),
    run("seven", "Seven downloads, three at once", "downloads --tasks 7 --max 3", "seconds",
      "Three rounds again: three, three and one."),
    asked("forget-leave", "A leave is missing", "downloads --form article --forget leave",
      "All downloads complete. When does the alert come?", ["After the last download", "Never"], 1,
      "The group is not empty, so it never notifies."),
    pitfall("extra-leave", "A leave too many"), level(6), level(7), level(8),
    { id: "average", title: "Write it: an average with a completion", program: 1,
      task: "Average some numbers on one queue, and deliver the result to a completion on another, "
        + "which the caller names. The caller is the main thread, and waits for the completion; a "
        + "thread that waits runs no block. Which queue may the caller not name?",
      why: "The main queue: the main thread would wait for a block that only the main thread runs, a "
        + "deadlock. The queue that is named here has a thread of its own." },
  ] },
  { title: "Semaphores, threads and limits", pages: [
    given(pool, asked("pool", "A semaphore in each block", "downloads --form article",
      "Five at once took 15 s on lanes. How long does it take with a semaphore in each block?",
      ["Less", "15 s", "More"], 2,
      "At first fewer downloads run than the limit allows, for want of threads.")),
    given(pool, run("starvation", "A limit that starves its workers",
      "downloads --form article --tasks 20 --max 10 --step 0.02", "seconds",
      "Three at a time in the first second, seven rounds of 0.1 s: the pool has not as many threads as "
      + "there are permits, so nobody waits for a permit.")),
    given("Lanes of this width have a thread for each job, at once.",
      run("lanes", "The same on lanes", "downloads --tasks 20 --max 10 --step 0.02", "seconds",
        "Two rounds of ten: lanes bring threads of their own.")),
    run("limit", "A limit of three", "images --step 2", "peak",
      "Three permits, and each download holds one."),
    given("An image takes 0.8 s at most here, so no wait times out.",
      run("woken", "Signals that wake", "images --step 4", "woken",
        "A signal wakes a thread if one waits. At the last three signals nobody waits.")),
    level(9),
    given("The main thread runs all blocks of the main queue, until it calls dispatch_main.",
      asked("blocked", "The main thread waits", "images --step 6",
        "Three permits, fifteen images, and the main thread waits before it submits. How many images "
        + "come?", ["15", "3", "0"], 2,
        "Three requests begin. Their completions would signal in blocks of the main queue. The main "
        + "thread, which alone runs them until it calls dispatch_main, waits for a signal.")),
    pitfall("group-wait-on-main", "Wait for a group on the main thread"), level(10), level(11), level(12),
    given("An image takes 1.2 to 3.2 s here: fifteen images, three at once, take longer than 5 s.",
      asked("time-out", "A wait that gives up", "images --step 3",
      "How many requests run at once, at most?", ["Three", "More than three"], 1,
      "A wait that times out has no permit, and the code goes on without it. Each signal then "
      + "returns a permit that nobody took: the limit is gone.")),
    level(13), level(14),
    pitfall("semaphore-released", "Released while a permit is taken"), level(15), level(16),
    given("Serial queues get a thread each, at once, until libdispatch has 255 threads.",
      pitfall("pool-exhaustion", "All threads wait")), level(17),
    given(`${pool} An image takes 1.2 to 3.2 s.`,
      asked("unlimited", "A limit that nobody set", "images --step 1 --queue concurrent",
        "How many requests run at once, at most?", ["1", "7", "15"], 1,
        "No semaphore limits the requests; the pool does. After 4 s it has its seventh thread, and "
        + "soon all requests have begun.")),
    given("The same images, and tasks that wait at a gate of Weir for 5 s.",
      asked("gate", "A gate that refuses", "images --form gate",
        "How many requests run at once, at most?", ["Three", "More than three"], 0,
        "A wait that gives up throws: the request is refused, and returns no permit. A gate gives its "
        + "permits in the order of the requests, and a task that waits holds no thread.")),
    file("operations", "Operations", "swiftc operations.swift && ./operations",
      "Which pictures are printed, and when does the last line come?",
      ["All five; after the fifth", "All but the fourth; after the fifth", "All but the fourth; never"], 1,
      "An operation that is cancelled before it begins does nothing, and counts as finished: what "
      + "depends on it goes on. The queue has a limit, a dependency takes the place of a group, and "
      + "isSuspended is a Boolean: setting it to false resumes the queue however often it was set to true. Each "
      + "operation that blocks holds a thread of libdispatch."),
    { id: "files", title: "Write it: eight files at once", program: 2,
      task: "Return the sizes of the files of a list of paths, with at most eight files open at once, "
        + "and try it with two paths. Which call waits, and does it hold a thread?",
      why: "withPermit waits. It suspends the task, and no thread waits." },
  ] },
  { title: "Loops and races", pages: [
    run("blocks", "A loop in blocks", "loops --rows 100 --stride 4", "blocks",
      "100 rows, 4 a block."),
    given(`${loop} Each of the 2,048 rows has 400 ns of work.`,
      run("overhead", "A row a block", "loops --body even --stride 1", "seconds",
        "Each core hands out and runs about 1,024 blocks, of 120 + 400 ns. A stride of 16 makes 128 blocks, "
        + "which cost as good as nothing.")),
    given(`${loop} The upper half of the picture has a fifth of the work.`,
      asked("imbalance", "Two large blocks", "loops --stride 1024",
        "Two cores, and two blocks of 1,024 rows: is that the fastest stride?",
        ["Yes: a block for each core, and the least to hand out", "No: a core waits for the other",
          "No: handing out takes too long"], 1,
        "One core ends early, and nothing is left to hand out. Blocks of 16 rows end together, within "
        + "the time of one block.")),
    { id: "draw", title: "Draw a loop", drawn: true,
      task: "Draw the work of the rows, with the pointer or with the arrow keys, and choose the stride. "
        + "Then draw rows for which your stride is a bad one." },
    asked("serial-loop", "A loop on a serial queue", "loops --queue serial",
      "Is it faster than a plain loop?", ["Yes", "No"], 1,
      "One block at a time, on one thread: correct, and no faster."),
    level(18), level(19), pitfall("counter-race", "A counter without a lock"), level(20), level(21),
    file("sendable", "What the compiler refuses", "swiftc -swift-version 6 sendable.swift",
      "How many errors does Swift 6 report?", ["None", "One", "Two"], 2,
      "A closure that another thread runs is Sendable: it may change no variable outside of it, and hold "
      + "no object that is not Sendable itself. Both lines are data races, found without a run. "
      + "nonisolated(unsafe) and @unchecked Sendable switch the check off, and the race stays."),
    file("sanitizer", "What the Thread Sanitizer finds",
      "swiftc -g -sanitize=thread sanitizer.swift && ./sanitizer",
      "The sum is right in this run. Is there a report?", ["Yes", "No"], 0,
      "It names the variable and both accesses, whatever the sum is: line 8 on two threads. It sees only "
      + "what a run does, so another run of the same program had no report: the second iteration "
      + "came after the first. The report is shortened here."),
    pitfall("suspend-resume", "A resume too many"),
    { id: "primes", title: "Write it: primes on all cores", program: 3,
      task: "Count the primes below a million on all cores, without a race. Why is a lock for each "
        + "block enough?",
      why: "100 additions take the lock, instead of one for each prime." },
  ] },
  { title: "Tasks", pages: [
    given(`${pictures} All begin at once.`,
      asked("arrival", "Five pictures by a task group", "gallery",
        "In which order does the group give the pictures?",
        ["1 2 3 4 5", "2 4 5 1 3", "3 1 5 4 2"], 1,
        "for await gives the results in the order of completion: the shortest download first.")),
    given(pictures, run("cancelled", "Cancelled after 0.3 s", "gallery --cancel-after 0.3", "shown",
      "try? makes nil of each cancellation, and nothing reports the missing pictures.")),
    given("The pictures 1 to 4 take 0.8, 0.2, 1.0 and 0.4 s. All begin at once, and are awaited in "
      + "their order.",
      run("async-let", "async let, and a failure", "gallery --form async-let --fail 2", "seconds",
        "Picture 2 fails at 0.2 s. The failure is noticed where picture 2 is awaited, after picture 1, "
        + "which takes 0.8 s.")),
    given(pictures, run("sequential", "One picture after the other", "gallery --form sequential",
      "seconds", "Each await ends before the next picture begins: the times add up.")),
    given(pictures, run("window", "A window of three", "gallery --form map", "seconds",
      "The map begins the next picture when any has ended: 1, 2 and 3, then 4 at 0.2 s and 5 at "
      + "0.6 s.")),
    given(pictures, run("failure", "One child throws", "gallery --form throwing --fail 2", "shown",
      "The group cancels the others, and the error is its result.")),
    given("All tasks share Swift's pool: one thread a core, and it never grows.",
      run("blocking", "Children that block", "gallery --form blocking", "peak",
        "A child that blocks holds one of the threads: two at a time, and the others are queued.")),
    pitfall("unordered-results", "Results out of order"),
    file("batches", "Batches, and waitForAll", "swiftc batches.swift && ./batches",
      "How many results does the group give at the end?", ["6", "3", "0"], 1,
      "waitForAll() waits for the slowest of the batch, and takes the results without giving them: "
      + "those of the first batch are lost. Let each child store its own, or use a window: a new child "
      + "for each result."),
    level(22), level(23), level(24), pitfall("actor-reentrancy", "An actor that awaits in between"),
    { id: "ordered", title: "Write it: ten items in order", program: 4,
      task: "Fetch ten items, three at a time, in the order of the input, and stop at the first "
        + "failure. Then write it without Weir.",
      why: "Without Weir: a task group to which the loop adds a child for each result that it takes and puts "
        + "at its index." },
    { id: "editor", title: "Your own programs", own: true },
  ] },
];
