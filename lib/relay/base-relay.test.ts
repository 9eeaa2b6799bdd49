// A transaction's way into Base when nothing goes wrong.

import { once } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readGasBalance } from "@/lib/chains/evm/balances";
import { createNodes } from "@/lib/chains/evm/nodes";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { findReceipt, isKnown } from "@/lib/chains/evm/transactions";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { prepareCall, storeCall } from "./calls";
import { findRelayed, getRelayed } from "./relayed";
import { runRelay } from "./run";
import { sendStored } from "./send";
import { hashesOf, noncesOf, type RelayedChain, startRelayedChain, TO_FINAL } from "./testing/relayed-chain";
import { waitForRelayed } from "./wait";

const database = await openTestDatabase();
let chain: RelayedChain;
beforeAll(async () => {
  chain = await startRelayedChain();
});
afterAll(() => chain?.stop());

const nodes = () => ({ evm: chain.nodes });

test("a call is stored, sent, found in a block with its actual cost, and final once its block is", async () => {
  const before = await readGasBalance(chain.relayer.address, chain.nodes);
  const { hash } = await chain.store("call_1");
  expect(await getRelayed("call_1")).toMatchObject({ chain: "base", state: "stored", hash, isFinal: false, block: null, fee: null });
  expect(await isKnown(hash, chain.nodes)).toBe(false);
  await sendStored("call_1", nodes());
  const mined = await waitForRelayed("call_1", 30_000, nodes());
  const receipt = await findReceipt(hash, chain.nodes);
  const where = { block: receipt?.blockNumber, blockHash: receipt?.blockHash, fee: receipt?.feeWei, hash };
  expect(mined).toMatchObject({ state: "succeeded", isFinal: false, ...where });
  expect(before - (await readGasBalance(chain.relayer.address, chain.nodes))).toBe(receipt?.feeWei);
  await chain.round();
  expect(await getRelayed("call_1")).toMatchObject({ state: "succeeded", isFinal: false });
  await chain.mine(TO_FINAL);
  await chain.round();
  expect(await getRelayed("call_1")).toMatchObject({ state: "succeeded", isFinal: true, problem: null, ...where });
});

test("a call that was not sent after its commit is sent by the next round", async () => {
  await chain.store("forgotten");
  await chain.round();
  await expect.poll(async () => (await waitForRelayed("forgotten", 0, nodes())).state).toBe("succeeded");
});

test("a repeated id returns the first call, whether stored before, in the same transaction or at the same time", async () => {
  const [one, other] = [await chain.prepare(), await chain.prepare()];
  const first = await inTransaction((transaction) => storeCall("twice", one, transaction));
  expect(await inTransaction((transaction) => storeCall("twice", other, transaction))).toEqual(first);
  const both = await inTransaction(async (transaction) => [
    await storeCall("in one", one, transaction),
    await storeCall("in one", other, transaction),
  ]);
  expect(both[1]).toEqual(both[0]);
  const racers = Array.from({ length: 8 }, () => inTransaction((transaction) => storeCall("race", one, transaction)));
  const hashes = new Set((await Promise.all(racers)).map(({ hash }) => hash));
  expect(hashes.size).toBe(1);
  await sendStored(["twice", "in one", "race"], nodes());
  for (const id of ["twice", "in one", "race"]) expect((await waitForRelayed(id, 30_000, nodes())).state).toBe("succeeded");
});

/** In as many rounds as it takes: on a busy machine a call that did not reach its node is sent again after five seconds. */
const expectSucceeded = (ids: readonly string[]) =>
  expect
    .poll(() => chain.round().then(async () => (await findRelayed(ids)).map(({ state }) => state)), { interval: 200 })
    .toEqual(ids.map(() => "succeeded"));

test("a transaction that is rolled back, or whose signer fails, gives its nonce back: there is no gap", async () => {
  const before = await noncesOf(chain);
  const prepared = await chain.prepare();
  const lose = async (id: string) => {
    await inTransaction(async (transaction) => {
      await storeCall(id, prepared, transaction);
      throw new Error("lost");
    });
  };
  const keep = (id: string) => inTransaction((transaction) => storeCall(id, prepared, transaction));
  const all = Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? lose(`lost ${index}`).catch(() => null) : keep(`kept ${index}`)));
  const stored = (await Promise.all(all)).filter((one) => one !== null);
  expect(stored).toHaveLength(20);
  const tooLarge = { ...prepared, gas: -1n };
  await inTransaction(async (transaction) => {
    await transaction.$executeRaw`SAVEPOINT before`;
    await expect(storeCall("unsigned", tooLarge, transaction)).rejects.toThrow();
    await transaction.$executeRaw`ROLLBACK TO before`;
    await storeCall("kept at last", prepared, transaction);
  });
  const nonces = await noncesOf(chain);
  expect(nonces).toEqual(Array.from({ length: before.length + 21 }, (_, index) => (nonces[0] ?? 0) + index));
  const kept = all.flatMap((_, index) => (index % 3 === 0 ? [] : [`kept ${index}`]));
  await expectSucceeded([...kept, "kept at last"]);
});

test("many calls are sent at once, none waits for another's block, and all are in the next one", async () => {
  await chain.client.setAutomine(false);
  const ids = Array.from({ length: 20 }, (_, index) => `many ${index}`);
  const prepared = await chain.prepare();
  await Promise.all(ids.map((id) => inTransaction((transaction) => storeCall(id, prepared, transaction))));
  await sendStored(ids, nodes());
  await chain.mine(1);
  await chain.client.setAutomine(true);
  await expectSucceeded(ids);
  const found = await findRelayed(ids);
  expect(new Set(found.map(({ block }) => block)).size).toBe(1);
});

test("a call that would revert is refused before it is stored; one that reverts in its block is failed, and its fee recorded", async () => {
  const tooMuch = { to: chain.usdc, data: encodeTransfer(newAddress(), 10n ** 15n) };
  expect(await prepareCall(tooMuch, chain.nodes)).toEqual({ kind: "reverts", reason: "ERC20: transfer amount exceeds balance" });
  const prepared = { ...(await chain.prepare()), ...tooMuch };
  await inTransaction((transaction) => storeCall("reverts", prepared, transaction));
  await sendStored("reverts", nodes());
  const failed = await waitForRelayed("reverts", 30_000, nodes());
  expect(failed).toMatchObject({ state: "failed", isFinal: false, fee: expect.any(BigInt) });
  await chain.mine(TO_FINAL);
  await chain.round();
  expect(await getRelayed("reverts")).toMatchObject({ state: "failed", isFinal: true, fee: failed.fee });
  expect(await hashesOf("reverts")).toHaveLength(1);
});

test("listeners are notified of the id at each change, and at no other time", async () => {
  const listener = new pg.Client({ connectionString: database.url });
  await listener.connect();
  await listener.query("LISTEN relayed");
  const notified: string[] = [];
  listener.on("notification", ({ payload = "" }) => void notified.push(payload));
  await chain.round();
  await chain.store("listened to");
  await sendStored("listened to", nodes());
  await waitForRelayed("listened to", 30_000, nodes());
  await chain.mine(TO_FINAL);
  for (let round = 0; round < 4; round++) await chain.round();
  await pool().query("NOTIFY relayed, 'end'");
  while (!notified.includes("end")) await once(listener, "notification");
  await listener.end();
  expect(notified.filter((id) => id === "listened to")).toHaveLength(3);
});

test("with nothing under way a round is one query, and calls no node", async () => {
  await chain.mine(TO_FINAL);
  for (let round = 0; round < 3; round++) await chain.round();
  const statements: unknown[] = [];
  const query = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...given: never[]) {
    statements.push(given[0]);
    return Reflect.apply(query, this, given);
  } as typeof query;
  try {
    await runRelay({ evm: createNodes({ urls: [], chainId: chain.chainId }) });
  } finally {
    pg.Client.prototype.query = query;
  }
  expect(statements).toHaveLength(1);
});

test("waiting for a transaction that does not arrive ends in time; an unknown id is an error", async () => {
  await chain.client.setAutomine(false);
  await chain.store("waits");
  await sendStored("waits", nodes());
  expect(await waitForRelayed("waits", 50, nodes())).toMatchObject({ state: "sent", block: null });
  await chain.client.setAutomine(true);
  await chain.mine(1);
  expect(await waitForRelayed("waits", 30_000, nodes())).toMatchObject({ state: "succeeded" });
  await expect(waitForRelayed("nobody's", 50, nodes())).rejects.toThrow("Nothing was stored");
});
