// How long a developer waits: a second start, from the command to a model's first answer, on all cores.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "./figures.mjs";
import { ALL_CORES } from "./machine.mjs";
import { freePort, waitUntil } from "./processes.mjs";
import { launch, openDirectory } from "./service.mjs";

export async function benchStart(bench) {
  const dataDir = openDirectory(bench, "start");
  const port = await freePort();
  const starts = [];
  // The first start creates the database and is not measured.
  for (let number = 0; number <= bench.pace.repeats; number++) {
    const startedAt = performance.now();
    const server = launch(bench, { name: "start", port, dataDir, core: ALL_CORES, settings: { SANDBOX_REAL_MODELS: "" } });
    await waitUntil(server, () => answers(dataDir, port), { everyMs: 10 });
    const seconds = (performance.now() - startedAt) / 1000;
    await server.stop();
    bench.say(`start ${number + 1}: ${seconds.toFixed(2)} s`);
    if (number > 0) starts.push(seconds);
  }
  return { figures: { start_s: median(starts) }, raw: { starts } };
}

/** True when the demo key gets a model's answer. */
async function answers(dataDir, port) {
  const { apiKey } = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8"));
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/prompt`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4-turbo", prompt: "Hello" }),
  });
  await answer.text();
  return answer.status === 200;
}
