// The relay killed at each of its statements, and several processes at once: one id is one transaction, and none is lost.

import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import type { Death, LastWords } from "@/lib/db/testing/death";
import { dieAtEach, type Moment, runProgram } from "@/lib/db/testing/deaths";
import { bundleProgram } from "@/lib/db/testing/programs";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { storeCall } from "./calls";
import { readMinedNonces } from "./nonces";
import { findRelayed, getRelayed } from "./relayed";
import type { RelayOrder } from "./testing/relay-child";
import { noncesOf, type RelayedChain, startRelayedChain, TO_FINAL } from "./testing/relayed-chain";

const database = await openTestDatabase();
let program: string;
let chain: RelayedChain;
beforeAll(async () => {
  program = bundleProgram("lib/relay/testing/relay-child.ts");
  chain = await startRelayedChain();
});
afterAll(() => chain?.stop());

async function runChild(wanted: Pick<RelayOrder, "ids" | "receiver"> & Partial<RelayOrder>): Promise<LastWords | null> {
  await chain.readClock();
  const order: RelayOrder = {
    databaseUrl: database.url,
    nodeUrl: chain.url(),
    chainId: chain.chainId,
    relayerKey: chain.key,
    nowMs: chain.clockMs(),
    rollBackFirst: false,
    rounds: 0,
    killAt: 0,
    sent: false,
    ...wanted,
  };
  return runProgram(program, order);
}

async function balanceOf(receiver: Hex): Promise<bigint> {
  const latest = await findBlock("latest", chain.nodes);
  const [units = -1n] = await readBalances({ token: chain.usdc, accounts: [receiver], blockHash: latest?.hash ?? "0x" }, chain.nodes);
  return units;
}

async function expectNoGap(): Promise<void> {
  const nonces = await noncesOf(chain);
  expect(nonces).toEqual(nonces.map((_, index) => index));
  const [agreed, pending] = [nonces.length, nonces.length];
  expect(await readMinedNonces(chain.relayer.address, chain.nodes)).toMatchObject({ agreed, pending });
}

/** Recovers as the caller does after a restart: it stores the same id again, and the job's rounds continue. */
async function recover(id: string, receiver: Hex): Promise<void> {
  const prepared = await chain.prepare({ to: chain.usdc, data: encodeTransfer(receiver, 1n) });
  await inTransaction((transaction) => storeCall(id, prepared, transaction));
  await chain.client.setAutomine(true);
  await chain.round();
  await chain.mine(1);
  await chain.round();
  await chain.mine(TO_FINAL);
  await chain.round();
  await chain.round();
  expect(await getRelayed(id)).toMatchObject({ state: "succeeded", isFinal: true });
  expect(await balanceOf(receiver)).toBe(1n);
  await expectNoGap();
}

/** Runs of a process that stores one id, sends it and relays it for `rounds` rounds. Resolves with the number of runs. */
async function relayAndDie(moment: Moment, rounds: number, prepare: () => Promise<void>): Promise<number> {
  let life = 0;
  const live = async (death: Death) => {
    life += 1;
    const [id, receiver] = [`${moment} ${life}`, newAddress()];
    await prepare();
    const words = await runChild({ ids: [id], receiver, rounds, ...death });
    await recover(id, receiver);
    return words;
  };
  return dieAtEach({ name: `relay ${moment}`, moments: [moment], least: 40, live });
}

test("killed with -9 before its statements, from storing to sending to raising fees: one id is one transaction", async () => {
  // Without blocks every transaction is stuck at once, and signed again.
  await relayAndDie("before", 2, () => chain.client.setAutomine(false));
}, 300_000);

test("killed with -9 at its statements, their answers unseen, while blocks arrive, leave the chain and become final", async () => {
  const leaving: string[] = [];
  await relayAndDie("unseen", 1, async () => {
    const [id, receiver] = [`leaves ${leaving.length}`, newAddress()];
    leaving.push(id);
    const prepared = await chain.prepare({ to: chain.usdc, data: encodeTransfer(receiver, 1n) });
    await inTransaction((transaction) => storeCall(id, prepared, transaction));
    await chain.round();
    await chain.round();
    await chain.reorg(1);
  });
  expect((await findRelayed(leaving)).map(({ state, isFinal }) => `${state} ${isFinal}`)).toEqual(leaving.map(() => "succeeded true"));
}, 300_000);

const MANY = isLong ? 200 : 24;

test(`four processes store ${MANY} calls at once, each rolled back once first: there is no nonce gap, and all are sent`, async () => {
  const receiver = newAddress();
  const before = (await noncesOf(chain)).length;
  const ids = Array.from({ length: MANY }, (_, index) => `many ${index}`);
  const children = [0, 1, 2, 3].map((part) =>
    runChild({ ids: ids.slice((part * MANY) / 4, ((part + 1) * MANY) / 4), receiver, rollBackFirst: true }),
  );
  expect(await Promise.all(children)).toMatchObject(Array(4).fill({ outcome: "done" }));
  expect(await noncesOf(chain)).toHaveLength(before + MANY);
  const roundAndBlock = async () => {
    await chain.round();
    await chain.mine(1);
  };
  await expect.poll(() => roundAndBlock().then(() => balanceOf(receiver)), { interval: 0 }).toBe(BigInt(MANY));
  for (const _ of [1, 2]) await roundAndBlock();
  await expectNoGap();
  expect((await findRelayed(ids)).every(({ state }) => state === "succeeded")).toBe(true);
}, 120_000);

test("rounds run at once in several processes: one works at a time, and each id is still one transaction", async () => {
  const receiver = newAddress();
  const ids = Array.from({ length: 10 }, (_, index) => `together ${index}`);
  await chain.client.setAutomine(false);
  const children = [0, 1, 2, 3].map(() => runChild({ ids, receiver, rounds: 5 }));
  expect(await Promise.all(children)).toMatchObject(Array(4).fill({ outcome: "done" }));
  await chain.client.setAutomine(true);
  await chain.mine(1);
  await chain.round();
  await expectNoGap();
  expect(await balanceOf(receiver)).toBe(10n);
  const { rows } = await pool().query("SELECT DISTINCT state FROM relayed WHERE id = ANY ($1)", [ids]);
  expect(rows).toEqual([{ state: "succeeded" }]);
}, 120_000);
