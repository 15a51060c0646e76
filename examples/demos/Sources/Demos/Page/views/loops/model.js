// The rows of a loop, and the time that a machine with known costs takes for them.
//
// The iterations are those of Models/LoopBody.swift. The schedule is that of the simulated machine:
// each core takes the next block, and the second one begins late.

/** The costs of the simulated machine in ns: SimulatedMachine.swift tells where they are from. */
export const costs = { block: 120, wake: 40000, iteration: 2.6 };
export const limit = 32;

function escape(real, imaginary, most) {
  let [x, y, count] = [0, 0, 0];
  while (count < most && x * x + y * y <= 4) {
    [x, y] = [x * x - y * y + real, 2 * x * y + imaginary];
    count += 1;
  }
  return count;
}

/** Returns the iterations of each point of a row; those of an even row are one number. */
export function pointsOf(kind, row, rows, size) {
  const height = (row + 0.5) / rows;
  if (kind === "even") return [escape(-0.1, height / 1e3, size)];
  return Array.from({ length: size }, (_, column) =>
    escape(-2.2 + 2.9 * (column + 0.5) / size, 1.3 - 1.4 * height, limit));
}

/** Returns the strides of a curve: the powers of four, half of the rows, all rows, and one more. */
export function stridesOf(rows, own = rows) {
  const powers = Array.from({ length: 7 }, (_, index) => 4 ** index).filter(power => power < rows / 2);
  return [...new Set([...powers, Math.max(1, Math.floor(rows / 2)), rows, own])]
    .sort((one, other) => one - other);
}

/**
 * Returns the time of a loop whose rows take so many ns each, with its parts: those of an average
 * core, in ns. `blocks` are the core, the begin and the end of each block. A stride of 0 is the plain
 * loop.
 */
export function timeOf(rows, stride, cores) {
  const sum = part => part.reduce((sum, row) => sum + row, 0);
  const free = Array.from({ length: cores }, (_, core) => core ? costs.wake : 0);
  const blocks = [];
  for (let first = 0; first < rows.length; first += stride || rows.length) {
    const core = stride ? free.indexOf(Math.min(...free)) : 0;
    const begin = free[core] + (stride ? costs.block : 0);
    free[core] = begin + sum(stride ? rows.slice(first, first + stride) : rows);
    blocks.push({ core, begin, end: free[core] });
  }
  const time = Math.max(...blocks.map(({ end }) => end));
  const [work, handing] = [sum(rows) / cores, stride ? blocks.length * costs.block / cores : 0];
  return { stride, time, work, handing, idle: time - work - handing, blocks };
}
