// The run's output: one line per step, failures in full, and the counts as its very last line.

import { createTimes } from "./parts.mjs";

/** Counts of a run, and its lines. In CI nothing may be skipped. */
export function createReport() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const begun = Date.now();
  let ended = false;

  const seconds = (since) => `${((Date.now() - since) / 1_000).toFixed(1)} s`;
  const say = (step, text) => console.log(`${step.padEnd(10)} ${text}`);

  const times = createTimes(say);
  return {
    counts,
    times,
    say,
    add(more) {
      for (const name of Object.keys(counts)) counts[name] += more[name] ?? 0;
    },
    pass(step, since) {
      counts.passed += 1;
      say(step, `passed (${seconds(since)})`);
    },
    /** `output` is shown up to 120 lines, from its start, where a tool reports the problem. `cure` comes after it. */
    fail(step, output, cure) {
      counts.failed += 1;
      const lines = output.trimEnd().split("\n");
      const rest = lines.length > 120 ? [`… and ${lines.length - 120} more lines`] : [];
      const shown = [...lines.slice(0, 120), ...rest].map((line) => `  ${line}`.trimEnd());
      say(step, `FAILED\n${shown.join("\n")}${cure ? `\n${"".padEnd(11)}${cure}` : ""}`);
    },
    /** Prints the last line, once, and returns the exit code. */
    end() {
      if (ended) return process.exitCode ?? 1;
      ended = true;
      if (isCi() && counts.skipped > 0) {
        say("skipped", `${counts.skipped} did not run, and CI allows none: install what they need`);
        counts.failed += counts.skipped;
        counts.skipped = 0;
      }
      const nothing = counts.passed + counts.failed === 0;
      if (nothing) say("nothing", "ran");
      times.print();
      say("time", seconds(begun));
      console.log(`${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}`);
      return counts.failed > 0 || nothing ? 1 : 0;
    },
  };
}

const isCi = () => !["", "0", "false", undefined].includes(process.env.CI);
