import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { addIdentity, listIdentities } from "@/lib/access/identities";
import { listSessions, openSession } from "@/lib/access/sessions";
import { DAY_MS, setClock } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { findWallet } from "@/lib/wallets/custody/custodial-wallet";
import { findOwnerOf } from "../owner";
import { openTestCustody } from "../testing/custody";
import { newWallet, prove, type TestWallet } from "../testing/wallets";
import { signIn, startSignIn } from "./sign-in";

await openTestDatabase();
beforeAll(openTestCustody);
beforeEach(() => forgetSingleton("limits.limiter"));

const browser = { userAgent: "a browser", clientAddress: "192.0.2.1" };
const count = async (table: string) => (await pool().query(`SELECT 1 FROM ${table}`)).rowCount ?? 0;

async function challengeFor(wallet: TestWallet) {
  const started = await startSignIn(wallet, browser.clientAddress);
  if (!started.ok) throw new Error(started.reason);
  return prove(wallet, started.challenge);
}

async function signInOnce(wallet: TestWallet): Promise<AccountId> {
  const outcome = await signIn(await challengeFor(wallet), browser);
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.accountId;
}

test("the first sign-in opens account, ledger account and addresses for one owner", async () => {
  const wallet = newWallet("solana");
  const accountId = await signInOnce(wallet);
  expect(await listIdentities(accountId)).toEqual([
    { wallet: { chain: "solana", address: wallet.address }, linkedAt: expect.any(Date), leavesAt: null, isFirst: true },
  ]);
  expect(await readBalance(accountId)).toEqual({ posted: 0n, held: 0n, available: 0n });
  expect(await findWallet(accountId)).toMatchObject({ accountId, baseAddress: expect.stringMatching(/^0x/) });
  expect(await listSessions(accountId)).toMatchObject([{ ...browser, wallet: { chain: "solana", address: wallet.address } }]);
  expect(await signInOnce(wallet)).toBe(accountId);
  expect(await checkLedger()).toEqual([]);
});

test("ten simultaneous first sign-ins of one wallet open one account and ten sessions", async () => {
  const wallet = newWallet("evm");
  const proofs = await Promise.all(Array.from({ length: 10 }, () => challengeFor(wallet)));
  const before = [await count("account"), await count("ledger_account"), await count("custodial_wallet")];
  const outcomes = await Promise.all(proofs.map((proof) => signIn(proof, browser)));
  const accounts = new Set(outcomes.map((outcome) => (outcome.ok ? outcome.accountId : outcome.reason)));
  expect(accounts.size).toBe(1);
  expect([await count("account"), await count("ledger_account"), await count("custodial_wallet")]).toEqual(before.map((rows) => rows + 1));
  const tokens = new Set(outcomes.map((outcome) => (outcome.ok ? outcome.token : "")));
  expect(tokens.size).toBe(10);
  for (const token of tokens) expect(await findOwnerOf(token)).not.toBeNull();
});

test("five wallets of each chain, each signing in twice at once, open ten accounts with separate addresses", async () => {
  const wallets = Array.from({ length: 10 }, (_, index) => newWallet(index % 2 === 0 ? "evm" : "solana"));
  const proofs = await Promise.all([...wallets, ...wallets].map(challengeFor));
  const outcomes = await Promise.all(proofs.map((proof) => signIn(proof, browser)));
  const accounts = outcomes.map((outcome) => (outcome.ok ? outcome.accountId : undefined));
  expect(accounts.slice(10)).toEqual(accounts.slice(0, 10));
  const opened = new Set(accounts);
  expect([opened.size, opened.has(undefined)]).toEqual([10, false]);
  const { rows } = await pool().query("SELECT DISTINCT base_address FROM custodial_wallet WHERE account_id = ANY ($1)", [[...opened]]);
  expect(rows).toHaveLength(10);
});

test("a first sign-in that fails half-way leaves nothing behind", async () => {
  const wallet = newWallet("evm");
  const proof = await challengeFor(wallet);
  const tables = ["account", "identity", "session", "ledger_account", "custodial_wallet"];
  const before = await Promise.all(tables.map(count));
  await pool().query("ALTER TABLE session ADD CONSTRAINT refuse_all CHECK (false) NOT VALID");
  await expect(signIn(proof, browser)).rejects.toThrow("refuse_all");
  await pool().query("ALTER TABLE session DROP CONSTRAINT refuse_all");
  expect(await Promise.all(tables.map(count))).toEqual(before);
  expect(await signInOnce(wallet)).toMatch(/^acc_/);
});

test("the owner of a frozen account can sign in, and sees that it is frozen", async () => {
  const wallet = newWallet("evm");
  const accountId = await signInOnce(wallet);
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [accountId]);
  const outcome = await signIn(await challengeFor(wallet), browser);
  expect(outcome).toMatchObject({ ok: true, accountId });
  expect(await findOwnerOf(outcome.ok ? outcome.token : "")).toMatchObject({ accountId, isFrozen: true });
});

test("one client gets thirty challenges a minute, without blocking other clients", async () => {
  const restore = setClock(() => Date.UTC(2030, 0, 1));
  onTestFinished(restore);
  const wallet = newWallet("evm");
  for (let sent = 0; sent < 30; sent++) expect((await startSignIn(wallet, "2001:db8::1")).ok).toBe(true);
  const rows = await count("sign_in_nonce");
  expect(await startSignIn(wallet, "2001:db8::2")).toEqual({ ok: false, reason: "too_many_attempts", retryAfterMs: expect.any(Number) });
  expect(await count("sign_in_nonce")).toBe(rows);
  expect((await startSignIn(wallet, "2001:db8:0:1::1")).ok).toBe(true);
});

test("while no address is free, a new wallet is refused and opens nothing, and existing owners still sign in", async () => {
  const [owner, newcomer] = [newWallet("evm"), newWallet("solana")];
  await signInOnce(owner);
  const [ownersProof, proof] = [await challengeFor(owner), await challengeFor(newcomer)];
  const before = await count("account");
  const blocker = await pool().connect();
  await blocker.query("BEGIN; SELECT 1 FROM address_pool FOR UPDATE"); // a locked pool counts as empty
  expect(await signIn(proof, browser)).toEqual({ ok: false, reason: "no_addresses" });
  expect(await signIn(ownersProof, browser)).toMatchObject({ ok: true });
  await blocker.query("ROLLBACK");
  blocker.release();
  expect(await count("account")).toBe(before);
  expect(await signInOnce(newcomer)).toMatch(/^acc_/);
});

test("a client is blocked after sixty failed attempts in a minute, before anything is looked up", async () => {
  onTestFinished(setClock(() => Date.UTC(2030, 0, 1)));
  const wallet = newWallet("evm");
  const guess = { ...(await challengeFor(wallet)), nonce: "none" };
  for (let tried = 0; tried < 60; tried++) expect(await signIn(guess, browser)).toEqual({ ok: false, reason: "nonce_unknown" });
  const proof = await challengeFor(wallet);
  expect(await signIn(proof, browser)).toEqual({ ok: false, reason: "too_many_attempts" });
  expect(await signIn(proof, { ...browser, clientAddress: "192.0.2.2" })).toMatchObject({ ok: true });
});

test("a wallet that signed in two hundred times within a day is refused, and another one of its account is not", async () => {
  const [thief, owners] = [newWallet("evm"), newWallet("solana")];
  const accountId = await signInOnce(thief);
  await inTransaction((transaction) => addIdentity(accountId, { chain: owners.chain, address: owners.address }, false, transaction));
  for (let count = 1; count < 200; count += 1) {
    const wallet = { chain: thief.chain, address: thief.address.toLowerCase() };
    await openSession({ accountId, wallet, ...browser });
  }
  expect(await signIn(await challengeFor(thief), browser)).toEqual({ ok: false, reason: "too_many_sign_ins" });
  expect(await signInOnce(owners)).toBe(accountId);
  const restore = setClock(() => Date.now() + DAY_MS + 60_000);
  onTestFinished(restore);
  expect(await signInOnce(thief)).toBe(accountId);
});
