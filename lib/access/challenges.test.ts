import { expect, test } from "vitest";
import { now, setClock } from "@/lib/base/clock";
import type { Wallet } from "@/lib/chains/wallet";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { deleteExpiredChallenges, giveChallenge, newNonce, takeChallenge } from "./challenges";

await openTestDatabase();

const wallet: Wallet = { chain: "evm", address: `0x${"ab".repeat(20)}` };
const give = () => giveChallenge({ purpose: "sign_in", wallet, nonce: newNonce() });

test("a challenge is taken once, as it was given", async () => {
  const { nonce, text } = await give();
  expect(nonce).toMatch(/^[0-9A-Za-z]{22}$/);
  expect(await takeChallenge(nonce)).toMatchObject({ purpose: "sign_in", wallet, accountId: null, pair: null, text });
  expect(await takeChallenge(nonce)).toBeNull();
  expect(await takeChallenge("rubbish")).toBeNull();
});

test("challenges that are out of date are deleted, the others stay", async () => {
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
