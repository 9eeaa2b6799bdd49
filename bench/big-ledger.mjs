// Does the ledger slow down as it grows? The same load on a ledger of ten charges and on one of five million (quick: a hundred thousand), in turn.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkLedger, firstCheckOver } from "./books.mjs";
import { median } from "./figures.mjs";
import { CROWD, measure } from "./load.mjs";
import { openRoom } from "./processes.mjs";
import { deleteSandbox, root, seedSandbox, startService } from "./service.mjs";

export async function benchBigLedger(bench) {
  const big = await prepareBig(bench);
  const rounds = [];
  while (rounds.length < Math.ceil(bench.pace.rounds / 2)) {
    // Resources per round: a small ledger does not stay small.
    const room = openRoom();
    bench.room.onClose(room.close);
    const inside = { ...bench, room };
    const services = [await startService(inside, { name: "small" }), await startService(inside, { name: "big", dataDir: big })];
    await firstCheckOver(services[1]);
    const order = rounds.length % 2 === 0 ? services : services.toReversed();
    const measured = {};
    for (const { wallets } of order) await measure(bench, wallets, { connections: CROWD, seconds: bench.pace.warmUpSeconds });
    for (const { name, wallets } of order) measured[name] = await measure(bench, wallets, { connections: CROWD, seconds: 8 });
    bench.say(`small ${Math.round(measured.small.perSecond)}/s, big ${Math.round(measured.big.perSecond)}/s`);
    for (const one of services) checkLedger(one);
    await room.close();
    rounds.push(measured);
  }
  return { figures: { big_ledger_ratio: median(rounds.map(({ big, small }) => big.perSecond / small.perSecond)) }, raw: { rounds } };
}

/** The big ledger is created once (five million: some minutes, about 4 GB) and kept until its inputs change. */
async function prepareBig(bench) {
  const charges = bench.pace.bigLedger;
  const dataDir = join(bench.cache, `big-ledger-${charges}`);
  const madeFrom = fingerprint();
  const stamp = join(dataDir, "made-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === madeFrom) return dataDir;
  bench.say(`making a ledger of ${charges.toLocaleString("en")} charges (once)`);
  deleteSandbox(dataDir);
  mkdirSync(dataDir, { recursive: true });
  await seedSandbox(bench, dataDir, charges);
  writeFileSync(stamp, madeFrom);
  return dataDir;
}

function fingerprint() {
  const hash = createHash("sha256");
  const sql = readdirSync(join(root, "prisma"), { recursive: true }).filter((name) => name.endsWith(".sql"));
  const files = [...sql.sort().map((name) => `prisma/${name}`), "bench/seed.ts", "lib/providers/catalogue-data.ts"];
  for (const path of files) hash.update(readFileSync(join(root, path)));
  return hash.digest("hex");
}
