// The style of the timeline, its controls and the state at the cursor.

extension HTMLStyle {
  /// The chart and what moves with it.
  static let chart = """
    .run .title { display: flex; flex-wrap: wrap; justify-content: space-between;
      align-items: baseline; gap: 0 2rem; }
    .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.1rem; margin: 0 0 .6rem; padding: 0;
      font-size: .85rem; color: var(--soft); }
    .legend li { display: flex; align-items: center; gap: .4rem; }
    .run { --names: clamp(6.2rem, 17vw, 12rem); }
    .chart { display: grid; grid-template-columns: var(--names) minmax(0, 1fr);
      background: var(--card); border: 1px solid var(--rule); border-radius: 12px;
      padding: .9rem 1.1rem .6rem 0; }
    .name { display: flex; align-items: center; justify-content: flex-end; gap: .5rem;
      padding: 0 .8rem 0 .6rem; font-size: .8rem; min-width: 0; color: var(--soft); }
    .name span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .name.thread { color: var(--ink); font-weight: 600; }
    .name.task { color: var(--ink); }
    .name.heading { font-size: .7rem; font-weight: 700; letter-spacing: .09em;
      text-transform: uppercase; align-items: flex-end; padding-bottom: .3rem; }
    .name.count { flex-direction: column; align-items: flex-end; justify-content: center;
      gap: 0; line-height: 1.25; }
    .name.count span { max-width: 100%; }
    .name b { font-weight: 400; font-size: .72rem; white-space: nowrap;
      font-variant-numeric: tabular-nums; }
    .name b { max-width: 100%; overflow: hidden; text-overflow: ellipsis; }
    .name .value { font-weight: 700; color: var(--ink); } .most { margin-left: .35em; }
    .name.count > span { color: var(--ink); }
    .plot { min-width: 0; }
    #timeline { display: block; overflow: visible; cursor: crosshair; touch-action: pan-y;
      font-family: var(--sans); }
    .grid { stroke: var(--grid); }
    .tick { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
    .track { height: 1px; fill: var(--grid); }
    .bar { stroke-width: 1; }
    .bar.running { fill: var(--run); stroke: var(--run); }
    .bar.waiting { fill: url(#hatch); stroke: var(--wait); }
    .bar.suspended { fill: var(--run-ink); fill-opacity: .75; stroke: var(--run); }
    .bar.queued { fill: var(--queue-ground); stroke: var(--queue); stroke-width: .75; }
    .bar.open { stroke-dasharray: 5 3; }
    .bar.failed { stroke-width: 2; }
    .hatch-ground { fill: var(--wait-ground); } .hatch-line { fill: var(--wait-line); }
    text.running, text.waiting, text.suspended, text.queued { font-size: 11px; font-weight: 600;
      pointer-events: none; }
    text.running { fill: var(--run-ink); }
    text.waiting { fill: var(--wait-ink); paint-order: stroke; stroke: var(--wait-ground);
      stroke-width: 3px; stroke-linejoin: round; }
    text.suspended { fill: var(--run); }
    text.queued { fill: var(--queue-ink); }
    .word { pointer-events: none; } .word .narrow { display: none; }
    .point { stroke: var(--ink); stroke-width: 1.5; opacity: .55; pointer-events: none; }
    .point.signal { stroke: var(--free); opacity: 1; }
    .mark path { fill: var(--cursor); }
    .curve .line { fill: none; stroke-width: 1.6; vector-effect: non-scaling-stroke;
      stroke: var(--ink); }
    .curve .area { opacity: .13; fill: var(--ink); }
    .curve.free .line { stroke: var(--free); } .curve.free .area { fill: var(--free); }
    .curve.running .line, .curve.busy .line { stroke: var(--run); }
    .curve.running .area, .curve.busy .area { fill: var(--run); }
    .curve.waiting .line, .curve.blocked .line { stroke: var(--wait); }
    .curve.waiting .area, .curve.blocked .area { fill: var(--wait); }
    .curve.queued .line { stroke: var(--queue); } .curve.queued .area { fill: var(--queue); }
    #cursor { stroke: var(--cursor); stroke-width: 1.5; display: none; pointer-events: none; }
    .scripted #cursor { display: inline; }

    .controls { position: sticky; top: 0; z-index: 2; display: grid; align-items: center;
      grid-template-columns: auto minmax(0, 1fr); gap: .2rem .9rem; padding: .5rem 0 .3rem;
      background: var(--ground); }
    .controls[hidden] { display: none; }
    .buttons { display: flex; gap: .25rem; }
    .buttons button { width: 2.3rem; height: 2.3rem; border: 1px solid var(--rule);
      border-radius: 8px; background: var(--card); color: var(--ink); cursor: pointer;
      display: grid; place-items: center; padding: 0; }
    .buttons button:hover { border-color: var(--accent); }
    .buttons .play { background: var(--accent); border-color: var(--accent);
      color: var(--ground); }
    .buttons path { fill: currentColor; stroke: currentColor; stroke-linejoin: round; }
    #now { margin: 0; max-width: none; font-size: .92rem; font-variant-numeric: tabular-nums;
      overflow-wrap: anywhere; line-height: 1.35; min-height: 2.5em; display: grid;
      align-items: center; }
    .scrub { grid-column: 1 / -1; padding: 0 calc(1.1rem + 1px) 0 calc(var(--names) + 1px); }
    #scrubber { -webkit-appearance: none; appearance: none; display: block; height: 22px;
      width: calc(100% + 16px); margin: 0 -8px; background: none; cursor: pointer; }
    #scrubber::-webkit-slider-runnable-track { height: 4px; border-radius: 2px;
      background: var(--rule); }
    #scrubber::-moz-range-track { height: 4px; border-radius: 2px; background: var(--rule); }
    #scrubber::-webkit-slider-thumb { -webkit-appearance: none; width: 16px; height: 16px;
      margin-top: -6px; border-radius: 50%; background: var(--cursor);
      border: 2px solid var(--card); }
    #scrubber::-moz-range-thumb { width: 12px; height: 12px; border-radius: 50%;
      background: var(--cursor); border: 2px solid var(--card); }

    #counters { display: grid; gap: .5rem; margin: 0;
      grid-template-columns: repeat(auto-fill, minmax(7.8rem, 1fr)); }
    #counters div { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
      padding: .35rem .8rem; display: flex; flex-direction: column-reverse;
      justify-content: flex-end; }
    #counters dt { font-size: .75rem; color: var(--soft); overflow-wrap: anywhere;
      line-height: 1.35; }
    #counters dd { margin: 0; font: 600 1.3rem/1.2 var(--serif);
      font-variant-numeric: tabular-nums; }
    .states { list-style: none; margin: 0; padding: 0; display: grid; gap: .15rem 1.4rem;
      grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); font-size: .88rem; }
    .states li { display: flex; gap: .45rem; align-items: baseline; min-width: 0; }
    .states strong { font-weight: 600; }
    .states li > span { overflow-wrap: anywhere; min-width: 0; }
    .states.many .idle, .states.many .done { display: none; }
    #tasks { grid-template-columns: repeat(auto-fill, minmax(15.5rem, 1fr)); }
    .states .words { color: var(--soft); }
    .states .letter { flex: none; overflow-wrap: normal; width: 1.45em; height: 1.45em; line-height: 1.4; border-radius: 4px;
      text-align: center; font-size: .72rem; font-weight: 700; border: 1px solid var(--rule); }
    .states .running .letter { background: var(--run); color: var(--run-ink);
      border-color: var(--run); }
    .states .waiting .letter { color: var(--wait-ink); border-color: var(--wait);
      background: repeating-linear-gradient(135deg, var(--wait-ground) 0 4px,
        var(--wait-line) 4px 5.5px); }
    .states .suspended .letter { color: var(--run); border-color: var(--run); }
    .states .queued .letter { background: var(--queue-ground); color: var(--queue-ink);
      border-color: var(--queue); }
    .states .done .letter { color: var(--right); }
    .states .idle strong, .states .done strong { color: var(--soft); font-weight: 400; }
    @media print { .run { --names: 9.5rem; } .name .value { display: none; } }
    @media screen and (max-width: 40rem) {
      .chart { padding-right: .7rem; } .scrub { padding-right: calc(.7rem + 1px); }
      .name { font-size: .72rem; padding: 0 .5rem 0 .4rem; }
      .tick.minor, .word .wide { display: none; } .word .narrow { display: inline; }
      .scripted .most { display: none; }
      .controls { grid-template-columns: minmax(0, 1fr); }
      .legend { gap: 0 .8rem; }
    }
    """
}
