import { expect, test } from "vitest";
import { now, setClock } from "@/lib/base/clock";
import type { Wallet } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { deleteExpiredChallenges, giveChallenge, newNonce, takeChallenge } from "./challenges";

await openTestDatabase();

const wallet: Wallet = { chain: "evm", address: `0x${"ab".repeat(20)}` };
const give = () => giveChallenge({ purpose: "sign_in", wallet, nonce: newNonce() });

test("a challenge can be taken once, unchanged", async () => {
  const { nonce, text } = await give();
  expect(nonce).toMatch(/^[0-9A-Za-z]{22}$/);
  expect(await takeChallenge(nonce)).toMatchObject({ purpose: "sign_in", wallet, accountId: null, joining: null, absorbs: null, text });
  expect(await takeChallenge(nonce)).toBeNull();
  expect(await takeChallenge("rubbish")).toBeNull();
});

test("expired challenges are deleted, the others stay", async () => {
  const start = Date.UTC(2030, 0, 1);
  let restore = setClock(() => start);
  const old = await give();
  restore();
  restore = setClock(() => start + 60_000);
  const young = await give();
  restore();
  restore = setClock(() => start + 300_000);
  await deleteExpiredChallenges(now());
  restore();
  expect(await takeChallenge(old.nonce)).toBeNull();
  expect(await takeChallenge(young.nonce)).not.toBeNull();
});

test("a flood leaves the newest hundred thousand, among them a challenge requested during it", async () => {
  await pool().query(
    `INSERT INTO sign_in_nonce (nonce, purpose, chain, address, text, expires_at)
     SELECT 'flood' || i, 'sign_in', 'evm', $1, 'a text', $2::timestamptz - i * interval '1 millisecond' FROM generate_series(1, 110000) i`,
    [wallet.address, new Date(Date.now() + 299_000)],
  );
  const own = await give();
  for (let call = 0; call < 1_000; call++) await give();
  const { rows } = await pool().query(
    "SELECT count(*)::integer AS kept, count(*) FILTER (WHERE nonce = 'flood110000')::integer AS oldest FROM sign_in_nonce",
  );
  expect(rows[0]?.kept).toBeLessThanOrEqual(101_000);
  expect(rows[0]?.kept).toBeGreaterThanOrEqual(100_000);
  expect(rows[0]?.oldest).toBe(0);
  expect(await takeChallenge(own.nonce)).not.toBeNull();
});
