// The blocks of a run: the queue in which each is, the thread that runs it, the waits.
//
// The log names a block by the label of its queue and a number. Two queues may share a label, so a
// number may come twice: then the oldest block with that number starts first. A thread may hold
// several blocks: the lower ones wait for the upper one, as after a call of sync.

/** Returns the blocks before the first event. */
export function emptyBlocks() {
  return {
    version: 0, time: 0, last: 0, queues: new Map(), threads: new Map(), permits: new Map(),
    groups: new Map(), open: new Map(), notes: [],
  };
}

/** Returns the queue with a label; makes it if it is new. */
export function queueOf(state, label) {
  if (!state.queues.has(label)) {
    state.queues.set(label, {
      label, queued: [], running: [], done: [], slots: [], most: 0, suspended: 0, tags: [],
    });
  }
  return state.queues.get(label);
}

function threadOf(state, number) {
  if (!state.threads.has(number)) {
    state.threads.set(number, { number, stack: [], wait: null, isUsed: false });
  }
  return state.threads.get(number);
}

function openBlocks(state, event) {
  const key = `${event.q}|${event.obj || ""}|${event.task}`;
  if (!state.open.has(key)) state.open.set(key, []);
  return state.open.get(key);
}

const remove = (array, item) => {
  const place = array.indexOf(item);
  if (place >= 0) array.splice(place, 1);
};

function makeBlock(state, event) {
  const queue = queueOf(state, event.q);
  state.last += 1;
  const block = {
    key: state.last, number: event.task, queue, phase: "queued", thread: null, wait: null,
    slot: -1,
  };
  queue.queued.push(block);
  openBlocks(state, event).push(block);
  return block;
}

const handlers = {
  submit(state, event) { makeBlock(state, event); },

  start(state, event) {
    const block = openBlocks(state, event).find(other => other.phase === "queued")
      || makeBlock(state, event);
    const { queue } = block;
    remove(queue.queued, block);
    queue.running.push(block);
    block.phase = "running";
    block.slot = queue.slots.findIndex(other => !other);
    if (block.slot < 0) block.slot = queue.slots.length;
    queue.slots[block.slot] = block;
    queue.most = Math.max(queue.most, queue.running.length);
    const thread = threadOf(state, event.thr);
    thread.isUsed = true;
    block.thread = thread;
    thread.stack.push(block);
  },

  end(state, event) {
    const blocks = openBlocks(state, event).filter(block => block.phase === "running");
    const block = blocks.find(other => other.thread && other.thread.number === event.thr)
      || blocks[0];
    if (!block) return;
    close(state, event, block, "done");
    block.queue.done.push(block);
  },

  suspend(state, event) {
    const block = openBlocks(state, event).find(other => other.thread);
    if (!block) return;
    remove(block.thread.stack, block);
    block.thread = null;
  },

  resume(state, event) {
    const block = openBlocks(state, event).find(other => other.phase === "running");
    if (!block || block.thread) return;
    block.thread = threadOf(state, event.thr);
    block.thread.isUsed = true;
    block.thread.stack.push(block);
  },

  cancel(state, event) {
    const block = openBlocks(state, event).find(other => other.phase === "queued");
    if (block) close(state, event, block, "cancelled");
    else endWait(state, event);
  },

  wait(state, event) {
    const thread = threadOf(state, event.thr);
    if (event.lane !== 1) thread.wait = event.q;
    const block = thread.stack[thread.stack.length - 1];
    if (block) block.wait = event.q;
  },

  acquired(state, event) {
    endWait(state, event);
    const { stack } = threadOf(state, event.thr);
    if (stack.length) permitsOf(state, event.q).queue = stack[stack.length - 1].queue;
  },

  timeout(state, event) { endWait(state, event); },

  permits(state, event) {
    const permits = permitsOf(state, event.q);
    permits.limit = event.v;
    permits.free ??= event.v;
  },

  enter(state, event) { countGroup(state, event); },
  leave(state, event) { countGroup(state, event); },

  note(state, event) {
    state.notes.push({ time: event.t, text: event.q, task: event.task, value: event.v,
      thread: event.thr });
    const thread = threadOf(state, event.thr);
    const block = thread.stack[thread.stack.length - 1];
    if (!block) return;
    if (event.q === "group wait") block.wait = "the group";
    if (event.q === "group is empty" || event.q === "group wait timed out") block.wait = null;
    if (event.q.startsWith("sync called")) block.wait = "sync";
    if (event.q === "sync returned") block.wait = null;
  },
};

function close(state, event, block, phase) {
  const { queue } = block;
  block.phase = phase;
  remove(queue.queued, block);
  remove(queue.running, block);
  remove(openBlocks(state, event), block);
  if (block.slot >= 0) queue.slots[block.slot] = null;
  if (block.thread) remove(block.thread.stack, block);
}

function endWait(state, event) {
  const thread = threadOf(state, event.thr);
  thread.wait = null;
  for (const block of thread.stack) if (block.wait === event.q) block.wait = null;
}

function permitsOf(state, label) {
  if (!state.permits.has(label)) {
    state.permits.set(label, { label, limit: 0, free: null, waiting: 0, queue: null });
  }
  return state.permits.get(label);
}

function countGroup(state, event) {
  state.groups.set(event.q, { label: event.q, count: event.v });
}

/** Applies an event of the log. */
export function applyBlock(state, event) {
  state.time = Math.max(state.time, event.t);
  state.version += 1;
  if (handlers[event.ev]) handlers[event.ev](state, event);
  const { free = event.sem?.free, waiting = event.sem?.waiting } = event;
  if (waiting !== undefined) {
    Object.assign(permitsOf(state, event.q), { free: free ?? null, waiting });
  }
}
