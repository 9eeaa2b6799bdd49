// The watcher killed at each of its statements, and two concurrent watchers: every deposit is credited once.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import type { Death, LastWords } from "@/lib/db/testing/death";
import { dieAtEach, type Moment, runProgram } from "@/lib/db/testing/deaths";
import { bundleProgram } from "@/lib/db/testing/programs";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createBaseWatcher } from "./base-watcher";
import { creditDeposits, reverseMissing } from "./credit";
import { LeaseLost, takeLease, underLease } from "./lease";
import {
  type Customer,
  expectAllAccountedFor,
  ONE_USDC,
  openCustomer,
  postedOf,
  startWatchedChain,
  statesOf,
  TO_SAFE,
  type WatchedChain,
} from "./testing/watched-chain";
import type { WatcherOrder } from "./testing/watcher-child";

const database = await openTestDatabase();
let program: string;
let chain: WatchedChain;
beforeAll(async () => {
  program = bundleProgram("lib/wallets/deposits/testing/watcher-child.ts");
  chain = await startWatchedChain();
});
afterAll(() => chain?.stop());
afterEach(async () => {
  await letLeaseLapse();
  await chain.mine(TO_SAFE);
  expect(await chain.watcher().tick()).toMatchObject({ outcome: "read", headLag: 0 });
  await letLeaseLapse();
  await expectAllAccountedFor(chain);
});

const letLeaseLapse = () => pool().query("UPDATE watch_lease SET until = clock_timestamp()");

async function runChild(death: Death): Promise<LastWords | null> {
  await chain.readClock();
  const place = { databaseUrl: database.url, nodeUrl: chain.url(), chainId: chain.chainId, startBlock: chain.startBlock };
  const words = await runProgram(program, { ...place, nowMs: chain.clockMs(), ...death } satisfies WatcherOrder);
  if (words) expect(words.outcome).toBe("read");
  return words;
}

/** Runs watchers that die one after the other. Resolves with their number. */
async function watchAndDie(moment: Moment, prepare: () => Promise<void>): Promise<number> {
  const live = async (death: Death) => {
    await prepare();
    const words = await runChild(death);
    await letLeaseLapse();
    return words;
  };
  return dieAtEach({ name: `watcher of Base ${moment}`, moments: [moment], least: 16, live });
}

test("a watcher killed before its statements leaves nothing uncredited and nothing credited twice", async () => {
  const [customer, small] = [await openCustomer(), await openCustomer()];
  const rounds = await watchAndDie("before", async () => {
    await chain.mint(customer.address, 2n * ONE_USDC);
    await chain.mint(small.address, 300_000n);
    await chain.mine(TO_SAFE - 1);
  });
  await chain.mine(TO_SAFE);
  expect(await chain.watcher().tick()).toMatchObject({ outcome: "read" });
  expect(await statesOf(customer)).toEqual(Array.from({ length: rounds }, () => "credited"));
  expect(await postedOf(customer)).toBe(BigInt(rounds) * 2_000_000_000n);
  const kept = (await statesOf(small)).filter((state) => state === "below_minimum").length;
  expect(await postedOf(small)).toBe(BigInt(rounds - kept) * 300_000_000n);
  expect(kept).toBeLessThan(4);
}, 240_000);

test("a watcher killed after sending the statements of a reorganisation reverses a vanished deposit once", async () => {
  const [gone, stays] = [await openCustomer(), await openCustomer()];
  const watcher = chain.watcher();
  const rounds = await watchAndDie("unseen", async () => {
    await chain.mint(stays.address, ONE_USDC);
    await watcher.tick();
    await chain.mint(gone.address, 2n * ONE_USDC);
    await chain.mine(TO_SAFE);
    // Completes what the previous child left undone.
    expect(await watcher.tick()).toMatchObject({ outcome: "read" });
    expect(await postedOf(gone)).toBe(2_000_000_000n);
    await watcher.release();
    await chain.reorg(TO_SAFE + 1);
    await chain.mine(1);
  });
  await chain.mine(TO_SAFE);
  expect(await watcher.tick()).toMatchObject({ outcome: "read" });
  await watcher.release();
  expect(await statesOf(gone)).toEqual(Array.from({ length: rounds }, () => "reversed"));
  expect(await postedOf(gone)).toBe(0n);
  expect(await postedOf(stays)).toBe(BigInt(rounds) * 1_000_000_000n);
}, 240_000);

test("of two concurrent watchers one works; when it dies or stops, the other takes over, and each deposit is credited once", async () => {
  const [one, other] = [chain.watcher(), chain.watcher()];
  const customers: Customer[] = [];
  for (let round = 0; round < 6; round++) {
    const customer = await openCustomer();
    customers.push(customer);
    await chain.mint(customer.address, ONE_USDC);
    await chain.mine(TO_SAFE);
    const reports = await Promise.all([one.tick(), other.tick(), one.tick(), other.tick()]);
    expect(reports.some(({ outcome }) => outcome === "read")).toBe(true);
    if (round % 2 === 1) await letLeaseLapse();
    if (round === 2) await Promise.all([one.release(), other.release()]);
  }
  await chain.mine(TO_SAFE);
  await Promise.all([one.tick(), other.tick()]);
  await Promise.all([one.tick(), other.tick()]);
  for (const customer of customers) expect([await statesOf(customer), await postedOf(customer)]).toEqual([["credited"], 1_000_000_000n]);
  await Promise.all([one.release(), other.release()]);
});

test("a watcher that lost its lease cannot write at any step", async () => {
  const stale = await takeLease({ chain: "base", holder: "paused", seconds: 60 });
  if (!stale) throw new Error("nobody else has the lease");
  expect(await takeLease({ chain: "base", holder: "next", seconds: 60 })).toBeNull();
  await letLeaseLapse();
  const next = await takeLease({ chain: "base", holder: "next", seconds: 60 });
  expect(next?.fence).toBeGreaterThan(stale.fence);
  await expect(underLease(stale, async () => "written")).rejects.toThrow(LeaseLost);
  await expect(creditDeposits(stale, [])).rejects.toThrow(LeaseLost);
  await expect(reverseMissing(stale, 0)).rejects.toThrow(LeaseLost);
  if (next) expect(await underLease(next, async () => "written")).toBe("written");
});

test("a lapsed lease that was not taken lets its holder write, which renews it", async () => {
  const slow = await takeLease({ chain: "base", holder: "slow", seconds: 60 });
  if (!slow) throw new Error("nobody else has the lease");
  await letLeaseLapse();
  expect(await underLease(slow, async () => "written")).toBe("written");
  expect(await takeLease({ chain: "base", holder: "next", seconds: 60 })).toBeNull();
  for (const write of [() => creditDeposits(slow, []), () => reverseMissing(slow, 0)]) {
    await letLeaseLapse();
    await write();
    expect(await takeLease({ chain: "base", holder: "next", seconds: 60 })).toBeNull();
  }
});

test("a watcher whose lease is taken during a tick stops, and the next one does the rest", async () => {
  const customer = await openCustomer();
  await chain.mint(customer.address, 3n * ONE_USDC);
  await chain.mine(TO_SAFE);
  await chain.readClock();
  let calls = 0;
  const slow = {
    ...chain.nodes,
    callFirst: async <T>(use: Parameters<typeof chain.nodes.callFirst<T>>[0]): Promise<T> => {
      calls += 1;
      // The calls are for the head, the cursor's block and the range: during the last, another watcher takes the lease.
      if (calls === 3) {
        await letLeaseLapse();
        expect(await takeLease({ chain: "base", holder: "thief", seconds: 60 })).not.toBeNull();
      }
      return chain.nodes.callFirst(use);
    },
  };
  const watcher = createBaseWatcher({ nodes: slow, startBlock: chain.startBlock });
  expect(await watcher.tick()).toEqual({ outcome: "elsewhere" });
  expect(await statesOf(customer)).toEqual([]);
  await letLeaseLapse();
  expect(await chain.watcher().tick()).toMatchObject({ outcome: "read", found: 1, credited: 1 });
  expect(await postedOf(customer)).toBe(3_000_000_000n);
});
