// A placeholder: lists the messages of a run.
const channel = "placeholder" + Math.random().toString(36).slice(2, 10);
const out = document.getElementById("out");
new EventSource(channel + "/events").addEventListener("messages", (event) => {
  for (const message of JSON.parse(event.data)) out.append(JSON.stringify(message) + "\n");
});
document.getElementById("start").onclick = () => fetch(channel + "/start", {
  method: "POST", body: JSON.stringify({ demo: "downloads", knobs: {}, prediction: [5, 15], speed: 10 }),
});
