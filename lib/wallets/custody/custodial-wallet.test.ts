// Wallets on a real database: one per account, only from the signer's addresses, without waiting.

import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { metrics } from "@/lib/base/observe/metrics";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fillAddressPool } from "./address-pool";
import { type CustodialWallet, findWallet, openWallet } from "./custodial-wallet";
import { openSigner } from "./seed-signer";
import { type Signer, setSigner } from "./signer";
import { abandonWords, startTestCustody, withSettings } from "./testing/seeds";

const database = await openTestDatabase();
const query = (sql: string, values: unknown[] = []) => database.pool.query(sql, values);

let signer: Signer;

beforeAll(async () => {
  signer = await startTestCustody();
});
beforeEach(() => fillAddressPool());
afterEach(() => query("DELETE FROM custodial_wallet WHERE account_id = 'acc_forged'"));

/** A first sign-in: its own transaction, as in the console. */
const signIn = (accountId: AccountId): Promise<CustodialWallet> => inTransaction((transaction) => openWallet(accountId, transaction));

const refusals = async (reason: string): Promise<number> =>
  (await metrics().walletsRefused.get()).values.find((value) => value.labels.reason === reason)?.value ?? 0;

test("the first call gives an account the signer's next addresses, and every later one the same", async () => {
  const accountId = newAccountId();
  expect(await findWallet(accountId)).toBeNull();
  const wallet = await signIn(accountId);
  const { attestation: _, ...made } = await signer.deriveAddresses(wallet.index);
  expect(wallet).toEqual({ accountId, ...made });
  expect(await signIn(accountId)).toEqual(wallet);
  expect(await findWallet(accountId)).toEqual(wallet);
  expect((await query("SELECT 1 FROM address_pool WHERE derivation_index = $1", [wallet.index])).rowCount).toBe(0);
});

test("ten concurrent first sign-ins of one account get one wallet, even with a single free address", async () => {
  await query("DELETE FROM address_pool WHERE derivation_index <> (SELECT min(derivation_index) FROM address_pool)");
  const accountId = newAccountId();
  const wallets = await Promise.all(Array.from({ length: 10 }, () => signIn(accountId)));
  expect(new Set(wallets.map((wallet) => JSON.stringify(wallet))).size).toBe(1);
  expect((await query("SELECT 1 FROM custodial_wallet WHERE account_id = $1", [accountId])).rowCount).toBe(1);
});

test("fifty concurrent accounts get fifty wallets without duplicates, and do not wait for uncommitted transactions", async () => {
  withSettings({ ADDRESS_POOL_SIZE: "51" });
  await fillAddressPool();
  const givenUp = new Error("the first sign-in is given up");
  const unfinished = inTransaction(async (transaction) => {
    const held = await openWallet(newAccountId(), transaction);
    const wallets = await Promise.all(Array.from({ length: 50 }, () => signIn(newAccountId())));
    for (const name of ["index", "baseAddress", "solanaAddress", "solanaTokenAccount"] as const) {
      expect(new Set([held, ...wallets].map((wallet) => wallet[name])).size, name).toBe(51);
    }
    throw givenUp;
  });
  await expect(unfinished).rejects.toBe(givenUp);
});

test("a rolled-back sign-in returns its address to the pool", async () => {
  const accountId = newAccountId();
  const failed = inTransaction(async (transaction) => {
    await openWallet(accountId, transaction);
    throw new Error("the sign-in failed");
  });
  await expect(failed).rejects.toThrow("the sign-in failed");
  expect(await findWallet(accountId)).toBeNull();
});

test("an empty pool refuses with a retryable error, logs a fix for the operator, and is counted", async () => {
  await query("DELETE FROM address_pool");
  const before = await refusals("empty");
  const refused = await signIn(newAccountId()).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: "INTERNAL_ERROR",
    details: { retryable: true },
    message: expect.stringContaining("Try again in a minute") as string,
    context: { reason: "empty", what: expect.stringMatching(/ROLES=jobs.*fill-address-pool.*ADDRESS_POOL_SIZE/) as string },
  });
  expect(await refusals("empty")).toBe(before + 1);
  await fillAddressPool();
  await expect(signIn(newAccountId())).resolves.toBeDefined();
});

const forgeries: readonly (readonly [what: string, column: string, value: unknown])[] = [
  ["somebody else's Base address", "base_address", "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"],
  ["the same Base address without its checksum", "base_address", "lower"],
  ["somebody else's Solana address", "solana_owner", "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"],
  ["somebody else's token account", "solana_token_account", "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"],
  ["an invalid signature", "attestation", randomBytes(64)],
  ["no signature", "attestation", Buffer.alloc(0)],
];

test.each(forgeries)("a pool row with %s is never assigned, and the signer corrects it", async (_, column, value) => {
  const { rows } = await query("SELECT min(derivation_index) AS first FROM address_pool");
  const { first } = rows[0] as { first: number };
  const set = value === "lower" ? `${column} = lower(${column})` : `${column} = $2`;
  await query(`UPDATE address_pool SET ${set} WHERE derivation_index = $1`, value === "lower" ? [first] : [first, value]);
  const accountId = newAccountId();
  const before = await refusals("forged");
  const refused = await signIn(accountId).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "INTERNAL_ERROR", details: { retryable: true }, context: { reason: "forged" } });
  expect(inspect(refused)).not.toContain(typeof value === "string" && value !== "lower" ? value : "0x");
  expect(await refusals("forged")).toBe(before + 1);
  expect(await findWallet(accountId)).toBeNull();

  await fillAddressPool();
  expect((await signIn(accountId)).index).toBe(first);
});

test("a wallet forged in the database is not shown", async () => {
  const foreign = await (await openSigner(abandonWords, "sandbox")).deriveAddresses(900);
  await query("INSERT INTO custodial_wallet VALUES ('acc_forged', $1, $2, $3, $4, $5, now())", [
    foreign.index,
    foreign.baseAddress,
    foreign.solanaAddress,
    foreign.solanaTokenAccount,
    foreign.attestation,
  ]);
  await expect(findWallet("acc_forged" as AccountId)).rejects.toMatchObject({ context: { reason: "forged" } });
});

test("in live mode addresses under another xpub than the pinned one are never assigned", async () => {
  const accountId = newAccountId();
  const wallet = await signIn(accountId);
  const live = {
    MODE: "live",
    ROLES: "web",
    KEY_PEPPER: "p".repeat(32),
    SESSION_SECRET: "s".repeat(32),
    PUBLIC_URL: "https://pennyprompt.example",
    DATABASE_URL: database.url,
    TREASURY_BASE_ADDRESS: `0x${"1".repeat(40)}`,
    TREASURY_SOLANA_ADDRESS: "1".repeat(32),
  };
  withSettings({ ...live, CUSTODY_XPUB: signer.xpub });
  expect(await findWallet(accountId)).toEqual(wallet);
  withSettings({ ...live, CUSTODY_XPUB: (await openSigner(abandonWords, "live")).xpub });
  await expect(findWallet(accountId)).rejects.toMatchObject({ context: { reason: "forged" } });
  await expect(signIn(newAccountId())).rejects.toMatchObject({ context: { reason: "forged" } });
});

test("a process without the seed can assign and show wallets, but not fill the pool", async () => {
  setSigner(undefined);
  try {
    const wallet = await signIn(newAccountId());
    expect(await findWallet(wallet.accountId)).toEqual(wallet);
    await expect(fillAddressPool()).rejects.toThrow("only a process with ROLES=jobs does");
  } finally {
    setSigner(signer);
  }
});
