// The statistics of a selection of the timeline: for each kind of rows how many parts ran in it,
// how long they were busy, waited, were suspended and were queued, and the longest of them.

/* Returns the length of the union of intervals. */
function lengthOf(intervals) {
  let [length, reached] = [0, -Infinity];
  for (const [begin, end] of intervals.sort((a, b) => a[0] - b[0])) {
    length += Math.max(0, end - Math.max(begin, reached));
    reached = Math.max(reached, end);
  }
  return length;
}

/**
 * Returns the statistics of the rows between two times, an object for each kind of rows. A row is
 * busy while it runs, and neither waits nor is suspended. `now` ends a part that has not ended.
 */
export function statistics(rows, begin, end, now) {
  const kinds = new Map();
  for (const row of rows) {
    const parts = { running: [], waiting: [], suspended: [], queued: [], holding: [] };
    const isHere = part => part.begin < end && (part.end ?? now) > begin
      || part.begin === part.end && part.begin >= begin && part.begin <= end;
    for (const part of row.parts.filter(isHere)) {
      parts[part.kind].push([Math.max(begin, part.begin), Math.min(end, part.end ?? now), part]);
    }
    const { running, waiting, suspended, queued } = parts;
    if (running.length + waiting.length + queued.length === 0) continue;
    if (!kinds.has(row.group)) {
      kinds.set(row.group, { name: row.group, count: 0, busy: 0, waiting: 0, suspended: 0,
        queued: 0, longest: 0, longestName: "" });
    }
    const kind = kinds.get(row.group);
    kind.count += running.length;
    const idle = [...waiting, ...suspended];
    kind.waiting += lengthOf(waiting);
    kind.suspended += lengthOf(suspended);
    kind.busy += running.length ? lengthOf([...running, ...idle]) - lengthOf(idle) : 0;
    kind.queued += lengthOf(queued);
    for (const [first, last, part] of running) {
      if (last - first <= kind.longest) continue;
      kind.longest = last - first;
      kind.longestName = row.group === "threads" ? part.subject : row.name;
    }
  }
  return [...kinds.values()];
}
