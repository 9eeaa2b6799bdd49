// A key's spend in the list of keys.

import { createElement } from "react";
import { expect, test } from "vitest";
import type { OwnKey } from "@/lib/console/views/keys";
import { drawPage } from "../../ui/testing/app-router";
import { KeySpent } from "./key-spent";

const USD = 1_000_000_000n;

const item: OwnKey = {
  keyId: "key_1" as OwnKey["keyId"],
  name: "ci",
  prefix: "pp_live",
  last4: "abcd",
  state: "active",
  createdAt: new Date(0),
  lastUsedAt: null,
  expiresAt: null,
  clipMinTokens: null,
  scopes: ["prompt", "read"] as const,
  networks: [],
  oldSecret: null,
  revokedAt: null,
  cap: { nanoUsd: USD, period: "month", resetsAt: null },
  spent: USD / 5n,
  held: 0n,
  alarm: null,
  spike: null,
  spentInHour: 0n,
  models: null,
};

const wordsOf = (fields: Partial<OwnKey>) =>
  drawPage(createElement(KeySpent, { item: { ...item, ...fields }, places: 2 }))
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

test("a capped key shows its reserved amount beside its spend, while it holds anything", () => {
  expect(wordsOf({ held: (USD * 4n) / 5n })).toBe("$0.20 + $0.80 reserved of $1.00 this month");
  expect(wordsOf({})).toBe("$0.20 of $1.00 this month");
});

test("a key without a cap names the days of its spend", () => {
  expect(wordsOf({ cap: null })).toBe("$0.20 last 30 days, no limit");
});

test("a key that spends far more than usual says how much", () => {
  expect(wordsOf({ cap: null, spike: { spent: (USD * 41n) / 10n, usual: USD / 5n } })).toBe(
    "$0.20 last 30 days, no limit $4.10 in the last 60 minutes, usually $0.20",
  );
});
