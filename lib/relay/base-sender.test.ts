// The relayer's nonces compared with the chain's: a key that is used elsewhere, another chain, and how the relay recovers.

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { metrics } from "@/lib/base/observe/metrics";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { startUsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { RelayStopped, storeCall } from "./calls";
import { readMinedNonces } from "./nonces";
import { getRelayed } from "./relayed";
import { setRelayer } from "./relayer";
import { sendStored } from "./send";
import { noncesOf, type RelayedChain, relayerOf, startRelayedChain, TO_FINAL } from "./testing/relayed-chain";
import { waitForRelayed } from "./wait";

await openTestDatabase();
let chain: RelayedChain;
beforeEach(async () => {
  chain = await startRelayedChain();
});
afterEach(async () => {
  await chain?.stop();
  await pool().query("TRUNCATE relay_sender, relayed, relay_broadcast");
});

const nodes = () => ({ evm: chain.nodes });
const minedNonce = async () => (await readMinedNonces(chain.relayer.address, chain.nodes)).agreed;
const stopped = async () => (await metrics().relayStopped.get()).values[0]?.value;

/** Sends as somebody else who also holds the relayer's key. */
async function sendFromElsewhere(): Promise<void> {
  const account = privateKeyToAccount(chain.key);
  const hash = await chain.client.sendTransaction({ account, to: chain.usdc, data: chain.newTransfer().data, chain: chain.client.chain });
  await chain.client.waitForTransactionReceipt({ hash });
}

async function relayWhole(id: string): Promise<void> {
  await chain.store(id);
  await sendStored(id, nodes());
  expect(await waitForRelayed(id, 30_000, nodes())).toMatchObject({ state: "succeeded" });
}

test("a key with earlier transactions starts after them", async () => {
  await sendFromElsewhere();
  await sendFromElsewhere();
  await relayWhole("after a past");
  expect(await noncesOf(chain)).toEqual([2]);
});

test("while somebody else uses the key, nothing is stored or sent; once their transactions are final the relay resumes", async () => {
  await relayWhole("before");
  const prepared = await chain.prepare();
  await sendFromElsewhere();
  await expect(chain.store("refused")).rejects.toThrow(RelayStopped);
  await chain.round();
  expect(await stopped()).toBe(1);
  await expect(inTransaction((transaction) => storeCall("refused too", prepared, transaction))).rejects.toThrow(RelayStopped);
  expect(await noncesOf(chain)).toEqual([0]);
  await sendFromElsewhere();
  await chain.round();
  expect([await stopped(), await minedNonce()]).toEqual([1, 3]);
  await chain.mine(TO_FINAL);
  await chain.round();
  expect(await stopped()).toBe(0);
  await relayWhole("after");
  expect(await noncesOf(chain)).toEqual([0, 3]);
});

test("use of the key elsewhere is detected within a minute while nothing is under way", async () => {
  await relayWhole("all done");
  await chain.mine(TO_FINAL);
  await chain.round();
  await chain.round();
  expect(await getRelayed("all done")).toMatchObject({ isFinal: true });
  await sendFromElsewhere();
  forgetSingleton("relay's last look"); // a minute is over
  await chain.round();
  expect(await stopped()).toBe(1);
  await chain.mine(TO_FINAL);
  await chain.round();
  expect(await stopped()).toBe(0);
});

test("a call whose nonce another transaction used is lost once that transaction is final, not before; the others continue", async () => {
  await chain.store("taken");
  await sendFromElsewhere();
  await chain.store("next");
  await sendStored(["taken", "next"], nodes());
  expect(await waitForRelayed("next", 30_000, nodes())).toMatchObject({ state: "succeeded" });
  for (let round = 0; round < 3; round++) await chain.round();
  expect((await getRelayed("taken")).state).not.toBe("lost");
  await chain.mine(TO_FINAL);
  await chain.round();
  await chain.round();
  expect(await getRelayed("taken")).toMatchObject({ state: "lost", isFinal: true });
  expect(await getRelayed("next")).toMatchObject({ state: "succeeded", isFinal: true });
});

test("a chain that lacks our final transactions gets nothing from us until the right chain is back", async () => {
  await relayWhole("one");
  await relayWhole("two");
  await chain.mine(TO_FINAL);
  await chain.round();
  await chain.round();
  expect(await getRelayed("two")).toMatchObject({ isFinal: true });
  await chain.store("three");
  const wiped = await startUsdcChain({ blockTimeMs: 3_600_000 });
  try {
    await wiped.mine(2 * TO_FINAL);
    await wiped.fundGas(chain.relayer.address);
    await chain.round({ evm: wiped.nodes });
    expect(await stopped()).toBe(1);
    await sendStored("three", { evm: wiped.nodes });
    expect(await readMinedNonces(chain.relayer.address, wiped.nodes)).toMatchObject({ agreed: 0, pending: 0 });
    expect((await getRelayed("three")).state).toBe("stored");
    await expect(chain.store("four")).rejects.toThrow("nonce_behind");
  } finally {
    await wiped.stop();
  }
  await chain.round();
  expect(await stopped()).toBe(0);
  await sendStored("three", nodes());
  expect(await waitForRelayed("three", 30_000, nodes())).toMatchObject({ state: "succeeded" });
});

test("a relayer of another seed sends the old relayer's transactions unchanged, and counts its own nonces", async () => {
  await chain.client.setAutomine(false);
  await chain.store("of the old one");
  const old = chain.relayer.address.toLowerCase();
  const next = relayerOf(generatePrivateKey());
  await chain.fundGas(next.address);
  setRelayer(next);
  await chain.round({ stuckAfterMs: 0 });
  await chain.round({ stuckAfterMs: 0 });
  await chain.client.setAutomine(true);
  await chain.mine(1);
  await chain.round();
  expect((await getRelayed("of the old one")).state).toBe("succeeded");
  const { rows } = await pool().query(
    "SELECT count(*)::int AS count FROM relay_broadcast b JOIN relayed r ON r.id = b.relayed_id WHERE r.sender = $1",
    [old],
  );
  expect(rows).toEqual([{ count: 1 }]);
});
