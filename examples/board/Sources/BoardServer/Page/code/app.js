// The start of the board: the list of pages, the page of the address, and what all pages share.

import { make, setText, setClass } from "./dom.js";
import { pages, pageOfAddress } from "./pages.js";
import { Desk } from "./desk.js";
import { Classroom } from "./classroom.js";
import { Presenter } from "./presenter.js";
import { Stream } from "./stream.js";

const byId = id => document.getElementById(id);

function announce(text) { setText(byId("live"), text); }

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
  const abstractOf = page => data.demos.find(demo => demo.name === page.name)?.abstract
    || { schedule: "You are the scheduler: choose the thread that steps, and reach the deadlock.",
      pitfalls: "Mistakes that deadlock, trap or lose results, and the same code fixed." }[page.name]
    || "";
  byId("main").replaceChildren(make("h1", { text: "Watch concurrency" }),
    make("p", { class: "lead", text: "Predict a run, start it, and compare. Every picture is drawn "
      + "from the events of a real run on this machine, or of a simulated one." }),
    make("ul", { class: "cards" }, ...pages.map(page => make("li", {},
      make("a", { class: "card", href: "./" + page.name }, make("h2", { text: page.title }),
        make("p", { text: abstractOf(page) }))))));
}

function loadStyle(name) {
  document.head.append(make("link", { rel: "stylesheet", href: `./style/${name}.css` }));
}

/** A follower on the list goes to the page that the presenter shows. */
function waitForPresenter() {
  byId("main").querySelector(".lead").after(make("p", { class: "notice", role: "status",
    text: "You follow the presenter. The page that the presenter opens opens here too." }));
  const stream = new Stream("class", {
    messages: messages => {
      const shown = messages.findLast(message => message.kind === "show");
      const query = new URLSearchParams(shown?.knobs || {}).toString();
      if (shown?.page) location.replace("./" + shown.page + (query ? "?" + query : ""));
    },
    status,
  });
  stream.isNeeded = () => true;
}

async function showPage(data, page) {
  document.title = page.title + " · Weir board";
  const name = page.view || page.name;
  loadStyle(name);
  const view = (await import(`../views/${name}.js`)).default;
  const classroom = new Classroom(data, page, { announce });
  let desk = null;
  desk = new Desk(byId("main"), data, page, view, {
    announce, status,
    classPanel: () => classroom.element,
    show: message => classroom.follow(message, desk.form),
    counts: message => classroom.show(message, desk?.demo.questions),
    onForm: form => classroom.onForm(form, desk?.isRunning),
    follower: () => classroom.follower,
  });
  classroom.onForm(desk.form, desk.isRunning);
  new Presenter(desk);
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
  else {
    showList(data);
    if (data.role === "follower") waitForPresenter();
    new Presenter(null);
  }
}

begin();
