// The statistics of a part of the timeline: for each kind of rows how many jobs ran in it, how
// long they were busy, waited, were suspended and were queued, and the longest of them.

import { subjectOf } from "./rows.js";

/**
 * Returns the statistics of the rows between two times, an object for each kind of rows. The states
 * of a row follow each other, so the times of its parts add up. `now` ends a part that has not ended.
 */
export function statistics(rows, begin, end, now) {
  const kinds = new Map();
  for (const row of rows) {
    const isHere = part => part.kind !== "holding" && (part.begin < end && (part.end ?? now) > begin
      || part.begin === part.end && part.begin >= begin && part.begin <= end);
    const parts = row.parts.filter(isHere);
    if (!parts.length) continue;
    if (!kinds.has(row.group)) {
      kinds.set(row.group, { name: row.group, count: 0, running: 0, waiting: 0, suspended: 0,
        queued: 0, longest: 0, longestName: "" });
    }
    const kind = kinds.get(row.group);
    const ran = new Set();
    // The begin of each job that is here: of a job its own, of a thread those since it was idle.
    let here = new Map();
    let reached = begin;
    for (const part of parts) {
      const [first, last] = [Math.max(begin, part.begin), Math.min(end, part.end ?? now)];
      kind[part.kind] += last - first;
      if (first > reached) here = new Map();
      reached = last;
      const isJob = row.kind === "job";
      if (isJob ? part.kind === "queued" : part.kind !== "running") continue;
      const key = isJob ? row.id : `${part.subject} ${part.letter}`;
      ran.add(key);
      here.set(key, here.get(key) ?? first);
      const length = last - here.get(key);
      if (length <= kind.longest) continue;
      [kind.longest, kind.longestName] = [length, isJob ? row.name : subjectOf(part)];
    }
    kind.count += ran.size;
  }
  return [...kinds.values()];
}
