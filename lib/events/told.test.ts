// What an owner hears of, and when: each step of a deposit, a withdrawal, a payment, a key and a wallet, written by the product's own
// functions, with exactly the fields that the catalogue promises.

import { beforeAll, expect, test } from "vitest";
import { createKey, setKeyState } from "@/lib/access/keys";
import { now } from "@/lib/base/clock";
import { type AccountId, newWithdrawalId, randomBase62 } from "@/lib/base/ids";
import { nanoUsd, parseUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { openFundingAccount, openLiabilityAccount, setLowLine } from "@/lib/ledger/accounts";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { postTransfer } from "@/lib/ledger/transfers";
import type { PaymentId } from "@/lib/payments/claims/claim";
import { recordFailed } from "@/lib/payments/claims/claim-steps";
import { claimed, creditIn, paidIn, reversed } from "@/lib/payments/testing/credited";
import { addDeposit, credit, openScan, reverse } from "@/lib/wallets/deposits/testing/scanned-deposits";
import { cancelWithdrawal, refuseWithdrawal } from "@/lib/wallets/withdrawals/decisions";
import { setOwnRules } from "@/lib/wallets/withdrawals/own-rules";
import { finishWithdrawal } from "@/lib/wallets/withdrawals/steps";
import type { OpenWithdrawal } from "@/lib/wallets/withdrawals/withdrawal";
import { eventTypes, isEventType } from "./catalogue";
import { readEventData } from "./event-data";

await openTestDatabase();
beforeAll(async () => {
  await openFunding();
  await openScan("base", { latest: 100, safe: 95, final: 90 });
  await openLiabilityAccount("withdrawal_pending");
  await openFundingAccount("base_chain");
});

const [firstWallet, secondWallet] = ["0x00000000000000000000000000000000000000aa", "0x00000000000000000000000000000000000000bb"];

/** What the account was told, each with the fields of its type and no others. */
async function toldOf(account: AccountId): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const { rows } = await pool().query<{ type: string; data: Record<string, unknown>; at: Date }>(
    "SELECT type, data, at FROM event WHERE account_id = $1 ORDER BY place",
    [account],
  );
  for (const { type, data, at } of rows) {
    if (!isEventType(type)) throw new Error(`the catalogue has no type ${type}`);
    const required = Object.entries(eventTypes[type].fields).filter(([name, field]) => !field.isOptional || name in data);
    expect(Object.keys(data).sort(), type).toEqual(required.map(([name]) => name).sort());
    expect(Math.abs(at.getTime() - now().getTime())).toBeLessThan(3_600_000);
  }
  return rows.map(({ type, data }) => ({ type, data: readEventData(type, data) }));
}

const namesOf = async (account: AccountId) => (await toldOf(account)).map(({ type }) => type);

test("a key that is created, paused, resumed and revoked", async () => {
  const account = await fundedAccount(0);
  const { keyId } = await createKey({ accountId: account, name: "agent" });
  await setKeyState(account, keyId, "paused");
  await setKeyState(account, keyId, "paused");
  await setKeyState(account, keyId, "active");
  await setKeyState(account, keyId, "revoked");
  const told = await toldOf(account);
  expect(told.map(({ type }) => type)).toEqual(["key.created", "key.paused", "key.revoked"]);
  expect(told[2]?.data).toMatchObject({ keyId, name: "agent" });
  expect(JSON.stringify(told)).not.toContain("hash");
});

test("a wallet that is linked and unlinked; the one that opened the account is no news", async () => {
  const account = await fundedAccount(0);
  const add = (address: string, isFirst: boolean) =>
    pool().query("INSERT INTO identity (chain, address, account_id, linked_at, is_first) VALUES ('evm', $1, $2, $3, $4)", [
      ...[address, account, now(), isFirst],
    ]);
  await add(firstWallet, true);
  await add(secondWallet, false);
  const leave = (at: Date | null) => pool().query("UPDATE identity SET leaves_at = $2 WHERE address = $1", [secondWallet, at]);
  const leavesAt = new Date("2030-01-01T00:00:00Z");
  for (const at of [leavesAt, new Date("2030-01-02T00:00:00Z"), null]) await leave(at);
  await pool().query("DELETE FROM identity WHERE address = $1", [secondWallet]);
  expect(await toldOf(account)).toEqual([
    { type: "wallet.linked", data: { chain: "evm", address: secondWallet } },
    { type: "wallet.leaving", data: { chain: "evm", address: secondWallet, leavesAt } },
    { type: "wallet.unlinked", data: { chain: "evm", address: secondWallet } },
  ]);
});

test("a deposit that is seen, credited and reversed; one below the minimum is seen", async () => {
  const account = await fundedAccount(0);
  const id = await addDeposit({ accountId: account, usd: "5", block: 90 });
  expect(await namesOf(account)).toEqual(["deposit.seen"]);
  await credit([id]);
  await credit([id]);
  await reverse(id);
  const told = await toldOf(account);
  expect(told.map(({ type }) => type)).toEqual(["deposit.seen", "deposit.credited", "deposit.reversed"]);
  expect(told[1]?.data).toMatchObject({ depositId: id, chain: "base", amount: parseUsd("5") });
  const small = await fundedAccount(0);
  await credit([await addDeposit({ accountId: small, usd: "0.5", block: 90 })]);
  expect(await namesOf(small)).toEqual(["deposit.seen"]);
});

test("a deposit and the threshold that the balance fell below when it was reversed", async () => {
  const account = await fundedAccount(parseUsd("1"));
  const id = await addDeposit({ accountId: account, usd: "5", block: 90 });
  await credit([id]);
  await setLowLine(account, nanoUsd(parseUsd("3")));
  await reverse(id);
  expect(await namesOf(account)).toEqual(["deposit.seen", "deposit.credited", "deposit.reversed", "balance.low"]);
});

/** A withdrawal in the books and in its table, as if it had been ordered. */
async function orderedBy(account: AccountId): Promise<OpenWithdrawal> {
  const id = newWithdrawalId();
  const [amount, fee] = [parseUsd("2"), parseUsd("0.1")];
  await postTransfer({
    id: `withdrawal_${id}`,
    kind: "reversal",
    legs: [
      { account, amount: nanoUsd(-(amount + fee)) },
      { account: "withdrawal_pending" as AccountId, amount: nanoUsd(amount + fee) },
    ],
  });
  await pool().query(
    `INSERT INTO withdrawal (id, account_id, chain, destination, amount, fee, opens_account, nonce, issued_at, valid_until, signer_chain,
       signer_address, signature, state, requested_at, approved_at)
     VALUES ($1, $2, 'base', '0x00000000000000000000000000000000000000cc', $3, $4, false, $6, $5, $5::timestamptz + interval '1 hour', 'evm', '0x00000000000000000000000000000000000000cc', 'signature', 'approved', $5, $5)`,
    [id, account, amount, fee, now(), randomBase62(22)],
  );
  return { id, attempt: 1 } as OpenWithdrawal;
}

test("a withdrawal that is paid, one that is cancelled and one that is refused", async () => {
  const account = await fundedAccount(parseUsd("50"));
  const paid = await orderedBy(account);
  const signed = "UPDATE withdrawal SET state = 'signed', attempt = 1, signed_at = now(), valid_before = now() WHERE id = $1";
  await pool().query(signed, [paid.id]);
  expect(await finishWithdrawal(paid, "0xpaid")).toBe(true);
  expect(await cancelWithdrawal(account, (await orderedBy(account)).id)).toBe(true);
  expect(await refuseWithdrawal((await orderedBy(account)).id, "Ask support")).toBe(true);
  const told = await toldOf(account);
  expect(told.map(({ type, data }) => [type, data.reason ?? data.transaction])).toEqual([
    ["withdrawal.requested", undefined],
    ["withdrawal.completed", "0xpaid"],
    ["withdrawal.requested", undefined],
    ["withdrawal.failed", "cancelled"],
    ["withdrawal.requested", undefined],
    ["withdrawal.failed", "Ask support"],
  ]);
});

test("each change of an owner's own rules for withdrawals", async () => {
  const account = await fundedAccount(0);
  const strict = {
    dailyLimit: nanoUsd(parseUsd("5")),
    waitSeconds: 3_600,
    destinations: [{ chain: "evm", address: firstWallet }],
  } as const;
  const none = { dailyLimit: null, waitSeconds: 0, destinations: [] };
  await setOwnRules(account, strict, none);
  await setOwnRules(account, strict, strict);
  await setOwnRules(account, none, strict);
  expect(await toldOf(account)).toEqual([
    { type: "withdrawal.rules_changed", data: { dailyLimit: parseUsd("5"), waitSeconds: 3_600, destinations: `evm:${firstWallet}` } },
    { type: "withdrawal.rules_changed", data: { waitSeconds: 0 } },
  ]);
});

test("a payment with a key of the account, one of a linked wallet, one that failed, and one that its chain dropped", async () => {
  const account = await fundedAccount(0);
  const payer = "0x52908400098527886e0f7030069857d2e4169ee7";
  await pool().query("INSERT INTO identity (chain, address, account_id, linked_at, is_first) VALUES ('evm', $1, $2, now(), true)", [
    payer,
    account,
  ]);
  await paidIn(7, { chain: "evm", payer, amount: parseUsd("1"), accountId: account });
  const x402 = await claimed({ chain: "evm", payer, amount: parseUsd("2") });
  await creditIn(8, x402);
  await reversed(x402);
  const failed = await claimed({ chain: "evm", payer, amount: parseUsd("3") });
  const claim = { id: failed as PaymentId, attempt: 1, scheme: "exact_evm", network: "eip155:31337", payer } as Parameters<
    typeof recordFailed
  >[0];
  expect(await recordFailed(claim, false, { reason: "expired" })).toBe(true);
  const told = await toldOf(account);
  expect(told.map(({ type, data }) => [type, data.amount, data.reason])).toEqual([
    ["payment.completed", parseUsd("1"), undefined],
    ["payment.completed", parseUsd("2"), undefined],
    ["payment.failed", parseUsd("2"), "reversed"],
    ["payment.failed", parseUsd("3"), "expired"],
  ]);
});

test("a payment of a wallet without an account is nobody's event", async () => {
  await paidIn(9, { chain: "evm", payer: "0x0000000000000000000000000000000000000001", amount: parseUsd("1") });
  const { rows } = await pool().query("SELECT 1 FROM event WHERE data ->> 'payer' = '0x0000000000000000000000000000000000000001'");
  expect(rows).toEqual([]);
});

test("what is undone is not told: an event belongs to the commit that makes it true", async () => {
  const account = await fundedAccount(0);
  const client = await pool().connect();
  try {
    await client.query("BEGIN");
    await client.query(
      "INSERT INTO identity (chain, address, account_id, linked_at, is_first) VALUES ('evm', '0x00000000000000000000000000000000000000ff', $1, now(), false)",
      [account],
    );
    await client.query("ROLLBACK");
  } finally {
    client.release();
  }
  expect(await namesOf(account)).toEqual([]);
});
