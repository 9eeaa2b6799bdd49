// The payout job killed at each of its statements, on both chains: every withdrawal is paid once, booked once, and none is lost.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { buildSync } from "esbuild";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { WithdrawalId } from "@/lib/base/ids";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { readHead } from "@/lib/chains/evm/head";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { runRelay } from "@/lib/relay/run";
import { signer } from "../signer";
import { deriveTokenAccount } from "../token-account";
import { checkWithdrawals } from "./check";
import { payWithdrawals } from "./pay-withdrawals";
import type { PayoutOrder } from "./testing/payout-child";
import { newOwner, ordered, startWorld, type TestOwner, USD, type World } from "./testing/world";
import { readBaseFunds, readSolanaFunds } from "./treasury-funds";
import { findWithdrawal } from "./withdrawal";

const database = await openTestDatabase();
const program = resolve("node_modules/.cache/pennyprompt", `payout-child-${randomBytes(6).toString("hex")}.mjs`);
let world: World;
beforeAll(async () => {
  buildSync({
    entryPoints: ["lib/wallets/withdrawals/testing/payout-child.ts"],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias: { "@": resolve(".") },
  });
  world = await startWorld();
  await world.fillTreasury("base", 5_000_000_000n);
  await world.fillTreasury("solana", 5_000_000_000n);
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(5_000n * USD), { timeout: 10_000 });
  await vi.waitFor(async () => expect(await readSolanaFunds()).toBe(5_000n * USD), { timeout: 10_000 });
}, 60_000);
afterAll(async () => {
  rmSync(program, { force: true });
  await world?.stop();
});

/** What the child said before it ended; null when it was killed. */
function runChild(killAt: number, sent: boolean): string | null {
  const order: PayoutOrder = {
    databaseUrl: database.url,
    words: world.words,
    evmUrl: world.evm.url(),
    solanaUrl: world.solana.url,
    genesisHash: world.solana.genesisHash,
    killAt,
    sent,
  };
  const child = spawnSync(process.execPath, [program, JSON.stringify(order)], {
    encoding: "utf8",
    env: { ...process.env, LOG_LEVEL: "silent", MODE: "sandbox" },
  });
  expect(child.stderr).toBe("");
  return child.signal === "SIGKILL" ? null : child.stdout.trim();
}

async function usdcOf({ evm, solana }: TestOwner): Promise<[base: bigint, solana: bigint]> {
  const latest = await findBlock("latest");
  const [base = 0n] = await readBalances({ token: world.evm.usdc, accounts: [evm.address as Hex], blockHash: latest?.hash ?? "0x" });
  const account = deriveTokenAccount(solana.address, signer().usdcMint);
  return [base, (await readTokenBalances(solanaNodes(), [account])).get(account)?.value ?? 0n];
}

async function expectPaid(ids: readonly WithdrawalId[]): Promise<void> {
  await vi.waitFor(
    async () => {
      await payWithdrawals();
      await runRelay({ resendAfterMs: 0 });
      for (const id of ids) expect(await findWithdrawal(id)).toMatchObject({ state: "final" });
    },
    { timeout: 40_000, interval: 100 },
  );
}

// Before one statement is as good as after the one that precedes it: the two take turns.
test.each([
  ["before a statement", false, 1],
  ["when a statement is sent and its answer unseen", true, 2],
])(
  "a job killed %s, at one after the other, pays each withdrawal once",
  async (_when, sent, first) => {
    const owner = await newOwner(1_000n * USD);
    const ids: WithdrawalId[] = [];
    let spent = 0n;
    for (let killAt = first; ; killAt += 2) {
      for (const chain of ["base", "solana"] as const) {
        const id = await ordered(owner, { chain, amount: 1n * USD });
        ids.push(id);
        spent += 1n * USD + ((await findWithdrawal(id))?.fee ?? 0n);
      }
      const said = runChild(killAt, sent);
      if (said !== null) {
        expect(said).toBe("done");
        expect(killAt).toBeGreaterThan(20);
        break;
      }
      // What a dead one left is for the next; only what it held of the database must be free again.
      await pool().query("UPDATE withdrawal SET requested_at = requested_at - interval '25 hours'");
      if (ids.length % 8 === 0) await expectPaid(ids);
    }
    await expectPaid(ids);
    const each = BigInt(ids.length / 2) * 1_000_000n;
    await vi.waitFor(async () => expect(await usdcOf(owner)).toEqual([each, each]), { timeout: 10_000 });
    expect((await readBalance(owner.accountId)).posted).toBe(1_000n * USD - spent);
    expect([await checkLedger(), await checkWithdrawals()]).toEqual([[], []]);
  },
  400_000,
);
