import { beforeAll, beforeEach, expect, test } from "vitest";
import { listLiveKeys } from "@/lib/access/key-list";
import { createKey } from "@/lib/access/keys";
import type { Proof } from "@/lib/access/proofs";
import { setClock } from "@/lib/base/clock";
import { newSessionId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { accountLock, whileHeld } from "@/lib/db/testing/held-lock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { listPayableWallets } from "@/lib/wallets/withdrawals/allowance";
import { readForm } from "./answer";
import { findOwnerOf, type Owner } from "./owner";
import {
  endEverySession,
  endOneSession,
  keepOwnWallet,
  linkOwnWallet,
  proveOwnJoin,
  readSettings,
  startOwnLink,
  unlinkOwnWallet,
} from "./settings";
import { proveJoinForm, sessionForm, walletForm } from "./settings-form";
import { isLinked, unlinkLeft } from "./sign-in/link-wallet";
import { startConfirmation } from "./step-up";
import { openTestCustody } from "./testing/custody";
import { linkADayAgo } from "./testing/linking";
import { enter, newOwner as newOwnerOf } from "./testing/owners";
import { newWallet, prove, type TestWallet } from "./testing/wallets";
import type { Answer } from "./views/answer";

await openTestDatabase();
beforeAll(openTestCustody);
beforeAll(() => setSandboxPepper("a pepper for tests, of more than 32 characters"));
beforeEach(() => forgetSingleton("limits.limiter"));

const chrome = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const newOwner = () => newOwnerOf("evm", chrome);

async function link(owner: Owner, allow: TestWallet, join: TestWallet) {
  const started = await startOwnLink(owner, join);
  if (!started.ok) return started;
  const joined = await proveOwnJoin(owner, { join: await prove(join, started.join), allow });
  return joined.ok ? linkOwnWallet(owner, await prove(allow, joined.allow)) : joined;
}

const HOUR = 3_600_000;

/** Does what asks for a signature, signed by this wallet as an honest page has it signed. */
async function signed(owner: Owner, act: (proof: Proof | null) => Promise<Answer>, signer: TestWallet): Promise<Answer> {
  const asked = await act(null);
  if (asked.ok || !asked.confirm) return asked;
  const { statement, seal } = asked.confirm;
  const started = await startConfirmation(owner, { wallet: signer, statement, seal });
  return started.ok ? act(await prove(signer, started.challenge)) : started;
}

const unlinkSigned = (owner: Owner, { chain, address }: TestWallet, signer: TestWallet) =>
  signed(owner, (proof) => unlinkOwnWallet(owner, { chain, address }, proof), signer);
const keepSigned = (owner: Owner, { chain, address }: TestWallet, signer: TestWallet) =>
  signed(owner, (proof) => keepOwnWallet(owner, { chain, address }, proof), signer);

test("settings show the owner's own wallets and sessions, the current session marked and first", async () => {
  const { wallet, owner } = await newOwner();
  await newOwner();
  const second = newWallet("solana");
  expect(await link(owner, wallet, second)).toEqual({ ok: true });
  const other = await enter(second, firefox);
  const { wallets, sessions } = await readSettings(owner);
  expect(wallets).toMatchObject([
    { chain: "evm", address: wallet.address, isFirst: true, isCurrent: true },
    { chain: "solana", address: second.address, isFirst: false, isCurrent: false },
  ]);
  expect(sessions).toMatchObject([
    { sessionId: owner.sessionId, device: "Chrome on macOS", wallet: { address: wallet.address }, isCurrent: true },
    { sessionId: other.sessionId, device: "Firefox on Linux", wallet: { address: second.address }, isCurrent: false },
  ]);
  // Nothing from which a cookie could be made leaves the server.
  expect(Object.keys(sessions[0] ?? {}).sort()).toEqual([
    "clientAddress",
    "createdAt",
    "device",
    "isCurrent",
    "lastSeenAt",
    "sessionId",
    "wallet",
  ]);
});

test("a wallet is unlinked, but not the last one, and never by another account", async () => {
  const [{ wallet, owner }, stranger] = [await newOwner(), await newOwner()];
  const named = { chain: wallet.chain, address: wallet.address };
  expect(await unlinkOwnWallet(stranger.owner, named, null)).toMatchObject({ ok: false, message: expect.stringContaining("not linked") });
  expect(await unlinkOwnWallet(owner, named, null)).toMatchObject({ ok: false, message: expect.stringContaining("last wallet") });
  const second = newWallet("evm");
  await linkADayAgo(owner, wallet, second);
  expect(await unlinkSigned(owner, second, wallet)).toEqual({ ok: true, signedOut: false });
  expect(await keepSigned(owner, second, wallet)).toEqual({ ok: true });
  // This wallet opened the session, so the session ends.
  expect(await unlinkSigned(owner, wallet, second)).toEqual({ ok: true, signedOut: true });
  expect(await findOwnerOf(owner.token)).toBeNull();
});

test("a wallet is unlinked only with another wallet's signature, and 24 hours later", async () => {
  const { wallet, owner } = await newOwner();
  const [second, third] = [newWallet("solana"), newWallet("evm")];
  await linkADayAgo(owner, wallet, second);
  const asked = await unlinkOwnWallet(owner, second, null);
  expect(asked).toMatchObject({ ok: false, confirm: { except: [{ address: second.address }] } });
  // Neither the wallet that leaves signs it, nor one that is not linked, nor a signature for another wallet.
  for (const stranger of [second, third]) expect(await unlinkSigned(owner, second, stranger)).toMatchObject({ ok: false });
  expect((await readSettings(owner)).wallets.map(({ leavesAt }) => leavesAt)).toEqual([null, null]);
  const at = Date.now();
  const restore = setClock(() => at);
  try {
    expect(await unlinkSigned(owner, second, wallet)).toMatchObject({ ok: true });
    expect((await readSettings(owner)).wallets.map(({ leavesAt }) => leavesAt)).toEqual([null, new Date(at + 24 * HOUR)]);
    await unlinkLeft();
    expect(await isLinked(owner, second)).toBe(true);
    // It gives no power any more: it lets no wallet in, unlinks nobody, keeps nobody, and is nowhere paid to.
    expect(await unlinkSigned(owner, wallet, second)).toMatchObject({ ok: false, message: expect.stringContaining("last wallet") });
    expect(await link(owner, second, third)).toMatchObject({ ok: false, message: expect.stringContaining("not linked") });
    expect(await keepSigned(owner, second, second)).toMatchObject({ ok: false });
    expect((await listPayableWallets(owner.accountId)).map(({ address }) => address)).not.toContain(second.address);
  } finally {
    restore();
  }
  const restoreLater = setClock(() => at + 24 * HOUR);
  try {
    await unlinkLeft();
    expect(await isLinked(owner, second)).toBe(false);
  } finally {
    restoreLater();
  }
});

test("refusals of linking have a message that says what to do", async () => {
  const [{ wallet, owner }, stranger] = [await newOwner(), await newOwner()];
  await createKey({ accountId: stranger.owner.accountId, name: "used" });
  expect(await link(owner, wallet, stranger.wallet)).toMatchObject({
    ok: false,
    message: expect.stringMatching(
      /^This wallet has its own account with money, keys or history, so it cannot be merged\. Nothing was changed\./,
    ),
  });
  const other = await newOwner();
  await link(other.owner, other.wallet, newWallet("solana"));
  expect(await link(owner, wallet, other.wallet)).toMatchObject({
    ok: false,
    message: expect.stringContaining("unlink it under Settings"),
  });
  expect(await link(owner, stranger.wallet, newWallet("evm"))).toMatchObject({ ok: false, message: expect.stringContaining("not linked") });
  const second = newWallet("evm");
  const started = await startOwnLink(owner, second);
  if (!started.ok) throw new Error(started.message);
  const join = await prove(wallet, started.join);
  expect(await proveOwnJoin(owner, { join, allow: wallet })).toMatchObject({ ok: false, message: expect.stringContaining("address") });
  expect((await readSettings(owner)).wallets).toHaveLength(1);
});

test("one session is ended, or all of them; never those of another account", async () => {
  const { wallet, owner } = await newOwner();
  const stranger = await newOwner();
  const [second, third] = [await enter(wallet, chrome), await enter(wallet, chrome)];
  for (const sessionId of [second.sessionId, newSessionId(), "ses_", "' OR true --"]) {
    expect(await endOneSession(stranger.owner, sessionId)).toMatchObject({
      ok: false,
      message: expect.stringContaining("already ended"),
    });
  }
  expect(await findOwnerOf(second.token)).not.toBeNull();
  expect(await endOneSession(owner, second.sessionId)).toEqual({ ok: true });
  expect(await findOwnerOf(second.token)).toBeNull();
  const { keyId } = await createKey({ accountId: owner.accountId, name: "ci" });
  const stateOf = async () => (await listLiveKeys(owner.accountId)).find((key) => key.keyId === keyId)?.state;
  const { keyId: foreign } = await createKey({ accountId: stranger.owner.accountId, name: "theirs" });
  await endEverySession(owner, { pausesKeys: false });
  expect(await stateOf()).toBe("active");
  await endEverySession(owner, { pausesKeys: true });
  expect(await stateOf()).toBe("paused");
  expect(await listLiveKeys(stranger.owner.accountId)).toMatchObject([{ keyId: foreign, state: "active" }]);
  for (const { token } of [owner, third]) expect(await findOwnerOf(token)).toBeNull();
  expect(await findOwnerOf(stranger.owner.token)).not.toBeNull();
});

test("signing out everywhere waits for whoever has the account's lock, and holds none of its sessions meanwhile", async () => {
  const { owner } = await newOwner();
  await whileHeld(
    accountLock(owner.accountId),
    () => endEverySession(owner, { pausesKeys: true }),
    (on) => on.query("SELECT FROM session WHERE account_id = $1 FOR UPDATE NOWAIT", [owner.accountId]),
  );
  expect(await findOwnerOf(owner.token)).toBeNull();
});

test("the owner of a frozen account sees the settings, and can only remove rights, wallets and sessions, and keep wallets", async () => {
  const { wallet, owner } = await newOwner();
  const second = newWallet("evm");
  await link(owner, wallet, second);
  const other = await enter(wallet, chrome);
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [owner.accountId]);
  const frozen = await findOwnerOf(owner.token);
  if (!frozen) throw new Error("a frozen account's session was ended");
  const before = await readSettings(frozen);
  expect(await link(frozen, wallet, newWallet("evm"))).toMatchObject({ ok: false, message: expect.stringContaining("frozen") });
  expect(await readSettings(frozen)).toEqual(before);
  expect(await endOneSession(frozen, other.sessionId)).toEqual({ ok: true });
  expect(await unlinkSigned(frozen, second, wallet)).toEqual({ ok: true, signedOut: false });
  expect((await readSettings(frozen)).wallets).toMatchObject([{ leavesAt: null }, { leavesAt: expect.any(Date) }]);
  expect(await keepSigned(frozen, second, second)).toMatchObject({ ok: false });
  expect(await keepSigned(frozen, second, wallet)).toEqual({ ok: true });
  expect((await readSettings(frozen)).wallets).toMatchObject([{ leavesAt: null }, { leavesAt: null }]);
});

test("an invalid wallet, session or proof is refused by its form", () => {
  const wallet = { chain: "evm", address: `0x${"ab".repeat(20)}` };
  for (const input of [
    null,
    {},
    { ...wallet, chain: "bitcoin" },
    { ...wallet, address: "x".repeat(65) },
    { ...wallet, accountId: "acc_1" },
  ]) {
    expect(readForm(walletForm, input).ok).toBe(false);
    expect(readForm(proveJoinForm, { allow: wallet, join: input }).ok).toBe(false);
  }
  for (const sessionId of [undefined, 7, "", "ses_", `key_${"a".repeat(20)}`]) {
    expect(readForm(sessionForm, { sessionId })).toMatchObject({ ok: false, message: "This session no longer exists. Reload the page." });
  }
});
