import { expect, test } from "vitest";
import type { OwnKey } from "@/lib/console/views/keys";
import { draftOf, inputOf, newLimits } from "./limits-draft";

const key: OwnKey = {
  keyId: "key_1" as OwnKey["keyId"],
  name: "ci",
  prefix: "pp_1234",
  last4: "5678",
  state: "active",
  createdAt: new Date(0),
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  cap: null,
  clipMinTokens: null,
  scopes: ["prompt", "read"] as const,
  networks: [],
  oldSecret: null,
  alarm: null,
  spike: null,
  spentInHour: 0n,
  spent: 0n,
  held: 0n,
  models: null,
};

const noLimits = { expiry: { kind: "never" }, cap: null, clip: null, alarm: null, models: null, scopes: "spend_and_read", networks: "" };

test("a new key has a cap and an end unless its owner decides otherwise", () => {
  const given = { expiry: { kind: "days", days: 90 }, cap: { amount: "5", period: "month" } };
  expect(inputOf(newLimits)).toEqual({ ...noLimits, ...given, alarm: { factor: "5", above: "1", pauses: false } });
  const clip = { clips: true, minTokens: "512" };
  const alarm = { alarm: "pause", factor: "3", above: "2.5" } as const;
  expect(
    inputOf({
      expiry: "30",
      date: "2030-01-31",
      period: "week",
      amount: "5",
      models: ["a"],
      ...clip,
      ...alarm,
      use: "read",
      networks: "::1",
    }),
  ).toEqual({
    expiry: { kind: "days", days: 30 },
    cap: { amount: "5", period: "week" },
    clip: { minTokens: "512" },
    alarm: { factor: "3", above: "2.5", pauses: true },
    models: ["a"],
    scopes: "read",
    networks: "::1",
  });
  expect(inputOf({ ...newLimits, expiry: "date", date: "2030-01-31" }).expiry).toEqual({ kind: "date", date: "2030-01-31" });
});

test("limits opened and saved without a change stay the same, to the last nano-dollar", () => {
  expect(inputOf(draftOf(key, new Set()))).toEqual(noLimits);
  const limited: OwnKey = {
    ...key,
    expiresAt: new Date(1),
    cap: { nanoUsd: 1_000_000_001n, period: "total", resetsAt: null },
    clipMinTokens: 300,
    alarm: { factor: 7, above: 1_500_000_000n as never, pauses: true },
    models: ["a", "gone", "b"],
    scopes: ["prompt", "read", "account"],
    networks: ["203.0.113.0/24", "::1"],
  };
  expect(inputOf(draftOf(limited, new Set(["a", "b", "c"])))).toEqual({
    expiry: { kind: "keep" },
    cap: { amount: "1.000000001", period: "total" },
    clip: { minTokens: "300" },
    alarm: { factor: "7", above: "1.5", pauses: true },
    models: ["a", "b"],
    scopes: "spend_and_account",
    networks: "203.0.113.0/24 ::1",
  });
});
