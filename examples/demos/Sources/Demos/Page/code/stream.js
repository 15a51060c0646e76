// The messages of the runs, as the server sends them.
//
// EventSource connects again by itself, but gives up after an answer that is no stream, as that
// of a server that is being started. So it is opened again. A page that nobody sees closes its stream: a
// browser allows six connections to a server, and a seventh tab would wait for one forever.

const pause = 1000;

/**
 * Returns the messages that a page does not know. A stream that is opened again begins with the whole
 * log: `page` has its name, and how many of its messages came before and in this stream.
 */
export function unknown(page, log, messages) {
  if (page.log !== log) Object.assign(page, { log, known: 0, came: 0 });
  const found = messages.filter(({ kind }) => kind === "class"
    || (kind === "hello" ? page.known === 0 : (page.came += 1) > page.known));
  page.known = Math.max(page.known, page.came);
  return found;
}

export class Stream {
  /**
   * Opens the stream.
   * - handlers.messages: called with an array of messages.
   * - handlers.status: called with "live", "lost" or "closed".
   */
  constructor(handlers) {
    this.handlers = handlers;
    this.page = {};
    this.source = null;
    this.timer = null;
    this.isNeeded = () => true;
    document.addEventListener("visibilitychange", () => this.follow());
    window.addEventListener("pagehide", () => this.close());
    window.addEventListener("pageshow", () => this.follow());
    this.open();
  }

  follow() {
    if (document.hidden && !this.isNeeded()) this.close();
    else if (!this.source) this.open();
  }

  open() {
    clearTimeout(this.timer);
    const source = new EventSource("./events");
    this.source = source;
    this.page.came = 0;
    source.onopen = () => this.handlers.status("live");
    source.addEventListener("messages", event => {
      this.handlers.messages(unknown(this.page, event.lastEventId, JSON.parse(event.data)));
    });
    source.onerror = () => {
      if (this.source !== source) return;
      source.close();
      this.source = null;
      this.handlers.status("lost");
      this.timer = setTimeout(() => this.open(), pause);
    };
  }

  close() {
    clearTimeout(this.timer);
    if (!this.source) return;
    this.source.close();
    this.source = null;
    this.handlers.status("closed");
  }
}

/** Sends a request with a JSON body. Throws the server's sentence if it refuses. */
export async function post(path, body) {
  let response;
  try {
    response = await fetch("./" + path, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  if (!response.ok) throw new Error(await response.text());
}
