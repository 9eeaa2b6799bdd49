import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { listIdentities } from "@/lib/access/identities";
import { setClock } from "@/lib/base/clock";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readWallet, type Wallet } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { findOwnerOf, type Owner } from "../owner";
import { openTestCustody } from "../testing/custody";
import { newWallet, prove, type TestWallet } from "../testing/wallets";
import { isLinked, linkWallet, startLink, unlinkWallet } from "./link-wallet";
import { signIn, startSignIn } from "./sign-in";

await openTestDatabase();
beforeAll(openTestCustody);
beforeEach(() => forgetSingleton("limits.limiter"));
let restore: () => void = () => {};
afterEach(() => restore());

async function enter(wallet: TestWallet): Promise<Owner & { token: string }> {
  const started = await startSignIn(wallet, "192.0.2.1");
  if (!started.ok) throw new Error(started.reason);
  const outcome = await signIn(await prove(wallet, started.challenge), { userAgent: "", clientAddress: "192.0.2.1" });
  const owner = outcome.ok ? await findOwnerOf(outcome.token) : null;
  if (!outcome.ok || !owner) throw new Error("not signed in");
  return { ...owner, token: outcome.token };
}

/** A new owner with their first wallet. */
async function newOwner(chain: "evm" | "solana" = "evm") {
  const wallet = newWallet(chain);
  return { wallet, owner: await enter(wallet) };
}

async function ask(owner: Owner, allow: TestWallet, join: TestWallet) {
  const started = await startLink(owner, { allow, join });
  if (!started.ok) throw new Error(started.reason);
  return started;
}

async function link(owner: Owner, allow: TestWallet, join: TestWallet) {
  const texts = await ask(owner, allow, join);
  return linkWallet(owner, { allow: await prove(allow, texts.allow), join: await prove(join, texts.join) });
}

const stored = (wallet: TestWallet): Wallet | null => readWallet(wallet.chain, wallet.address);
const walletsOf = async (owner: Owner) => (await listIdentities(owner.accountId)).map((identity) => identity.wallet);

test("a second wallet, linked with both signatures, signs in to the same account", async () => {
  const { wallet, owner } = await newOwner();
  const second = newWallet("solana");
  expect(await link(owner, wallet, second)).toEqual({ ok: true });
  expect((await enter(second)).accountId).toBe(owner.accountId);
  expect(await listIdentities(owner.accountId)).toMatchObject([
    { wallet: stored(wallet), isFirst: true },
    { wallet: stored(second), isFirst: false },
  ]);
  // The new wallet may approve the next one.
  const third = newWallet("evm");
  expect(await link(owner, second, third)).toEqual({ ok: true });
  expect(await walletsOf(owner)).toHaveLength(3);
});

test("both texts state their purpose: the account, and which wallet joins", async () => {
  const { wallet, owner } = await newOwner();
  const second = newWallet("evm");
  const { allow, join } = await ask(owner, wallet, second);
  expect(allow.text).toContain(`Let wallet ${second.address} sign in to account ${owner.accountId} at PennyPrompt.`);
  expect(allow.text).toContain(`\n${wallet.address}\n`);
  expect(join.text).toContain(`Link this wallet to account ${owner.accountId} at PennyPrompt.`);
  expect(join.text).toContain(`\n${second.address}\n`);
});

test("without the linked wallet's own fresh signature nothing is linked: a stolen session is not enough", async () => {
  const { wallet, owner } = await newOwner();
  const thief = newWallet("evm");
  const texts = await ask(owner, wallet, thief);
  const join = await prove(thief, texts.join);
  const forged = { ...(await prove(wallet, texts.allow)), signature: await thief.sign(texts.allow.text) };
  expect(await linkWallet(owner, { allow: forged, join })).toEqual({ ok: false, reason: "bad_signature", wallet: "allow" });
  // The linked wallet's sign-in text, which a thief may have seen, has another purpose.
  const started = await startSignIn(wallet, "192.0.2.1");
  if (!started.ok) throw new Error(started.reason);
  const again = await ask(owner, wallet, thief);
  const outcome = await linkWallet(owner, { allow: await prove(wallet, started.challenge), join: await prove(thief, again.join) });
  expect(outcome).toEqual({ ok: false, reason: "nonce_unknown", wallet: "allow" });
  expect(await startLink(owner, { allow: thief, join: newWallet("evm") })).toEqual({ ok: false, reason: "not_linked" });
  expect(await walletsOf(owner)).toEqual([stored(wallet)]);
});

test("a wallet that did not sign, or signed for another purpose, is not linked", async () => {
  const { wallet, owner } = await newOwner();
  const [victim, decoy] = [newWallet("solana"), newWallet("solana")];
  const first = await ask(owner, wallet, victim);
  const forged = { ...(await prove(victim, first.join)), signature: await decoy.sign(first.join.text) };
  expect(await linkWallet(owner, { allow: await prove(wallet, first.allow), join: forged })).toEqual({
    ok: false,
    reason: "bad_signature",
    wallet: "join",
  });
  const started = await startSignIn(victim, "192.0.2.1");
  if (!started.ok) throw new Error(started.reason);
  const second = await ask(owner, wallet, victim);
  expect(await linkWallet(owner, { allow: await prove(wallet, second.allow), join: await prove(victim, started.challenge) })).toEqual({
    ok: false,
    reason: "nonce_unknown",
    wallet: "join",
  });
  expect(await walletsOf(owner)).toEqual([stored(wallet)]);
});

test("an approval for one wallet does not link another", async () => {
  const { wallet, owner } = await newOwner();
  const [shown, hidden] = [newWallet("evm"), newWallet("evm")];
  const [one, other] = [await ask(owner, wallet, shown), await ask(owner, wallet, hidden)];
  const outcome = await linkWallet(owner, { allow: await prove(wallet, one.allow), join: await prove(hidden, other.join) });
  expect(outcome).toEqual({ ok: false, reason: "nonce_unknown", wallet: "join" });
  expect(await walletsOf(owner)).toEqual([stored(wallet)]);
});

test("challenges of another account link nothing", async () => {
  const [mine, theirs] = [await newOwner(), await newOwner()];
  const join = newWallet("evm");
  const texts = await ask(theirs.owner, theirs.wallet, join);
  const proofs = { allow: await prove(theirs.wallet, texts.allow), join: await prove(join, texts.join) };
  expect(await linkWallet(mine.owner, proofs)).toEqual({ ok: false, reason: "nonce_unknown", wallet: "allow" });
  // And they are used up now.
  expect(await linkWallet(theirs.owner, proofs)).toMatchObject({ ok: false, reason: "nonce_unknown" });
  expect(await walletsOf(mine.owner)).toHaveLength(1);
});

test("a wallet that belongs to an account is not linked to another one, or twice", async () => {
  const [mine, theirs] = [await newOwner(), await newOwner()];
  // Without proof of holding the wallet, the caller does not learn that it is registered.
  expect((await startLink(mine.owner, { allow: mine.wallet, join: theirs.wallet })).ok).toBe(true);
  expect(await link(mine.owner, mine.wallet, theirs.wallet)).toEqual({ ok: false, reason: "linked_elsewhere" });
  expect(await startLink(mine.owner, { allow: mine.wallet, join: mine.wallet })).toEqual({ ok: false, reason: "already_linked" });
  // Also when it was registered elsewhere only after it was asked to sign.
  const late = newWallet("solana");
  const texts = await ask(mine.owner, mine.wallet, late);
  await enter(late);
  const proofs = { allow: await prove(mine.wallet, texts.allow), join: await prove(late, texts.join) };
  expect(await linkWallet(mine.owner, proofs)).toEqual({ ok: false, reason: "linked_elsewhere" });
});

test("two accounts link one wallet at the same instant: one gets it", async () => {
  const owners = [await newOwner(), await newOwner()];
  const wanted = newWallet("evm");
  const proofs = await Promise.all(
    owners.map(async ({ owner, wallet }) => {
      const texts = await ask(owner, wallet, wanted);
      return { owner, allow: await prove(wallet, texts.allow), join: await prove(wanted, texts.join) };
    }),
  );
  const outcomes = await Promise.all(proofs.map(({ owner, ...both }) => linkWallet(owner, both)));
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
  expect(outcomes.find((outcome) => !outcome.ok)).toEqual({ ok: false, reason: "linked_elsewhere" });
});

test("both texts are valid for five minutes and one attempt", async () => {
  const { wallet, owner } = await newOwner();
  const second = newWallet("evm");
  const start = Date.UTC(2030, 0, 1);
  restore = setClock(() => start);
  const texts = await ask(owner, wallet, second);
  const proofs = { allow: await prove(wallet, texts.allow), join: await prove(second, texts.join) };
  restore();
  restore = setClock(() => start + 300_000);
  expect(await linkWallet(owner, proofs)).toEqual({ ok: false, reason: "expired", wallet: "allow" });
  expect(await linkWallet(owner, proofs)).toEqual({ ok: false, reason: "nonce_unknown", wallet: "allow" });
});

test("a wallet that was unlinked meanwhile approves nothing", async () => {
  const { wallet, owner } = await newOwner();
  const [second, third] = [newWallet("evm"), newWallet("evm")];
  await link(owner, wallet, second);
  const texts = await ask(owner, second, third);
  expect(await unlinkWallet(owner, second)).toEqual({ ok: true });
  const proofs = { allow: await prove(second, texts.allow), join: await prove(third, texts.join) };
  expect(await linkWallet(owner, proofs)).toEqual({ ok: false, reason: "not_linked" });
});

test("an unlinked wallet can no longer sign in to this account, and its sessions end at once", async () => {
  const { wallet, owner } = await newOwner();
  const second = newWallet("solana");
  await link(owner, wallet, second);
  const [first, other] = [await enter(wallet), await enter(second)];
  expect(await unlinkWallet(first, wallet)).toEqual({ ok: true });
  for (const { token } of [owner, first]) expect(await findOwnerOf(token)).toBeNull();
  expect(await findOwnerOf(other.token)).not.toBeNull();
  // The wallet that opened the account is gone, and no other wallet is shown as the opener.
  expect(await listIdentities(owner.accountId)).toMatchObject([{ wallet: stored(second), isFirst: false }]);
  expect((await enter(wallet)).accountId).not.toBe(owner.accountId);
});

test("the last wallet stays, even when the last two are unlinked at the same instant", async () => {
  const { wallet, owner } = await newOwner();
  expect(await unlinkWallet(owner, wallet)).toEqual({ ok: false, reason: "last_wallet" });
  const second = newWallet("evm");
  await link(owner, wallet, second);
  const outcomes = await Promise.all([unlinkWallet(owner, wallet), unlinkWallet(owner, second)]);
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
  expect(await walletsOf(owner)).toHaveLength(1);
});

test("another account's wallet cannot be unlinked", async () => {
  const [mine, theirs] = [await newOwner(), await newOwner()];
  await link(theirs.owner, theirs.wallet, newWallet("evm"));
  for (const wallet of [theirs.wallet, newWallet("evm"), { chain: "evm", address: "rubbish" } as const]) {
    expect(await unlinkWallet(mine.owner, wallet)).toEqual({ ok: false, reason: "not_linked" });
  }
  expect(await walletsOf(theirs.owner)).toHaveLength(2);
});

test("a frozen account cannot link a wallet, but can unlink a stolen one", async () => {
  const { wallet, owner } = await newOwner();
  const second = newWallet("evm");
  await link(owner, wallet, second);
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [owner.accountId]);
  const frozen = await enter(wallet);
  const refusal = { ok: false, reason: "account_frozen" };
  expect(await startLink(frozen, { allow: wallet, join: newWallet("evm") })).toEqual(refusal);
  const proof = await prove(wallet, { nonce: "x", text: "x" });
  expect(await linkWallet(frozen, { allow: proof, join: proof })).toEqual(refusal);
  expect(await unlinkWallet(frozen, second)).toEqual({ ok: true });
  expect(await unlinkWallet(frozen, wallet)).toEqual({ ok: false, reason: "last_wallet" });
  expect(await walletsOf(frozen)).toEqual([stored(wallet)]);
});

test("isLinked checks the owner's own account only, whatever the spelling of the address", async () => {
  const [{ wallet, owner }, stranger] = [await newOwner(), await newOwner()];
  expect(await isLinked(owner, { chain: "evm", address: wallet.address.toLowerCase() })).toBe(true);
  expect(await isLinked(owner, wallet)).toBe(true);
  expect(await isLinked(stranger.owner, wallet)).toBe(false);
  expect(await isLinked(owner, { chain: "evm", address: "rubbish" })).toBe(false);
});
