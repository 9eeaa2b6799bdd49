// The steps of a start. On a terminal a running clock, and a line with its time for each step that is done; elsewhere JSON lines.

const isTerminal = process.stdout.isTTY === true;
const REDRAW_MS = 1_000;
const clearLine = "\r\x1b[K";

/** The running steps. The launcher and the bundled server each have a copy of this file, and share the terminal's last line. */
const shared = Symbol.for("pennyprompt start steps");
globalThis[shared] ??= new Set();
const running = globalThis[shared];

const seconds = (ms) => (ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);

function drawClock() {
  const parts = [...running].map(({ name, detail, startedAt }) => {
    const since = `${Math.round((performance.now() - startedAt) / 1000)} s`;
    return detail ? `${name} ${since} (${detail})` : `${name} ${since}`;
  });
  process.stdout.write(`${clearLine}… ${parts.join(" · ").slice(0, (process.stdout.columns ?? 80) - 3)}`);
}

/** Begins a step; `done` or `fail` ends it, `drop` forgets it. Several may run at once. */
export function startStep(name, detail = "") {
  const step = { name, detail, startedAt: performance.now() };
  running.add(step);
  const clock = isTerminal ? setInterval(drawClock, REDRAW_MS) : undefined;
  clock?.unref();
  if (isTerminal) drawClock();
  else writeJsonLine({ step: name, msg: `${name} started` });
  const end = () => {
    clearInterval(clock);
    return running.delete(step);
  };
  const print = (mark, msg, level) => {
    if (!end()) return;
    const ms = Math.round(performance.now() - step.startedAt);
    if (isTerminal) process.stdout.write(`${clearLine}${mark} ${name.padEnd(12)}${seconds(ms).padStart(7)}\n`);
    else writeJsonLine({ level, step: name, ms, msg: `${name} ${msg}` });
  };
  return { done: () => print("✓", "done"), fail: () => print("✗", "failed", 50), drop: () => void end() };
}

/** Runs `work` as a step. @throws what `work` throws */
export async function runStep(name, work, detail) {
  const step = startStep(name, detail);
  try {
    const result = await work();
    step.done();
    return result;
  } catch (error) {
    step.fail();
    throw error;
  }
}

function writeJsonLine({ level = 30, ...facts }) {
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), ...facts })}\n`);
}
