// The words of the course: each page lists those that it uses.
//
// An entry: the word, its forms on a page, and its meaning in one sentence.

export const glossary = [
  ["thread", /\bthreads?\b/i, "Runs code line by line; several threads run at the same time, one a core."],
  ["queue", /queue/i, "Keeps blocks of code until a thread runs them."],
  ["serial queue", /serial/i, "Runs one block after the other, in the order of submission."],
  ["concurrent queue", /concurrent\b/i, "Runs several blocks at the same time, on threads of the pool."],
  ["main queue", /\bmain\b/, "The serial queue whose blocks the main thread runs, those of sync too, "
    + "until it calls dispatch_main; in a program with a screen the main thread draws that too."],
  ["dispatch_main", /dispatch_main/, "Parks the main thread for good: from then on other threads run the "
    + "blocks of the main queue."],
  ["async, sync", /\ba?sync\b/, "async submits a block and goes on; sync blocks its thread until its "
    + "block has run."],
  ["pool of libdispatch", /(?<!Swift's )\bpool\b/i, "The threads that libdispatch starts for concurrent "
    + "queues: on Linux about one a core, and one more each second while all of them are blocked."],
  ["pool of Swift", /Swift's pool/i, "The threads that run all tasks: one a core, and never more."],
  ["group", /group\b(?!\.addTask)/i, "Counts what is not over yet: enter adds one, leave takes one away."],
  ["notify", /notif/i, "Submits a block when the group is empty."],
  ["semaphore, permit", /semaphore|permit/i, "A semaphore has a number of permits: wait takes one, or "
    + "blocks its thread until there is one; signal returns one."],
  ["time-out", /time(d|s)?[- ]?out/i, "The end of a wait that has taken too long; it takes no permit."],
  ["deadlock", /deadlock/i, "Threads wait for what no thread will do any more."],
  ["starvation", /starv/i, "A thread waits for ever while others go on; or a limit has too few threads "
    + "to use its permits."],
  ["race, lost update", /\brace\b|counter|lost|loses/i, "The result depends on the order of the steps of "
    + "threads: the store of one overwrites that of another."],
  ["data race", /data race/i, "Two threads access a variable at the same time, one of them writes, and "
    + "nothing orders the two: a fault, whatever the values are."],
  ["barrier", /barrier/i, "A block that runs alone on its concurrent queue."],
  ["actor", /\bactors?\b/i, "Runs one piece of asynchronous code at a time; a piece ends at each await."],
  ["lock", /\block\b|Mutex/, "A semaphore of one permit, or its like: one thread at a time is inside."],
  ["trap", /\btraps?\b|\bcrash/i, "Ends the process at once: libdispatch has seen a fault of the program."],
  ["lane, width", /\blanes?\b|\bLanes\b|weir_lanes/i, "Lanes of Weir run blocks on threads of their own, "
    + "at once; their number is the width, and the most blocks that run at the same time."],
  ["gate", /\bgate\b/i, "A gate of Weir has permits, which it gives in the order of the requests; a task "
    + "that waits there holds no thread."],
  ["suspend, resume", /suspend(?!s\b)/i, "A suspended queue begins no block until it is resumed as often."],
  ["qos", /\bqos\b/i, "How urgent the blocks of a queue are."],
  ["completion", /completion/i, "A block that receives the result when it is there."],
  ["stride", /stride/i, "The number of indices of a loop that one block takes."],
  ["task, child", /\bTask\b|TaskGroup|children/, "A piece of asynchronous code; a child "
    + "task ends before its group does."],
  ["await", /\bawait\b/, "Suspends the task until the result is there; its thread does other work."],
  ["cancel", /cancel/i, "Asks a task to end early; it throws where it notices."],
];
