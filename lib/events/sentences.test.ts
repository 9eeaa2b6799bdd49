// Sentences are for people: whatever the data of an event holds, no code of the API stands in them, and each says what the code means.

import { describe, expect, test } from "vitest";
import { paymentFailures } from "@/lib/chains/payment-failure";
import { type EventTypeName, eventTypes } from "./catalogue";
import { readEventData } from "./event-data";
import { sentenceOf } from "./sentences";

const sentence = (type: EventTypeName, change: Record<string, unknown> = {}): string =>
  sentenceOf({ type, data: readEventData(type, { ...eventTypes[type].example, ...change }) });

const types = Object.keys(eventTypes) as EventTypeName[];

/** What a field's codes are, wherever it stands. */
const codes: Readonly<Record<string, readonly string[]>> = {
  chain: ["base", "solana", "moon"],
  kind: ["webhook", "chat", "email", "push"],
  period: ["hour", "day", "week", "month", "total"],
  change: ["added", "switched_on", "switched_off", "deleted", "events", "secret", "moved_away"],
  paused: ["yes", "no"],
};

const reasons: Partial<Record<EventTypeName, readonly string[]>> = {
  "payment.failed": [...Object.keys(paymentFailures), "reversed", "not_known_yet", "constructor"],
  "withdrawal.failed": ["cancelled", "refused", "failed", "It could not be paid within seven days."],
  "endpoint.disabled": ["gone", "failing", "unsubscribed", "not_known_yet"],
};

/** The example, and one of each code in each of its fields. */
const variants = (type: EventTypeName): Record<string, unknown>[] => [
  {},
  ...Object.keys(eventTypes[type].fields).flatMap((name) =>
    ((name === "reason" ? reasons[type] : type.startsWith("wallet.") ? undefined : codes[name]) ?? []).map((code) => ({ [name]: code })),
  ),
];

describe.each(types)("%s", (type) => {
  test("no code and no raw name of a chain or kind stands in its sentence, which ends like one", () => {
    for (const change of variants(type)) {
      const said = sentence(type, change);
      expect(said, JSON.stringify(change)).toMatch(/^[A-Z“$].*[^.]\.$|^[a-z]+-\S+ will be retired/);
      expect(said).not.toMatch(/\b[a-z0-9]*[a-z](_[a-z0-9]+)+\b(?<!\bkey_\w+)/);
      expect(said).not.toMatch(/\b(base|solana|evm|chat|undefined|null)\b|eip155|\d{4}-\d{2}-\d{2}/);
    }
  });
});

test("a payment that failed says why", () => {
  const wallet = "0x52908400098527886E0F7030069857D2E4169EE7";
  expect(sentence("payment.failed")).toBe(`Payment of $0.01 by ${wallet} failed: it expired.`);
  expect(sentence("payment.failed", { reason: "reversed", payer: wallet.toLowerCase() })).toBe(
    `Payment of $0.01 by ${wallet} failed: its network dropped the transaction.`,
  );
});

test("a withdrawal that was not paid says why, and what is back: the amount with the fee", () => {
  const start = "Withdrawal of $20.00 to 0x52908400098527886E0F7030069857D2E4169EE7";
  const end = "$20.05 is back in your balance.";
  expect(sentence("withdrawal.failed")).toBe(`${start} was cancelled. ${end}`);
  expect(sentence("withdrawal.failed", { reason: "failed" })).toBe(`${start} was not paid. ${end}`);
  for (const reason of ["Ask us first", "Ask us first."])
    expect(sentence("withdrawal.failed", { reason })).toBe(`${start} was not paid. Ask us first. ${end}`);
});

test("times and days are written out, in UTC", () => {
  expect(sentence("withdrawal.requested")).toContain("It waits until 2 Mar 2026, 09:30 UTC.");
  expect(sentence("wallet.leaving")).toContain("will be unlinked on 25 Nov 2026, 09:30 UTC.");
  expect(sentence("wallet.leaving", { leavesAt: "soon" })).toContain("will be unlinked on the next day.");
  expect(sentence("model.retiring")).toBe("gpt-4o will be retired on 14 January 2027. Use gpt-6-luna instead.");
});

test("a key of a new account has nothing to be compared with", () => {
  expect(sentence("key.spike")).toContain("It usually spends $0.20 in this hour of the week.");
  expect(sentence("key.spike", { usual: "0" })).not.toContain("usually");
});
