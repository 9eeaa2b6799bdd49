// The steps of a start, as a person follows them: each with the time it takes, which counts up on a terminal.

const seconds = (startedAt) => ((performance.now() - startedAt) / 1000).toFixed(1);
const isTerminal = () => process.stdout.isTTY === true;
/** Back to the line's start, and nothing on it. */
const CLEAR = "\r\u001b[K";

/**
 * Runs `work` as a step of the start, and prints its time at the end. What it throws goes on to the caller.
 * @template T
 * @param {string} title for people: "Installing packages"
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const startedAt = performance.now();
  const draw = () => process.stdout.write(`${CLEAR}  ${title}… ${Math.floor((performance.now() - startedAt) / 1000)} s`);
  if (isTerminal()) draw();
  else process.stdout.write(`  ${title}…\n`);
  const clock = isTerminal() ? setInterval(draw, 1_000).unref() : undefined;
  let mark = "✗";
  try {
    const result = await work();
    mark = "✓";
    return result;
  } finally {
    clearInterval(clock);
    process.stdout.write(`${isTerminal() ? CLEAR : ""}${mark} ${title}, ${seconds(startedAt)} s\n`);
  }
}
