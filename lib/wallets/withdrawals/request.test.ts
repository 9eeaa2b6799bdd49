import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { ChainId } from "@/lib/base/chains";
import { now, setClock } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { nanoUsd } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { displayAddress } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { signer } from "../custody/signer";
import { endOfOrder, isOrderText, verifyOrder, writeOrderText } from "../custody/withdrawal-order";
import { readAllowance } from "./allowance";
import { createOrder, requestWithdrawal } from "./request";
import {
  asUsd,
  creditUnfinal,
  link,
  newKeyWallet,
  newOwner,
  order,
  ordered,
  signOrder,
  startWorld,
  USD,
  unlink,
  type World,
} from "./testing/world";
import { listWithdrawals } from "./withdrawal";

await openTestDatabase();
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());
let restoreClock = () => {};
afterEach(async () => {
  restoreClock();
  restoreClock = () => {};
  vi.unstubAllEnvs();
  forgetSingleton("config");
  expect(await checkLedger()).toEqual([]);
  expect((await pool().query("SELECT * FROM wallets_check_withdrawals()")).rows).toEqual([]);
  // All tests share the service's daily limit, and nothing is paid here: what is left behind must not be before the next test's.
  await pool().query("UPDATE withdrawal SET requested_at = requested_at - interval '25 hours', waits_for = 'signature'");
});

const setting = (name: string, value: string) => {
  vi.stubEnv(name, value);
  forgetSingleton("config");
};
const FEE = () => config().WITHDRAWAL_FEE_BASE_USD;

test("an order leaves the balance immediately, fee included, and is listed as open", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { amount: 20n * USD });
  expect(await readBalance(owner.accountId)).toMatchObject({ available: 50n * USD - 20n * USD - FEE() });
  expect(await listWithdrawals(owner.accountId, { limit: 5 })).toMatchObject([
    { id, state: "approved", chain: "base", destination: owner.evm.address, amount: 20n * USD, fee: FEE(), waitsFor: null },
  ]);
});

test("the signed text contains every field, and only this service's own texts count as orders", async () => {
  const owner = await newOwner(50n * USD);
  const signed = await signOrder(owner, { amount: 20_500_000_000n });
  const text = writeOrderText(signed);
  expect(text).toBe(
    [
      "PennyPrompt Withdrawal",
      "",
      "Amount: 20.5 USDC",
      "Fee: 0.1 USDC",
      `To: ${displayAddress(owner.evm)}`,
      "Chain: Base (31337)",
      `Account: ${owner.accountId}`,
      `Nonce: ${signed.nonce}`,
      `Issued at: ${signed.issuedAt.toISOString()}`,
      `Valid until: ${endOfOrder(signed.issuedAt).toISOString()}`,
    ].join("\n"),
  );
  expect(isOrderText(text)).toBe(true);
  for (const other of [
    `${text}\n`,
    text.replace("PennyPrompt", "Other"),
    text.replace("Nonce: ", "Nonce:  "),
    "",
    "PennyPrompt Withdrawal",
  ])
    expect(isOrderText(other)).toBe(false);
  expect(await verifyOrder(signed)).toBe("valid");
});

test("of ten concurrent orders on one balance exactly as many succeed as it covers", async () => {
  const owner = await newOwner(3n * (10n * USD + FEE()) + 5n * USD);
  const orders = await Promise.all(Array.from({ length: 10 }, () => signOrder(owner, { amount: 10n * USD })));
  const outcomes = await Promise.all(orders.map(requestWithdrawal));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(3);
  expect(outcomes.filter((outcome) => !outcome.ok && outcome.reason === "insufficient")).toHaveLength(7);
  expect((await readBalance(owner.accountId)).available).toBe(5n * USD);
});

test("the same signed order ten times concurrently is one withdrawal; with any change it is refused", async () => {
  const owner = await newOwner(100n * USD);
  const signed = await signOrder(owner, { amount: 10n * USD });
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => requestWithdrawal(signed)));
  expect(new Set(outcomes.map((outcome) => (outcome.ok ? outcome.id : outcome.reason))).size).toBe(1);
  expect(outcomes[0]?.ok).toBe(true);
  expect((await readBalance(owner.accountId)).available).toBe(90n * USD - FEE());
  const again = { ...signed, amount: asUsd(11) };
  const signature = await owner.evm.sign(writeOrderText(again));
  expect(await requestWithdrawal({ ...again, signature })).toEqual({ ok: false, reason: "nonce_used" });
  expect(await requestWithdrawal(again)).toEqual({ ok: false, reason: "bad_signature" });
});

test("an order that was taken, and whose answer was lost, is the same withdrawal also when it would be refused by now", async () => {
  const owner = await newOwner(50n * USD);
  const signed = await signOrder(owner, { amount: 10n * USD });
  const taken = await requestWithdrawal(signed);
  expect(taken).toMatchObject({ ok: true });
  const left = (await readBalance(owner.accountId)).available;
  setting("WITHDRAWAL_FEE_BASE_USD", "0.7");
  expect(await requestWithdrawal(signed)).toEqual(taken);
  restoreClock = setClock(() => signed.issuedAt.getTime() + 11 * 60_000);
  expect(await requestWithdrawal(signed)).toEqual(taken);
  expect(await requestWithdrawal({ ...signed, nonce: "A".repeat(22) })).toEqual({ ok: false, reason: "expired" });
  expect((await readBalance(owner.accountId)).available).toBe(left);
});

describe("only the signed order is accepted", () => {
  test.each([
    ["another amount", (o: Awaited<ReturnType<typeof signOrder>>) => ({ ...o, amount: asUsd(40) })],
    ["another nonce", (o: Awaited<ReturnType<typeof signOrder>>) => ({ ...o, nonce: "A".repeat(22) })],
    ["another issue time", (o: Awaited<ReturnType<typeof signOrder>>) => ({ ...o, issuedAt: new Date(o.issuedAt.getTime() - 1) })],
  ])("with %s", async (_what, change) => {
    const owner = await newOwner(50n * USD);
    expect(await requestWithdrawal(change(await signOrder(owner, { amount: 10n * USD })))).toEqual({ ok: false, reason: "bad_signature" });
  });

  test("to another destination, for another account, or by a wallet that is not linked", async () => {
    const [owner, thief] = [await newOwner(50n * USD), await newOwner(50n * USD)];
    const signed = await signOrder(owner, { amount: 10n * USD });
    expect(await requestWithdrawal({ ...signed, destination: thief.evm.address })).toEqual({ ok: false, reason: "bad_signature" });
    // A captured order, sent from the thief's session.
    expect(await requestWithdrawal({ ...signed, accountId: thief.accountId })).toEqual({ ok: false, reason: "bad_signature" });
    const strange = newKeyWallet("evm");
    expect(await order(owner, { amount: 10n * USD, signer: strange })).toEqual({ ok: false, reason: "signer_not_linked" });
    expect(await order(owner, { amount: 10n * USD, signer: thief.evm })).toEqual({ ok: false, reason: "signer_not_linked" });
    expect(await order(owner, { amount: 10n * USD, destination: thief.evm.address })).toEqual({
      ok: false,
      reason: "destination_not_linked",
    });
    expect((await readBalance(owner.accountId)).available).toBe(50n * USD);
    expect((await readBalance(thief.accountId)).available).toBe(50n * USD);
  });

  test("any linked wallet of either chain may sign, and an unlinked one may not", async () => {
    const owner = await newOwner(50n * USD);
    expect(await order(owner, { amount: 10n * USD, signer: owner.solana })).toMatchObject({ ok: true });
    await unlink(owner.solana);
    expect(await order(owner, { amount: 10n * USD, signer: owner.solana })).toEqual({ ok: false, reason: "signer_not_linked" });
  });
});

test("a wallet can be paid 24 hours after it was linked, the account's first wallet immediately", async () => {
  const owner = await newOwner(50n * USD);
  const second = newKeyWallet("evm");
  await link(owner.accountId, second, false);
  const since = new Date((await pool().query("SELECT linked_at FROM identity WHERE address = $1", [second.address])).rows[0]?.linked_at);
  since.setTime(since.getTime() + 24 * 3_600_000);
  expect(await order(owner, { amount: 5n * USD, destination: second.address })).toEqual({
    ok: false,
    reason: "destination_too_new",
    since,
  });
  expect(await order(owner, { amount: 5n * USD, signer: second })).toMatchObject({ ok: true });
  restoreClock = setClock(() => since.getTime());
  expect(await order(owner, { amount: 5n * USD, destination: second.address })).toMatchObject({ ok: true });
});

test("money that is not final can be spent but not withdrawn", async () => {
  const owner = await newOwner(10n * USD);
  const deposit = await creditUnfinal(owner, 30n * USD);
  expect(await readAllowance(owner.accountId)).toMatchObject({ withdrawable: 10n * USD, unfinal: 30n * USD });
  expect(await order(owner, { amount: 20n * USD })).toEqual({ ok: false, reason: "insufficient", most: 10n * USD });
  await pool().query("UPDATE deposit SET finalized = true WHERE id = $1", [deposit]);
  expect(await order(owner, { amount: 20n * USD })).toMatchObject({ ok: true });
});

test("a frozen account cannot withdraw", async () => {
  const owner = await newOwner(50n * USD);
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [owner.accountId]);
  expect(await order(owner, { amount: 5n * USD })).toEqual({ ok: false, reason: "frozen" });
});

test("limits: an account's and the service's over 24 hours, and the number of open withdrawals", async () => {
  setting("WITHDRAWAL_DAILY_LIMIT_USD", "30");
  setting("WITHDRAWAL_SERVICE_DAILY_LIMIT_USD", "50");
  const [one, other] = [await newOwner(500n * USD), await newOwner(500n * USD)];
  await ordered(one, { amount: 25n * USD });
  expect(await order(one, { amount: 6n * USD })).toEqual({ ok: false, reason: "account_limit", most: 5n * USD });
  await ordered(one, { amount: 5n * USD });
  expect(await readAllowance(other.accountId)).toMatchObject({ leftOfDay: 30n * USD, leftOfService: 20n * USD, leftOpen: 5 });
  for (let n = 0; n < 5; n++) await ordered(other, { amount: 1n * USD });
  expect(await order(other, { amount: 1n * USD })).toEqual({ ok: false, reason: "too_many_open" });
  const start = now().getTime();
  restoreClock = setClock(() => start + 24 * 3_600_000 + 1_000);
  await ordered(one, { amount: 30n * USD });
});

test("above the threshold an order waits for the operator, and small ones are added up", async () => {
  setting("WITHDRAWAL_APPROVAL_ABOVE_USD", "20");
  const owner = await newOwner(500n * USD);
  await ordered(owner, { amount: 15n * USD });
  await ordered(owner, { amount: 6n * USD });
  expect((await listWithdrawals(owner.accountId, { limit: 5 })).map(({ state }) => state)).toEqual(["awaiting_approval", "approved"]);
});

describe("invalid wishes", () => {
  const wish = async (chain: ChainId, destination: string, amount = 5n * USD) =>
    createOrder({ accountId: (await newOwner(0n)).accountId, chain, destination, amount: nanoUsd(amount) });

  test("unusable addresses are refused with their own reason", async () => {
    const { treasury, relayer, usdcMint } = signer();
    const [evm, solana] = [newKeyWallet("evm"), newKeyWallet("solana")];
    const shown = displayAddress(evm);
    const flipped = shown.replace(/[a-f](?=[^a-fA-F]*$)|[A-F](?=[^a-fA-F]*$)/, (c) =>
      c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase(),
    );
    const { rows } = await pool().query("SELECT base_address, solana_owner, solana_token_account FROM address_pool LIMIT 1");
    const ours = rows[0];
    await world.solana.faucet(solana.address, 1n);
    const cases: [string, ChainId, string][] = [
      ["malformed", "base", "0x12"],
      ["malformed", "solana", "hello"],
      ["checksum", "base", flipped],
      ["other_chain", "base", solana.address],
      ["other_chain", "solana", shown],
      ["token", "base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"],
      ["token", "base", `0x${"0".repeat(40)}`],
      ["token", "solana", usdcMint],
      ["own", "base", treasury.base],
      ["own", "base", relayer.address.toUpperCase().replace("0X", "0x")],
      ["own", "solana", treasury.solana],
      ["own", "base", ours.base_address],
      ["own", "solana", ours.solana_owner],
      ["program", "solana", deriveTokenAccount(solana.address, usdcMint)],
      ["program", "solana", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"],
    ];
    for (const [fault, chain, text] of cases)
      expect(await wish(chain, text), `${fault} ${text}`).toEqual({ ok: false, reason: "destination", fault });
  });

  test("amounts: none, too little, and smaller than a unit of USDC", async () => {
    const { address } = newKeyWallet("evm");
    const least = 1n * USD;
    for (const amount of [0n, -5n * USD, 999_999_000n])
      expect(await wish("base", address, amount)).toEqual({ ok: false, reason: "below_minimum", least });
    expect(await wish("base", address, 5_000_000_100n)).toEqual({ ok: false, reason: "too_fine" });
  });

  test("a Solana wallet without a USDC account pays for its creation, and the order says so", async () => {
    const owner = await newOwner(50n * USD);
    const signed = await signOrder(owner, { chain: "solana", amount: 5n * USD });
    expect(signed).toMatchObject({ fee: config().WITHDRAWAL_FEE_SOLANA_ACCOUNT_USD, opensAccount: true });
    expect(writeOrderText(signed)).toContain("Fee: 0.5 USDC, with a new token account\n");
    const cheaper = { ...signed, fee: config().WITHDRAWAL_FEE_SOLANA_USD, opensAccount: false };
    expect(await requestWithdrawal({ ...cheaper, signature: await owner.evm.sign(writeOrderText(cheaper)) })).toEqual({
      ok: false,
      reason: "fee_changed",
      fee: config().WITHDRAWAL_FEE_SOLANA_ACCOUNT_USD,
    });
    expect(await requestWithdrawal(signed)).toMatchObject({ ok: true });
  });

  test("an order that is too old or from the future is refused", async () => {
    const owner = await newOwner(50n * USD);
    const signed = await signOrder(owner, { amount: 5n * USD });
    const start = signed.issuedAt.getTime();
    for (const passed of [10 * 60_000 + 1, -60_001]) {
      restoreClock = setClock(() => start + passed);
      expect(await requestWithdrawal(signed)).toEqual({ ok: false, reason: "expired" });
      restoreClock();
    }
  });
});
