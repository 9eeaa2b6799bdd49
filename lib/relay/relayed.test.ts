// Concurrent changes of a relayed transaction's state: each is written once, and only while it is still true.

import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { now } from "@/lib/base/clock";
import { listen } from "@/lib/db/listen";
import { pool } from "@/lib/db/pool";
import { inTransaction, prisma } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { getRelayed, recordFinal, recordLost, recordMined, recordSent, recordUnmined } from "./relayed";
import { storeSigned } from "./signed";

await openTestDatabase();

const AT_ONCE = 8;
const atOnce = (act: () => Promise<boolean>) => Promise.all(Array.from({ length: AT_ONCE }, act));
const newsOf = (answers: readonly boolean[]) => answers.filter((isNews) => isNews).length;
const block = { block: 7, blockHash: "0xb7" };
const mined = { isSuccess: true, ...block, fee: 21_000n };

/** Stores a call with bytes for each of `fees` under the hash `<id> <fee>`; the last bytes were signed last. */
async function storeBytes(...fees: number[]): Promise<string> {
  const id = randomUUID();
  const { rows } = await pool().query<{ nonce: number }>("SELECT count(*)::int AS nonce FROM relayed");
  await pool().query(
    `INSERT INTO relayed (id, chain, sender, nonce, receiver, input, gas, state, hash, stored_at)
     VALUES ($1, 'base', '0xsender', $2, '0xreceiver', '', 21000, 'stored', $3, now())`,
    [id, rows[0]?.nonce, `${id} ${fees.at(-1)}`],
  );
  for (const fee of fees) {
    await pool().query(
      "INSERT INTO relay_broadcast (hash, relayed_id, raw, max_fee, max_priority_fee, signed_at) VALUES ($1, $2, '', $3, 1, now())",
      [`${id} ${fee}`, id, fee],
    );
  }
  return id;
}

const rowOf = (id: string) => prisma().relayed.findUniqueOrThrow({ where: { id } });

test("a fee of seventy-eight digits is read as it was recorded", async () => {
  const [id, fee] = [await storeBytes(1), 10n ** 78n - 1n];
  expect(await recordMined(id, { ...mined, hash: `${id} 1`, fee })).toBe(true);
  expect((await getRelayed(id)).fee).toBe(fee);
  expect(await recordFinal(id, { ...mined, fee: null })).toBe(true);
  expect(await getRelayed(id)).toMatchObject({ isFinal: true, fee });
});

test("many callers record the same change at once: it is news to one of them, and listeners are notified once", async () => {
  const notified: string[] = [];
  const { stop } = await listen("relayed", { onMessage: (id) => notified.push(id), onDown: () => {}, onUp: () => {} });
  const id = await storeBytes(1);
  expect(newsOf(await atOnce(() => recordSent(id, `${id} 1`, "no_gas_money")))).toBe(1);
  expect(newsOf(await atOnce(() => recordSent(id, `${id} 1`, null)))).toBe(1);
  expect(newsOf(await atOnce(() => recordMined(id, { ...mined, hash: `${id} 1` })))).toBe(1);
  expect(newsOf(await atOnce(() => recordUnmined(id, block)))).toBe(1);
  expect(newsOf(await atOnce(() => recordLost(id)))).toBe(1);
  await pool().query("NOTIFY relayed, 'end'");
  await expect.poll(() => notified).toContain("end");
  await stop();
  expect(notified).toEqual([...Array(5).fill(id), "end"]);
});

test("the time at which the nodes accepted the bytes stays, whatever is sent later; a problem ends when they accept them", async () => {
  const id = await storeBytes(1);
  await recordSent(id, `${id} 1`, "no_gas_money");
  expect(await rowOf(id)).toMatchObject({ state: "stored", problem: "no_gas_money", takenAt: null, sentAt: expect.any(Date) });
  await recordSent(id, `${id} 1`, null);
  const { takenAt, sentAt } = await rowOf(id);
  await expect.poll(() => now().getTime()).toBeGreaterThan(sentAt?.getTime() ?? 0);
  expect(await recordSent(id, `${id} 1`, null)).toBe(false);
  expect(await recordSent(id, `${id} 1`, "refused")).toBe(true);
  expect(await rowOf(id)).toMatchObject({ state: "sent", takenAt, problem: "refused" });
  expect((await rowOf(id)).sentAt?.getTime()).toBeGreaterThan(sentAt?.getTime() ?? 0);
});

test("replaced bytes, bytes of another transaction and blocks that it has left change nothing", async () => {
  const id = await storeBytes(1, 2);
  expect(await recordSent(id, `${id} 1`, null)).toBe(false);
  expect(await recordMined(id, { ...mined, hash: "0xothers" })).toBe(false);
  expect(await recordUnmined(id, block)).toBe(false);
  expect(await recordFinal(id, mined)).toBe(false);
  expect(await rowOf(id)).toMatchObject({ state: "stored", sentAt: null, block: null, fee: null });
  await recordMined(id, { ...mined, hash: `${id} 1` });
  expect(await recordUnmined(id, { ...block, blockHash: "0xother" })).toBe(false);
  expect(await recordFinal(id, { ...mined, isSuccess: false })).toBe(false);
  expect(await recordSent(id, `${id} 1`, "late")).toBe(false);
  expect(await rowOf(id)).toMatchObject({ state: "succeeded", hash: `${id} 1`, finalized: false, problem: null });
});

test("a transaction recorded as lost and as mined at the same time is one of the two, and stays so once it is final", async () => {
  for (let time = 0; time < 10; time++) {
    const id = await storeBytes(1);
    const [isLost, isMined] = await Promise.all([recordLost(id), recordMined(id, { ...mined, hash: `${id} 1` })]);
    expect([isLost, isMined].filter(Boolean)).toHaveLength(1);
    expect(await rowOf(id)).toMatchObject(isLost ? { state: "lost", finalized: true } : { state: "succeeded", finalized: false });
    if (isMined) expect(await recordFinal(id, mined)).toBe(true);
    const before = await rowOf(id);
    expect(await recordMined(id, { ...mined, hash: `${id} 1`, isSuccess: false })).toBe(false);
    expect(await recordUnmined(id, block)).toBe(false);
    expect(await recordLost(id)).toBe(false);
    expect(await rowOf(id)).toEqual(before);
  }
});

test("when its block has left the chain, the bytes with the highest fee are the ones to send", async () => {
  const id = await storeBytes(1, 3, 2);
  await recordMined(id, { ...mined, hash: `${id} 1` });
  expect(await recordUnmined(id, block)).toBe(true);
  expect(await rowOf(id)).toMatchObject({ state: "sent", hash: `${id} 3`, sentAt: null, takenAt: null, block: null, fee: null });
});

test("callers that store different transactions under one id at once all learn which one is stored", async () => {
  const id = randomUUID();
  const store = (signature: string) =>
    inTransaction((transaction) =>
      storeSigned({ id, bytes: Buffer.from(signature), signature, feePayer: "payer", lastValidBlockHeight: 9, slot: 3 }, transaction),
    );
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => store(`signature ${index}`)));
  const { hash } = await rowOf(id);
  expect(answers).toEqual(Array(AT_ONCE).fill(hash));
  const { rows } = await pool().query("SELECT hash, raw FROM relay_broadcast WHERE relayed_id = $1", [id]);
  expect(rows).toEqual([{ hash, raw: Buffer.from(hash) }]);
});
