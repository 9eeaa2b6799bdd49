// Does the ledger slow down as it grows? The same load on a ledger of ten charges and on one of five million, in turn.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkLedger, firstCheckOver, measureWithBooks } from "./books.mjs";
import { median } from "./figures.mjs";
import { openRoom } from "./processes.mjs";
import { deleteSandbox, root, seedSandbox, startService } from "./service.mjs";

const SMALL = 10;
const BIG = 5_000_000;
const CONNECTIONS = 64;

export async function benchBigLedger(room, { upstream, directory, cache, pace, say }) {
  const big = join(cache, "big-ledger");
  await prepareBig(big, { upstream, cache, say });
  const rounds = [];
  for (let number = 1; number <= pace.rounds; number++) {
    // Resources per round: a small ledger does not stay small.
    const inside = openRoom();
    room.onClose(inside.close);
    const small = join(cache, `small-ledger-${process.pid}`);
    inside.onClose(() => deleteSandbox(small));
    await seedSandbox(small, { charges: SMALL, upstream, cache });
    const services = {
      small: await startService(inside, { dataDir: small, upstream, directory, name: "small" }),
      big: await startService(inside, { dataDir: big, upstream, directory, name: "big" }),
    };
    await firstCheckOver(services.big);
    const measured = {};
    const order = number % 2 === 1 ? ["small", "big"] : ["big", "small"];
    const load = { connections: CONNECTIONS, directory, upstream, check: false };
    for (const size of order) await measureWithBooks(services[size].wallets, { ...load, seconds: pace.warmUpSeconds, tries: 1 });
    for (const size of order)
      measured[size] = await measureWithBooks(services[size].wallets, { ...load, seconds: pace.seconds, tries: pace.tries });
    say(`round ${number}: small ${Math.round(measured.small.perSecond)}/s, big ${Math.round(measured.big.perSecond)}/s`);
    checkLedger(services.small);
    if (number === pace.rounds) checkLedger(services.big);
    await inside.close();
    rounds.push(measured);
  }
  const ratio = median(rounds.map((round) => round.big.perSecond / round.small.perSecond));
  return { figures: { big_ledger_ratio: ratio }, raw: { rounds } };
}

/** The big ledger is created once (some minutes, about 4 GB) and kept until its inputs change. */
async function prepareBig(dataDir, { upstream, cache, say }) {
  const madeFrom = fingerprint();
  const stamp = join(dataDir, "made-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === madeFrom) return;
  say(`making a ledger of ${BIG.toLocaleString("en")} charges (once)`);
  deleteSandbox(dataDir);
  mkdirSync(dataDir, { recursive: true });
  await seedSandbox(dataDir, { charges: BIG, upstream, cache });
  writeFileSync(stamp, madeFrom);
}

function fingerprint() {
  const hash = createHash("sha256");
  const folder = join(root, "prisma");
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => join(folder, name));
  for (const path of [...files, join(root, "bench/seed.ts"), join(root, "lib/providers/catalogue-data.ts")])
    hash.update(readFileSync(path));
  return hash.digest("hex");
}
