// How soon a running sandbox credits deposits that are safe on its chain: sends deposits at irregular times, and records when each
// one's block is safe and when its money is credited. Bundled by the bench and run as `node … <chain> <number of deposits>` with
// DATA_DIR and DATABASE_URL set.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { baseChainId } from "@/lib/chains/evm/base";
import { createNode } from "@/lib/chains/evm/node";
import { quantity } from "@/lib/chains/evm/wire";
import { createMinter } from "@/lib/sandbox/evm-chain/minter";
import { openSecrets, readSandboxFile } from "@/lib/sandbox/secrets";
import { requestUsdc } from "@/lib/sandbox/solana-chain/process";
import { quantile } from "./chains-database";

const ONE_USDC = 1_000_000n;
const LOOK_EVERY_MS = 10;
const MAX_WAIT_MS = 60_000;
const MAX_APART_MS = 2_500;

interface BenchChain {
  /** Up to this height deposits may be credited. */
  readSafe: () => Promise<number>;
  send: (units: bigint) => Promise<unknown>;
}

const dataDir = process.env.DATA_DIR ?? "";
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });

function openBase(url: string, to: string): BenchChain {
  const node = createNode({ url, name: "the bench's node", timeoutMs: 5_000 });
  const minter = createMinter(openSecrets(dataDir).chainKeys.minter as Hex, baseChainId());
  return {
    readSafe: async () => (await node.call("eth_getBlockByNumber", ["safe", false], z.object({ number: quantity }))).number,
    send: (units) => minter.mint(node, to as Hex, units),
  };
}

function openSolana(url: string, to: string): BenchChain {
  const slot = z.object({ result: z.number() });
  return {
    readSafe: async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getSlot", params: [{ commitment: "finalized" }] });
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      return slot.parse(await answer.json()).result;
    },
    send: (units) => requestUsdc(url, to, units),
  };
}

const sandboxChains = z.object({ rpc: z.object({ base: z.string(), solana: z.string() }) });

async function openChain(name: string): Promise<BenchChain> {
  const { rpc } = sandboxChains.parse(readSandboxFile(dataDir));
  // Only addresses that an owner has seen are watched.
  const { rows } = await client.query<{ base: string; solana: string }>(
    `UPDATE custodial_wallet SET shown_at = coalesce(shown_at, now())
     WHERE account_id = (SELECT account_id FROM custodial_wallet ORDER BY account_id LIMIT 1)
     RETURNING base_address AS base, solana_owner AS solana`,
  );
  const [to] = rows;
  if (!to) throw new Error("The sandbox has no account with an address.");
  return name === "base" ? openBase(rpc.base, to.base) : openSolana(rpc.solana, to.solana);
}

/** Calls `look` repeatedly until it returns true. */
async function watch(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await sleep(LOOK_EVERY_MS);
}

async function measure(name: string, count: number) {
  const chain = await openChain(name);
  const safeAtMs: { height: number; atMs: number }[] = [];
  const credited = new Map<string, { block: number; atMs: number }>();
  const untilMs = performance.now() + count * MAX_APART_MS + MAX_WAIT_MS;
  const isOver = () => credited.size >= count || performance.now() > untilMs;
  const seeSafe = async () => {
    const height = await chain.readSafe();
    if (height > (safeAtMs.at(-1)?.height ?? -1)) safeAtMs.push({ height, atMs: performance.now() });
    return isOver();
  };
  const seeCredits = async () => {
    const { rows } = await client.query<{ id: string; block: number }>(
      "SELECT id, block FROM deposit WHERE chain = $1 AND state = 'credited'",
      [name],
    );
    const atMs = performance.now();
    for (const { id, block } of rows) if (!credited.has(id)) credited.set(id, { block, atMs });
    return isOver();
  };
  const sendAll = async () => {
    // All amounts differ, so that each deposit can be identified.
    for (let sent = 0; sent < count; sent++) {
      await chain.send(ONE_USDC + BigInt(sent));
      await sleep(Math.random() * MAX_APART_MS);
    }
  };
  await seeSafe();
  await Promise.all([watch(seeSafe), watch(seeCredits), sendAll()]);
  if (credited.size < count) throw new Error(`${credited.size} of ${count} deposits on ${name} were credited.`);
  // A deposit seen as safe and as credited at the same time was credited at once.
  const waits = [...credited.values()].map(({ block, atMs }) => {
    const safe = safeAtMs.find(({ height }) => height >= block);
    return Math.max(0, (atMs - (safe?.atMs ?? atMs)) / 1_000);
  });
  return { p50S: quantile(waits, 0.5), p95S: quantile(waits, 0.95), mostS: Math.max(...waits) };
}

const [name = "base", count = "20"] = process.argv.slice(2);
await client.connect();
process.stdout.write(`${JSON.stringify(await measure(name, Number(count)))}\n`);
process.exit(0);
