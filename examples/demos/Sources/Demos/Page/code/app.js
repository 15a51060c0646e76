// The start of the board: the list of pages, the page of the address, and what all pages share.

import { make, setText, setClass } from "./dom.js";
import { pages, pageOfAddress } from "./pages.js";
import { Desk } from "./desk.js";
import { Classroom } from "./classroom.js";
import { Stream } from "./stream.js";

const byId = id => document.getElementById(id);

function status(state) {
  const words = { live: "connected", lost: "server lost, trying again", closed: "" };
  setText(byId("status"), words[state]);
  setClass(byId("status"), "lost", state === "lost");
}

function showPages(current) {
  byId("pages").replaceChildren(...pages.map(page => make("a", {
    href: "./" + page.name, text: page.title, "aria-current": page === current ? "page" : null,
  })));
  byId("pages").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

function showList(data) {
  document.title = "Weir board";
  const abstractOf = page => data.demos.find(demo => demo.name === page.name).abstract;
  const classroom = new Classroom(data, { name: "" });
  if (data.isClass) followFromList(data, classroom);
  byId("main").replaceChildren(...[make("h1", { text: "Watch concurrency" }),
    make("p", { class: "lead", text: "Predict a run, start it, and compare. Every picture is drawn "
      + "from the events of a real run on this machine, or of a simulated one. With five minutes, "
      + "open Downloads; a course begins with Queues and Groups. The game of the schedules and "
      + "the pitfalls are pages of the course (make course)." }),
    classroom.element, make("ul", { class: "cards" }, ...pages.map(page => make("li", {},
      make("a", { class: "card", href: "./" + page.name }, make("h2", { text: page.title }),
        make("p", { text: abstractOf(page) })))))].filter(Boolean));
}

/** Counts the followers, and opens the page that the presenter opens. */
function followFromList(data, classroom) {
  const stream = new Stream({ status, messages: messages => {
    for (const message of messages) {
      if (message.kind === "show" && !classroom.isPresenter) classroom.follow(message);
      else if (message.kind === "class") classroom.show({ ...message, counts: [] });
    }
  } });
  stream.isNeeded = () => data.role === "follower";
}

function loadStyle(name) {
  document.head.append(make("link", { rel: "stylesheet", href: `./style/${name}.css` }));
}

async function showPage(data, page) {
  document.title = page.title + " · Weir board";
  const name = page.view || page.name;
  loadStyle(name);
  const view = (await import(`../views/${name}.js`)).default;
  const classroom = new Classroom(data, page);
  const desk = new Desk(byId("main"), data, page, view, classroom, status);
  classroom.onForm(desk.form, desk.isRunning);
  document.addEventListener("keydown", event => desk.player.onKey(event));
}

async function begin() {
  const page = pageOfAddress();
  showPages(page);
  let data;
  try {
    const response = await fetch("./demos");
    if (!response.ok) throw new Error(await response.text());
    data = await response.json();
  } catch (error) {
    byId("main").replaceChildren(make("h1", { text: "The board does not answer" }),
      make("p", { text: String(error.message || error) }));
    return;
  }
  setClass(document.body, "follower", data.role === "follower");
  if (page) await showPage(data, page);
  else showList(data);
}

begin().catch(error => {
  byId("main").replaceChildren(make("h1", { text: "This page cannot be shown" }),
    make("p", { text: String(error.message || error) }));
});
