// The style of the page of the game.

enum ScheduleStyle {
  static let text = """
    :root {
      --ground: #fbfaf8; --card: #ffffff; --ink: #1c2430; --soft: #5b6573;
      --rule: #e6e2da; --accent: #1f5f8b; --accent-ink: #ffffff; --here: #eef5fb;
      --wait: #8a4805; --wait-ground: #fdf0dc; --queue: #4c5563; --queue-ground: #eceef1;
      --free: #1a6e55; --free-ground: #e4f3ee; --cursor: #c2185b;
      --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", Charter,
        Georgia, "DejaVu Serif", serif;
      --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans",
        "DejaVu Sans", sans-serif;
      --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono",
        monospace;
    }
    @media (prefers-color-scheme: dark) { :root {
      --ground: #14171c; --card: #1a1e25; --ink: #e8e5df; --soft: #a3abb8;
      --rule: #2c323c; --accent: #86bce6; --accent-ink: #10202c; --here: #1c2c3a;
      --wait: #ffd9a3; --wait-ground: #3a2a14; --queue: #bcc4cf; --queue-ground: #272d36;
      --free: #7fdcbb; --free-ground: #17352c; --cursor: #ff7aa8;
    } }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; }
    body { margin: 0 auto; max-width: 92rem; padding: clamp(1rem, 3.5vw, 3rem);
      background: var(--ground); color: var(--ink); font: 1rem/1.55 var(--sans); }
    h1 { font: 600 clamp(1.7rem, 1.1rem + 2.2vw, 2.7rem)/1.15 var(--serif); margin: 0 0 .7rem;
      letter-spacing: -.012em; text-wrap: balance; }
    h2 { font: 600 clamp(1.35rem, 1.1rem + 1vw, 1.8rem)/1.25 var(--serif); margin: 0 0 .35rem; }
    h2:focus { outline: none; }
    h3 { font-size: .75rem; letter-spacing: .07em; text-transform: uppercase; color: var(--soft);
      margin: 0 0 .5rem; }
    p { max-width: 68ch; margin: 0 0 .8rem; text-wrap: pretty; }
    header p { color: var(--soft); }
    code, kbd { font-family: var(--mono); font-size: .9em; }
    [hidden] { display: none !important; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden;
      clip-path: inset(50%); white-space: nowrap; }
    button, summary { font: inherit; color: inherit; cursor: pointer; }
    nav { display: grid; gap: .5rem; margin: 1.4rem 0 2rem;
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 11.5rem), 1fr)); }
    @media (max-width: 60rem) { nav { grid-template-columns: repeat(3, 1fr); } }
    nav button { display: flex; gap: .7rem; align-items: center; text-align: left;
      background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
      padding: .55rem .8rem; font-size: .88rem; line-height: 1.3; min-height: 3.4rem; }
    nav button:hover { border-color: var(--accent); }
    nav b { flex: none; display: grid; place-items: center; width: 1.7rem; height: 1.7rem;
      border-radius: 50%; background: var(--queue-ground); color: var(--queue);
      font-variant-numeric: tabular-nums; }
    nav button[aria-current] { border-color: var(--accent);
      box-shadow: inset 0 0 0 1px var(--accent); }
    nav button[aria-current] b { background: var(--accent); color: var(--accent-ink); }
    nav .solved b { background: var(--free-ground); color: var(--free); }
    @media (max-width: 40rem) {
      nav { grid-template-columns: repeat(6, 1fr); gap: .35rem; margin: 1rem 0 1.5rem; }
      nav button { min-height: 2.8rem; padding: .3rem; justify-content: center; }
      nav span { display: none; }
      .controls { position: sticky; bottom: 0; background: var(--ground);
        padding: .6rem 0; } }
    .goal { border-left: 4px solid var(--accent); padding-left: 1.1rem; margin-bottom: 1.5rem; }
    .eyebrow { font-size: .75rem; letter-spacing: .09em; text-transform: uppercase;
      color: var(--soft); font-weight: 600; margin: 0 0 .2rem; }
    #goal { font-size: 1.1rem; margin-bottom: .3rem; }
    .hint { background: var(--wait-ground); color: var(--wait); border-radius: 10px;
      padding: .6rem .9rem; margin: .7rem 0 0; }
    .table { display: grid; gap: 1.4rem; grid-template: "shared" "threads" "history"
      / minmax(0, 1fr); }
    .threads { grid-area: threads; } .shared { grid-area: shared; }
    .history { grid-area: history; }
    @media (min-width: 60rem) {
      .table { grid-template: "threads shared" auto "threads history" 1fr
        / minmax(0, 1fr) minmax(0, 15.5rem); } }
    #threads { display: grid; gap: 1rem; align-items: start;
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); }
    .thread { background: var(--card); border: 1px solid var(--rule); border-radius: 12px;
      overflow: hidden; }
    .thread.can { border-color: var(--accent); }
    .thread button { display: grid; grid-template-columns: auto minmax(0, 1fr);
      gap: .2rem .9rem; align-items: center; width: 100%; text-align: left; background: none;
      border: 0; border-bottom: 1px solid var(--rule); padding: .7rem .9rem; }
    .thread button[aria-disabled=true] { cursor: not-allowed; }
    .thread.can button:hover { background: var(--here); }
    .thread kbd { grid-row: 1 / 3; display: grid; place-items: center; width: 2.6rem;
      height: 2.6rem;
      border-radius: 8px; background: var(--queue-ground); color: var(--queue);
      font: 600 1.15rem var(--mono); }
    .thread.can kbd { background: var(--accent); color: var(--accent-ink); }
    .thread strong { font-weight: 600; line-height: 1.3; }
    .chip { justify-self: start; font-size: .78rem; font-weight: 600; border-radius: 1rem; padding: .1rem .6rem;
      background: var(--queue-ground); color: var(--queue); white-space: nowrap; }
    .chip.ready { background: var(--here); color: var(--accent); }
    .chip.waiting, .chip.timed { background: var(--wait-ground); color: var(--wait); }
    .chip.ended { background: var(--wait-ground); color: var(--wait); }
    .chip.finished { background: var(--free-ground); color: var(--free); }
    .thread ol { margin: 0; padding: .5rem 0; list-style: none; overflow-x: auto;
      font: .84rem/1.8 var(--mono); }
    .thread li { padding: 0 1rem 0 2rem; white-space: pre; position: relative;
      min-width: max-content; }
    .thread li.done { color: var(--soft); }
    .thread li.here { background: var(--here); box-shadow: inset 3px 0 var(--cursor); }
    .thread li.here::before { content: ">"; position: absolute; left: .9rem;
      color: var(--cursor); font-weight: 700; }
    .thread li.done::before { content: "\\2713"; position: absolute; left: .9rem; }
    dl { display: grid; gap: .5rem; margin: 0;
      grid-template-columns: repeat(auto-fill, minmax(7.3rem, 1fr)); }
    dl div { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
      padding: .35rem .8rem; }
    dl div.changed { border-color: var(--cursor); }
    dt { font-size: .75rem; color: var(--soft); }
    dd { margin: 0; font: 600 1.25rem/1.3 var(--serif); font-variant-numeric: tabular-nums; }
    .history ol, #none { margin: 0; font-size: .88rem; }
    .history ol { padding-left: 1.6rem; color: var(--soft); max-height: 17rem; overflow: auto;
      font-variant-numeric: tabular-nums; }
    .history li:last-child { color: var(--ink); font-weight: 600; }
    #none { color: var(--soft); }
    .controls { display: flex; flex-wrap: wrap; gap: .6rem; align-items: start;
      margin-top: 1.4rem; }
    .controls button, .banner button { background: var(--card); border: 1px solid var(--rule);
      border-radius: 10px; padding: .5rem .9rem; }
    .controls button:hover, .banner button:hover { border-color: var(--accent); }
    .controls kbd { color: var(--soft); margin-right: .3rem; border: 1px solid var(--rule);
      border-radius: 5px; padding: 0 .35rem; }
    .controls button[aria-disabled=true] { color: var(--soft); opacity: .6; cursor: not-allowed; }
    details { padding: .5rem .4rem; color: var(--soft); }
    details p { margin: .4rem 0 0; font-family: var(--mono); }
    .banner { border-radius: 12px; padding: 1rem 1.2rem; margin-bottom: 1.4rem; }
    .banner p:last-child { margin-bottom: 0; }
    .banner strong { font: 600 1.2rem var(--serif); }
    .banner.reached { background: var(--free-ground); box-shadow: inset 4px 0 var(--free); }
    .banner.missed { background: var(--wait-ground); box-shadow: inset 4px 0 var(--wait); }
    .banner code { background: var(--card); border-radius: 6px; padding: .15rem .5rem;
      overflow-wrap: anywhere; box-decoration-break: clone;
      -webkit-box-decoration-break: clone; }
    .banner button { background: var(--accent); color: var(--accent-ink); border: 0; }
    @media print { nav, .controls { display: none; } body { padding: 0; } }
    """
}
