// The withdraw page's promises: the maximum is what can really arrive, every state explains itself, and a new wallet says from when
// it can be paid.

import { createElement } from "react";
import { expect, test } from "vitest";
import type { AllowanceView, Destination, WithdrawalView } from "@/lib/console/views/withdraw";
import { drawPage } from "../../ui/testing/app-router";
import { ListPages } from "../money-list";
import { fieldText, mostToArrive, rangeText, readSoFar } from "./amounts";
import { DestinationList } from "./destination-list";
import { OrderSum } from "./order-sum";
import { WithdrawBox } from "./withdraw-box";
import { WithdrawalList } from "./withdrawal-list";

const USD = 1_000_000_000n;
const allowance = (part: Partial<AllowanceView>): AllowanceView => ({
  withdrawable: 30n * USD,
  unfinal: 0n,
  leftOfDay: 1_000n * USD,
  leftOfOwn: null,
  waitSeconds: 0,
  leftOfService: 10_000n * USD,
  mostOfService: 10_000n * USD,
  leftOnChain: { base: null, solana: null },
  leftWithoutApproval: 250n * USD,
  leftOpen: 5,
  ...part,
});

test("the maximum that can arrive is the allowance less the fee, within every limit, in whole units of USDC", () => {
  const most = (part: Partial<AllowanceView>) => mostToArrive({ chain: "solana", allowance: allowance(part), fee: USD / 10n, least: USD });
  expect(most({})).toBe(29_900_000_000n);
  expect(most({ withdrawable: 30n * USD + 999n })).toBe(29_900_000_000n);
  expect(most({ leftOfDay: 7n * USD })).toBe(7n * USD);
  expect(most({ leftOfOwn: 6n * USD })).toBe(6n * USD);
  expect(most({ mostOfService: 5n * USD })).toBe(5n * USD);
  expect(most({ leftOnChain: { base: 0n, solana: 3_200_000_999n } })).toBe(3_200_000_000n);
  expect(most({ leftOnChain: { base: 0n, solana: 500n * USD } })).toBe(29_900_000_000n);
  // Less than the minimum cannot be withdrawn at all.
  for (const withdrawable of [1n, USD]) expect(most({ withdrawable })).toBe(0n);
  expect(most({ leftOnChain: { base: 9n * USD, solana: USD - 1n } })).toBe(0n);
  expect([fieldText(29_900_000_000n), fieldText(0n)]).toEqual(["29.9", ""]);
});

test("the allowed range is shown for the chosen chain, with the other chain where nothing can leave on it", () => {
  const range = (leftOnChain: AllowanceView["leftOnChain"], most: bigint) =>
    rangeText({ chain: "solana", allowance: allowance({ leftOnChain }), most, least: USD });
  expect(range({ base: null, solana: null }, 29n * USD)).toBe("Minimum $1.00 · maximum $29.00");
  expect(range({ base: 0n, solana: 500n * USD }, 29n * USD)).toBe("Minimum $1.00 · maximum $29.00");
  // To the last digit: as the button Max writes it.
  expect(range({ base: null, solana: null }, 4_899_999_000n)).toBe("Minimum $1.00 · maximum $4.899999");
  expect(range({ base: 0n, solana: 3_200_000_999n }, 3_200_000_000n)).toBe("Minimum $1.00 · maximum $3.20 on Solana right now");
  expect(range({ base: 9n * USD, solana: 0n }, 0n)).toBe("Nothing can be withdrawn on Solana right now. Choose Base.");
  expect(range({ base: 0n, solana: 0n }, 0n)).toBe("Nothing can be withdrawn on Solana right now. Try again later.");
  expect(range({ base: 9n * USD, solana: 9n * USD }, 0n)).toBe("Not enough to withdraw. Minimum: $1.00 plus the fee.");
  const empty = allowance({ withdrawable: 0n, leftOnChain: { base: 9n * USD, solana: 0n } });
  expect(rangeText({ chain: "solana", allowance: empty, most: 0n, least: USD })).toBe(
    "Not enough to withdraw. Minimum: $1.00 plus the fee.",
  );
  const limited = (part: Partial<AllowanceView>) => rangeText({ chain: "base", allowance: allowance(part), most: 0n, least: USD });
  expect(limited({ leftOfDay: USD / 2n })).toBe("Your 24-hour limit has $0.50 left. Minimum: $1.00.");
  expect(limited({ leftOfOwn: 0n })).toBe("The 24-hour limit you set has $0.00 left. Minimum: $1.00.");
  const recent = allowance({ withdrawable: 0n, unfinal: 5n * USD });
  expect(rangeText({ chain: "base", allowance: recent, most: 0n, least: USD })).toMatch(
    /^Recent deposits can be withdrawn once they are final\./,
  );
});

test("the sums follow the typed text as soon as it is an amount", () => {
  expect(["5", " $12.50 ", "1.0000001"].map(readSoFar)).toEqual([5n * USD, 12_500_000_000n, 1_000_000_100n]);
  for (const none of ["", "1,5", "five", "-1", "0", "1e3", "1E3", "+5", "0x10", "1 000", "５", ".5", "5.", "1_000", "Infinity"])
    expect(readSoFar(none), none).toBeNull();
  const page = drawPage(OrderSum({ amount: 5n * USD, fee: USD / 10n, highestFee: USD }));
  expect(page).toContain("$5.10");
  expect(drawPage(OrderSum({ amount: null, fee: null, highestFee: USD / 2n }))).toMatch(/up to .*\$0\.50.*shown before you sign/);
});

const wallet = (part: Partial<Destination>): Destination => ({
  chain: "base",
  address: `0x${"4F".repeat(20)}`,
  linkedAt: new Date(Date.UTC(2026, 10, 21, 10, 31)),
  payableFrom: null,
  isAllowed: true,
  fee: USD / 10n,
  ...part,
});
const list = (destinations: readonly Destination[]) =>
  drawPage(
    createElement(DestinationList, {
      chain: "base",
      destinations,
      value: "",
      error: null,
      onChange: () => undefined,
      nowMs: Date.UTC(2026, 10, 21, 13, 31),
    }),
  );

test("a recently linked wallet cannot be chosen, and says from when it can be paid", () => {
  const page = list([wallet({ payableFrom: new Date(Date.UTC(2026, 10, 22, 10, 31)) })]);
  expect(page).toMatch(/linked .*3 h ago.*withdrawals unlock on .*22 Nov, 10:31/);
  expect(page).toContain("disabled");
  expect(list([wallet({})])).not.toContain("disabled");
  expect(list([wallet({ chain: "solana" })])).toMatch(/No linked wallet on .*Base.*href="\/settings"/);
});

test("the figure and the field say the same about the chosen network, and nothing about what only the other one has", () => {
  const page = drawPage(
    createElement(WithdrawBox, {
      destinations: [wallet({ chain: "solana" })],
      allowance: allowance({ withdrawable: 3_260_000_000n, leftOnChain: { base: 9n * USD, solana: 0n } }),
      least: USD,
      highestFee: { base: USD / 10n, solana: USD / 10n },
      solanaFees: { usual: USD / 10n, withAccount: USD / 2n },
      signers: [],
      nowMs: 0,
      access,
      start: async () => ({ ok: false as const, message: "" }),
      take: async () => ({ ok: false as const, message: "" }),
    }),
  );
  expect(page).toMatch(/You can withdraw on .*Solana.*\$0\.00.*after the fee/);
  expect(page).toContain("Nothing can be withdrawn on Solana right now. Choose Base.");
  expect(page).not.toMatch(/\$3\.\d\d/);
});

const access = {
  settings: { appName: "PennyPrompt", chain: { id: 1, name: "Base", walletRpcUrl: null }, baseUrl: "", walletConnectProjectId: null },
  demo: null,
  signDemo: async () => null,
};

const row = (part: Partial<WithdrawalView>): WithdrawalView => ({
  id: "wd_1",
  chain: "base",
  destination: `0x${"4F".repeat(20)}`,
  amount: 5n * USD,
  fee: USD / 10n,
  state: "approved",
  waitsFor: null,
  ahead: null,
  transaction: null,
  transactionUrl: null,
  reason: null,
  requestedAt: new Date(Date.UTC(2026, 10, 21, 10, 31)),
  payFrom: null,
  endedAt: null,
  ...part,
});
const cancel = async () => ({ ok: true as const });
const draw = (part: Partial<WithdrawalView>) =>
  drawPage(createElement(WithdrawalList, { withdrawals: [row(part)], cancel, isNewest: true }));

test.each([
  [{ state: "awaiting_approval" }, "waiting for approval", true],
  [{}, "requested", true],
  [{ waitsFor: "funds" }, "gathering USDC on Base; or cancel and choose Solana", true],
  [{ waitsFor: "chain" }, "Base does not respond; we keep trying", true],
  [{ waitsFor: "reserves" }, "payouts are on hold", true],
  [{ waitsFor: "frozen" }, "this account is frozen", true],
  [{ waitsFor: "limit" }, "the service has reached its 24-hour limit; this one is next", true],
  [{ waitsFor: "signature" }, "cancel and sign again", true],
  [{ waitsFor: "signer" }, "signing is paused; it is paid as soon as signing resumes", true],
  [{ waitsFor: "fees" }, "our budget for network fees is used up for now; it is paid as soon as there is more", true],
  [{ waitsFor: "approval" }, "it needs manual approval", true],
  [{ waitsFor: "waiting_time", payFrom: new Date(Date.UTC(2026, 10, 22, 10, 31)) }, "by your own rules, until 22 Nov 2026", true],
  [{ state: "signed" }, "on its way", false],
  [{ state: "sent" }, "waiting for Base to confirm", false],
  [{ state: "confirmed" }, "in your wallet; waiting for Base to make it final", false],
  [{ state: "final" }, "its transaction is not known", false],
  [{ state: "final", transaction: "0x1" }, "paid", false],
  [{ state: "cancelled" }, "$5.10 is back in your balance", false],
  [{ state: "refused", reason: "Ask us first." }, "Ask us first. $5.10 is back in your balance.", false],
  [
    { state: "failed", reason: "One of its wallets was unlinked." },
    "One of its wallets was unlinked. $5.10 is back in your balance.",
    false,
  ],
] as const)("a withdrawal that is %j says so, and can be cancelled only while nothing is signed", (part, words, isCancellable) => {
  const page = draw(part);
  expect(page).toContain(words);
  expect(page.includes("Cancel the withdrawal of $5.00")).toBe(isCancellable);
});

test("a withdrawal that waits for its turn says how many are before it, and how much", () => {
  expect(draw({ waitsFor: "limit", ahead: { count: 2, amount: 14n * USD } })).toContain("2 ahead of this one, $14.00 in total");
});

test("a transaction links to its chain's explorer, and can only be copied where the chain is simulated", () => {
  const transaction = `0x${"9a".repeat(32)}`;
  expect(draw({ state: "final", transaction })).not.toContain("href=");
  const transactionUrl = `https://basescan.org/tx/${transaction}`;
  expect(draw({ state: "final", transaction, transactionUrl })).toContain(`href="${transactionUrl}"`);
});

test("paging: the newest page links to older ones, and those link back", () => {
  const empty = (isNewest: boolean) => drawPage(createElement(WithdrawalList, { withdrawals: [], cancel, isNewest }));
  expect([empty(true), empty(false)]).toEqual([
    expect.stringContaining("No withdrawals yet"),
    expect.stringContaining("No withdrawals before these"),
  ]);
  const pages = (older: string | null, isNewest: boolean) => drawPage(createElement(ListPages, { path: "/withdraw", older, isNewest }));
  expect(pages(null, true)).not.toContain("href");
  expect(pages("1.wd_a", true)).toMatch(/^(?!.*Newest).*href="\/withdraw\?before=1\.wd_a"/s);
  expect(pages(null, false)).toMatch(/^(?!.*Older).*href="\/withdraw"/s);
});
