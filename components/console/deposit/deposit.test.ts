// The deposit page's promises: a sandbox sends no money to a public chain, and every state of a deposit explains itself.

import { createElement } from "react";
import { encode } from "uqr";
import { expect, test } from "vitest";
import type { DepositRow, DepositView } from "@/lib/console/views/deposit";
import { drawPage } from "../../ui/testing/app-router";
import { AccountProvider } from "../account/account-provider";
import { AddressCard } from "./address-card";
import { DepositList, OlderDeposits } from "./deposit-list";
import { newsBetween } from "./deposit-news";
import { LiveDeposits } from "./live-deposits";
import { NoAddress } from "./no-address";

const address = `0x${"4F".repeat(20)}`;
const paymentUri = `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${address}`;
const card = { chain: "base" as const, address, paymentUri, minimum: 1_000_000_000n, faucet: "the faucet" };

test("a sandbox shows a plate instead of the QR code, no link, and warns that real money would be lost", () => {
  const page = drawPage(AddressCard({ ...card, isSandbox: true }));
  expect(page).not.toMatch(/ethereum:|solana:|href=|crispEdges/);
  expect(page).toContain("Never send real money to this address.");
  expect(page).toContain(">sandbox<");
  expect(page).toContain("faucet");
});

test("in live mode the QR code and the link open the payment, with the network's warning beside them", () => {
  const page = drawPage(AddressCard({ ...card, isSandbox: false }));
  expect(page).toContain(`href="${paymentUri}"`);
  expect(page).toContain("Send only USDC, and only on Base. Other tokens and other networks are not credited.");
  expect(page).not.toContain("faucet");
  const dark = encode(paymentUri, { ecc: "M", border: 0 }).data.flat().filter(Boolean).length;
  expect(page.match(/h1v1h-1z/g)).toHaveLength(dark);
});

const transaction = `0x${"9a".repeat(32)}`;
const deposit = (part: Partial<DepositRow>): DepositRow => ({
  id: "dep",
  chain: "base",
  amount: 5_000_000_000n,
  state: "seen",
  confirmations: 1,
  neededConfirmations: 12,
  transaction,
  transactionUrl: null,
  isFinal: false,
  seenAt: new Date(Date.UTC(2026, 10, 21, 10, 31)),
  creditedAt: null,
  ...part,
});

const list = (part: Partial<DepositRow>) =>
  drawPage(
    DepositList({ deposits: [deposit(part)], uncredited: { base: 400_000_000n, solana: 100_000_000n }, minimum: 1_000_000_000n }),
  ).replace(/<[^>]*class="whitespace-nowrap"[^>]*>([^<]*)<\/span>/g, "$1");

test.each<[string, Partial<DepositRow>, string]>([
  ["seen", { state: "seen" }, "Waiting for the first confirmation."],
  ["confirming", { state: "confirming", confirmations: 7 }, "confirming 7 of 12"],
  ["credited and not final", { state: "credited" }, "Ready to spend. Can be withdrawn once final."],
  ["below the minimum", { state: "below_minimum", chain: "solana" }, "$0.10 of $1.00 received so far."],
  ["reversed before it was credited", { state: "reversed" }, "before it was credited"],
  ["reversed after it was credited", { state: "reversed", creditedAt: new Date() }, "so it was taken out of your balance"],
])("a deposit that is %s says so", (_, part, words) => {
  const page = list(part);
  expect(page).toContain(words);
  expect(page.includes('aria-valuenow="7"')).toBe(part.state === "confirming");
  expect(page).toContain("21 Nov, 10:31");
  expect(page).toContain(`title="${transaction}"`);
});

test("a final, credited deposit needs no explanation, and its amount is exact to the last unit", () => {
  const page = list({ state: "credited", isFinal: true, amount: 5_000_001_000n });
  expect(page).not.toContain("final");
  expect(page).toContain("$5.000001");
});

test("a transaction links to its explorer where there is one", () => {
  expect(list({})).not.toContain("href=");
  const url = `https://basescan.org/tx/${transaction}`;
  expect(list({ transactionUrl: url })).toMatch(
    new RegExp(`<a href="${url}" target="_blank" rel="noreferrer" aria-label="Show the transaction on Base"`),
  );
});

const view = (deposits: DepositRow[], available = 0n): DepositView => ({
  available,
  deposits,
  older: null,
  uncredited: { base: 0n, solana: 0n },
});

test("each event is announced once, in a sentence; rising confirmations are not", () => {
  const seen = deposit({ state: "seen" });
  expect(newsBetween(view([]), view([seen]))).toBe("$5.00 on Base was seen.");
  const confirming = deposit({ state: "confirming", confirmations: 2 });
  expect(newsBetween(view([seen]), view([confirming]))).toBe("");
  expect(newsBetween(view([confirming]), view([deposit({ state: "confirming", confirmations: 3 })]))).toBe("");
  const credited = deposit({ state: "credited" });
  expect(newsBetween(view([confirming]), view([credited], 5_000_000_000n))).toBe("$5.00 on Base was credited. Available: $5.00.");
  expect(newsBetween(view([credited]), view([deposit({ state: "credited", isFinal: true })]))).toBe("");
  expect(newsBetween(view([credited], 5n), view([deposit({ state: "reversed" })], 0n))).toBe(
    "$5.00 on Base was reversed. Available: $0.00.",
  );
});

const account = { readAtMs: 0, available: 0n, reserved: 0n, marks: { charges: "", keys: "", deposits: "", withdrawals: "", events: "" } };

const drawLive = (shown: DepositView) => {
  const whenEmpty = "Send USDC to one of the addresses above.";
  const children = createElement(LiveDeposits, { view: shown, minimum: 1_000_000_000n, whenEmpty });
  return drawPage(createElement(AccountProvider, { initial: account, sessionId: "ses_test", children }));
};

test("the server-rendered page already has the list, or says how to fill it", () => {
  const empty = drawLive(view([]));
  expect(empty).toContain("No deposits yet");
  expect(empty).toContain("Send USDC to one of the addresses above.");
  const page = drawLive(view([deposit({ state: "credited" })]));
  for (const heading of ["Amount", "Status", "Network", "Transaction", "Date"])
    expect(page).toMatch(new RegExp(`<th scope="col"[^>]*>${heading}<`));
  expect(page).toContain("credited");
  expect(page).not.toMatch(/Older|Newest|Not up to date/);
  expect(drawLive({ ...view([deposit({})]), older: "17.base_0x" })).toContain('href="/deposit?before=17.base_0x"');
});

test("an older page links back to the newest, and an empty page says so", () => {
  const minimum = 1_000_000_000n;
  const page = drawPage(OlderDeposits({ view: view([deposit({ state: "credited" })]), minimum }));
  expect(page).toContain('href="/deposit"');
  expect(page).not.toContain("before=");
  expect(drawPage(OlderDeposits({ view: view([]), minimum }))).toContain("No deposits before these");
});

test("an unwatched chain has no address, and the page says so", () => {
  const page = drawPage(NoAddress({ chain: "solana" }));
  expect(page).toContain("Solana deposits are not available");
  expect(page).toContain("Do not send anything on Solana for now");
});
