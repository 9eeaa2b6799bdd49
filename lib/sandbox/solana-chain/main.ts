// The child process of the sandbox's Solana chain. It writes one line of JSON when it listens, and ends when its standard input does: when
// its parent stops it or dies. It has few imports, since it starts with every sandbox.

import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { base58 } from "@scure/base";
import { type OwnerLock, takeOwnerLock } from "@/lib/db/embedded/owner-lock";
import { Chain } from "./chain";
import { serveChain } from "./server";

const { values } = parseArgs({
  options: {
    path: { type: "string", default: "" },
    "usdc-mint": { type: "string", default: "" },
    port: { type: "string", default: "0" },
    "slot-ms": { type: "string", default: "400" },
    "finality-lag": { type: "string", default: "8" },
  },
});

const LOCK_TIMEOUT_MS = 3_000;
const LOCK_PAUSE_MS = 50;

/** Prevents two processes from writing one journal. A process whose parent was killed may take a moment to end. */
async function takeLock(folder: string): Promise<OwnerLock> {
  mkdirSync(folder, { recursive: true });
  for (let waitedMs = 0; ; waitedMs += LOCK_PAUSE_MS) {
    try {
      return takeOwnerLock(folder);
    } catch (error) {
      if (waitedMs >= LOCK_TIMEOUT_MS) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

async function main(): Promise<void> {
  const lock = await takeLock(`${values.path}.lock`);
  const chain = new Chain({
    path: values.path,
    usdcMint: values["usdc-mint"],
    finalityLag: Number(values["finality-lag"]),
  });
  const server = await serveChain(chain, Number(values.port));
  setInterval(() => {
    chain.advance();
    server.notify();
  }, Number(values["slot-ms"]));
  const end = () => {
    lock.release();
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, end);
  process.stdin.once("close", end).resume();
  // Passed over a pipe, so that neither the environment nor the command line shows the key.
  const ready = {
    port: server.port,
    genesisHash: chain.slots.genesisHash(),
    faucetAddress: chain.state.faucetAddress,
    // Seed and public key: the format of Solana's tools.
    faucetSecretKey: Buffer.concat([chain.state.faucetSeed, base58.decode(chain.state.faucetAddress)]).toString("hex"),
  };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
