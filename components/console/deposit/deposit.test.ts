// The deposit page's promises: a sandbox leads no money to a public chain, and every state of a deposit says what it means.

import { encode } from "uqr";
import { expect, test } from "vitest";
import { drawPage } from "../../ui/testing/app-router";
import { AddressCard } from "./address-card";
import { DepositList } from "./deposit-list";
import type { DepositRow } from "./deposit-types";

const address = `0x${"4F".repeat(20)}`;
const paymentUri = `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${address}`;
const card = { chain: "base" as const, address, paymentUri, minimum: 1_000_000_000n, faucet: "the faucet" };

test("a sandbox shows a plate in place of the code, no link, and says that real money would be lost", () => {
  const page = drawPage(AddressCard({ ...card, isSandbox: true }));
  expect(page).not.toMatch(/ethereum:|solana:|href=|crispEdges/);
  expect(page).toContain("Never send real money to this address.");
  expect(page).toContain(">sandbox<");
  expect(page).toContain("faucet");
});

test("in live mode the code and the link are the payment itself, with the network's warning beside them", () => {
  const page = drawPage(AddressCard({ ...card, isSandbox: false }));
  expect(page).toContain(`href="${paymentUri}"`);
  expect(page).toContain(
    "Send USDC, on Base only. Other tokens, and USDC that is sent to this address on another network, are not credited.",
  );
  expect(page).not.toContain("faucet");
  const dark = encode(paymentUri, { ecc: "M", border: 0 }).data.flat().filter(Boolean).length;
  expect(page.match(/h1v1h-1z/g)).toHaveLength(dark);
});

const deposit = (part: Partial<DepositRow>): DepositRow => ({
  id: "dep",
  chain: "base",
  amount: 5_000_000_000n,
  state: "seen",
  confirmations: 0,
  confirmationsNeeded: 12,
  transaction: `0x${"9a".repeat(32)}`,
  transactionUrl: null,
  seenAt: new Date(Date.UTC(2026, 10, 21, 10, 31)),
  ...part,
});

test.each([
  ["seen", "waits for its first confirmation"],
  ["confirming", "confirming 7/12"],
  ["credited", "credited"],
  ["below_minimum", "kept until it adds up"],
  ["reversed", "the chain took it back"],
] as const)("a deposit that is %s says so", (state, words) => {
  const page = drawPage(DepositList({ deposits: [deposit({ state, confirmations: 7 })], isSandbox: false }));
  expect(page).toContain(words);
  expect(page.includes('aria-valuenow="7"')).toBe(state === "confirming");
  expect(page).toContain("21 Nov, 10:31");
});

test("an empty list teaches: the faucet in a sandbox, the addresses elsewhere", () => {
  expect(drawPage(DepositList({ deposits: [], isSandbox: true }))).toMatch(/faucet/);
  expect(drawPage(DepositList({ deposits: [], isSandbox: false }))).toMatch(/Send USDC to one of the addresses above/);
});
