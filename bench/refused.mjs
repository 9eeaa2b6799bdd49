// What refusals cost other customers: the same load over a thousand wallets, alone and while a thousand accounts without money send
// requests at their rate limit.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { measureWithBooks } from "./books.mjs";
import { median } from "./figures.mjs";
import { REST_CORE } from "./machine.mjs";
import { startProcess } from "./processes.mjs";
import { deleteSandbox, seedSandbox, startService } from "./service.mjs";

const CONNECTIONS = 64;
const PER_MINUTE = 100;
/** By then the refused clients have begun; their client's own start would burden the shared core. */
const START_MS = 1_000;

const client = fileURLToPath(new URL("./refused-client.mjs", import.meta.url));

export async function benchRefused(room, { upstream, directory, cache, pace, say }) {
  const dataDir = join(cache, `refused-${process.pid}`);
  room.onClose(() => deleteSandbox(dataDir));
  await seedSandbox(dataDir, { charges: 10, upstream, cache });
  const ours = await startService(room, { dataDir, upstream, directory });
  const measure = (seconds) =>
    measureWithBooks(ours.wallets, { connections: CONNECTIONS, seconds, directory, upstream, tries: 1, check: false });
  say("warming up");
  await measure(pace.warmUpSeconds);
  const rounds = [];
  for (let number = 1; number <= pace.rounds; number++) {
    const alone = await measure(pace.seconds);
    const refused = startRefused(room, ours, directory);
    await sleep(START_MS);
    const beside = await measure(pace.seconds);
    await refused.stop();
    rounds.push({ alone, beside });
    say(`round ${number}: p95 ${alone.p95Ms} ms alone, ${beside.p95Ms} ms beside the refused`);
  }
  await ours.stop();
  return { figures: { refused_p95_ratio: median(rounds.map(({ alone, beside }) => beside.p95Ms / alone.p95Ms)) }, raw: { rounds } };
}

function startRefused(room, { origin, emptyKeys, wallets }, directory) {
  const { path, headers, body } = wallets.plan;
  const plan = { origin, path, headers, body, keys: emptyKeys, perSecond: (emptyKeys.length * PER_MINUTE) / 60 };
  const planFile = join(directory, "refused.plan.json");
  writeFileSync(planFile, JSON.stringify(plan));
  return startProcess(room, {
    name: "refused",
    command: process.execPath,
    args: [client, planFile],
    core: REST_CORE,
    env: process.env,
    logFile: join(directory, "refused.log"),
  });
}
