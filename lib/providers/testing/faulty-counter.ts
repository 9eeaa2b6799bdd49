// For tests: a counting thread that fails as the first text of a job tells it to.

import { setTimeout as sleep } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import type { CountJob } from "../token-count/count";

parentPort?.on("message", async ({ groups }: CountJob) => {
  const [text = ""] = groups[0] ?? [];
  if (text === "exits") process.exit(1);
  if (text === "throws") throw new Error("as it was told");
  if (text === "hangs") for (;;) Math.random();
  if (text === "waits") await sleep(60_000);
  parentPort?.postMessage([...groups, []].map(() => ({ ascii: text.length, beyondAscii: 0 })));
});
