// Of an account's two wallets one is stolen. Whoever holds it does not shut the owner out: the wallet that leaves signs in and takes power
// away until it is gone, gives none, and a wallet that was linked a minute ago decides about no other one.

import { beforeAll, beforeEach, expect, test } from "vitest";
import { listLiveKeys } from "@/lib/access/key-list";
import { createKey } from "@/lib/access/keys";
import type { KeyId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { accountLock, whileHeld } from "@/lib/db/testing/held-lock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { USD } from "@/lib/wallets/withdrawals/testing/world";
import { addOwnEndpoint } from "./alerts/own-endpoints";
import { closeOwnAccount } from "./close-account";
import { createConfirmedKey } from "./keys/confirmed-keys";
import { createOwnKey, setOwnKeyState } from "./keys/keys";
import { findOwnerOf, type Owner } from "./owner";
import { endEverySession, keepOwnWallet, startOwnLink, unlinkOwnWallet } from "./settings";
import { confirmSpending, startConfirmation } from "./step-up";
import { openTestCustody } from "./testing/custody";
import { link, linkADayAgo } from "./testing/linking";
import { enter, newOwner } from "./testing/owners";
import { newWallet, prove, type TestWallet } from "./testing/wallets";
import type { Answer } from "./views/answer";
import { setConfirmedRules } from "./withdraw/own-rules";
import { takeOwnWithdrawal } from "./withdraw/withdraw";

await openTestDatabase();
beforeAll(openTestCustody);
beforeAll(() => setSandboxPepper("a pepper for tests, of more than 32 characters"));
beforeEach(() => forgetSingleton("limits.limiter"));

type Act = (proof: Parameters<typeof unlinkOwnWallet>[2]) => Promise<Answer>;

/** Does what asks for a signature, signed by this wallet, whatever the page would offer. */
async function signed(owner: Owner, act: Act, signer: TestWallet): Promise<Answer> {
  const asked = await act(null);
  if (asked.ok || !asked.confirm) return asked;
  const { statement, seal } = asked.confirm;
  const started = await startConfirmation(owner, { wallet: signer, statement, seal });
  return started.ok ? act(await prove(signer, started.challenge)) : started;
}

const named = ({ chain, address }: TestWallet) => ({ chain, address });
const unlink = (owner: Owner, wallet: TestWallet, signer: TestWallet) =>
  signed(owner, (proof) => unlinkOwnWallet(owner, named(wallet), proof), signer);
const keep = (owner: Owner, wallet: TestWallet, signer: TestWallet) =>
  signed(owner, (proof) => keepOwnWallet(owner, named(wallet), proof), signer);

/** An account whose second wallet was linked long ago, and is stolen. */
async function newVictim() {
  const { owner, wallet } = await newOwner();
  const stolen = newWallet("solana");
  expect(await linkADayAgo(owner, wallet, stolen)).toEqual({ ok: true });
  return { owner, wallet, stolen };
}

const wish = {
  name: "ci",
  expiry: null,
  cap: null,
  clip: null,
  alarm: null,
  models: null,
  networks: [],
  scopes: ["prompt" as const],
};
const rules = { dailyLimit: null, waitSeconds: 0 as const, destinations: [] };

test("a thief who unlinks the owner's wallet neither shuts it out nor keeps it from stopping what the thief began", async () => {
  const { wallet, stolen } = await newVictim();
  const thief = await enter(stolen);
  const { keyId } = await createKey({ accountId: thief.accountId, name: "thief's" });
  expect(await unlink(thief, wallet, stolen)).toMatchObject({ ok: true });

  const owner = await enter(wallet);
  expect(owner).toMatchObject({ accountId: thief.accountId, isFrozen: true, isLeaving: true });
  expect(await setOwnKeyState(owner, keyId, "paused")).toEqual({ ok: true });
  await endEverySession(owner, { pausesKeys: true });
  expect(await findOwnerOf(thief.token)).toBeNull();
  expect((await listLiveKeys(owner.accountId)).map(({ state }) => state)).toEqual(["paused"]);
});

test("a stolen wallet that is leaving gets no power from signing in", async () => {
  const { owner, wallet, stolen } = await newVictim();
  expect(await unlink(owner, stolen, wallet)).toMatchObject({ ok: true });
  const thief = await enter(stolen);
  const { keyId } = await createKey({ accountId: owner.accountId, name: "ci" });
  await setOwnKeyState(owner, keyId, "paused");
  const order = {
    chain: "solana" as const,
    destination: stolen.address,
    amount: USD,
    fee: 0n,
    opensAccount: false,
    nonce: "n".repeat(22),
    issuedAt: new Date(),
    signer: named(stolen),
    signature: "1".repeat(88),
  };
  const attempts: [string, Act][] = [
    ["a key", (proof) => createConfirmedKey(thief, wish, proof)],
    ["a key that is paused", () => setOwnKeyState(thief, keyId, "active")],
    ["looser rules", (proof) => setConfirmedRules(thief, rules, proof)],
    ["a withdrawal", () => takeOwnWithdrawal(thief, order as never)],
    ["a wallet of its own", () => startOwnLink(thief, newWallet("evm"))],
    ["an end of the account", (proof) => closeOwnAccount(thief, proof)],
    ["the playground", (proof) => confirmSpending(thief, proof)],
    ["an endpoint", () => addOwnEndpoint(thief, { kind: "webhook", target: "https://93.184.215.14/hook", types: null })],
    ["itself", (proof) => keepOwnWallet(thief, named(stolen), proof)],
    ["the owner's unlinking", (proof) => unlinkOwnWallet(thief, named(wallet), proof)],
  ];
  for (const [what, act] of attempts) expect(await signed(thief, act, stolen), what).toMatchObject({ ok: false });
});

test("while a wallet is leaving the account is not closed: nobody shuts the other owner out of it", async () => {
  const { owner, wallet, stolen } = await newVictim();
  await unlink(owner, wallet, stolen);
  const thief = await enter(stolen);
  const closing = () => signed(thief, (proof) => closeOwnAccount(thief, proof), stolen);
  expect(await closing()).toMatchObject({ ok: false, message: expect.stringContaining("A wallet is being unlinked") });
});

test("a wallet that was linked a minute ago unlinks no other one, keeps none, and loosens no rules; a day later it does", async () => {
  const { owner, wallet, stolen } = await newVictim();
  const fresh = newWallet("evm");
  expect(await link(owner, stolen, fresh)).toEqual({ ok: true });
  const thief = await enter(fresh);
  expect(await setConfirmedRules(owner, { ...rules, waitSeconds: 3_600 }, null)).toEqual({ ok: true });
  const excepted = { ok: false, message: expect.stringMatching(/linked less than 24 hours ago/) };
  expect(await unlink(thief, wallet, fresh)).toMatchObject(excepted);
  expect(await signed(thief, (proof) => setConfirmedRules(thief, rules, proof), fresh)).toMatchObject(excepted);
  expect(await unlink(owner, stolen, wallet)).toMatchObject({ ok: true });
  expect(await keep(thief, stolen, fresh)).toMatchObject(excepted);
  // The page offers none of those that the server would refuse.
  expect(await keepOwnWallet(thief, named(stolen), null)).toMatchObject({
    confirm: { except: [named(stolen), { address: fresh.address }] },
  });
  // With the new wallet alone there is nobody to sign that the first one leaves.
  expect(await unlinkOwnWallet(thief, named(wallet), null)).toMatchObject(excepted);

  const old = newWallet("evm");
  await linkADayAgo(owner, wallet, old);
  expect(await keep(owner, stolen, old)).toEqual({ ok: true });
  expect(await unlink(owner, stolen, old)).toMatchObject({ ok: true });
});

test("a key that waits behind “sign out everywhere and pause all keys” is neither made nor resumed", async () => {
  for (const act of [(owner: Owner) => createOwnKey(owner, wish), (owner: Owner, keyId: KeyId) => setOwnKeyState(owner, keyId, "active")]) {
    const { owner } = await newOwner();
    const { keyId } = await createKey({ accountId: owner.accountId, name: "paused" });
    await setOwnKeyState(owner, keyId, "paused");
    const answer = await whileHeld(
      accountLock(owner.accountId),
      () => act(owner, keyId),
      (on) => on.query("UPDATE session SET ended_at = now(), end_reason = 'everywhere' WHERE account_id = $1", [owner.accountId]),
    );
    expect(answer).toMatchObject({ ok: false, message: "You have been signed out. Sign in again." });
    expect(await listLiveKeys(owner.accountId)).toMatchObject([{ keyId, state: "paused" }]);
  }
});
