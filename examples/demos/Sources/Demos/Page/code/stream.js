// The messages of the runs, as the server sends them.
//
// EventSource connects again by itself, but gives up after an answer that is no stream, as that
// of a server that is being started. So it is opened again, from the last message on. A page that
// nobody sees closes its stream: a browser allows six connections to a server, and a seventh tab
// would wait for one forever.

const pause = 1000;

export class Stream {
  /**
   * Opens the stream.
   * - handlers.messages: called with an array of messages.
   * - handlers.status: called with "live", "lost" or "closed".
   */
  constructor(handlers) {
    this.handlers = handlers;
    this.position = null;
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
    const from = this.position ? "?from=" + encodeURIComponent(this.position) : "";
    const source = new EventSource("./events" + from);
    this.source = source;
    source.onopen = () => this.handlers.status("live");
    source.addEventListener("messages", event => {
      if (event.lastEventId) this.position = event.lastEventId;
      this.handlers.messages(JSON.parse(event.data));
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
