import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { listIdentities } from "@/lib/access/identities";
import { setClock } from "@/lib/base/clock";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readWallet, type Wallet } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { findOwnerOf, type Owner } from "../owner";
import { openTestCustody } from "../testing/custody";
import { joinWith, link } from "../testing/linking";
import { enter, newOwner } from "../testing/owners";
import { newWallet, prove, type TestWallet } from "../testing/wallets";
import { isLinked, linkWallet, proveJoin, startLink, unlinkWallet } from "./link-wallet";
import { startSignIn } from "./sign-in";

await openTestDatabase();
beforeAll(openTestCustody);
beforeEach(() => forgetSingleton("limits.limiter"));
let restore: () => void = () => {};
afterEach(() => restore());

/** The approval that the linked wallet is asked to sign. */
async function ask(owner: Owner, allow: TestWallet, join: TestWallet) {
  const joined = await joinWith(owner, allow, join);
  if (!joined.ok) throw new Error(joined.reason);
  return joined;
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
  const started = await startLink(owner, second);
  if (!started.ok) throw new Error(started.reason);
  expect(started.join.text).toContain(`Link this wallet to account ${owner.accountId} at PennyPrompt.`);
  expect(started.join.text).toContain(`\n${second.address}\n`);
  const { allow } = await ask(owner, wallet, second);
  expect(allow.text).toContain(`Let wallet ${second.address} sign in to account ${owner.accountId} at PennyPrompt.`);
  expect(allow.text).toContain(`\n${wallet.address}\n`);
  expect(allow.text).not.toContain("merged");
});

test("without the linked wallet's own fresh signature nothing is linked: a stolen session is not enough", async () => {
  const { wallet, owner } = await newOwner();
  const thief = newWallet("evm");
  const { allow } = await ask(owner, wallet, thief);
  const forged = { ...(await prove(wallet, allow)), signature: await thief.sign(allow.text) };
  expect(await linkWallet(owner, forged)).toEqual({ ok: false, reason: "bad_signature" });
  // The linked wallet's sign-in text, which a thief may have seen, has another purpose; so has the text of a wallet that joins.
  const started = await startSignIn(wallet, "192.0.2.1");
  const joining = await startLink(owner, thief);
  if (!started.ok || !joining.ok) throw new Error("no challenge");
  for (const proof of [await prove(wallet, started.challenge), await prove(thief, joining.join)]) {
    expect(await linkWallet(owner, proof)).toEqual({ ok: false, reason: "nonce_unknown" });
  }
  expect(await joinWith(owner, thief, newWallet("evm"))).toEqual({ ok: false, reason: "not_linked" });
  expect(await walletsOf(owner)).toEqual([stored(wallet)]);
});

test("a wallet that did not sign, or signed for another purpose, is not asked about any further", async () => {
  const { wallet, owner } = await newOwner();
  const [victim, decoy] = [newWallet("solana"), newWallet("solana")];
  const first = await startLink(owner, victim);
  const started = await startSignIn(victim, "192.0.2.1");
  const approval = await ask(owner, wallet, newWallet("evm"));
  if (!first.ok || !started.ok) throw new Error("no challenge");
  const forged = { ...(await prove(victim, first.join)), signature: await decoy.sign(first.join.text) };
  expect(await proveJoin(owner, { join: forged, allow: wallet })).toEqual({ ok: false, reason: "bad_signature" });
  for (const join of [await prove(victim, first.join), await prove(victim, started.challenge), await prove(wallet, approval.allow)]) {
    expect(await proveJoin(owner, { join, allow: wallet })).toEqual({ ok: false, reason: "nonce_unknown" });
  }
  expect(await walletsOf(owner)).toEqual([stored(wallet)]);
});

test("a signature and an approval are each good for one wallet, once", async () => {
  const { wallet, owner } = await newOwner();
  const second = newWallet("evm");
  const started = await startLink(owner, second);
  if (!started.ok) throw new Error(started.reason);
  const join = await prove(second, started.join);
  const joined = await proveJoin(owner, { join, allow: wallet });
  if (!joined.ok) throw new Error(joined.reason);
  expect(await proveJoin(owner, { join, allow: wallet })).toEqual({ ok: false, reason: "nonce_unknown" });
  const allow = await prove(wallet, joined.allow);
  expect(await linkWallet(owner, allow)).toEqual({ ok: true });
  expect(await unlinkWallet(owner, second)).toEqual({ ok: true });
  expect(await linkWallet(owner, allow)).toEqual({ ok: false, reason: "nonce_unknown" });
  expect(await walletsOf(owner)).toEqual([stored(wallet)]);
});

test("challenges of another account link nothing", async () => {
  const [mine, theirs] = [await newOwner(), await newOwner()];
  const joining = newWallet("evm");
  const started = await startLink(theirs.owner, joining);
  if (!started.ok) throw new Error(started.reason);
  const join = await prove(joining, started.join);
  expect(await proveJoin(mine.owner, { join, allow: mine.wallet })).toEqual({ ok: false, reason: "nonce_unknown" });
  const allow = await prove(theirs.wallet, (await ask(theirs.owner, theirs.wallet, joining)).allow);
  expect(await linkWallet(mine.owner, allow)).toEqual({ ok: false, reason: "nonce_unknown" });
  // And they are used up now.
  expect(await proveJoin(theirs.owner, { join, allow: theirs.wallet })).toEqual({ ok: false, reason: "nonce_unknown" });
  expect(await linkWallet(theirs.owner, allow)).toEqual({ ok: false, reason: "nonce_unknown" });
  expect(await walletsOf(mine.owner)).toHaveLength(1);
});

test("a wallet is not linked twice, and one that signs in meanwhile must sign again", async () => {
  const { wallet, owner } = await newOwner();
  expect(await startLink(owner, wallet)).toEqual({ ok: false, reason: "already_linked" });
  const late = newWallet("solana");
  const [first, second] = [await ask(owner, wallet, late), await ask(owner, wallet, late)];
  await enter(late);
  expect(await linkWallet(owner, await prove(wallet, first.allow))).toEqual({ ok: false, reason: "joining_changed" });
  expect(await link(owner, wallet, late)).toEqual({ ok: true });
  expect(await linkWallet(owner, await prove(wallet, second.allow))).toEqual({ ok: false, reason: "already_linked" });
  expect(await walletsOf(owner)).toHaveLength(2);
});

test("two accounts link one wallet at the same instant: one gets it", async () => {
  const owners = [await newOwner(), await newOwner()];
  const wanted = newWallet("evm");
  const proofs = await Promise.all(
    owners.map(async ({ owner, wallet }) => ({ owner, proof: await prove(wallet, (await ask(owner, wallet, wanted)).allow) })),
  );
  const outcomes = await Promise.all(proofs.map(({ owner, proof }) => linkWallet(owner, proof)));
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
  expect(outcomes.find((outcome) => !outcome.ok)).toEqual({ ok: false, reason: "joining_changed" });
});

test("both texts are valid for five minutes and one attempt", async () => {
  const { wallet, owner } = await newOwner();
  const second = newWallet("evm");
  const start = Date.UTC(2030, 0, 1);
  restore = setClock(() => start);
  const started = await startLink(owner, second);
  if (!started.ok) throw new Error(started.reason);
  const join = await prove(second, started.join);
  const allow = await prove(wallet, (await ask(owner, wallet, second)).allow);
  restore();
  restore = setClock(() => start + 300_000);
  for (const reason of ["expired", "nonce_unknown"]) {
    expect(await proveJoin(owner, { join, allow: wallet })).toEqual({ ok: false, reason });
    expect(await linkWallet(owner, allow)).toEqual({ ok: false, reason });
  }
});

test("a wallet that was unlinked meanwhile approves nothing", async () => {
  const { wallet, owner } = await newOwner();
  const [second, third] = [newWallet("evm"), newWallet("evm")];
  await link(owner, wallet, second);
  const { allow } = await ask(owner, second, third);
  expect(await unlinkWallet(owner, second)).toEqual({ ok: true });
  expect(await linkWallet(owner, await prove(second, allow))).toEqual({ ok: false, reason: "not_linked" });
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
  expect(await startLink(frozen, newWallet("evm"))).toEqual(refusal);
  const proof = await prove(wallet, { nonce: "x", text: "x" });
  expect(await proveJoin(frozen, { join: proof, allow: wallet })).toEqual(refusal);
  expect(await linkWallet(frozen, proof)).toEqual(refusal);
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
