// The owner's own rules on the withdraw page: what is refused because of them, and which changes are signed.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { SessionId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { displayAddress } from "@/lib/chains/wallet";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { newOwner, startWorld, type TestOwner, USD, type World } from "@/lib/wallets/withdrawals/testing/world";
import { readForm } from "../answer";
import type { Owner } from "../owner";
import { startConfirmation } from "../step-up";
import { prove } from "../testing/wallets";
import { ownRulesForm, setConfirmedRules } from "./own-rules";
import { readWithdrawPage, startOwnWithdrawal } from "./withdraw";
import { withdrawalForm } from "./withdraw-form";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());
beforeEach(() => forgetSingleton("limits.limiter"));

const ownerOf = ({ accountId, evm }: TestOwner): Owner => ({
  accountId,
  sessionId: "ses_test" as SessionId,
  wallet: evm,
  isFrozen: false,
  confirmedAt: new Date(0),
});

/** What a page sends, parsed by its form. */
async function start(test: TestOwner, wish: { chain?: string; destination?: string; amount: string }) {
  const read = readForm(withdrawalForm, { chain: "base", destination: displayAddress(test.evm), ...wish });
  return read.ok ? startOwnWithdrawal(ownerOf(test), read.form) : read;
}

/** What a page sends, parsed by its form. */
async function change(test: TestOwner, wish: object, proof: Parameters<typeof setConfirmedRules>[2] = null) {
  const read = readForm(ownRulesForm, { dailyLimit: "", waitSeconds: 0, destinations: [], ...wish });
  return read.ok ? setConfirmedRules(ownerOf(test), read.form, proof) : read;
}

test("stricter rules of one's own take no signature, looser ones a signature over what they allow", async () => {
  const owner = await newOwner(50n * USD);
  const only = [{ chain: "evm", address: displayAddress(owner.evm) }];
  expect(await change(owner, { dailyLimit: "20", waitSeconds: 86_400, destinations: only })).toEqual({ ok: true });
  expect((await readWithdrawPage(ownerOf(owner))).rules).toEqual({
    ...{ dailyLimit: 20n * USD, waitSeconds: 86_400, heldUntil: null },
    destinations: only,
  });
  expect(await start(owner, { amount: "21" })).toMatchObject({
    message: "Over your own limit for 24 hours. $20.00 is left. You can change it below.",
  });
  expect(await start(owner, { amount: "5", chain: "solana", destination: owner.solana.address })).toMatchObject({
    message: expect.stringMatching(/^Your own rules do not allow this wallet/),
  });
  expect(await start(owner, { amount: "5" })).toMatchObject({ ok: true, order: { waits: { ownSeconds: 86_400 } } });

  const wish = { dailyLimit: "30", waitSeconds: 3_600 };
  const asked = await change(owner, wish);
  if (asked.ok || !("confirm" in asked) || !asked.confirm) throw new Error("no signature was asked for");
  expect(asked.confirm.statement).toBe(
    `Allow withdrawals from account ${owner.accountId} at PennyPrompt up to $30.00 in 24 hours, each after 1 hour, to every linked wallet.`,
  );
  const wallet = { chain: owner.evm.chain, address: displayAddress(owner.evm) };
  const started = await startConfirmation(ownerOf(owner), { wallet, ...asked.confirm });
  if (!started.ok) throw new Error(started.message);
  const proof = await prove({ ...owner.evm, ...wallet }, started.challenge);
  expect(await change(owner, { ...wish, dailyLimit: "31" }, proof)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/another action/),
  });
  const again = await startConfirmation(ownerOf(owner), { wallet, ...asked.confirm });
  if (!again.ok) throw new Error(again.message);
  expect(await change(owner, wish, await prove({ ...owner.evm, ...wallet }, again.challenge))).toEqual({ ok: true });
  const { rules } = await readWithdrawPage(ownerOf(owner));
  expect(rules).toMatchObject({ dailyLimit: 30n * USD, waitSeconds: 3_600, destinations: [] });
  expect(rules.heldUntil?.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect(await start(owner, { amount: "21" })).toMatchObject({ message: expect.stringMatching(/Over your own limit/) });
});

test.each([
  [{ dailyLimit: "-5" }, "dailyLimit"],
  [{ dailyLimit: "many" }, "dailyLimit"],
  [{ waitSeconds: 60 }, "waitSeconds"],
  [{ destinations: [{ chain: "evm", address: `0x${"12".repeat(20)}` }] }, "destinations"],
])("rules that are none are refused at their field: %o", async (wish, field) => {
  expect(await change(await newOwner(0n), wish)).toMatchObject({ ok: false, field });
});
