// The cost of refusals to other customers: the same load over a thousand wallets, alone and while a thousand accounts without money send
// requests at their rate limit.

import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { checkLedger } from "./books.mjs";
import { median } from "./figures.mjs";
import { CROWD, contest, runWrk } from "./load.mjs";
import { startService } from "./service.mjs";

const PER_MINUTE = 100;
const EVERY_MS = 5;
/** By then the refused clients have begun. */
const START_MS = 1_000;

export async function benchRefused(bench) {
  const ours = await startService(bench);
  const besideRefused = async (...run) => {
    const refused = sendRefused(ours);
    await sleep(START_MS);
    const result = await runWrk(...run);
    await refused.stop();
    return result;
  };
  const beside = { ...ours.wallets, name: "beside" };
  const rounds = await contest(bench, {
    alone: { connections: CROWD, contestants: [ours.wallets] },
    beside: { connections: CROWD, contestants: [beside], load: besideRefused },
  });
  checkLedger(ours);
  const ratio = median(rounds.map((round) => round.beside.beside.p95Ms / round.alone.ours.p95Ms));
  return { figures: { refused_p95_ratio: ratio }, raw: { rounds } };
}

/** Sends requests with keys of accounts without money, at a fixed rate, until it is stopped. Every answer must be a 402. */
function sendRefused({ origin, emptyKeys, wallets }) {
  const { path, headers, body } = wallets.plan;
  const pool = new Pool(origin, { connections: 32 });
  const perMs = (emptyKeys.length * PER_MINUTE) / 60_000;
  const startedAt = performance.now();
  let sent = 0;
  const request = async (key) => {
    const answer = await pool.request({ path, method: "POST", headers: { ...headers, authorization: `Bearer ${key}` }, body });
    await answer.body.dump();
    if (answer.statusCode !== 402) throw new Error(`An account without money was answered ${answer.statusCode}`);
  };
  const answers = [];
  const sending = setInterval(() => {
    for (const due = (performance.now() - startedAt) * perMs; sent < due; sent++) answers.push(request(emptyKeys[sent % emptyKeys.length]));
  }, EVERY_MS);
  const stop = async () => {
    clearInterval(sending);
    await Promise.all(answers);
    await pool.close();
  };
  return { stop };
}
