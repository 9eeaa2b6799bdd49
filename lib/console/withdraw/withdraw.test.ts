// What the withdraw page shows, and its refusals: each with a message and the field that it concerns.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { now } from "@/lib/base/clock";
import type { WithdrawalId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { displayAddress } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { whileHeld } from "@/lib/db/testing/held-lock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { addReport } from "@/lib/wallets/reserves/report";
import { checkWithdrawals } from "@/lib/wallets/withdrawals/check";
import {
  creditUnfinal,
  link,
  newKeyWallet,
  newOwner,
  orderedBeforeStart,
  startWorld,
  type TestOwner,
  USD,
  type World,
} from "@/lib/wallets/withdrawals/testing/world";
import { readForm } from "../answer";
import type { DrawnOrder } from "../views/withdraw";
import { ownerOf, startWithdrawal as start } from "./testing/withdraw-page";
import { cancelOwnWithdrawal, readWithdrawPage, startOwnWithdrawal, takeOwnWithdrawal } from "./withdraw";
import { signedOrderForm } from "./withdraw-form";

await openTestDatabase();
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());
beforeEach(() => forgetSingleton("limits.limiter"));
afterEach(async () => {
  vi.unstubAllEnvs();
  forgetSingleton("config");
  setSandboxEvmNodes([world.evm.url()]);
  expect([await checkLedger(), await checkWithdrawals()]).toEqual([[], []]);
  await pool().query("UPDATE withdrawal SET requested_at = requested_at - interval '25 hours'");
});

async function drawn(test: TestOwner, wish: Parameters<typeof start>[1]): Promise<DrawnOrder> {
  const answer = await start(test, wish);
  if (!answer.ok) throw new Error(answer.message);
  return answer.order;
}

async function take(test: TestOwner, { text, waits: _, ...order }: DrawnOrder, changes: object = {}) {
  const signer = { chain: test.evm.chain, address: displayAddress(test.evm) };
  const read = readForm(signedOrderForm, { ...order, signer, signature: await test.evm.sign(text), ...changes });
  return read.ok ? takeOwnWithdrawal(ownerOf(test), read.form) : read;
}

test("an order is drafted, signed, accepted, shown and cancelled, as a page does it", async () => {
  const owner = await newOwner(50n * USD);
  const order = await drawn(owner, { amount: " $12.50 " });
  expect(order).toMatchObject({
    amount: 12_500_000_000n,
    fee: 100_000_000n,
    destination: displayAddress(owner.evm),
    waits: { needsApproval: false },
  });
  const taken = await take(owner, order);
  expect(taken).toMatchObject({ ok: true });
  const page = await readWithdrawPage(ownerOf(owner));
  expect(page.withdrawals).toMatchObject([
    { state: "approved", amount: order.amount, destination: displayAddress(owner.evm), transaction: null },
  ]);
  expect(page.allowance).toMatchObject({ withdrawable: 50n * USD - 12_600_000_000n, leftOpen: 4 });
  const [other, id] = [await newOwner(0n), page.withdrawals[0]?.id as WithdrawalId];
  const late = { ok: false, message: "Too late to cancel: it was already sent or has ended." };
  expect(await cancelOwnWithdrawal(ownerOf(other), id)).toEqual(late);
  await orderedBeforeStart(id);
  const early = { ok: false, message: "We're checking whether this was already paid. Try again in a minute." };
  expect(await cancelOwnWithdrawal(ownerOf(owner), id)).toEqual(early);
  expect(await cancelOwnWithdrawal(ownerOf(other), id)).toEqual(late);
  await pool().query("UPDATE withdrawal SET unpaid_at = now() WHERE id = $1", [id]);
  expect(await cancelOwnWithdrawal({ ...ownerOf(owner), isFrozen: true }, id)).toEqual({ ok: true });
  expect(await cancelOwnWithdrawal(ownerOf(owner), id)).toEqual(late);
  expect((await readWithdrawPage(ownerOf(owner))).allowance.withdrawable).toBe(50n * USD);
});

test("an order that comes while its account is being closed is not taken", async () => {
  const owner = await newOwner(50n * USD);
  const order = await drawn(owner, { amount: "12.50" });
  const taken = await whileHeld(
    ["SELECT ledger_lock_accounts(ARRAY[$1])", owner.accountId],
    () => take(owner, order),
    (on) => on.query("UPDATE account SET closed_at = now() WHERE id = $1", [owner.accountId]),
  );
  expect(taken).toMatchObject({ ok: false });
  expect((await readWithdrawPage(ownerOf(owner))).withdrawals).toEqual([]);
});

test("paging back shows each of the account's withdrawals once, and no other account's", async () => {
  const [owner, other] = [await newOwner(500n * USD), await newOwner(50n * USD)];
  const ids: string[] = [];
  for (let n = 0; n < 52; n++) {
    const taken = await take(owner, await drawn(owner, { amount: "1" }));
    if (!("id" in taken)) throw new Error(taken.message);
    ids.unshift(taken.id);
    await cancelOwnWithdrawal(ownerOf(owner), taken.id as WithdrawalId);
    forgetSingleton("limits.limiter");
  }
  // Many at the same time: the id breaks the tie.
  await pool().query("UPDATE withdrawal SET requested_at = date_trunc('hour', requested_at) WHERE account_id = $1", [owner.accountId]);
  const pages = [await readWithdrawPage(ownerOf(owner))];
  for (let older = pages[0]?.older; older; older = pages.at(-1)?.older) {
    expect((await readWithdrawPage(ownerOf(other), older)).withdrawals).toEqual([]);
    pages.push(await readWithdrawPage(ownerOf(owner), older));
  }
  expect(pages.map(({ withdrawals }) => withdrawals.length)).toEqual([25, 25, 2]);
  expect(new Set(pages.flatMap(({ withdrawals }) => withdrawals.map(({ id }) => id)))).toEqual(new Set(ids));
  for (const nonsense of ["", "x", "1.wd_'; DROP", ["1", "2"], "99999999999999.wd_aaaaaaaaaaaaaaaaaaaa", null]) {
    expect((await readWithdrawPage(ownerOf(owner), nonsense)).withdrawals.length).toBe(25);
  }
});

test("the page shows each wallet's fee, and from when a new wallet can be paid", async () => {
  const owner = await newOwner(50n * USD);
  const fresh = newKeyWallet("solana");
  await link(owner.accountId, fresh, false);
  await world.solana.faucet(owner.solana.address, 1n);
  const { destinations, signers, highestFee, least } = await readWithdrawPage(ownerOf(owner));
  const of = (address: string) => destinations.find((one) => one.address === address);
  expect(of(displayAddress(owner.evm))).toMatchObject({ chain: "base", payableFrom: null, fee: 100_000_000n });
  await expect
    .poll(async () => (await readWithdrawPage(ownerOf(owner))).destinations.find(({ address }) => address === owner.solana.address)?.fee)
    .toBe(100_000_000n);
  expect(of(fresh.address)).toMatchObject({ chain: "solana", fee: 500_000_000n });
  expect(of(fresh.address)?.payableFrom?.getTime()).toBe((of(fresh.address)?.linkedAt.getTime() ?? 0) + 24 * 3_600_000);
  expect([signers.length, highestFee, least]).toEqual([3, { base: 100_000_000n, solana: 500_000_000n }, 1n * USD]);
});

test.each([
  ["", /Enter an amount/],
  ["0", /above zero/],
  ["-5", /above zero/],
  ["1.0000001", /at most 6 decimal places/],
  ["1,000", /Leave out commas/],
  ["five", /Use only digits/],
  ["0.99", /Minimum: \$1\.00/],
  ["49.91", /exceeds the \$50\.00 that you can withdraw now/],
  ["99999999999", /Maximum: /],
])("the amount %j is refused at its field", async (amount, pattern) => {
  const owner = await newOwner(50n * USD);
  expect(await start(owner, { amount })).toEqual({ ok: false, field: "amount", message: expect.stringMatching(pattern) });
});

test.each([
  ["", /Choose a wallet/],
  ["0x1234", /not a Base address/],
  [`0x${"aB".repeat(20)}`, /checksum does not match/],
  ["HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk", /another network/],
  ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", /the token contract/],
  [`0x${"12".repeat(20)}`, /not linked to your account/],
])("the destination %j is refused at its field", async (destination, pattern) => {
  const owner = await newOwner(50n * USD);
  expect(await start(owner, { amount: "5", destination })).toEqual({
    ok: false,
    field: "destination",
    message: expect.stringMatching(pattern),
  });
});

test("obstacles are reported before anything is signed", async () => {
  const owner = await newOwner(5n * USD);
  await creditUnfinal(owner, 50n * USD);
  expect(await start(owner, { amount: "20" })).toMatchObject({
    message: expect.stringMatching(/exceeds the \$5\.00 that you can withdraw now/),
  });
  vi.stubEnv("WITHDRAWAL_DAILY_LIMIT_USD", "3");
  forgetSingleton("config");
  expect(await start(owner, { amount: "4" })).toMatchObject({
    message: expect.stringMatching(/your 24-hour limit, of which \$3\.00 is left/),
  });
  vi.stubEnv("WITHDRAWAL_APPROVAL_ABOVE_USD", "2");
  forgetSingleton("config");
  expect(await drawn(owner, { amount: "2.5" })).toMatchObject({ waits: { needsApproval: true } });
  const fresh = newKeyWallet("evm");
  await link(owner.accountId, fresh, false);
  expect(await start(owner, { amount: "1", destination: fresh.address })).toMatchObject({
    field: "destination",
    message: expect.stringMatching(/linked less than 24 hours ago\. Withdrawals to it unlock on \d+ \w+ \d{4}.*UTC/),
  });
  expect(
    await startOwnWithdrawal({ ...ownerOf(owner), isFrozen: true }, { chain: "base", destination: "", amount: 0n as never }),
  ).toMatchObject({
    message: expect.stringMatching(/frozen/),
  });
});

test("a chain's order cannot exceed its funds, and a repeated order is not checked against them again", async () => {
  const owner = await newOwner(50n * USD);
  const holding = { height: 1, blockHash: null, atAddresses: nanoUsd(2n * USD), addresses: 1 };
  const report = async (base: bigint, solana: bigint) =>
    addReport({
      state: "covered",
      at: now(),
      held: nanoUsd(0),
      owed: nanoUsd(0),
      customers: nanoUsd(0),
      credits: nanoUsd(0),
      granted: nanoUsd(0),
      holdings: [
        { chain: "base", treasury: nanoUsd(base), ...holding },
        { chain: "solana", treasury: nanoUsd(solana), ...holding },
      ],
    });
  const onSolana = { chain: "solana", destination: owner.solana.address };
  const early = await drawn(owner, { ...onSolana, amount: "4" });
  await report(30n * USD, 1_200_000_000n);
  const refusal = {
    ok: false,
    field: "amount",
    message: "Only $3.20 can be withdrawn on Solana right now. Choose Base or a smaller amount.",
  };
  expect(await start(owner, { ...onSolana, amount: "4" })).toEqual(refusal);
  expect(await take(owner, early)).toEqual(refusal);
  expect((await readWithdrawPage(ownerOf(owner))).allowance.leftOnChain).toEqual({ base: 32n * USD, solana: 3_200_000_000n });
  const order = await drawn(owner, { ...onSolana, amount: "3" });
  const taken = await take(owner, order);
  expect(taken).toMatchObject({ ok: true });
  expect(await take(owner, order)).toEqual(taken);
  // Open withdrawals count as gone, and deposits after the report as present.
  expect(await start(owner, { ...onSolana, amount: "2" })).toMatchObject({
    message: "Nothing can be withdrawn on Solana right now. Choose Base.",
  });
  await creditUnfinal(owner, 5n * USD);
  await pool().query("UPDATE deposit SET chain = 'solana', block = 2, finalized = true WHERE account_id = $1", [owner.accountId]);
  expect(await start(owner, { ...onSolana, amount: "5" })).toMatchObject({ ok: true });
  await report(0n, 0n);
  expect(await start(owner, { amount: "5" })).toMatchObject({
    message: "Only $2.00 can be withdrawn on Base right now. Choose Solana or a smaller amount.",
  });
  await pool().query("DELETE FROM reserve_report");
  await pool().query("UPDATE deposit SET chain = 'base' WHERE account_id = $1", [owner.accountId]);
  expect(await start(owner, { amount: "5" })).toMatchObject({ ok: true });
});

test("a browser that sends other terms than the signed ones is refused", async () => {
  const owner = await newOwner(50n * USD);
  const order = await drawn(owner, { amount: "5" });
  const refusal = { ok: false, message: expect.stringMatching(/signature does not match this wallet/) };
  expect(await take(owner, order, { amount: 49_000_000_000n })).toEqual(refusal);
  expect(await take(owner, order, { nonce: "B".repeat(22) })).toEqual(refusal);
  expect(await take(owner, order, { fee: 0n })).toMatchObject({ message: "The fee is $0.10 now. Nothing was withdrawn. Review it again." });
  const stranger = newKeyWallet("evm");
  const signer = { chain: "evm", address: stranger.address };
  expect(await take(owner, order, { signer, signature: await stranger.sign(order.text) })).toMatchObject({
    message: expect.stringMatching(/not linked to this account/),
  });
  for (const nonsense of [
    { amount: "5" },
    { nonce: "'; DROP TABLE" },
    { issuedAt: "now" },
    { extra: 1 },
    { signature: "x".repeat(50_000) },
  ]) {
    expect(await take(owner, order, nonsense)).toMatchObject({
      ok: false,
      message: "We couldn't read the form. Reload the page and try again.",
    });
  }
  expect((await readWithdrawPage(ownerOf(owner))).withdrawals).toEqual([]);
});

test("while the chain is unreachable no order is accepted, and the page still renders", async () => {
  const owner = await newOwner(50n * USD);
  const order = await drawn(owner, { amount: "5" });
  setSandboxEvmNodes(["http://127.0.0.1:9"]);
  const refusal = { ok: false, message: expect.stringMatching(/network is not responding/) };
  expect(await start(owner, { amount: "5" })).toEqual(refusal);
  expect(await take(owner, order)).toEqual(refusal);
  expect((await readWithdrawPage(ownerOf(owner))).destinations).toHaveLength(2);
});
