// The owner's own rules on the withdraw page: what is refused because of them, and which changes are signed.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { displayAddress } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { link, newOwner, startWorld, type TestOwner, USD, unlink, type World } from "@/lib/wallets/withdrawals/testing/world";
import { readForm } from "../answer";
import { startConfirmation } from "../step-up";
import { newWallet, prove } from "../testing/wallets";
import type { Answer } from "../views/answer";
import { ownRulesForm, setConfirmedRules } from "./own-rules";
import { ownerOf, startWithdrawal as start } from "./testing/withdraw-page";
import { readWithdrawPage } from "./withdraw";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());
beforeEach(() => forgetSingleton("limits.limiter"));

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
    dailyLimit: 20n * USD,
    waitSeconds: 86_400,
    inForce: null,
    waits: [0, 3_600, 86_400, 259_200],
    destinations: only,
  });
  expect(await start(owner, { amount: "21" })).toMatchObject({
    message: "This exceeds the 24-hour limit you set, of which $20.00 is left. You can raise it below; that applies after 24 hours.",
  });
  expect(await start(owner, { amount: "5", chain: "solana", destination: owner.solana.address })).toMatchObject({
    message: expect.stringMatching(/^Your rules do not allow this wallet/),
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
  expect(rules.inForce?.until.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect(rules.inForce).toMatchObject({ dailyLimit: 20n * USD, waitSeconds: 86_400, destinations: only });
  expect(await start(owner, { amount: "21" })).toMatchObject({ message: expect.stringMatching(/exceeds the 24-hour limit you set/) });
});

/** Changes the rules as an honest page does: what is asked for is signed. */
async function changeSigned(test: TestOwner, wish: object, signer: TestOwner["evm"]): Promise<{ statement: string; answer: Answer }> {
  const asked = await change(test, wish);
  if (asked.ok || !("confirm" in asked) || !asked.confirm) throw new Error("no signature was asked for");
  const wallet = { chain: signer.chain, address: displayAddress(signer) };
  const started = await startConfirmation(ownerOf(test), { wallet, ...asked.confirm });
  if (!started.ok) throw new Error(started.message);
  const answer = await change(test, wish, await prove({ ...signer, ...wallet }, started.challenge));
  return { statement: asked.confirm.statement, answer };
}

test("rules that allow only a wallet that was unlinked since can still be changed, and what is looser is signed", async () => {
  const owner = await newOwner(50n * USD);
  const shown = ({ chain, address }: TestOwner["evm"]) => ({ chain, address: displayAddress({ chain, address }) });
  const gone = [shown(owner.evm)];
  expect(await change(owner, { destinations: gone })).toEqual({ ok: true });
  await unlink(owner.evm);
  expect(await start(owner, { amount: "5", chain: "solana", destination: owner.solana.address })).toMatchObject({ ok: false });
  expect(await change(owner, { destinations: gone, dailyLimit: "20" })).toEqual({ ok: true });
  expect((await readWithdrawPage(ownerOf(owner))).rules.destinations).toEqual(gone);
  const both = { destinations: [...gone, shown(owner.solana)], dailyLimit: "20" };
  expect(await changeSigned(owner, both, owner.solana)).toMatchObject({ answer: { ok: true } });
  // Taken out once, it is any other wallet that is not linked.
  expect(await change(owner, { destinations: [shown(owner.solana)], dailyLimit: "20" })).toEqual({ ok: true });
  expect(await change(owner, both)).toMatchObject({ ok: false, field: "destinations" });
});

test("a wallet that is leaving is not allowed anew", async () => {
  const owner = await newOwner(0n);
  const rest = { dailyLimit: "", waitSeconds: 0 };
  await pool().query("UPDATE identity SET leaves_at = now() + interval '1 day' WHERE address = $1", [owner.evm.address]);
  const destinations = [{ chain: "evm", address: displayAddress(owner.evm) }];
  expect(await change(owner, { ...rest, destinations })).toMatchObject({ ok: false, field: "destinations" });
});

test("forty wallets are signed by their number and digest, so that the text fits and stands for no other forty", async () => {
  const owner = await newOwner(0n);
  const wallets = Array.from({ length: 40 }, () => newWallet("solana"));
  for (const { chain, address } of wallets) await link(owner.accountId, { chain, address }, false);
  const destinations = wallets.map(({ chain, address }) => ({ chain, address }));
  expect(await change(owner, { destinations, waitSeconds: 3_600 })).toEqual({ ok: true });
  const { statement, answer } = await changeSigned(owner, { destinations }, owner.evm);
  expect(answer).toEqual({ ok: true });
  expect(statement).toMatch(/, without a waiting time, to 40 wallets \(sha256 [0-9a-f]{16}\)\.$/);
});

test.each([
  [{ dailyLimit: "-5" }, "dailyLimit"],
  [{ dailyLimit: "many" }, "dailyLimit"],
  [{ waitSeconds: 60 }, "waitSeconds"],
  [{ destinations: [{ chain: "evm", address: `0x${"12".repeat(20)}` }] }, "destinations"],
])("rules that are none are refused at their field: %o", async (wish, field) => {
  expect(await change(await newOwner(0n), wish)).toMatchObject({ ok: false, field });
});
