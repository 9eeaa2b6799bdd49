// What a second process costs a request: one client on one of two processes that share a database and count limits in Redis,
// against the same client on a process that counts them in its own memory.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { measureWithBooks } from "./books.mjs";
import { median } from "./figures.mjs";
import { measure } from "./load.mjs";
import { REST_CORE } from "./machine.mjs";
import { startRaw } from "./peers.mjs";
import { freePort, startProcess } from "./processes.mjs";
import { deleteSandbox, seedSandbox, startBeside, startService } from "./service.mjs";

export async function benchTwoProcesses(room, { upstream, directory, cache, pace, say }) {
  const dataDir = join(cache, `two-processes-${process.pid}`);
  room.onClose(() => deleteSandbox(dataDir));
  await seedSandbox(dataDir, { charges: 10, upstream, cache });
  const raw = await startRaw(room, { upstream, directory });
  const service = await startService(room, { dataDir, upstream, directory });
  const settings = { REDIS_URL: await startRedis(room, directory) };
  const first = await startBeside(room, { service, upstream, directory, name: "ours-first-of-two", settings });
  await startBeside(room, { service, upstream, directory, name: "ours-second-of-two", settings });
  const contestants = [
    [raw, measure],
    [service.inTurn, measureWithBooks],
    [first, measureWithBooks],
  ];
  const take = ([contestant, how], seconds, tries) =>
    how(contestant, { connections: 1, seconds, directory, upstream, tries, check: false });
  say("warming up");
  for (const one of contestants) await take(one, pace.warmUpSeconds, 1);
  const rounds = [];
  for (let number = 1; number <= pace.contest.rounds; number++) {
    const round = {};
    for (const one of contestants) round[one[0].name] = (await take(one, pace.contest.aloneSeconds, pace.tries)).p50Ms;
    say(
      `round ${number}: p50 ${Object.entries(round)
        .map(([name, ms]) => `${name} ${ms} ms`)
        .join(", ")}`,
    );
    rounds.push(round);
  }
  const added = (round, name) => round[name] - round.raw;
  const ratio = median(rounds.map((round) => added(round, first.name) / added(round, service.inTurn.name)));
  return { figures: { two_processes_added_p50_ratio: ratio }, raw: { rounds } };
}

async function startRedis(room, directory) {
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--save", "", "--appendonly", "no"];
  startProcess(room, {
    name: "redis",
    command: "redis-server",
    args,
    core: REST_CORE,
    env: process.env,
    logFile: join(directory, "redis.log"),
  });
  await sleep(500);
  return `redis://127.0.0.1:${port}`;
}
