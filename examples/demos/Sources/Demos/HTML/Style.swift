// The style of a page: colours, type, text and tables.

enum HTMLStyle {
  /// The colours, the type and everything but the chart.
  static let page = """
    :root {
      --ground: #fbfaf8; --card: #ffffff; --ink: #1c2430; --soft: #5b6573; --faint: #8b93a0;
      --rule: #e6e2da; --grid: #edeae4; --accent: #1f5f8b;
      --run: #2f74a8; --run-ink: #ffffff; --wait: #b25e09; --wait-ground: #fdf0dc;
      --wait-line: #f3c98b; --wait-ink: #6e3a04; --queue: #9aa2ae; --queue-ground: #eceef1;
      --queue-ink: #4c5563; --free: #1d7f64; --right: #1a6e55; --wrong: #a8470d;
      --here: #eef5fb; --cursor: #c2185b;
      --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", Charter,
        Georgia, "DejaVu Serif", serif;
      --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans",
        "DejaVu Sans", sans-serif;
      --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono",
        monospace;
    }
    @media (prefers-color-scheme: dark) { :root {
      --ground: #14171c; --card: #1a1e25; --ink: #e8e5df; --soft: #a3abb8; --faint: #767f8d;
      --rule: #2c323c; --grid: #242a33; --accent: #86bce6;
      --run: #3d83b8; --run-ink: #ffffff; --wait: #e2963f; --wait-ground: #3a2a14;
      --wait-line: #76501f; --wait-ink: #ffd9a3; --queue: #6c7684; --queue-ground: #272d36;
      --queue-ink: #bcc4cf; --free: #4dbb98; --right: #64c9a5; --wrong: #f0a05f;
      --here: #1c2c3a; --cursor: #ff7aa8;
    } }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; }
    body { overflow-wrap: break-word; margin: 0 auto; max-width: 82rem; padding: clamp(1rem, 3.5vw, 3rem);
      background: var(--ground); color: var(--ink); font: 1rem/1.55 var(--sans); }
    h1 { font: 600 clamp(1.7rem, 1.1rem + 2.2vw, 2.7rem)/1.15 var(--serif); margin: .35rem 0 0;
      letter-spacing: -.012em; text-wrap: balance; }
    h2 { font: 600 1.3rem/1.3 var(--serif); margin: 0 0 .8rem; }
    h3 { font-size: .75rem; letter-spacing: .07em; text-transform: uppercase; color: var(--soft);
      margin: 1.1rem 0 .4rem; }
    section { margin-top: 2.8rem; }
    p { max-width: 68ch; margin: 0 0 .8rem; }
    code { font-family: var(--mono); font-size: .9em; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden;
      clip-path: inset(50%); white-space: nowrap; }
    .scroll { overflow-x: auto; }
    .command { color: var(--soft); margin: 0; max-width: none; overflow-wrap: anywhere; }
    .badge { display: inline-block; border: 1px solid var(--wait); color: var(--wait-ink);
      background: var(--wait-ground); border-radius: 1rem; padding: 0 .7rem; margin-left: .4rem;
      font-size: .8rem; white-space: nowrap; }
    .verdict { font: 1.2rem/1.5 var(--serif); margin: 1.1rem 0 0; padding-left: 1.1rem;
      border-left: 4px solid var(--accent); max-width: 60ch; }
    table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
    th, td { text-align: left; padding: .5rem 1.4rem .5rem 0; border-bottom: 1px solid var(--rule);
      vertical-align: baseline; }
    th:last-child, td:last-child { padding-right: 0; }
    thead th { font-size: .75rem; letter-spacing: .07em; text-transform: uppercase;
      color: var(--soft); font-weight: 600; }
    .questions { width: 100%; max-width: 54rem; }
    .questions th[scope=row] { font-weight: 400; }
    .questions small { color: var(--soft); font-size: .85em; }
    .right { color: var(--right); } .wrong { color: var(--wrong); }
    .right, .wrong { font-weight: 600; white-space: nowrap; }
    .remark { color: var(--soft); font-size: .9rem; }
    .next { background: var(--card); border: 1px solid var(--rule); border-radius: 12px;
      padding: 1.2rem 1.4rem .5rem; }
    .pair { display: grid; gap: 0 2.5rem; grid-template-columns: minmax(0, 1fr);
      align-items: start; }
    @media (min-width: 62rem) {
      .pair:has(.listing) { grid-template-columns: minmax(0, 1.35fr) minmax(0, 1fr); }
      .listing { position: sticky; top: 1rem; } }
    .tabs { display: flex; gap: .3rem; margin-bottom: .6rem; }
    .tabs button { font: 600 .9rem var(--sans); color: var(--soft); background: none;
      border: 0; border-bottom: 3px solid transparent; padding: .4rem .7rem; cursor: pointer; }
    .tabs button[aria-selected=true] { color: var(--ink); border-color: var(--accent); }
    .code { margin: 0 0 1rem; background: var(--card); border: 1px solid var(--rule);
      border-radius: 12px; overflow: hidden; }
    .code.unchosen { display: none; }
    .code figcaption { padding: .5rem 1rem; color: var(--soft); font-size: .85rem;
      border-bottom: 1px solid var(--rule); }
    .code ol { margin: 0; padding: .5rem 0; list-style: none; counter-reset: line;
      font: .84rem/1.65 var(--mono); min-width: max-content; }
    .code li { counter-increment: line; display: flex; align-items: baseline;
      padding-right: 1rem; }
    .code li::before { content: counter(line); width: 2.6rem; flex: none; text-align: right;
      padding-right: .9rem; color: var(--faint); user-select: none; }
    .code li code { white-space: pre; font-size: 1em; tab-size: 4; }
    .code b { color: var(--accent); font-weight: 600; }
    .code i { color: var(--soft); } .code s { color: var(--free); text-decoration: none; }
    .code li.here { background: var(--here); box-shadow: inset 3px 0 var(--cursor); }
    .at { margin-left: auto; padding-left: 1.2rem; display: inline-flex; gap: .25rem;
      position: sticky; right: .5rem; }
    .chip { font: 600 .72rem/1.5 var(--sans); background: var(--cursor); color: var(--card);
      border-radius: .8rem; min-width: 1.5em; padding: 0 .45em; text-align: center; }
    .events summary { cursor: pointer; font: 600 1.05rem var(--serif); padding: .3rem 0; }
    .events table { width: 100%; font-size: .85rem; margin-top: .6rem; }
    .events caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
    .events th, .events td { padding: .22rem 1rem .22rem 0; }
    .events .kind { font: .8rem var(--mono); }
    .events .current td { background: var(--here); }
    .events .scroll { max-height: 32rem; overflow: auto; }
    @media (max-width: 40rem) {
      .questions th, .questions td { padding-right: .7rem; }
      .questions thead th { letter-spacing: 0; text-transform: none; }
      .verdict { font-size: 1.08rem; }
    }
    @media print {
      body { max-width: none; padding: 0; font-size: 10pt; background: none; }
      .controls, .state, #cursor, .tabs { display: none !important; }
      .code.unchosen { display: block; }
      .code ol { min-width: 0; } .code li code { white-space: pre-wrap; }
      .code li.here { background: none; box-shadow: none; } .at { display: none; }
      section { break-inside: auto; margin-top: 1.6rem; }
      .questions, .code, .next { break-inside: avoid; }
      h2 { break-after: avoid; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }
    """
}
